//! KAI's queues in runs: how a cluster is divided, who is evicted or moved for whom, and what is said of it. Figures are
//! worked by hand, or are those of KAI's own tables (`resource_division_test.go`).

mod begun;
mod tenants;

use begun::held;
use proptest::prelude::*;
use std::collections::BTreeMap;
use switchyard::engine::{EventKind, Simulation};
use switchyard::job::JobId;
use switchyard::workload::Workload;
use switchyard_model::Finite;

/// Jobs of queues: (queue, submitted at, GPUs, seconds, priority), in order of submission.
fn prioritized(jobs: &[(&str, f64, u32, f64, f64)]) -> Workload {
    let plain = jobs
        .iter()
        .map(|&(queue, at, gpus, seconds, _)| (queue, at, gpus, seconds));
    let mut workload = tenants::workload(&plain.collect::<Vec<_>>());
    let priorities = jobs.iter().map(|job| Finite::new(job.4));
    workload.recorded.priorities = priorities.collect();
    workload
}

/// The same, all of one priority.
fn workload(jobs: &[(&str, f64, u32, f64)]) -> Workload {
    let jobs = jobs
        .iter()
        .map(|&(queue, at, gpus, seconds)| (queue, at, gpus, seconds, 50.0));
    prioritized(&jobs.collect::<Vec<_>>())
}

fn run(policy: &str, cluster: &str, queues: &str, workload: &Workload) -> Simulation {
    begun::run(policy, cluster, queues, workload.clone())
}

/// Jobs that had an event of a kind.
fn those_with(run: &Simulation, kind: EventKind) -> Vec<u32> {
    let log = run.log();
    let events = (0..log.events()).map(|at| log.event(at));
    let mut jobs: Vec<u32> = events
        .filter(|event| event.kind == kind)
        .map(|event| event.job.0)
        .collect();
    jobs.sort_unstable();
    jobs
}

/// What a fact about a job says.
fn fact(run: &Simulation, job: u32, at: f64, term: &str) -> Option<String> {
    begun::fact(run, JobId(job), at, term)
}

/// KAI's table of divisions: queues `1` and `2`, and what they then have of so many GPUs.
#[test]
fn backlogs_are_divided_as_in_kais_tables() {
    for (cluster, asked, first, second, expected) in [
        ("1x15", 6, "gpus=2 over=2", "gpus=2 over=2", [6, 6]),
        ("1x8", 6, "gpus=2 over=1", "gpus=2 over=3", [3, 5]),
        ("1x12", 6, "gpus=2 borrow=3 over=2", "gpus=2 over=2", [5, 6]),
        ("1x11", 10, "gpus=2 over=1", "gpus=2 over=4", [3, 8]),
        ("1x11", 6, "gpus=2 over=2", "gpus=2 over=2", [6, 5]),
        ("1x6", 6, "gpus=2 priority=1", "gpus=2 priority=2", [2, 4]),
        (
            "1x6",
            6,
            "gpus=2 over=100 priority=1",
            "gpus=2 over=1 priority=2",
            [2, 4],
        ),
        ("10x10", 100, "gpus=10 over=3", "gpus=10 over=1", [70, 30]),
    ] {
        let tree = format!("all gpus=all\n1 parent=all {first}\n2 parent=all {second}");
        // The second queue comes later: it has to take back what the first one has over its share.
        for later in [0.0, 10.0] {
            let mut jobs = vec![("1", 0.0, 1, 1000.0); asked];
            jobs.extend(vec![("2", later, 1, 1000.0); asked]);
            let workload = workload(&jobs);
            let mut run = run("kai", cluster, &tree, &workload);
            assert_eq!(
                held(&mut run, &workload, later),
                expected,
                "{cluster}, {tree}, {later}"
            );
        }
    }
}

const TEAMS: &str = "lab\nvision parent=lab gpus=4\nspeech parent=lab gpus=4";

fn borrowed() -> Workload {
    let mut jobs = vec![("vision", 0.0, 1, 1000.0); 8];
    jobs.push(("speech", 10.0, 3, 100.0));
    workload(&jobs)
}

