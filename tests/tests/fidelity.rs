//! Published figures, reproduced: average JCTs of the released Tiresias simulator (NSDI'19,
//! SymbioticLab/Tiresias, commit 959f9b0), scheme `count`: GPUs are counted and preemption is free.
//!
//! The traces are not in this repository: `SWITCHYARD_TRACES` names their folder, and
//! `cargo xtask test` runs these tests where there is one.
#![cfg(not(target_arch = "wasm32"))]

use std::path::PathBuf;
use std::sync::Arc;
use switchyard::policies::ServiceHistory;
use switchyard::report::Summary;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::{Preset, RunSpec};

/// A row of the simulator's results: policy, average JCT, and 95th percentile where it is published,
/// seconds.
type Row = (&'static str, f64, Option<f64>);

/// Of average JCTs, and of 95th percentiles. (Times are whole seconds there and exact here.)
const MEAN_TOLERANCE: f64 = 0.005;
const P95_TOLERANCE: f64 = 0.01;

/// `480_job_syn.csv` on 15 nodes × 4 GPUs. Where a row has no quirks, the published figure is
/// that with the simulator's bugs fixed; with quirks, the original's.
const SYNTHETIC_480: [Row; 13] = [
    ("fifo", 1677.3, Some(3812.6)),
    ("yarn-cs", 2198.6, Some(4905.4)),
    ("fifo[backfill=true]", 1114.8, Some(3710.3)),
    ("fewest-gpus", 1166.6, Some(4847.0)),
    ("srtf", 927.3, Some(3844.4)),
    ("srsf", 854.9, Some(3658.3)),
    ("tiresias-las[measure=time]", 1123.1, Some(3243.0)),
    ("tiresias-las[quirks=true]", 1028.7, Some(5318.5)),
    (
        "tiresias-las[queues=3,thresholds=3250:7200]",
        1021.3,
        Some(5248.1),
    ),
    ("tiresias-las[knob=8]", 1019.6, Some(5248.1)),
    ("tiresias-las[knob=1]", 1055.1, Some(4386.6)),
    (
        "tiresias-gittins[history=yarn-gput1000.csv,quirks=true]",
        977.4,
        Some(4616.7),
    ),
    (
        "tiresias-gittins[history=yarn-gput1000.csv]",
        979.2,
        Some(4616.7),
    ),
];

/// `muri_trace3_seconds.csv` (992 Philly-derived jobs) on 8 nodes × 8 GPUs.
const MURI_3: [Row; 7] = [
    ("fifo", 991_167.0, Some(1_478_461.0)),
    ("fifo[backfill=true]", 480_105.0, Some(1_129_485.0)),
    ("fewest-gpus", 408_106.0, Some(3_049_433.0)),
    ("srtf", 180_116.0, Some(765_499.0)),
    ("srsf", 172_684.0, Some(585_736.0)),
    ("tiresias-las[measure=time]", 276_830.0, Some(944_840.0)),
    ("tiresias-las[quirks=true]", 312_870.0, Some(1_841_994.0)),
];

/// `60_job.csv` on 2 nodes × 4 GPUs; its fjf, dlas and dlas-gpu are one: no job reaches 3,250 GPU·s.
const SIXTY: [Row; 6] = [
    ("fifo", 1556.5, Some(3898.0)),
    ("fifo[backfill=true]", 715.3, Some(3388.0)),
    ("fewest-gpus", 725.7, None),
    ("srtf", 519.9, Some(2833.0)),
    ("srsf", 563.4, Some(2994.0)),
    ("tiresias-las", 715.3, Some(3388.0)),
];

/// `60_job.csv` on 32 nodes × 4 GPUs: nothing ever queues.
const SIXTY_ROOMY: [Row; 3] = [
    ("fifo", 178.4, Some(308.0)),
    ("srtf", 178.4, Some(308.0)),
    ("tiresias-las", 178.4, Some(308.0)),
];

fn check(file: &str, cluster: &str, rows: &[Row]) {
    let folder = std::env::var_os("SWITCHYARD_TRACES");
    let folder = PathBuf::from(folder.expect("SWITCHYARD_TRACES names the folder of traces"));
    let history = std::fs::read_to_string(folder.join("tiresias/yarn-gput1000.csv"))
        .expect("the service history is in the folder");
    let history = ServiceHistory::parse("yarn-gput1000.csv", &history).expect("a history");
    let bytes =
        std::fs::read(folder.join("tiresias").join(file)).expect("the trace is in the folder");
    let files = [SourceFile {
        name: file,
        bytes: &bytes,
    }];
    let Ok(Opened::Trace(trace)) = open(&files, &OpenOptions::default()) else {
        panic!("{file} is a trace");
    };
    let workload = Arc::new(trace.workload());
    let cluster = cluster.parse().expect("a cluster");
    let mut misses: Vec<String> = Vec::new();
    for &(policy, mean, p95) in rows {
        let mut spec = RunSpec {
            history: Some(history.clone()),
            ..RunSpec::new(
                policy.parse().expect("a policy"),
                switchyard::cluster::ClusterSpec::clone(&cluster),
            )
        };
        Preset::ReferenceNsdi19
            .apply(&mut spec)
            .expect("the preset fits every policy");
        let mut run = spec.start(workload.clone());
        run.run().expect("a possible plan");
        let summary = Summary::of(&workload, &spec.cluster, run.log());
        let jct = &summary.jct;
        println!(
            "{file} {policy}: median {:.1}, makespan {:.0}, restarts {}",
            jct.median, summary.makespan, summary.restarts
        );
        let mut compare = |what: &str, ours: f64, published: f64, tolerance: f64| {
            let error = ours / published - 1.0;
            println!(
                "{file} {policy}: {what} {ours:.1} s, published {published} s ({:+.3} %)",
                error * 100.0
            );
            // What is no number is a miss.
            if error.is_nan() || error.abs() > tolerance {
                misses.push(format!("{policy}: {what} {ours:.1} s is not {published} s"));
            }
        };
        compare("mean", jct.mean, mean, MEAN_TOLERANCE);
        if let Some(p95) = p95 {
            compare("p95", jct.p95, p95, P95_TOLERANCE);
        }
    }
    assert_eq!(misses, [""; 0], "{file}");
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn synthetic_480_jobs_on_15_by_4() {
    check("480_job_syn.csv", "15x4", &SYNTHETIC_480);
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn muri_trace_3_on_8_by_8() {
    check("muri_trace3_seconds.csv", "8x8", &MURI_3);
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn sixty_jobs_on_2_by_4() {
    check("60_job.csv", "2x4", &SIXTY);
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn sixty_jobs_on_32_by_4() {
    check("60_job.csv", "32x4", &SIXTY_ROOMY);
}
