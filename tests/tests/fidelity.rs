//! Published figures, reproduced: average JCTs of the released Tiresias simulator (NSDI'19,
//! SymbioticLab/Tiresias, commit 959f9b0), scheme `count`: GPUs are counted and preemption is free.
//!
//! The traces are not in this repository: `SWITCHYARD_TRACES` names their folder. Without it these
//! tests say that they are skipped.
#![cfg(not(target_arch = "wasm32"))]

use std::path::PathBuf;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::policy::ServiceHistory;
use switchyard::report::Summary;
use switchyard::sim::SimOptions;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::Workload;

/// A row of the simulator's results: policy, average JCT in seconds, tolerance.
type Row = (&'static str, f64, f64);

/// `480_job_syn.csv` on 15 nodes × 4 GPUs; `dlas-gpu` with its late-demotion bug fixed.
const SYNTHETIC_480: [Row; 13] = [
    ("fifo", 1677.3, 0.005),
    ("fifo[backfill=true]", 1114.8, 0.005),
    ("sjf", 1166.6, 0.005),
    ("srtf", 927.3, 0.005),
    ("srsf", 854.9, 0.005),
    ("tiresias-las[queues=3,thresholds=3250:7200]", 1021.3, 0.02),
    (
        "tiresias-las[queues=3,thresholds=3250:7200,knob=8]",
        1019.6,
        0.02,
    ),
    ("tiresias-las[knob=1]", 1055.1, 0.005),
    ("tiresias-las[quirks=true]", 1028.7, 0.005),
    ("tiresias-las[measure=time]", 1123.1, 0.005),
    (
        "tiresias-gittins[history=yarn-gput1000.csv,delta=simulator]",
        979.2,
        0.005,
    ),
    (
        "tiresias-gittins[history=yarn-gput1000.csv,delta=simulator,quirks=true]",
        977.4,
        0.005,
    ),
    ("fifo[placement=yarn]", 2198.6, 0.005),
];

/// `muri_trace3_seconds.csv` (992 Philly-derived jobs) on 8 nodes × 8 GPUs.
const MURI_3: [Row; 5] = [
    ("fifo", 991_167.0, 0.005),
    ("fifo[backfill=true]", 480_105.0, 0.005),
    ("sjf", 408_106.0, 0.005),
    ("srtf", 180_116.0, 0.005),
    ("srsf", 172_684.0, 0.005),
];

/// `60_job.csv` on 2 nodes × 4 GPUs; its fjf, dlas and dlas-gpu are one: no job reaches 3,250 GPU·s.
const SIXTY: [Row; 6] = [
    ("fifo", 1556.5, 0.005),
    ("fifo[backfill=true]", 715.3, 0.005),
    ("sjf", 725.7, 0.005),
    ("srtf", 519.9, 0.005),
    ("srsf", 563.4, 0.005),
    ("tiresias-las", 715.3, 0.02),
];

fn check(file: &str, cluster: &str, rows: &[Row]) {
    let Some(folder) = std::env::var_os("SWITCHYARD_TRACES").map(PathBuf::from) else {
        eprintln!("SKIPPED: {file} is not at hand; SWITCHYARD_TRACES can name the traces' folder");
        return;
    };
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
    let workload = Arc::new(Workload::from_trace(&trace));
    let cluster = cluster.parse().expect("a cluster");
    let mut misses = Vec::new();
    for &(policy, published, tolerance) in rows {
        let spec = RunSpec {
            policy: policy.parse().expect("a policy"),
            cluster: switchyard::cluster::ClusterSpec::clone(&cluster),
            placement: Default::default(),
            options: SimOptions::default(),
            history: Some(history.clone()),
        };
        let mut run = spec.start(workload.clone());
        run.run().expect("a possible plan");
        let summary = Summary::of(&workload, &spec.cluster, run.log());
        let error = summary.jct.mean / published - 1.0;
        println!(
            "{file} {policy}: mean {:.1} s, published {published} s ({:+.3} %), median {:.1}, p95 {:.1}, makespan {:.0}, restarts {}",
            summary.jct.mean,
            error * 100.0,
            summary.jct.median,
            summary.jct.p95,
            summary.makespan,
            summary.restarts
        );
        if error.abs() > tolerance {
            misses.push(format!(
                "{policy}: {:.1} s is not {published} s",
                summary.jct.mean
            ));
        }
    }
    assert_eq!(misses, [""; 0], "{file}");
}

#[test]
fn synthetic_480_jobs_on_15_by_4() {
    check("480_job_syn.csv", "15x4", &SYNTHETIC_480);
}

#[test]
fn muri_trace_3_on_8_by_8() {
    check("muri_trace3_seconds.csv", "8x8", &MURI_3);
}

#[test]
fn sixty_jobs_on_2_by_4() {
    check("60_job.csv", "2x4", &SIXTY);
}
