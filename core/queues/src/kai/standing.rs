//! How queues stand: what they are entitled to, their fair shares, and what they have.
//!
//! In: shares, and jobs that start and stop. Out: amounts per queue and resource, which orders and reclaims read.
//! Source: `plugins/proportion/resource_share`.

use super::levels::{TreeShares, limit};
use crate::tree::{QueueId, QueueTree};
use serde::Serialize;

/// How a queue stands in one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    /// What it is entitled to; infinite: all there is.
    pub deserved: f64,
    /// Its share of the cluster.
    pub fair: f64,
    /// What it may have at most; infinite: no limit.
    pub limit: f64,
    /// What its jobs have.
    pub allocated: f64,
    /// What those of its jobs have that nobody may evict.
    pub fixed: f64,
}

impl Standing {
    /// What it may fill: its share or what it deserves, within its limit.
    pub fn allocatable(&self) -> f64 {
        self.limit.min(self.deserved.max(self.fair))
    }
}

/// How all queues of a tree stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standings {
    resources: usize,
    all: Vec<Standing>,
}

impl Standings {
    /// Queues that have nothing yet.
    pub fn new(tree: &QueueTree, shares: &TreeShares) -> Self {
        let mut standings = Self::empty(tree);
        standings.set_shares(tree, shares);
        standings
    }

    /// Queues that have nothing and whose shares are not known yet.
    pub fn empty(tree: &QueueTree) -> Self {
        let resources = tree.resources().len();
        let mut all = Vec::with_capacity(tree.queues().len() * resources);
        for (at, queue) in tree.queues().iter().enumerate() {
            for (resource, quota) in queue.quotas.iter().enumerate() {
                all.push(Standing {
                    deserved: quota.nominal,
                    limit: limit(tree, QueueId(at as u32), resource),
                    ..Standing::default()
                });
            }
        }
        Self { resources, all }
    }

    /// Takes new shares; what queues have stays.
    pub fn set_shares(&mut self, tree: &QueueTree, shares: &TreeShares) {
        for at in 0..tree.queues().len() {
            let queue = QueueId(at as u32);
            for (standing, share) in self.of_mut(queue).iter_mut().zip(shares.of(queue)) {
                standing.fair = share.total;
            }
        }
    }

    /// How a queue stands, in the order of the tree's resources.
    pub fn of(&self, queue: QueueId) -> &[Standing] {
        let start = queue.index() * self.resources;
        &self.all[start..start + self.resources]
    }

    /// How a queue stands, to be changed.
    pub fn of_mut(&mut self, queue: QueueId) -> &mut [Standing] {
        let start = queue.index() * self.resources;
        &mut self.all[start..start + self.resources]
    }

    /// A job of a queue starts.
    pub fn add(&mut self, tree: &QueueTree, queue: QueueId, amounts: &[f64], preemptible: bool) {
        self.change(tree, queue, amounts, preemptible, 1.0);
    }

    /// A job of a queue stops.
    pub fn remove(&mut self, tree: &QueueTree, queue: QueueId, amounts: &[f64], preemptible: bool) {
        self.change(tree, queue, amounts, preemptible, -1.0);
    }

    fn change(
        &mut self,
        tree: &QueueTree,
        queue: QueueId,
        amounts: &[f64],
        preemptible: bool,
        sign: f64,
    ) {
        for above in tree.path(queue) {
            for (standing, amount) in self.of_mut(above).iter_mut().zip(amounts) {
                standing.allocated += sign * amount;
                if !preemptible {
                    standing.fixed += sign * amount;
                }
            }
        }
    }
}
