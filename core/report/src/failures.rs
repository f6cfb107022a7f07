//! What failures cost: work done in vain, and the time that saving it took.

use super::Outcomes;
use crate::cluster::ClusterSpec;
use crate::sim::{NodeState, RunLog};
use serde::{Deserialize, Serialize};

/// What failures cost a run; all 0, and everything available, where nothing fails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failures {
    /// How often a node failed.
    pub node_failures: u32,
    /// How often a job lost its GPUs to that.
    pub evictions: u32,
    /// Work that was to be done again, GPU-hours at the requested GPUs.
    pub lost_gpu_hours: f64,
    /// GPU-hours held while checkpoints were written.
    pub checkpoint_gpu_hours: f64,
    /// Share of the cluster's GPUs on nodes that were up, first submission to last finish.
    pub availability: f64,
}

impl Default for Failures {
    fn default() -> Self {
        Self {
            node_failures: 0,
            evictions: 0,
            lost_gpu_hours: 0.0,
            checkpoint_gpu_hours: 0.0,
            availability: 1.0,
        }
    }
}

impl Failures {
    /// Of a run from `begin` to `end`, seconds.
    pub(super) fn of(
        outcomes: &Outcomes,
        cluster: &ClusterSpec,
        log: &RunLog,
        (begin, end): (f64, f64),
    ) -> Self {
        let absences = log.absences();
        let sizes: Vec<u32> = if absences.is_empty() {
            Vec::new()
        } else {
            cluster.gpus_per_node().collect()
        };
        let mut away = 0.0;
        for of in &absences {
            let seconds = of.to.seconds().min(end) - of.from.seconds().max(begin);
            let gpus = sizes.get(of.node as usize).copied().unwrap_or(0);
            away += seconds.max(0.0) * f64::from(gpus);
        }
        let all = (end - begin) * f64::from(cluster.gpus());
        let failed = absences.iter().filter(|of| of.state == NodeState::Down);
        Self {
            node_failures: failed.count() as u32,
            evictions: log.evictions() as u32,
            lost_gpu_hours: outcomes.lost.iter().sum::<f64>() / 3600.0,
            checkpoint_gpu_hours: checkpointing(log, end) / 3600.0,
            availability: if all > 0.0 { 1.0 - away / all } else { 1.0 },
        }
    }
}

/// GPU·s held while checkpoints were written, up to `end`.
fn checkpointing(log: &RunLog, end: f64) -> f64 {
    let Some(how) = log.checkpointing().filter(|how| how.cost > 0.0) else {
        return 0.0;
    };
    let held = (0..log.segments()).map(|i| {
        let segment = log.segment(i);
        let seconds = segment.end.seconds().min(end) - segment.ready.seconds();
        seconds.max(0.0) * f64::from(segment.gpu_count())
    });
    held.sum::<f64>() * how.cost / (how.interval + how.cost)
}
