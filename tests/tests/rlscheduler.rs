//! RLScheduler's table V (SC'20) for Lublin-1: the ten cells of its heuristics, to both published decimals.
//!
//! The trace is not in this repository: `SWITCHYARD_TRACES` names the folder in which it lies.
#![cfg(not(target_arch = "wasm32"))]

use std::path::PathBuf;
use switchyard::report::bounded_slowdown;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{Sequence, Sequences};
use switchyard::{Preset, RunSpec};

/// Mean bounded slowdown without and with backfilling.
const PUBLISHED: [(&str, &str, &str); 5] = [
    ("fcfs", "7273.77", "235.82"),
    ("wfp3", "19753.53", "133.87"),
    ("unicep", "22274.74", "307.23"),
    ("shortest-job", "277.35", "73.31"),
    ("f1", "258.37", "75.07"),
];

fn mean(name: &str, backfill: bool, sequences: &[Sequence]) -> String {
    let mut sum = 0.0;
    for Sequence { workload, zero } in sequences {
        let zero = match name {
            "fcfs" | "shortest-job" => String::new(),
            _ => format!(",zero={zero}"),
        };
        let policy = format!("{name}[backfill={backfill}{zero}]");
        let mut spec = RunSpec::new(
            policy.parse().expect("a policy"),
            "4x64".parse().expect("a cluster"),
        );
        Preset::ReferenceSc20.apply(&mut spec).expect("a policy");
        let mut run = spec.start(workload.clone());
        run.run().expect("a possible plan");
        sum += bounded_slowdown(workload, run.log());
    }
    format!("{:.2}", sum / sequences.len() as f64)
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn lublin_1_is_as_published() {
    let folder = std::env::var_os("SWITCHYARD_TRACES");
    let folder = PathBuf::from(folder.expect("SWITCHYARD_TRACES names the folder of traces"));
    let bytes = std::fs::read(folder.join("swf/lublin_256.swf")).expect("it is in the folder");
    let file = SourceFile {
        name: "lublin_256.swf",
        bytes: &bytes,
    };
    let Ok(Opened::Trace(trace)) = open(&[file], &OpenOptions::default()) else {
        panic!("it is a trace");
    };
    let all = Sequences::of(&trace);
    assert_eq!(all.len(), 10_000);
    let starts = all.published(10, 1024).expect("it is long enough");
    let sequences: Vec<Sequence> = starts.iter().map(|&at| all.cut(at, 1024)).collect();
    for (name, plain, backfilled) in PUBLISHED {
        assert_eq!(mean(name, false, &sequences), plain, "{name}");
        assert_eq!(
            mean(name, true, &sequences),
            backfilled,
            "{name}, backfilling"
        );
    }
}
