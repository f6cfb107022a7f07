//! The run as it was recorded: whatever is set, jobs start when they did and take as long as they took.

use proptest::prelude::*;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, GpuModel};
use switchyard::engine::{RunLog, SimOptions};
use switchyard::job::{Job, TypeSet};
use switchyard::report::{Calibration, Outcomes};
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::weights;
use switchyard::workload::{GpuGeneration, RecordedRun, Workload};
use switchyard::{RunSpec, RunSpecError, Time};

/// Jobs by submission, wait, GPUs and seconds.
fn workload(jobs: &[(f64, f64, u32, f64)]) -> Arc<Workload> {
    let mut workload = Workload {
        jobs: jobs.iter().map(|of| Job::plain(of.0, of.2, of.3)).collect(),
        ..Workload::default()
    };
    workload.recorded.runs = jobs
        .iter()
        .map(|&(submit, wait, _, seconds)| {
            Some(RecordedRun {
                start: Time(submit + wait),
                seconds,
                types: TypeSet::ANY,
            })
        })
        .collect();
    Arc::new(workload)
}

fn spec(cluster: &str, options: SimOptions) -> RunSpec {
    RunSpec {
        options,
        outages: "1:10s..500s".parse().expect("an outage"),
        ..RunSpec::new(
            "recorded".parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    }
}

fn run(spec: &RunSpec, workload: &Arc<Workload>) -> (RunLog, Outcomes) {
    let mut run = spec.start(Arc::clone(workload));
    run.run().expect("possible plans");
    let log = run.into_log();
    let outcomes = Outcomes::of(workload, &spec.cluster, &log);
    (log, outcomes)
}

/// Everything that slows jobs or takes their GPUs away.
fn everything() -> SimOptions {
    SimOptions {
        restart_cost: 30.0,
        first_start_pays: true,
        spread_slowdown: GpuGeneration::ALL.first().copied(),
        contention: true,
        servers: 0.5,
        mtbf: 0.1,
        checkpoint_interval: 60.0,
        checkpoint_cost: 10.0,
        replay_failures: true,
        ..SimOptions::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// As many GPUs as were in use at once are enough, however they are spread.
    #[test]
    fn every_wait_is_the_recorded_one(
        mut jobs in prop::collection::vec((0.0..5e3f64, 0.0..2e3f64, 1..7u32, 1.0..3e3f64), 1..60),
    ) {
        jobs.sort_by(|a, b| a.0.partial_cmp(&b.0).expect("numbers"));
        let workload = workload(&jobs);
        let guess = workload.suggest_cluster();
        let spec = spec(&guess.cluster.to_string(), everything());
        let spec = RunSpec { outages: Default::default(), ..spec };
        let (_, outcomes) = run(&spec, &workload);
        for (at, &(_, wait, gpus, seconds)) in jobs.iter().enumerate() {
            prop_assert!((outcomes.queueing[at] - wait).abs() < 1e-6);
            prop_assert!((outcomes.jct[at] - wait - seconds).abs() < 1e-6);
            prop_assert!((outcomes.service[at] / (seconds * f64::from(gpus)) - 1.0).abs() < 1e-9);
        }
        if let Some(calibration) = Calibration::of(&workload, &outcomes) {
            prop_assert_eq!(calibration.off, 0);
        }
    }
}

#[test]
fn nodes_that_fail_are_none_of_its_business() {
    let workload = workload(&[(0.0, 5.0, 8, 100.0)]);
    let (log, outcomes) = run(&spec("2x4", everything()), &workload);
    assert_eq!((outcomes.jct[0], log.evictions()), (105.0, 0));
}

#[test]
fn without_room_a_job_starts_as_soon_as_there_is_some() {
    let workload = workload(&[
        (0.0, 0.0, 4, 100.0),
        (0.0, 10.0, 4, 100.0),
        (0.0, 20.0, 1, 5.0),
    ]);
    let (_, outcomes) = run(&spec("1x4", SimOptions::default()), &workload);
    // The third finds no room either, and comes after the second.
    assert_eq!(outcomes.queueing, [0.0, 100.0, 200.0]);
    let calibration = Calibration::of(&workload, &outcomes).expect("waits are told");
    assert_eq!((calibration.off, calibration.error.max), (2, 180.0));
}

#[test]
fn jobs_run_on_the_types_that_they_ran_on() {
    let mut workload = Workload::clone(&workload(&[(0.0, 0.0, 4, 100.0), (0.0, 0.0, 4, 100.0)]));
    workload.gpu_types = vec!["a100".to_owned(), "t4".to_owned()];
    workload
        .recorded
        .runs
        .iter_mut()
        .flatten()
        .for_each(|run| run.types = TypeSet::ANY.with(1));
    let workload = Arc::new(workload);
    let cluster: ClusterSpec = "1x4:a100+2x4:t4".parse().expect("a cluster");
    let (log, outcomes) = run(
        &spec(&cluster.to_string(), SimOptions::default()),
        &workload,
    );
    let nodes = (0..log.segments()).map(|at| log.segment(at).gpus[0].node);
    assert_eq!(nodes.collect::<Vec<u32>>(), [1, 2]);
    // It takes as long as it took there.
    assert_eq!(outcomes.jct, [100.0, 100.0]);
}

/// Three jobs of 100 s as recorded: on a T4, as a gang on both types, and nobody knows where.
fn on_two_types() -> Arc<Workload> {
    let bytes = b"#switchyard 1\njob,submit,duration,gpus,recorded_start,recorded_types\n\
        slow,0,100,4,0,t4\nmixed,1000,100,4,1000,v100|t4\nuntold,2000,100,4,2000,\n";
    let files = [SourceFile {
        name: "jobs.csv",
        bytes,
    }];
    let Ok(Opened::Trace(trace)) = open(&files, &OpenOptions::default()) else {
        panic!("a table of jobs");
    };
    Arc::new(trace.workload())
}

#[test]
fn a_duration_is_that_on_the_type_it_was_recorded_on() {
    let workload = on_two_types();
    let t4 = GpuModel::named("t4").and_then(|of| of.speed);
    let t4 = t4.expect("it is published");
    let check = |policy: &str, cluster: &str, equal_types: bool, expected: [f64; 3]| {
        let options = SimOptions {
            equal_types,
            ..SimOptions::default()
        };
        let spec = RunSpec {
            policy: policy.parse().expect("a policy"),
            outages: Default::default(),
            ..spec(cluster, options)
        };
        let (_, outcomes) = run(&spec, &workload);
        for (jct, expected) in outcomes.jct.iter().zip(expected) {
            assert!(
                (jct / expected - 1.0).abs() < 1e-9,
                "{policy} on {cluster}: {jct}"
            );
        }
    };
    let as_recorded = [100.0; 3];
    let faster = [100.0 * t4, 100.0 * t4, 100.0];
    check("fifo", "1x4:v100", false, faster);
    check("fifo", "1x4:t4", false, as_recorded);
    // FIFO fills the V100s first. Where only T4s have room it is as it was, but of a job of which nobody knows
    // where it ran: its duration is that on the fastest type.
    check("fifo", "1x4:v100+1x4:t4", false, faster);
    check("fifo", "1x2:v100+1x4:t4", false, [100.0, 100.0, 100.0 / t4]);
    check("fifo", "1x4", false, as_recorded);
    check("fifo", "1x4:v100+1x4:t4", true, as_recorded);
    check("recorded", "2x4:v100+1x4:t4", false, as_recorded);
}

#[test]
fn what_is_not_recorded_is_not_repeated() {
    let mut workload = Workload::clone(&workload(&[(0.0, 5.0, 1, 10.0)]));
    workload.recorded.runs.clear();
    let spec = spec("2x4", SimOptions::default());
    let error = spec.start_with(Arc::new(workload), &weights::shipped());
    let error = error.err().expect("there is nothing to repeat");
    assert_eq!(error, RunSpecError::NothingRecorded("recorded".to_owned()));
}
