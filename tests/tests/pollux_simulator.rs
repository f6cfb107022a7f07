//! Pollux' simulator, reproduced: completion times of its artifact's runs (OSDI'21;
//! petuum/adaptdl, branch `osdi21-artifact`) with measured profiles on 16 nodes of 4 GPUs.
//!
//! The artifact is not in this repository: `SWITCHYARD_TRACES` names its folder, and
//! `cargo xtask test` runs these tests where there is one.
#![cfg(not(target_arch = "wasm32"))]

use std::sync::Arc;
use switchyard::engine::SimOptions;
use switchyard::report::{Outcomes, Summary, jct_by_name};
use switchyard::workload::Workload;
use switchyard::{Preset, RunSpec};
use switchyard_tests::artifact::Artifact;

/// A run under the preset: per-job completion times, and all in all.
fn run(policy: &str, workload: &Arc<Workload>, seed: u64) -> (Outcomes, Summary) {
    let mut spec = RunSpec {
        options: SimOptions {
            seed,
            ..SimOptions::default()
        },
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            "16x4".parse().expect("a cluster"),
        )
    };
    Preset::ReferenceOsdi21
        .apply(&mut spec)
        .expect("the preset fits");
    let mut run = spec.start(workload.clone());
    run.run().expect("a possible plan");
    let outcomes = Outcomes::of(workload, &spec.cluster, run.log());
    let summary = Summary::of_outcomes(&outcomes, &spec.cluster, run.log());
    (outcomes, summary)
}

/// The deterministic baselines: how far the average, and the median job, may be from the original.
fn baseline(policy: &str, expected: &str, tolerances: [(u32, f64); 3]) {
    let artifact = Artifact::find();
    for (number, tolerance) in tolerances {
        let workload = Arc::new(artifact.workload(number, artifact.applications()));
        let (outcomes, summary) = run(policy, &workload, 0);
        let times = jct_by_name(&workload, &outcomes);
        let expected = artifact.expected(expected, number);
        assert_eq!(times.len(), expected.len());
        let mut errors: Vec<f64> = times
            .iter()
            .map(|(job, time)| (time / expected[job] - 1.0).abs())
            .collect();
        errors.sort_by(f64::total_cmp);
        let mean = expected.values().sum::<f64>() / expected.len() as f64;
        let exact = errors.iter().filter(|&&error| error == 0.0).count();
        println!(
            "{policy} workload-{number}: {:.2} s, original {mean:.2} s ({:+.3} %); {exact} of {} jobs exact, median error {:.4} %, p90 {:.3} %, largest {:.3} %",
            summary.jct.mean,
            (summary.jct.mean / mean - 1.0) * 100.0,
            errors.len(),
            errors[errors.len() / 2] * 100.0,
            errors[errors.len() * 9 / 10] * 100.0,
            errors[errors.len() - 1] * 100.0,
        );
        assert!((summary.jct.mean / mean - 1.0).abs() <= tolerance);
        assert!(errors[errors.len() / 2] <= 0.02);
    }
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn tiresias() {
    baseline(
        "tiresias-las",
        "tiresias",
        [(1, 0.01), (3, 0.02), (6, 0.01)],
    );
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn optimus() {
    baseline("optimus", "optimus", [(1, 0.01), (3, 0.02), (6, 0.01)]);
}

/// Pollux is random there and here: averages over seeds.
#[test]
#[ignore = "needs SWITCHYARD_TRACES, and an hour without optimisation: cargo test --release -p \
            switchyard-tests -- --ignored pollux_by_name"]
fn pollux_by_name() {
    let artifact = Artifact::find();
    for (number, low, high) in [
        (1, 2089.0, 2113.0),
        (3, 2188.0, 2188.0),
        (6, 2446.0, 2446.0),
    ] {
        let workload = Arc::new(artifact.workload(number, artifact.applications()));
        let runs = SEEDS.map(|seed| {
            let begin = std::time::Instant::now();
            let (_, summary) = run("pollux", &workload, seed);
            println!(
                "pollux workload-{number}, seed {seed}: {:.1} s, p99 {:.0} s, makespan {:.0} s, {:.2} restarts per job, {:.1} % of GPUs allocated, in {:.1} s",
                summary.jct.mean,
                summary.jct.p99,
                summary.makespan,
                f64::from(summary.restarts) / f64::from(summary.jobs),
                summary.gpu_allocation * 100.0,
                begin.elapsed().as_secs_f64(),
            );
            summary.jct.mean
        });
        let mean = runs.iter().sum::<f64>() / runs.len() as f64;
        println!("pollux workload-{number}: {mean:.1} s, original {low} to {high} s");
        assert!(
            mean >= low * 0.95 && mean <= high * 1.05,
            "workload-{number}"
        );
    }
}

const SEEDS: [u64; 5] = [0, 1, 2, 3, 4];
