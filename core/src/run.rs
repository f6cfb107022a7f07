//! Everything that makes a run, besides the workload.

use crate::cluster::ClusterSpec;
use crate::placement::Strategy;
use crate::policy::{self, PolicySpec};
use crate::sim::{SimOptions, Simulation};
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The settings of one run: the same spec and workload give the same log, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The scheduler.
    pub policy: PolicySpec,
    /// The cluster.
    pub cluster: ClusterSpec,
    /// How gangs are laid on nodes, unless the policy's spec says otherwise.
    pub placement: Strategy,
    /// Restart cost and seed.
    pub options: SimOptions,
}

impl RunSpec {
    /// The run at its very beginning.
    pub fn start(&self, workload: Arc<Workload>) -> Simulation {
        let policy = policy::build(&self.policy, self.placement);
        Simulation::new(workload, &self.cluster, policy, self.options)
    }
}
