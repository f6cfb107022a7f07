//! Whole runs of schedulers by their names.

use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::{RunLog, SimOptions};
use switchyard::workload::Workload;

/// The log of a run in which restarts take 30 s.
pub(crate) fn log_of(policy: &str, workload: &Arc<Workload>, cluster: &ClusterSpec) -> RunLog {
    let spec = RunSpec {
        options: SimOptions {
            restart_cost: 30.0,
            ..SimOptions::default()
        },
        ..RunSpec::new(policy.parse().expect("a policy"), cluster.clone())
    };
    let mut run = spec.start(Arc::clone(workload));
    run.run().expect("a possible plan");
    run.into_log()
}
