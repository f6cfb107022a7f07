//! The semantics of the queue on jobs small enough to follow by hand.

use proptest::prelude::*;
use std::sync::Arc;
use switchyard_model::Time;
use switchyard_model::job::{Demand, Job, JobId};
use switchyard_model::workload::Workload;
use switchyard_run::RunSpec;

fn spec(policy: &str, cluster: &str) -> RunSpec {
    RunSpec::new(
        policy.parse().expect("a test is right"),
        cluster.parse().expect("a test is right"),
    )
}

/// Submitted, GPUs, seconds, and seconds asked for.
type Row = (u32, u32, u32, Option<u32>);

fn workload(jobs: &[Row]) -> Arc<Workload> {
    let job = |&(submit, gpus, seconds, asked): &Row| Job {
        demand: Demand {
            time: asked.map(f64::from),
            ..Demand::default()
        },
        ..Job::plain(f64::from(submit), gpus, f64::from(seconds))
    };
    Arc::new(Workload {
        jobs: jobs.iter().map(job).collect(),
        ..Workload::default()
    })
}

/// Jobs of (submitted, GPUs, seconds) on eight GPUs: when each starts.
fn starts(policy: &str, jobs: &[(u32, u32, u32)]) -> Vec<f64> {
    let jobs = jobs
        .iter()
        .map(|&(submit, gpus, seconds)| (submit, gpus, seconds, None));
    starts_of(policy, &jobs.collect::<Vec<_>>())
}

fn starts_of(policy: &str, jobs: &[Row]) -> Vec<f64> {
    let workload = workload(jobs);
    let mut run = spec(policy, "2x4").start(workload.clone());
    run.run().expect("a test is right");
    let log = run.log();
    let mut starts = vec![f64::NAN; workload.jobs.len()];
    for segment in (0..log.segments()).map(|i| log.segment(i)) {
        assert!(starts[segment.job.index()].is_nan(), "it ran twice");
        starts[segment.job.index()] = segment.start.seconds();
    }
    starts
}

#[test]
fn whom_it_picked_stays_picked() {
    // The third is the head when the fourth comes, which would fit and is shorter.
    let jobs = [(0, 6, 100), (1, 8, 50), (2, 2, 10)];
    assert_eq!(starts("shortest-job", &jobs), [0.0, 100.0, 150.0]);
    // Of those that wait when it starts, the shortest is next.
    let jobs = [(0, 8, 10), (1, 8, 30), (2, 8, 20), (3, 8, 5)];
    assert_eq!(starts("shortest-job", &jobs), [0.0, 10.0, 45.0, 40.0]);
}

#[test]
fn what_is_backfilled_ends_when_the_head_starts() {
    // The head may start at 100, and needs all GPUs. In RLScheduler's simulator who would end then is too late.
    let jobs = [(0, 6, 100), (1, 8, 50), (2, 1, 98), (3, 1, 96), (4, 1, 10)];
    let with = |policy| starts(policy, &jobs);
    assert_eq!(with("fcfs[backfill=true]"), [0.0, 100.0, 2.0, 3.0, 150.0]);
    assert_eq!(
        with("fcfs[backfill=true,quirks=true]"),
        [0.0, 100.0, 150.0, 3.0, 4.0]
    );
    assert_eq!(with("fcfs"), [0.0, 100.0, 150.0, 150.0, 150.0]);
    // In order of submission, whatever the score says.
    let jobs = [(0, 7, 100), (1, 8, 50), (2, 1, 40), (2, 1, 20)];
    assert_eq!(
        starts("shortest-job[backfill=true]", &jobs),
        [0.0, 100.0, 2.0, 42.0]
    );
}