#[test]
fn what_is_over_a_share_is_taken_back_and_given_again() {
    let workload = borrowed();
    for tree in [TEAMS, ""] {
        let mut run = run("kai", "1x8", tree, &workload);
        assert_eq!(held(&mut run, &workload, 5.0), [8, 0]);
        assert_eq!(held(&mut run, &workload, 20.0), [5, 3]);
        // Those that came last.
        assert_eq!(those_with(&run, EventKind::Pause), [5, 6, 7]);
        assert_eq!(held(&mut run, &workload, 120.0), [8, 0]);
    }
}

#[test]
fn nobody_takes_more_than_its_share() {
    let mut jobs = vec![("vision", 0.0, 1, 1000.0); 8];
    jobs.push(("speech", 10.0, 5, 100.0));
    let workload = workload(&jobs);
    let mut run = run("kai", "1x8", TEAMS, &workload);
    assert_eq!(held(&mut run, &workload, 20.0), [8, 0]);
    assert_eq!(
        fact(&run, 8, 20.0, "takes nothing back").as_deref(),
        Some("speech would have 5 GPUs of a fair share of 4 GPUs")
    );
}

#[test]
fn a_minimum_run_time_protects_and_no_longer() {
    let workload = borrowed();
    for (policy, tree) in [
        ("kai[reclaim_min_runtime=60]", TEAMS.to_owned()),
        (
            "kai",
            TEAMS.replace(
                "vision parent=lab",
                "vision parent=lab reclaim-min-runtime=60",
            ),
        ),
    ] {
        let mut run = run(policy, "1x8", &tree, &workload);
        assert_eq!(held(&mut run, &workload, 59.0), [8, 0]);
        assert_eq!(
            fact(&run, 8, 59.0, "some may be evicted only from").as_deref(),
            Some("60 s")
        );
        assert_eq!(held(&mut run, &workload, 60.0), [5, 3]);
    }
}

/// Each node has two GPUs free, and the gang wants four of one.
fn scattered() -> Workload {
    workload(&[
        ("a", 0.0, 2, 1000.0),
        ("a", 0.0, 2, 10.0),
        ("a", 0.0, 2, 1000.0),
        ("a", 0.0, 2, 10.0),
        ("b", 20.0, 4, 100.0),
    ])
}

#[test]
fn running_jobs_are_moved_together_and_nobody_is_left_without() {
    let workload = scattered();
    let mut run = run("kai[placement=consolidated]", "2x4", "a\nb", &workload);
    assert_eq!(held(&mut run, &workload, 15.0), [4, 0]);
    assert_eq!(held(&mut run, &workload, 20.0), [4, 4]);
    assert_eq!(those_with(&run, EventKind::Restart), [2]);
    assert_eq!(
        fact(&run, 2, 20.0, "last moved for").as_deref(),
        Some("job 4")
    );
    let waits = "kai[placement=consolidated,consolidation=0]";
    // Deserved is nothing and shares are 4 and 4: nobody is over.
    let mut waits = self::run(waits, "2x4", "a\nb", &workload);
    assert_eq!(held(&mut waits, &workload, 20.0), [4, 0]);
}

#[test]
fn who_cannot_be_evicted_is_not_moved_for() {
    let mut workload = scattered();
    workload.recorded.priorities[4] = Finite::new(100.0);
    let mut run = run(
        "kai[placement=consolidated]",
        "2x4",
        "a\nb gpus=4",
        &workload,
    );
    assert_eq!(held(&mut run, &workload, 15.0), [4, 0]);
    assert!(those_with(&run, EventKind::Restart).is_empty());
}

#[test]
fn a_higher_priority_evicts_in_its_own_queue_alone() {
    let jobs = [
        ("a", 0.0, 4, 1000.0, 50.0),
        ("a", 0.0, 4, 1000.0, 40.0),
        ("a", 10.0, 4, 100.0, 60.0),
        ("b", 10.0, 4, 100.0, 90.0),
    ];
    let tree = "all gpus=all\na parent=all gpus=8\nb parent=all gpus=0 over=0";
    let workload = prioritized(&jobs);
    let mut run = run("kai", "1x8", tree, &workload);
    assert_eq!(held(&mut run, &workload, 20.0), [8, 0]);
    assert_eq!(those_with(&run, EventKind::Pause), [1]);
    assert_eq!(
        fact(&run, 1, 20.0, "by the action").as_deref(),
        Some("preempt")
    );
    assert_eq!(
        fact(&run, 1, 20.0, "of the priority").as_deref(),
        Some("60")
    );
    let mut protected = self::run("kai[preempt_min_runtime=50]", "1x8", tree, &workload);
    assert_eq!(held(&mut protected, &workload, 49.0), [8, 0]);
    assert!(those_with(&protected, EventKind::Pause).is_empty());
    held(&mut protected, &workload, 50.0);
    assert_eq!(those_with(&protected, EventKind::Pause), [1]);
}

