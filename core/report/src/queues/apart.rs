//! Two runs of the same jobs, queue by queue: who waits less, who more, and by how much.

use super::figures::{QueueFigures, QueueReport};
use super::run_queues::RunQueues;
use crate::{Distribution, Outcomes};
use serde::Serialize;

/// What is different for the jobs of a leaf. Pairs are of the first run and of the second; waits are over the jobs that
/// finished in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueDifference {
    /// The leaf, as the first run has it.
    pub name: String,
    /// Its jobs that finished in both.
    pub jobs: u32,
    /// Of these, how many wait less in the second run.
    pub wait_less: u32,
    /// How many wait longer.
    pub wait_longer: u32,
    /// Their mean waits, seconds.
    pub wait_mean: [f64; 2],
    /// The 95th percentile of their waits, seconds.
    pub wait_p95: [f64; 2],
    /// Quotas of the queues of this name, GPUs.
    pub quota: [f64; 2],
    /// What they held of all that was held while some job waited.
    pub share_while_waiting: [f64; 2],
}

impl QueueDifference {
    /// Waits that differ by no more than so many seconds are the same.
    pub const SAME_WAIT: f64 = 1.0;

    /// How much longer its jobs wait in the second run on the mean, seconds.
    pub fn longer(&self) -> f64 {
        self.wait_mean[1] - self.wait_mean[0]
    }
}

/// By the leaves of the first run that have jobs, in their order.
pub fn queues_apart(
    queues: &RunQueues,
    outcomes: [&Outcomes; 2],
    reports: [&QueueReport; 2],
) -> Vec<QueueDifference> {
    let mut waits: Vec<[Vec<f64>; 2]> = vec![Default::default(); queues.tree.queues().len()];
    for (job, leaf) in queues.leaf_of.iter().enumerate() {
        let wait = outcomes.map(|of| of.queueing.get(job).copied().unwrap_or(f64::NAN));
        if wait.iter().all(|wait| !wait.is_nan()) {
            let of = &mut waits[leaf.index()];
            of[0].push(wait[0]);
            of[1].push(wait[1]);
        }
    }
    let mut differences = Vec::new();
    for (id, _) in queues.in_order() {
        let [first, second] = std::mem::take(&mut waits[id.index()]);
        if first.is_empty() {
            continue;
        }
        let name = &queues.tree.queue(id).name;
        let longer = || {
            first
                .iter()
                .zip(&second)
                .map(|(first, second)| second - first)
        };
        let of = reports.map(|report| report.queue(name));
        let figure = |what: fn(&QueueFigures) -> f64| of.map(|of| of.map_or(f64::NAN, what));
        let (wait_less, wait_longer) = (
            longer()
                .filter(|&by| by < -QueueDifference::SAME_WAIT)
                .count() as u32,
            longer()
                .filter(|&by| by > QueueDifference::SAME_WAIT)
                .count() as u32,
        );
        let jobs = first.len() as u32;
        let spread = [first, second].map(Distribution::of);
        differences.push(QueueDifference {
            name: name.clone(),
            jobs,
            wait_less,
            wait_longer,
            wait_mean: [0, 1].map(|at: usize| spread[at].mean),
            wait_p95: [0, 1].map(|at: usize| spread[at].p95),
            quota: figure(|of| of.quota),
            share_while_waiting: figure(|of| of.share_while_waiting),
        });
    }
    differences
}
