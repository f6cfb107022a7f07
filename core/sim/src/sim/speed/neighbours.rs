//! Adaptive jobs on several nodes slow one another where they share a node: the interference of
//! Pollux' simulator (OSDI'21 §5.3.2).

use super::{Entering, Law};
use crate::cluster::Part;
use crate::job::JobId;
use std::collections::BTreeSet;

pub(super) struct Neighbours {
    /// What is left of a disturbed job's speed.
    factor: f64,
    /// Nodes of the cluster.
    nodes: usize,
    /// The jobs on several nodes, in the order in which they got them.
    spanning: Vec<(JobId, Vec<Part>)>,
    disturbed: BTreeSet<JobId>,
    /// Whether `spanning` has changed.
    is_stale: bool,
}

impl Neighbours {
    /// By this share disturbed jobs are slower.
    pub(super) fn new(interference: f64, nodes: usize) -> Self {
        Self {
            factor: 1.0 - interference,
            nodes,
            spanning: Vec::new(),
            disturbed: BTreeSet::new(),
            is_stale: false,
        }
    }
}

impl Law for Neighbours {
    fn enter(&mut self, entering: &Entering<'_>) {
        if entering.trains && entering.parts.len() > 1 {
            self.spanning.push((entering.id, entering.parts.to_vec()));
            self.is_stale = true;
        }
    }

    fn leave(&mut self, job: JobId) {
        if let Some(at) = self.spanning.iter().position(|(other, _)| *other == job) {
            self.spanning.remove(at);
            self.disturbed.remove(&job);
            self.is_stale = true;
        }
    }

    fn factor(&self, job: JobId) -> f64 {
        if self.disturbed.contains(&job) {
            self.factor
        } else {
            1.0
        }
    }

    fn changed(&mut self, jobs: &mut Vec<JobId>) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let mut there = vec![0u32; self.nodes];
        for part in self.spanning.iter().flat_map(|(_, parts)| parts) {
            there[part.node as usize] += 1;
        }
        for (job, parts) in &self.spanning {
            let has_neighbour = parts.iter().any(|part| there[part.node as usize] > 1);
            let changes = if has_neighbour {
                self.disturbed.insert(*job)
            } else {
                self.disturbed.remove(job)
            };
            if changes {
                jobs.push(*job);
            }
        }
    }
}
