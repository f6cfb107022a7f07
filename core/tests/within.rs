//! Other policies' orders within the leaves of Kueue, on scenes worked out by hand.

mod begun;
mod tenants;

use begun::{fact, held, run};
use switchyard::engine::{EventKind, RunLog};
use switchyard::job::JobId;
use switchyard::outages::{Outage, OutageKind, Outages};
use switchyard::policies::PolicySpec;
use switchyard::{Finite, RunSpec, Time};
use tenants::workload;

/// Nobody borrows or lends.
const TREE: &str = "lab\na parent=lab gpus=4 borrow=0\nb parent=lab gpus=4 borrow=0";

/// Starts, restarts and pauses: (second, job, what).
fn told(log: &RunLog) -> Vec<(f64, u32, EventKind)> {
    let events = (0..log.events()).map(|at| log.event(at));
    let told = events.filter(|event| {
        use EventKind::{Pause, Restart, Start};
        matches!(event.kind, Start | Restart | Pause)
    });
    let told = told.map(|event| (event.time.0, event.job.0, event.kind));
    told.collect()
}

/// a's first job runs; of those that wait the shorter goes first, with fifo the earlier.
#[test]
fn a_leafs_jobs_wait_in_the_order_of_another_policy() {
    let jobs = [
        ("a", 0.0, 4, 50.0),
        ("a", 1.0, 4, 100.0),
        ("a", 2.0, 4, 10.0),
    ];
    let second = |policy: &str| {
        let mut run = run(policy, "1x8", TREE, workload(&jobs));
        run.run().expect("it ends");
        let told = told(run.log());
        assert!(
            told.iter().all(|(.., kind)| *kind == EventKind::Start),
            "{policy}"
        );
        told[1].1
    };
    assert_eq!(second("kueue"), 1);
    assert_eq!(second("kueue[within=shortest-job]"), 2);
}

/// Least attained service first: at 10 s a's first job has 40 GPU·s and the second none, and takes its place within a's own
/// quota; b's job, which has as much, stays. At 70 s, after a quantum, the second has had 240 and the first takes its place.
#[test]
fn a_preemptive_order_replaces_jobs_of_its_leaf_alone() {
    let jobs = [
        ("a", 0.0, 4, 500.0),
        ("b", 0.0, 4, 500.0),
        ("a", 10.0, 4, 500.0),
    ];
    let mut run = run("kueue[within=las]", "1x8", TREE, workload(&jobs));
    run.run_until(Time(65.0)).expect("possible plans");
    let all = told(run.log());
    assert!(all.contains(&(10.0, 0, EventKind::Pause)), "{all:?}");
    assert!(all.contains(&(10.0, 2, EventKind::Start)), "{all:?}");
    assert!(
        all.iter()
            .all(|&(_, job, kind)| job != 1 || kind == EventKind::Start)
    );
    // The quanta are at 60 s, 120 s, … At 60 s the second job has had 200 GPU·s, the first 40.
    assert!(all.contains(&(60.0, 0, EventKind::Restart)), "{all:?}");
    let fact = |job: u32, term: &str| fact(&run, JobId(job), 65.0, term);
    assert_eq!(
        fact(2, "by the rule").as_deref(),
        Some("the order of las within a")
    );
    assert_eq!(fact(2, "last evicted by").as_deref(), Some("job 0"));
    let numbers = fact(2, "the evicting job's number").expect("there is one");
    assert_eq!(numbers, "40.000, less than its own 200.000");
}

/// The shortest remaining time first, where two small jobs hold what a large one needs: both give way. A job of a higher
/// priority is nobody's to replace.
#[test]
fn as_many_give_way_as_it_takes_and_none_of_another_priority() {
    let jobs = [
        ("a", 0.0, 2, 500.0),
        ("a", 0.0, 2, 400.0),
        ("a", 10.0, 4, 20.0),
    ];
    let mut plain = workload(&jobs);
    let mut first = run("kueue[within=srtf]", "1x8", TREE, plain.clone());
    assert_eq!(held(&mut first, &plain, 15.0), [4]);
    let all = told(first.log());
    assert!(all.contains(&(10.0, 2, EventKind::Start)), "{all:?}");
    let pauses = all.iter().filter(|(.., kind)| *kind == EventKind::Pause);
    assert_eq!(pauses.count(), 2);
    plain.recorded.priorities = vec![Finite::new(1.0), None, None];
    let mut run = run("kueue[within=srtf]", "1x8", TREE, plain);
    run.run_until(Time(15.0)).expect("possible plans");
    let all = told(run.log());
    assert!(
        all.iter().all(|(.., kind)| *kind == EventKind::Start),
        "{all:?}"
    );
}

/// Tiresias' first queue ends at its default threshold: until then jobs of a leaf stay.
#[test]
fn tiresias_queues_save_evictions() {
    let jobs = [("a", 0.0, 4, 5000.0), ("a", 10.0, 4, 100.0)];
    let pauses = |policy: &str| {
        let mut run = run(policy, "1x8", TREE, workload(&jobs));
        run.run().expect("it ends");
        let told = told(run.log());
        let pauses = told.iter().filter(|(.., kind)| *kind == EventKind::Pause);
        let first = pauses.clone().map(|(at, ..)| *at).next();
        (pauses.count(), first)
    };
    assert_eq!(pauses("kueue[within=las]").1, Some(10.0));
    let (count, first) = pauses("kueue[within=tiresias-las]");
    assert_eq!(count, 1);
    assert!(first > Some(10.0), "{first:?}");
}

#[test]
fn what_is_no_order_is_refused_with_those_that_are() {
    let refused = "kueue[within=pollux]".parse::<PolicySpec>();
    let why = refused.expect_err("it is none").to_string();
    assert!(
        why.contains("'pollux'") && why.contains("tiresias-las"),
        "{why}"
    );
    let oracle: PolicySpec = "kueue[within=srtf]".parse().expect("a policy");
    let plain: PolicySpec = "kueue[within=las]".parse().expect("a policy");
    assert!(oracle.is_oracle() && !plain.is_oracle());
}

/// A node is away when a job comes that needs it, and comes back between two quanta.
#[test]
fn a_job_starts_when_the_node_is_back_that_it_waits_for() {
    let outages = vec![Outage {
        node: 1,
        from: Time(0.0),
        to: Time(170.0),
        kind: OutageKind::Failure,
    }];
    for policy in [
        "kueue",
        "kueue[within=srtf]",
        "kueue[within=las,quantum=20]",
    ] {
        let spec = RunSpec {
            outages: Outages::new(outages.clone()),
            ..RunSpec::new(
                policy.parse().expect("a policy"),
                "2x4".parse().expect("a cluster"),
            )
        };
        let mut run = spec.start(workload(&[("a", 0.0, 8, 10.0)]).into());
        run.run().expect("it ends");
        assert_eq!(told(run.log()), [(170.0, 0, EventKind::Start)], "{policy}");
    }
}
