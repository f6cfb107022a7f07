//! Adaptive jobs on several nodes slow one another where they share a node: the interference of
//! Pollux' simulator (OSDI'21 §5.3.2).

use super::{Cause, Entering, Law};
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
        if entering.trains && entering.gpus.len() > 1 {
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

    fn causes(&self, job: JobId, causes: &mut Vec<Cause>) {
        if !self.disturbed.contains(&job) {
            return;
        }
        let of = |id: JobId| self.spanning.iter().find(|(other, _)| *other == id);
        let Some((_, own)) = of(job) else {
            return;
        };
        let there = |parts: &[Part]| {
            let shared = |part: &&Part| own.iter().any(|own| own.node == part.node);
            parts.iter().find(shared).map(|part| part.node)
        };
        let others = self.spanning.iter().filter(|(other, _)| *other != job);
        let others: Vec<(JobId, u32)> = others
            .filter_map(|(other, parts)| Some((*other, there(parts)?)))
            .collect();
        let mut nodes: Vec<String> = others.iter().map(|(_, node)| node.to_string()).collect();
        nodes.dedup();
        let share = 1.0 / others.len() as f64;
        causes.push(Cause {
            law: "interference".to_owned(),
            place: format!("node {}'s network", nodes.join(", ")),
            factor: self.factor,
            load: None,
            by: others
                .into_iter()
                .map(|(other, _)| (other, share))
                .collect(),
        });
    }
}
