//! Gavel's max-min fairness (Narayanan et al., OSDI'20, §4.1) without regard to throughputs: the least of all
//! `gang · share` is as large as can be.

use super::{Job, centre};

/// The share of each job on so many GPUs.
pub fn allocate(jobs: &[Job], gpus: u32) -> Vec<f64> {
    let gpus = f64::from(gpus);
    let gangs: Vec<f64> = jobs.iter().map(Job::gang).collect();
    let narrowest = gangs.iter().copied().fold(f64::INFINITY, f64::min);
    let level = narrowest.min(gpus / jobs.len() as f64);
    let least: Vec<f64> = gangs.iter().map(|gang| level / gang).collect();
    centre::between(&gangs, &least, gpus).unwrap_or(least)
}
