//! Least total duration, for open-shop scheduling (OSSP; Gavel §4.2): all jobs are done as early as can be.
//!
//! The time is searched for by halves until it is known to 5 %, as the original does; shares are the analytic centre
//! of all with which every job is done by then.

use super::{Job, centre};

/// Between these times it is looked for, seconds.
const FIRST: (f64, f64) = (100.0, 1e6);

/// A search ends when the longer time is at most so much of the shorter one.
const CLOSE: f64 = 1.05;

/// The share of each job on so many GPUs.
pub fn allocate(jobs: &[Job], gpus: u32) -> Vec<f64> {
    let gangs: Vec<f64> = jobs.iter().map(Job::gang).collect();
    let by = |time: f64| {
        let least: Vec<f64> = jobs.iter().map(|job| job.left() / time).collect();
        centre::between(&gangs, &least, f64::from(gpus))
    };
    let (mut low, mut high) = FIRST;
    let mut longest = high;
    loop {
        let mut best = None;
        while CLOSE * low < high {
            let middle = (low + high) / 2.0;
            match by(middle) {
                Some(shares) => (best, high) = (Some(shares), middle),
                None => low = middle,
            }
        }
        if let Some(shares) = best {
            return shares;
        }
        (low, high) = (longest, longest * 10.0);
        longest *= 10.0;
        if !longest.is_finite() {
            return vec![0.0; jobs.len()];
        }
    }
}