#[test]
fn who_cannot_be_evicted_uses_only_what_the_queue_deserves() {
    let mut jobs = vec![("vision", 0.0, 1, 1000.0, 100.0); 8];
    jobs.push(("speech", 10.0, 5, 100.0, 0.0));
    let workload = prioritized(&jobs);
    let mut run = run("kai", "1x8", TEAMS, &workload);
    assert_eq!(held(&mut run, &workload, 5.0), [4, 0]);
    assert_eq!(
        fact(&run, 4, 5.0, "jobs that nobody may evict would have").as_deref(),
        Some("vision: 5 GPUs of what it deserves, 4 GPUs")
    );
    // Of 8, 5 are asked for, 4 are free, and those that run stay.
    assert_eq!(held(&mut run, &workload, 20.0), [4, 0]);
    assert!(those_with(&run, EventKind::Pause).is_empty());
}

/// KAI's story of two queues with jobs as large as the cluster: without history the older one keeps it.
#[test]
fn history_makes_queues_take_turns() {
    let workload = workload(&[("a", 0.0, 16, 1e5), ("b", 0.0, 16, 1e5)]);
    let mut keeps = run("kai", "2x8", "a\nb", &workload);
    assert_eq!(held(&mut keeps, &workload, 50_000.0), [16, 0]);
    let mut turns = run("kai[window=1h,fetch=60]", "2x8", "a\nb", &workload);
    assert_eq!(held(&mut turns, &workload, 30.0), [16, 0]);
    // After a minute, a had all there was: its weight is max(0, ½ + ½ − 1) = 0.
    assert_eq!(held(&mut turns, &workload, 61.0), [0, 16]);
    // b had 1 − 60 ∕ t. a has it back when 60 ∕ t is at most 1 ∕ 32: at 1,920 s, or a fetch later.
    assert_eq!(held(&mut turns, &workload, 1_859.0), [0, 16]);
    assert_eq!(held(&mut turns, &workload, 1_981.0), [16, 0]);
    assert_eq!(
        fact(&turns, 1, 1_981.0, "by the action").as_deref(),
        Some("reclaim")
    );
    assert_eq!(
        held(&mut turns, &workload, 20_000.0).iter().sum::<u32>(),
        16
    );
    let loops = fact(&turns, 1, 20_000.0, "evicted over and over by");
    assert_eq!(loops.as_deref(), Some("job 0"));
}

#[test]
fn why_tells_the_sum_of_a_share_and_whose_saturation_was_compared() {
    let tree = "all gpus=all\na parent=all gpus=2 over=3\nb parent=all gpus=2 over=1";
    let mut jobs = vec![("a", 0.0, 1, 1000.0); 10];
    jobs.extend(vec![("b", 10.0, 1, 1000.0); 10]);
    let workload = workload(&jobs);
    let mut run = run("kai", "1x10", tree, &workload);
    // Of 6 over quota, a gets ¾: 4 and the larger part of what rounding left.
    assert_eq!(held(&mut run, &workload, 20.0), [7, 3]);
    let of = |job, term: &str| fact(&run, job, 20.0, term);
    assert_eq!(of(0, "queue").as_deref(), Some("a < all"));
    assert_eq!(of(0, "its queue deserves").as_deref(), Some("2 GPUs"));
    assert_eq!(of(0, "its queue's fair share").as_deref(), Some("7 GPUs"));
    assert_eq!(
        of(0, "its share by parts").as_deref(),
        Some("2 GPUs deserved + 4 GPUs over quota + 1 GPU left by rounding, of 10 GPUs")
    );
    assert_eq!(
        of(0, "round 1 over quota").as_deref(),
        Some("75.0 % of 6 GPUs = 4.50 GPUs, and it needs 8 GPUs")
    );
    assert_eq!(of(9, "last evicted by").as_deref(), Some("job 10"));
    assert_eq!(
        of(9, "the queue that lost it had").as_deref(),
        Some("a: 10 GPUs of a fair share of 7 GPUs, and deserved 2 GPUs")
    );
    assert_eq!(
        of(9, "the queue that took it had with that job").as_deref(),
        Some("b: 1 GPU of a fair share of 3 GPUs, and deserved 2 GPUs")
    );
}

