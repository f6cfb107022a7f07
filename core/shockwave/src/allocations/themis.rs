//! Finish-time fairness (Themis, NSDI'20; as Gavel §4.2 formulates it): the largest ratio of when a job is done to
//! when it would be done with its part of the cluster to itself is as small as can be.
//!
//! A ratio can be had if the shares that it takes fit, so it is searched for by halves. As in the authors' simulators, what
//! was done is counted in steps: a batch size that changes also changes how many are left, and the difference counts as
//! done.

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

impl Memory {
    /// Seconds that all of the job takes on its part.
    fn alone(&self) -> f64 {
        self.isolated + self.remaining / self.throughput
    }
}

impl Themis {
    /// Forgets the jobs that are not there any more.
    pub fn keep(&mut self, is_there: impl Fn(usize) -> bool) {
        self.of.retain(|&id, _| is_there(id));
    }

    /// Seconds that a job would take in all with its part of the cluster to itself, as of the last decision on it.
    pub fn alone(&self, id: usize) -> Option<f64> {
        self.of.get(&id).map(Memory::alone)
    }

    /// The share of each job on so many GPUs.
    pub fn allocate(&mut self, jobs: &[Job], gpus: u32) -> Vec<f64> {
        let gpus = f64::from(gpus);
        let alone = |job: &Job| (gpus / jobs.len() as f64 / job.gang()).min(1.0);
        let mut fair = Vec::with_capacity(jobs.len());
        for job in jobs {
            let throughput = job.throughput * alone(job);
            let isolated = self.of.get(&job.id).map_or(0.0, |before| {
                before.isolated + (before.remaining - job.remaining) / before.throughput
            });
            let memory = Memory {
                isolated,
                remaining: job.remaining,
                throughput,
            };
            fair.push(memory.alone());
            self.of.insert(job.id, memory);
        }
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
