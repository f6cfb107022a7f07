//! Gavel's max-min fairness (Narayanan et al., OSDI'20, §4.1) without regard to throughputs: the least of all
//! `gang · share` is as large as can be. What GPUs are left over is divided as the original's solver does (`interior`).

use super::Job;
use super::interior::{self, Bounds, Objective};

/// The share of each job on so many GPUs.
pub fn allocate(jobs: &[Job], gpus: u32) -> Vec<f64> {
    let gangs: Vec<f64> = jobs.iter().map(Job::gang).collect();
    let least = Objective {
        values: vec![0.0; jobs.len()],
        level: 1.0,
    };
    let reaches_it = Bounds {
        factors: gangs.iter().map(|gang| -gang).collect(),
        level: 1.0,
        limits: vec![0.0; jobs.len()],
    };
    let [at_least, at_most] = interior::from_0_to_1(jobs.len());
    let bounds = [at_least, at_most, reaches_it];
    interior::shares(&least, &gangs, f64::from(gpus), &bounds)
}