#[test]
fn or_needs_none_of_the_heads_gpus() {
    // At 100 the head takes six, and two are extra: for the third, which leaves none for the fourth. The fifth ends
    // in time.
    let jobs = [
        (0, 4, 100),
        (1, 6, 50),
        (2, 2, 1_000),
        (3, 2, 1_000),
        (4, 2, 50),
    ];
    for policy in ["fcfs", "shortest-job", "wfp3", "unicep", "f1", "rl-picker"] {
        let policy = format!("{policy}[backfill=true]");
        assert_eq!(
            starts(&policy, &jobs),
            [0.0, 100.0, 2.0, 150.0, 4.0],
            "{policy}"
        );
    }
    assert_eq!(
        starts("fcfs[backfill=true,quirks=true]", &jobs),
        [0.0, 100.0, 100.0, 150.0, 4.0]
    );
    // On one node, as the placement has it: at 50 the second node is idle, and the head starts there. Of the two
    // GPUs that are extra by their number, the one that is free on that node is not.
    let jobs = [
        (0, 2, 100),
        (0, 3, 50),
        (1, 4, 50),
        (2, 1, 1_000),
        (3, 2, 1_000),
    ];
    assert_eq!(
        starts("fcfs[backfill=true,placement=consolidated]", &jobs),
        [0.0, 0.0, 50.0, 100.0, 3.0]
    );
}

#[test]
fn reservations_go_by_the_times_that_jobs_ask_for() {
    let asked = |jobs: &[(u32, u32, u32, u32)], policy: &str| {
        let jobs = jobs
            .iter()
            .map(|&(submit, gpus, seconds, asked)| (submit, gpus, seconds, Some(asked)));
        starts_of(policy, &jobs.collect::<Vec<_>>())
    };
    let (easy, first) = ("fcfs[backfill=true]", "fcfs[backfill=true,quirks=true]");
    // The first asks for more than it takes, and the third delays the head.
    let jobs = [(0, 6, 100, 200), (1, 8, 50, 50), (2, 2, 150, 150)];
    assert_eq!(asked(&jobs, easy), [0.0, 152.0, 2.0]);
    // When it has ended the reservation is earlier, and the last would not end by then.
    let jobs = [
        (0, 4, 50, 200),
        (0, 2, 100, 100),
        (1, 8, 10, 10),
        (60, 1, 100, 100),
    ];
    assert_eq!(asked(&jobs, easy), [0.0, 0.0, 100.0, 110.0]);
    assert_eq!(asked(&jobs, first), [0.0, 0.0, 160.0, 60.0]);
    // Who should have ended may end at any moment: nobody is let in but on extra GPUs.
    let jobs = [
        (0, 6, 100, 50),
        (1, 8, 10, 10),
        (2, 2, 10, 10),
        (60, 2, 5, 5),
    ];
    assert_eq!(asked(&jobs, easy), [0.0, 100.0, 2.0, 110.0]);
    let jobs = [(0, 6, 100, 50), (1, 6, 10, 10), (60, 2, 500, 500)];
    assert_eq!(asked(&jobs, easy), [0.0, 100.0, 60.0]);
}

#[test]
fn pickers_see_the_times_that_jobs_ask_for() {
    // Both of the last wait when one of them is picked. The first of the two is the shorter, and asks for more.
    let jobs: [Row; 4] = [
        (0, 8, 100, Some(100)),
        (1, 8, 1, Some(1)),
        (2, 8, 10, Some(500)),
        (3, 8, 50, Some(60)),
    ];
    let order = |policy: &str, jobs: &[Row]| {
        let starts = starts_of(policy, jobs);
        starts[2] < starts[3]
    };
    for policy in [
        "shortest-job",
        "wfp3",
        "unicep",
        "f1[zero=1000000]",
        "rl-picker",
    ] {
        assert!(!order(policy, &jobs), "{policy}");
        let untold: Vec<Row> = jobs.iter().map(|&(a, b, c, _)| (a, b, c, None)).collect();
        assert!(order(policy, &untold), "{policy}");
    }
}

