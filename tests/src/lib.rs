//! Golden runs: the fingerprints that a run's log must have natively, in Node's wasm and in a
//! browser's worker.
//!
//! `golden/hashes.txt` has a line per run: sample, policy, hash. `UPDATE_GOLDEN=1 cargo test -p
//! switchyard-tests` writes it anew; a change that moves a hash must say why in its commit.

use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::policy::POLICIES;
use switchyard::sim::SimOptions;
use switchyard::workload::{Sample, Workload};

/// The samples that are run; `fleet` is too large for every test.
pub const SAMPLES: [&str; 2] = ["lab", "cluster"];

/// Parameters worth a run besides every policy's defaults.
const VARIANTS: [&str; 6] = [
    "fifo[backfill=true]",
    "fifo[placement=consolidated]",
    "srsf[placement=spread]",
    "tiresias-las[queues=2,thresholds=57600]",
    "tiresias-las[knob=2]",
    "tiresias-las[placement=consolidated]",
];

/// The expected lines, as committed.
pub const EXPECTED: &str = include_str!("../golden/hashes.txt");

/// Every policy with its defaults, and the variants.
pub fn policies() -> impl Iterator<Item = String> {
    let defaults = POLICIES.iter().map(|entry| entry.name.to_string());
    defaults.chain(VARIANTS.map(str::to_string))
}

/// The lines of `golden/hashes.txt` for one sample, computed here and now.
///
/// # Panics
///
/// If the sample or a policy does not exist, or a policy makes an impossible plan.
pub fn lines(sample: &str) -> Vec<String> {
    let sample = Sample::named(sample).expect("a sample of this name");
    let workload = Arc::new(sample.workload());
    policies()
        .map(|policy| {
            let hash = log_hash(sample, &workload, &policy);
            format!("{} {policy} {hash:016x}", sample.name)
        })
        .collect()
}

fn log_hash(sample: &Sample, workload: &Arc<Workload>, policy: &str) -> u64 {
    let spec = RunSpec {
        policy: policy.parse().expect("a policy"),
        cluster: sample.cluster_spec(),
        placement: Default::default(),
        options: SimOptions::default(),
    };
    let mut run = spec.start(workload.clone());
    run.run().expect("a possible plan");
    run.log().hash()
}
