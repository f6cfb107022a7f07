//! Worlds in which jobs share links: under every policy and placement they run to their ends, none faster than
//! alone, the same however the run is cut, and what slows them is told.

use proptest::prelude::*;
use std::sync::Arc;
use switchyard::engine::SimOptions;
use switchyard::job::{Job, JobId};
use switchyard::placement::Strategy as Laid;
use switchyard::policies::POLICIES;
use switchyard::report::Outcomes;
use switchyard::workload::Workload;
use switchyard::{RunSpec, Time};

const MODELS: [&str; 8] = [
    "resnet50",
    "resnet152",
    "vgg16",
    "inceptionbn",
    "seq2seq",
    "ctc",
    "dssm",
    "wlm",
];

const CLUSTERS: [&str; 6] = [
    "8x4/racks=2",
    "8x4/cores=12/partitions=2/racks=4",
    "3x8+2x4/racks=2/oversubscription=6",
    "4x8/sockets=4/pcie=4/nic=0.4",
    "16x2/racks=4/nic=1",
    r#"{"nodes":"6x4","switches":[{"name":"p","capacity":0.5},{"name":"a","parent":"p","nodes":"0-2"},{"name":"b","parent":"p","nodes":"3"},{"name":"c","nic":12.5,"nodes":"4-5"}]}"#,
];

/// Jobs of submit, GPUs, duration and model.
fn workload(jobs: &[(f64, u32, f64, u32)]) -> Arc<Workload> {
    let mut jobs = jobs.to_vec();
    jobs.sort_by(|a, b| switchyard::order::by_value(&a.0, &b.0));
    let job = |(i, &(submit, gpus, duration, model)): (usize, &(f64, u32, f64, u32))| Job {
        name: format!("j{i}").into(),
        model: Some(model),
        ..Job::plain(submit - jobs[0].0, gpus, duration)
    };
    Arc::new(Workload {
        jobs: jobs.iter().enumerate().map(job).collect(),
        models: MODELS.map(str::to_owned).to_vec(),
        ..Workload::default()
    })
}

fn spec(policy: &str, cluster: &str, contention: bool) -> RunSpec {
    RunSpec {
        options: SimOptions {
            contention,
            ..SimOptions::default()
        },
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    }
}

#[test]
fn a_busy_uplink_is_named_with_who_is_on_it() {
    // Two gangs of eight over two racks of one node each, and one within a node.
    let jobs = [(0.0, 8, 100.0, 2), (0.0, 8, 100.0, 2), (0.0, 4, 100.0, 2)];
    let mut run = spec("fifo[placement=spread]", "4x8/racks=2", true).start(workload(&jobs));
    run.run_until(Time::ZERO).expect("a possible plan");
    let first = run.explain(JobId(0), Time::ZERO);
    let cause = first.slow.first().expect("it is slow");
    assert_eq!(
        (cause.law.as_str(), cause.place.as_str()),
        ("contention", "rack 1's uplink")
    );
    assert!(cause.factor < 0.5 && cause.load.is_some_and(|load| load > 1.0));
    let others: Vec<JobId> = cause.by.iter().map(|(job, _)| *job).collect();
    assert_eq!(others, [JobId(1), JobId(2)]);
    assert!(cause.by.iter().all(|(_, share)| (0.2..0.5).contains(share)));
}

#[test]
fn whoever_trains_alone_and_packed_takes_no_longer() {
    for (model, name) in (0u32..).zip(MODELS) {
        for gpus in [1, 3, 4, 8] {
            let jobs = workload(&[(0.0, gpus, 50.0, model)]);
            let spec = spec("fifo", "8x4/racks=2", true);
            let mut run = spec.start(Arc::clone(&jobs));
            run.run().expect("a possible plan");
            let outcomes = Outcomes::of(&jobs, &spec.cluster, run.log());
            assert!((outcomes.jct[0] - 50.0).abs() < 1e-9, "{name} on {gpus}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn jobs_end_no_sooner_than_alone_and_runs_can_be_cut(
        jobs in prop::collection::vec((0.0..200.0f64, 1u32..17, 1.0..300.0f64, 0u32..8), 1..25),
        cluster in 0usize..6,
        policy in 0usize..64,
        placement in 0usize..Laid::ALL.len(),
        servers in prop_oneof![Just(0.0), Just(0.5)],
        is_on in any::<bool>(),
        cut in 0.0..400.0f64,
    ) {
        let policy = POLICIES[policy % POLICIES.len()].name;
        let jobs = workload(&jobs);
        let mut spec = spec(policy, CLUSTERS[cluster], is_on);
        spec.placement = Laid::ALL[placement];
        spec.options.servers = servers;
        let mut run = spec.start(Arc::clone(&jobs));
        run.run().expect("a possible plan");
        let outcomes = Outcomes::of(&jobs, &spec.cluster, run.log());
        for (job, jct) in jobs.jobs.iter().zip(&outcomes.jct) {
            if job.gpus <= spec.cluster.gpus() {
                prop_assert!(*jct >= job.work.seconds() * (1.0 - 1e-9), "{} of {}", jct, job.name);
            }
        }
        let mut again = spec.start(Arc::clone(&jobs));
        again.run_until(Time(cut)).expect("a possible plan");
        for id in (0..jobs.jobs.len() as u32).map(JobId) {
            for cause in again.explain(id, Time(cut)).slow {
                prop_assert!(cause.factor > 0.0 && cause.factor <= 1.0);
                prop_assert!(cause.by.iter().all(|(other, share)| *other != id && (0.0..=1.0).contains(share)));
            }
        }
        again.run().expect("a possible plan");
        prop_assert_eq!(run.log().hash(), again.log().hash());
    }
}

/// A cluster that says what it hangs on, and no more: without contention it is as if it did not.
#[test]
fn a_tree_alone_changes_nothing() {
    let jobs: Vec<_> = (0..60)
        .map(|i| (f64::from(i), 1 + i as u32 % 9, 40.0, i as u32 % 8))
        .collect();
    let jobs = workload(&jobs);
    let hash = |cluster: &str| {
        let mut run = spec("fifo", cluster, false).start(Arc::clone(&jobs));
        run.run().expect("a possible plan");
        run.log().hash()
    };
    assert_eq!(hash("6x4"), hash("6x4/sockets=2/nic=1"));
}
