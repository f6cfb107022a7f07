//! The nodes: which GPUs are free, and how many nodes are rented.

use super::log::RunLog;
use super::plan::PlanErrorKind;
use crate::cluster::{ClusterSpec, FreeGpus, Gpus, Occupancy, Part};

pub(super) struct Nodes {
    occupancy: Occupancy,
    /// GPUs of the largest.
    pub(super) largest: u32,
    /// GPUs of all.
    pub(super) gpus: u32,
    /// On which jobs may run: the first so many.
    rented: u32,
}

impl Nodes {
    pub(super) fn new(cluster: &ClusterSpec) -> Self {
        Self {
            occupancy: Occupancy::new(cluster),
            largest: cluster.largest_node(),
            gpus: cluster.gpus(),
            rented: cluster.nodes(),
        }
    }

    pub(super) fn free(&self) -> &FreeGpus {
        self.occupancy.free()
    }

    pub(super) fn count(&self) -> usize {
        self.free().node_sizes().len()
    }

    pub(super) fn in_use(&self) -> u32 {
        self.gpus - self.free().total()
    }

    /// Hands out GPUs for the log's next segment.
    pub(super) fn take(&mut self, parts: &[Part], log: &mut RunLog) -> Result<(), PlanErrorKind> {
        for &Part { node, gpus } in parts {
            // Beyond the cluster there is nothing to rent.
            if node >= self.rented && (node as usize) < self.count() {
                let rented = self.rented;
                return Err(PlanErrorKind::NotRented { node, rented });
            }
            let gpus = self.occupancy.take(node, gpus);
            log.push_gpus(gpus.map_err(PlanErrorKind::Place)?);
        }
        Ok(())
    }

    pub(super) fn give(&mut self, gpus: &[Gpus]) {
        gpus.iter().for_each(|&gpus| self.occupancy.give(gpus));
    }

    /// Rents the first so many, if there are as many; nobody runs on the others.
    pub(super) fn rent(&mut self, nodes: u32) -> u32 {
        self.rented = nodes.min(self.count() as u32);
        self.rented
    }
}
