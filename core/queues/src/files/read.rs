//! What a file of queues says: the tree, and what does not fit into one.

use crate::slurm::associations::{Associations, Membership};
use crate::tree::{QueueTree, Quota, Resource, TreeError};
use serde::Serialize;

/// What was left out or taken in a way that should be known, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// Where it stands, from 1; none: in many places, or in none.
    pub line: Option<u32>,
    /// What it is.
    pub what: String,
}

/// What quotas of a tree count in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Things: GPUs, cores, GiB.
    #[default]
    Things,
    /// Hundredths of what the cluster has.
    Percent,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Read {
    /// Its queues.
    pub tree: QueueTree,
    /// What their quotas count in.
    pub unit: Unit,
    /// Of Slurm's associations, what each is; else empty.
    pub members: Vec<Membership>,
    /// What was left out.
    pub notes: Vec<Note>,
}

impl Read {
    /// The tree with quotas in things, where the cluster has so many of each.
    ///
    /// # Errors
    /// A number of things that is below zero, or none.
    pub fn of_cluster(&self, has: impl Fn(&Resource) -> f64) -> Result<QueueTree, TreeError> {
        if self.unit == Unit::Things {
            return Ok(self.tree.clone());
        }
        let resources = self.tree.resources();
        let parts: Vec<f64> = resources.iter().map(|of| has(of) / 100.0).collect();
        let mut queues = self.tree.queues().to_vec();
        for queue in &mut queues {
            for (quota, part) in queue.quotas.iter_mut().zip(&parts) {
                *quota = Quota {
                    nominal: quota.nominal * part,
                    borrowing_limit: quota.borrowing_limit.map(|limit| limit * part),
                    lending_limit: quota.lending_limit.map(|limit| limit * part),
                    weight: quota.weight,
                };
            }
        }
        QueueTree::new(resources.to_vec(), queues)
    }

    /// The tree as Slurm's associations.
    pub fn associations(&self) -> Associations {
        if self.members.is_empty() {
            return Associations::of_tree(&self.tree);
        }
        Associations::new(&self.tree, |id| self.members[id.index()])
    }
}
