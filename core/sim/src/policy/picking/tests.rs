//! The semantics of the queue on jobs small enough to follow by hand.

use crate::RunSpec;
use crate::Time;
use crate::job::{Job, JobId};
use crate::workload::Workload;
use std::sync::Arc;

/// Jobs of (submitted, GPUs, seconds) on eight GPUs: when each starts.
fn starts(policy: &str, jobs: &[(u32, u32, u32)]) -> Vec<f64> {
    let jobs = jobs
        .iter()
        .map(|&(submit, gpus, seconds)| Job::plain(f64::from(submit), gpus, f64::from(seconds)));
    let workload = Workload {
        jobs: jobs.collect(),
        ..Workload::default()
    };
    let spec = RunSpec {
        policy: policy.parse().unwrap(),
        cluster: "2x4".parse().unwrap(),
        placement: Default::default(),
        options: Default::default(),
        history: None,
        outages: Default::default(),
    };
    let workload = Arc::new(workload);
    let mut run = spec.start(workload.clone());
    run.run().unwrap();
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
fn what_is_backfilled_ends_before_the_head_starts() {
    // The head may start at 100; who would end at 100 is too late, by a second or at all.
    let jobs = [(0, 6, 100), (1, 8, 50), (2, 1, 98), (3, 1, 96), (4, 1, 10)];
    let with = |policy| starts(policy, &jobs);
    assert_eq!(with("fcfs[backfill=true]"), [0.0, 100.0, 150.0, 3.0, 4.0]);
    assert_eq!(with("fcfs"), [0.0, 100.0, 150.0, 150.0, 150.0]);
    // In order of submission, whatever the score says.
    let jobs = [(0, 7, 100), (1, 8, 50), (2, 1, 40), (2, 1, 20)];
    assert_eq!(
        starts("shortest-job[backfill=true]", &jobs),
        [0.0, 100.0, 2.0, 42.0]
    );
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
    let spec = RunSpec {
        policy: "f1[backfill=true]".parse().unwrap(),
        cluster: "2x4".parse().unwrap(),
        placement: Default::default(),
        options: Default::default(),
        history: None,
        outages: Default::default(),
    };
    let job = |gpus| Job::plain(0.0, gpus, 50.0);
    let workload = Workload {
        jobs: [6, 8, 4, 3].map(job).to_vec(),
        ..Workload::default()
    };
    let mut run = spec.start(Arc::new(workload));
    run.step().unwrap();
    let facts = |job| {
        let explained = run.explain(JobId(job), Time::ZERO);
        let told = explained.facts.iter();
        told.map(|fact| format!("{}: {}", fact.term, fact.value))
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
