//! Jobs whose application was measured on types of GPUs apart run by these measurements.

mod jobs;

use std::sync::Arc;
use switchyard::engine::{RunLog, SimOptions};
use switchyard::job::{Job, JobId, TypeSet};
use switchyard::workload::application::Application;
use switchyard::workload::{RecordedRun, Workload};
use switchyard::{RunSpec, Time};

/// The small application, twenty times as fast on an A100 as on a T4, and there with twice the samples.
fn application() -> Application {
    let limits = [64, 512, 8, 128];
    let small = jobs::application(limits, 50_000, &[100, 1000]);
    let text = small.to_json().expect("a model");
    let on = r#""on": [
        { "gpu": "t4", "max_local": 128, "throughput": {
            "alpha_c": 0.02, "beta_c": 0.002, "alpha_n": 0.05, "beta_n": 0.002,
            "alpha_r": 0.01, "beta_r": 0.0005, "gamma": 1.5
        } },
        { "gpu": "a100", "max_local": 256, "throughput": {
            "alpha_c": 0.001, "beta_c": 0.0001, "alpha_n": 0.0025, "beta_n": 0.0001,
            "alpha_r": 0.0005, "beta_r": 0.000025, "gamma": 1.5
        } }
    ], "noise_scale""#;
    let text = text.replace("\"noise_scale\"", on);
    Application::from_json(&text).expect("a sound definition")
}

const BATCH: u32 = 512;

/// Jobs with so many GPUs each, all there from the beginning.
fn workload(gpus: &[u32]) -> Workload {
    let job = |&gpus: &u32| Job {
        work: jobs::training(BATCH, 1.0, 600.0),
        ..Job::plain(0.0, gpus, 600.0)
    };
    Workload {
        jobs: gpus.iter().map(job).collect(),
        applications: vec![Arc::new(application())],
        ..Workload::default()
    }
}

fn run(policy: &str, cluster: &str, options: SimOptions, workload: &Workload) -> RunLog {
    let spec = RunSpec {
        options,
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    };
    let mut run = spec.start(Arc::new(workload.clone()));
    run.run().expect("it ends");
    run.into_log()
}

/// The nodes of a job that is never moved, and how long it is on them.
fn stay(log: &RunLog, job: u32) -> (Vec<u32>, f64) {
    let all = (0..log.segments()).map(|at| log.segment(at));
    let mine: Vec<_> = all.filter(|of| of.job == JobId(job)).collect();
    assert_eq!(mine.len(), 1);
    let nodes = mine[0].gpus.iter().map(|of| of.node).collect();
    (nodes, mine[0].end - mine[0].start)
}

fn near(is: f64, should: f64) {
    assert!((is / should - 1.0).abs() < 1e-9, "{is}, not {should}");
}

/// Seconds of training on GPUs of a type.
fn on(gpu: &str, placement: &[u32]) -> f64 {
    let there = application().on(gpu).expect("measured");
    there.training_time(placement, BATCH)
}

#[test]
fn a_job_takes_as_long_as_measured_on_its_type() {
    let log = run(
        "fifo",
        "1x4:t4+1x4:a100",
        SimOptions::default(),
        &workload(&[4, 4]),
    );
    for job in 0..2 {
        let (nodes, seconds) = stay(&log, job);
        near(seconds, on(["t4", "a100"][nodes[0] as usize], &[4]));
    }
    // Of one GPU's batch an A100 holds twice as much, so that it does with fewer passes.
    assert!(on("t4", &[1]) / on("a100", &[1]) > 20.0);
}

/// What a cluster says of its types counts.
#[test]
fn a_said_speed_is_believed() {
    let cluster = "1x4:t4/speed=1+1x4:a100/speed=2";
    let log = run("fifo", cluster, SimOptions::default(), &workload(&[4, 4]));
    let plain = application().training_time(&[4], BATCH);
    for job in 0..2 {
        let (nodes, seconds) = stay(&log, job);
        near(seconds, plain * [2.0, 1.0][nodes[0] as usize]);
    }
}

#[test]
fn where_a_type_was_not_measured_relative_speeds_count() {
    let log = run(
        "fifo",
        "1x4:v100+1x4:a100",
        SimOptions::default(),
        &workload(&[4, 4]),
    );
    let plain = application().training_time(&[4], BATCH);
    for job in 0..2 {
        let (nodes, seconds) = stay(&log, job);
        // An A100 is 2.145 times as fast as a V100.
        near(seconds, plain * [2.145, 1.0][nodes[0] as usize]);
    }
}

#[test]
fn types_that_count_as_equal_are_no_types() {
    let options = SimOptions {
        equal_types: true,
        ..SimOptions::default()
    };
    let log = run("fifo", "1x4:t4+1x4:a100", options, &workload(&[4, 4]));
    let plain = application().training_time(&[4], BATCH);
    for job in 0..2 {
        near(stay(&log, job).1, plain);
    }
}

/// A trace says how long a job took on an A100: so long it takes there, and longer on a T4.
#[test]
fn a_recorded_type_is_what_a_duration_is_of() {
    let mut recorded = workload(&[4]);
    recorded.gpu_types = vec!["a100".to_owned()];
    recorded.recorded.runs = vec![Some(RecordedRun {
        start: Time(0.0),
        seconds: 600.0,
        types: TypeSet::ANY.with(0),
    })];
    let log = run("fifo", "1x4:t4+1x4:a100", SimOptions::default(), &recorded);
    let (nodes, seconds) = stay(&log, 0);
    // So long it took with the times that it was bound by.
    let plain = application().training_time(&[4], BATCH);
    let slower = on("t4", &[4]) / on("a100", &[4]);
    near(seconds, plain * [slower, 1.0][nodes[0] as usize]);
}
