//! Finish-time fairness (Themis, NSDI'20; as Gavel §4.1 formulates it): the largest ratio of when a job is done to
//! when it would be done with its part of the cluster to itself is as small as can be.
//!
//! A ratio can be had if the shares that it takes fit, so it is searched for by halves.

use super::{Job, centre, fits};
use std::collections::BTreeMap;

/// So many halvings settle a ratio.
const HALVINGS: usize = 60;

/// What it remembers from one decision to the next.
#[derive(Clone, Debug, Default)]
pub struct Themis {
    of: BTreeMap<usize, Memory>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    /// Seconds that what is done would have taken on its part of the cluster.
    isolated: f64,
    /// Steps that were left, and steps per second on its part.
    remaining: f64,
    throughput: f64,
}

impl Themis {
    /// The share of each job on so many GPUs.
    pub fn allocate(&mut self, jobs: &[Job], gpus: u32) -> Vec<f64> {
        let gpus = f64::from(gpus);
        let alone = |job: &Job| (gpus / jobs.len() as f64 / job.gang()).min(1.0);
        let mut fair = Vec::with_capacity(jobs.len());
        let mut now = BTreeMap::new();
        for job in jobs {
            let throughput = job.throughput * alone(job);
            let isolated = self.of.get(&job.id).map_or(0.0, |before| {
                before.isolated + (before.remaining - job.remaining) / before.throughput
            });
            fair.push(isolated + job.remaining / throughput);
            let memory = Memory {
                isolated,
                remaining: job.remaining,
                throughput,
            };
            now.insert(job.id, memory);
        }
        self.of = now;
        shares(jobs, &fair, gpus).unwrap_or_else(|| jobs.iter().map(alone).collect())
    }
}

/// The shares of the least ratio, with the seconds that each job would take by itself. Nothing where one is not
/// positive, which a batch size that shrinks can bring about.
fn shares(jobs: &[Job], fair: &[f64], gpus: f64) -> Option<Vec<f64>> {
    let gangs: Vec<f64> = jobs.iter().map(Job::gang).collect();
    let least = |ratio: f64| -> Vec<f64> {
        let of = |(job, fair): (&Job, &f64)| match ratio * fair - job.age {
            left if left > 0.0 => job.left() / left,
            _ => f64::INFINITY,
        };
        jobs.iter().zip(fair).map(of).collect()
    };
    let are_positive = fair.iter().all(|&fair| fair > 0.0);
    if !are_positive {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while !fits(&gangs, &least(high), gpus) {
        (low, high) = (high, high * 2.0);
        if !high.is_finite() {
            return None;
        }
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        match fits(&gangs, &least(middle), gpus) {
            true => high = middle,
            false => low = middle,
        }
    }
    centre::between(&gangs, &least(high), gpus)
}