proptest! {
    /// While a job is the head, its reserved start comes no later, where all take the times they ask for.
    #[test]
    fn what_is_backfilled_never_delays_the_head(
        jobs in prop::collection::vec((0u32..60, 1u32..7, 1u32..80), 1..25),
        policy in prop::sample::select(&["fcfs", "shortest-job", "wfp3"]),
        placement in prop::sample::select(&["least-fragmentation", "consolidated", "spread"]),
        cluster in prop::sample::select(&["2x4", "4x2", "2x4:v100/cores=8+3x2:t4/cores=3"]),
    ) {
        let mut jobs: Vec<Row> = jobs.into_iter().map(|(at, gpus, seconds)| (at, gpus, seconds, None)).collect();
        jobs.sort_unstable();
        let count = jobs.len() as u32;
        let mut spec = spec(&format!("{policy}[backfill=true,placement={placement}]"), cluster);
        spec.options.equal_types = true;
        let mut run = spec.start(workload(&jobs));
        let mut before: Option<(u32, f64)> = None;
        while run.step().expect("a test is right") {
            let head = (0..count).find_map(|job| {
                let facts = run.explain(JobId(job), Time::ZERO).facts;
                let is_head = facts.iter().any(|fact| fact.term == "picked");
                let reserved = facts.iter().find(|fact| fact.term == "head's reserved start");
                let reserved = reserved.filter(|_| is_head)?.in_seconds().strip_suffix(" s")?.parse().ok()?;
                Some((job, reserved))
            });
            if let (Some((job, reserved)), Some((same, earlier))) = (head, before) && job == same {
                prop_assert!(reserved <= earlier, "{job}: {reserved} after {earlier}");
            }
            before = head;
        }
    }
}

#[test]
fn within_a_second_each_event_is_looked_at_by_itself() {
    // Both come at once, and nobody waits: the first is picked before the second is seen.
    let jobs = [(5, 8, 30), (5, 8, 10)];
    assert_eq!(starts("shortest-job", &jobs), [5.0, 35.0]);
    // Jobs come before others end: the last is seen when the third has been picked.
    let jobs = [(0, 8, 10), (1, 8, 7), (10, 8, 3), (10, 8, 2)];
    assert_eq!(starts("shortest-job", &jobs), [0.0, 10.0, 19.0, 17.0]);
    // Two end at once. When the first has, the last but one does not fit yet, and the last does.
    let jobs = [
        (0, 2, 10),
        (0, 2, 10),
        (0, 4, 100),
        (1, 8, 5),
        (2, 4, 50),
        (3, 2, 60),
    ];
    assert_eq!(
        starts("fcfs[backfill=true]", &jobs),
        [0.0, 0.0, 0.0, 100.0, 105.0, 10.0]
    );
}

#[test]
fn formulas() {
    let last = |policy, jobs: &[_]| starts(policy, jobs)[2..].to_vec();
    // When the second starts, at 100: waited ÷ time asked for, cubed, times GPUs is 98³/50³·8, 90³/10³·4
    // and 89³/200³·4.
    let jobs = [
        (0, 8, 100),
        (1, 8, 50),
        (2, 8, 50),
        (10, 4, 10),
        (11, 4, 200),
    ];
    assert_eq!(last("wfp3", &jobs), [160.0, 150.0, 210.0]);
    // Negative waiting times prefer those that came first and ask for much.
    assert_eq!(
        last("wfp3[quirks=true,zero=1]", &jobs),
        [350.0, 400.0, 150.0]
    );
    // One GPU has a logarithm of zero.
    let jobs = [(0, 8, 100), (1, 8, 1), (2, 1, 90), (3, 8, 1)];
    assert_eq!(last("unicep", &jobs), [101.0, 191.0]);
    // log₁₀(100) · 8 = 16 against log₁₀(1000) · 1 = 3, and 870 · log₁₀(2) for coming late.
    let jobs = [(0, 8, 2_000), (1, 8, 1), (500, 8, 100), (1_000, 1, 1_000)];
    assert_eq!(last("f1", &jobs), [2_001.0, 2_101.0]);
    assert_eq!(last("f1[zero=1000000]", &jobs), [3_001.0, 2_001.0]);
}

#[test]
fn it_says_why() {
    let spec = spec("f1[backfill=true]", "2x4");
    let job = |gpus| Job::plain(0.0, gpus, 50.0);
    let workload = Workload {
        jobs: [6, 8, 4, 3].map(job).to_vec(),
        ..Workload::default()
    };
    let mut run = spec.start(Arc::new(workload));
    run.step().expect("a test is right");
    let facts = |job| {
        let explained = run.explain(JobId(job), Time::ZERO);
        let told = explained.facts.iter();
        told.map(|fact| format!("{}: {}", fact.term, fact.in_seconds()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        facts(1),
        [
            "gang: 8 GPUs",
            "picked: the head, until it fits",
            "head's reserved start: 50 s"
        ]
    );
    assert_eq!(
        facts(2)[2..],
        [
            "score: -863.204120, the least is next",
            "jobs that would be picked before: 1"
        ]
    );
}
