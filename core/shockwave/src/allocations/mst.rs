//! Max sum throughput, MST (Shockwave §8): the sum of all jobs' steps per second is as large as can be.
//!
//! With one kind of GPU that is a fractional knapsack: jobs in order of steps per second and GPU. The original's solver
//! stops a little before the optimum, so jobs that have nothing still have an order, and the replay looks at it: theirs
//! are the shares where such a solver stops.

use super::{Job, centre};

/// The share of each job on so many GPUs.
pub fn allocate(jobs: &[Job], gpus: u32) -> Vec<f64> {
    let gangs: Vec<f64> = jobs.iter().map(Job::gang).collect();
    let values: Vec<f64> = jobs.iter().map(|job| job.throughput).collect();
    centre::near_optimum(&values, &gangs, f64::from(gpus))
}