#[derive(Clone, Debug)]
struct Random {
    tree: String,
    limits: BTreeMap<String, u32>,
    jobs: Vec<(usize, u32, u32, u32, u32)>,
}

const LEAVES: [(&str, &str); 5] = [
    ("a1", "a"),
    ("a2", "a"),
    ("b1", "b"),
    ("b2", "b"),
    ("c", "all"),
];

fn randoms() -> impl Strategy<Value = Random> {
    let queue = (0_u32..5, prop::option::of(0_u32..6), 0_u32..4, 0_i64..3);
    let queues = prop::collection::vec(queue, 7);
    let job = (
        0_usize..5,
        0_u32..60,
        1_u32..9,
        1_u32..80,
        prop_oneof![4 => Just(50_u32), 1 => Just(60), 1 => Just(100)],
    );
    (queues, prop::collection::vec(job, 1..40)).prop_map(|(queues, mut jobs)| {
        let mut tree = "all gpus=all\n".to_owned();
        let mut limits = BTreeMap::new();
        let names = [("a", "all"), ("b", "all")].into_iter().chain(LEAVES);
        for ((name, parent), (gpus, borrow, over, priority)) in names.zip(queues) {
            tree += &format!("{name} parent={parent} priority={priority} gpus={gpus}");
            if let Some(borrow) = borrow {
                tree += &format!(" borrow={borrow}");
                limits.insert(name.to_owned(), gpus + borrow);
            }
            tree += &format!(" over={over}\n");
        }
        jobs.sort_by_key(|job| job.1);
        Random { tree, limits, jobs }
    })
}

proptest! {
    /// No queue has more than its limit, nobody is evicted or moved but for somebody who then starts, and gangs that cannot be
    /// evicted are not.
    #[test]
    fn limits_hold_and_evictions_help(random in randoms(), placement in prop_oneof![Just("default"), Just("consolidated")], history in any::<bool>()) {
        let jobs: Vec<_> = random.jobs.iter().map(|&(leaf, at, gpus, seconds, priority)| {
            (LEAVES[leaf].0, f64::from(at), gpus, f64::from(seconds), f64::from(priority))
        }).collect();
        let workload = prioritized(&jobs);
        let window = if history { ",window=100,half_life=30,fetch=10" } else { "" };
        let policy = format!("kai[placement={placement}{window}]");
        let mut run = run(&policy, "2x6", &random.tree, &workload);
        // Jobs that no queue may have wait for ever.
        let _ = run.run();
        let log = run.log();
        let mut used: BTreeMap<&str, u32> = BTreeMap::new();
        let events: Vec<_> = (0..log.events()).map(|at| log.event(at)).collect();
        for (at, event) in events.iter().enumerate() {
            let job = &workload.jobs[event.job.index()];
            let leaf = workload.tenants[job.tenant.expect("one") as usize].as_str();
            let parent = LEAVES.iter().find(|(name, _)| *name == leaf).expect("one").1;
            for queue in [leaf, parent, "all"] {
                let used = used.entry(queue).or_default();
                match event.kind {
                    EventKind::Start | EventKind::Restart => *used += job.gpus,
                    EventKind::Pause | EventKind::Finish => *used -= job.gpus,
                    _ => {}
                }
            }
            let is_last = events.get(at + 1).is_none_or(|next| next.time > event.time);
            if is_last {
                for (queue, used) in &used {
                    if let Some(limit) = random.limits.get(*queue) {
                        prop_assert!(used <= limit, "{queue} has {used} of {limit}");
                    }
                }
            }
            if event.kind == EventKind::Pause {
                prop_assert!(jobs[event.job.index()].4 < 100.0);
                let mut after = events.iter().filter(|other| other.time == event.time);
                let helps = after.any(|other| {
                    let starts = matches!(other.kind, EventKind::Start | EventKind::Restart);
                    starts && other.job != event.job
                });
                prop_assert!(helps, "job {} is evicted in vain", event.job.0);
            }
        }
    }
}
