//! Least total duration, for open-shop scheduling (OSSP; Gavel §4.2): all jobs are done as early as can be.
//!
//! The time is searched for by halves until it is known to 5 %, as the original does. With most times many shares are
//! equally good; which they are is the original's solver's choice (`interior`).

use super::interior::{self, Bounds, Objective};
use super::{Job, fits};

/// Between these times it is looked for, seconds.
const FIRST: (f64, f64) = (100.0, 1e6);

/// A search ends when the longer time is at most so much of the shorter one.
const CLOSE: f64 = 1.05;

/// The share of each job on so many GPUs.
pub fn allocate(jobs: &[Job], gpus: u32) -> Vec<f64> {
    let gangs: Vec<f64> = jobs.iter().map(Job::gang).collect();
    let is_possible = |time: f64| {
        let least: Vec<f64> = jobs.iter().map(|job| job.left() / time).collect();
        fits(&gangs, &least, f64::from(gpus))
    };
    let (mut low, mut high) = FIRST;
    while !is_possible(high) {
        (low, high) = (high, high * 10.0);
        if !high.is_finite() {
            return vec![0.0; jobs.len()];
        }
    }
    while CLOSE * low < high {
        let middle = (low + high) / 2.0;
        match is_possible(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    let in_time = Bounds {
        factors: jobs.iter().map(|job| -job.throughput).collect(),
        level: 0.0,
        limits: jobs.iter().map(|job| -job.remaining / high).collect(),
    };
    let [at_least, at_most] = interior::from_0_to_1(jobs.len());
    let nothing = Objective {
        values: vec![0.0; jobs.len()],
        level: 0.0,
    };
    let bounds = [at_least, at_most, in_time];
    interior::shares(&nothing, &gangs, f64::from(gpus), &bounds)
}
