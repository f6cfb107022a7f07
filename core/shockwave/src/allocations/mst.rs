//! Max sum throughput, MST (Shockwave §8): the sum of all jobs' steps per second is as large as can be.
//!
//! With one kind of GPU that is a fractional knapsack: jobs in order of steps per second and GPU. The original's solver
//! stops a little before the optimum, so jobs that have nothing still have an order, and the replay looks at it: theirs
//! are the shares where that solver stops (`interior`).

use super::Job;
use super::interior::{self, Objective};

/// The share of each job on so many GPUs.
pub fn allocate(jobs: &[Job], gpus: u32) -> Vec<f64> {
    let gangs: Vec<f64> = jobs.iter().map(Job::gang).collect();
    let throughput = Objective {
        values: jobs.iter().map(|job| job.throughput).collect(),
        level: 0.0,
    };
    let bounds = interior::from_0_to_1(jobs.len());
    interior::shares(&throughput, &gangs, f64::from(gpus), &bounds)
}
