//! The replay beside what the artifact has, per job and in all.
//!
//! Its files are not in this repository: `SWITCHYARD_TRACES` names the folder in which they lie as `shockwave/….trace` and
//! so on.

use serde_json::Value;
use std::path::PathBuf;
use switchyard_shockwave::published::{Published, published};
use switchyard_shockwave::replay::{Outcome, Scheduler, Throughputs, files, replay};

const GPUS: u32 = 32;

/// A scheduler by its name, replayed; what was published of it, and the JCT of each job by its name in the artifact.
fn replayed(name: &str, artifact: &str) -> (Outcome, Published, Vec<f64>) {
    let folder = std::env::var_os("SWITCHYARD_TRACES");
    let folder = PathBuf::from(folder.expect("SWITCHYARD_TRACES names the folder of traces"));
    let read = |name: &str| {
        std::fs::read_to_string(folder.join("shockwave").join(name)).expect("the file is there")
    };
    let jobs = files::jobs(&read("120_0.2_5_100_40_25_multigpu_dynamic.trace")).expect("jobs");
    let throughputs = Throughputs::read(&read("tacc_throughputs.json")).expect("throughputs");
    let mut all = Scheduler::all(GPUS).into_iter();
    let scheduler = all.find(|of| of.name() == name).expect("a scheduler");
    let outcome = replay(&jobs, &throughputs, GPUS, scheduler, |_| ()).expect("it is replayed");
    let expected: Value =
        serde_json::from_str(&read("expected_tacc_32gpus.json")).expect("what the artifact has");
    let jcts = expected[artifact]["jct_list"].as_array().expect("JCTs");
    let jcts = jcts.iter().map(|jct| jct.as_f64().expect("seconds"));
    let known = published(jobs.len(), GPUS, name).expect("it was published");
    let (makespan, mean) = (outcome.makespan, outcome.mean_jct());
    println!("{name}: makespan {makespan}, mean JCT {mean}, published {known:?}");
    (outcome, known, jcts.collect())
}

/// How many jobs are done within so many seconds of when they should.
fn same(outcome: &Outcome, jcts: &[f64], seconds: f64) -> usize {
    let pairs = outcome.jobs.iter().zip(jcts);
    pairs
        .filter(|(job, jct)| (job.jct - **jct).abs() < seconds)
        .count()
}

fn off(ours: f64, theirs: f64) -> f64 {
    (ours / theirs - 1.0).abs()
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn gandiva_fair_and_gavel_have_the_published_digits() {
    for (name, artifact, rounds, extensions, utilisation) in [
        ("gandiva-fair", "gandiva_fair", 270, 1510, 0.610_487),
        ("gavel", "max_min_fairness", 277, 1402, 0.594_890),
    ] {
        let (outcome, known, jcts) = replayed(name, artifact);
        assert_eq!(same(&outcome, &jcts, 1e-3), 120, "{name}");
        assert!(off(outcome.makespan, known.makespan) < 1e-8, "{name}");
        assert!(off(outcome.mean_jct(), known.mean_jct) < 1e-8, "{name}");
        let counts = (outcome.rounds, outcome.lease_extensions);
        assert_eq!(counts, (rounds, extensions), "{name}");
        assert!((outcome.utilisation - utilisation).abs() < 1e-6, "{name}");
        assert!((outcome.worst_rho() - known.worst_rho).abs() < 5e-4);
        assert!((outcome.unfair() - known.unfair).abs() < 5e-3);
    }
}

/// All 120 jobs are not the same: two pairs are equal to the last digit for the original's solver, and change places.
#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn mst_has_the_published_times_of_all_jobs_but_four() {
    let (outcome, known, jcts) = replayed("mst", "max_sum_throughput_perf");
    assert!(same(&outcome, &jcts, 1.0) >= 116);
    assert_eq!(same(&outcome, &jcts, 121.0), 120);
    assert!(off(outcome.makespan, known.makespan) < 1e-8);
    assert!(off(outcome.mean_jct(), known.mean_jct) < 1e-6);
    assert_eq!((outcome.rounds, outcome.lease_extensions), (266, 3533));
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn ossp_has_nearly_all_published_times() {
    let (outcome, known, jcts) = replayed("ossp", "min_total_duration");
    assert!(same(&outcome, &jcts, 1.0) >= 114);
    assert!(off(outcome.makespan, known.makespan) < 2e-4);
    assert!(off(outcome.mean_jct(), known.mean_jct) < 2e-5);
    assert!((outcome.worst_rho() - known.worst_rho).abs() < 5e-4);
    assert!((outcome.unfair() - known.unfair).abs() < 5e-3);
    assert_eq!((outcome.rounds, outcome.lease_extensions), (204, 669));
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn allox_and_themis_are_within_two_percent() {
    for (name, artifact) in [("allox", "allox"), ("themis", "finish_time_fairness")] {
        let (outcome, known, _) = replayed(name, artifact);
        assert!(off(outcome.makespan, known.makespan) < 0.02, "{name}");
        assert!(off(outcome.mean_jct(), known.mean_jct) < 0.02, "{name}");
        assert!((outcome.unfair() - known.unfair).abs() < 5e-3, "{name}");
    }
}

/// The spread of the three runs that the authors committed.
#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn shockwave_is_within_the_spread_of_the_authors_runs() {
    let (outcome, ..) = replayed("shockwave", "shockwave");
    assert!((23_700.0..24_500.0).contains(&outcome.makespan));
    assert!((9_900.0..10_100.0).contains(&outcome.mean_jct()));
    assert!(outcome.worst_rho() <= 2.0);
    assert!(outcome.unfair() <= 5.0);
}
