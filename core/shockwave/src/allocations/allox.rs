//! AlloX (Le et al., EuroSys'20, §4): jobs and places in the queues of GPUs are matched so that the mean time until
//! jobs are done is least; the first of each queue runs until it is done.
//!
//! The place `k` from a queue's end counts a job's duration `k + 1` times. GPUs are alike here, so the least sum is
//! known: the longest jobs have the last places. Where the front places are not all taken, several matchings are
//! equally good, and the original's choice hangs on the version of its library; here of the jobs at the front of their
//! queues the shortest run.

use super::Job;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Which part of the waiting jobs, the oldest, is matched at least.
const OLDEST: f64 = 0.2;

/// What it remembers from one decision to the next: shares.
#[derive(Clone, Debug, Default)]
pub struct Allox {
    shares: BTreeMap<usize, f64>,
}

impl Allox {
    /// The share of each job on so many GPUs. Who has a GPU keeps it; a gang has the share of one GPU, as the original
    /// gives it.
    pub fn allocate(&mut self, jobs: &[Job], gpus: u32) -> Vec<f64> {
        let before = |job: &Job| self.shares.get(&job.id).copied().unwrap_or(0.0);
        let (has, mut waiting): (Vec<&Job>, Vec<&Job>) =
            jobs.iter().partition(|job| before(job) == 1.0);
        let free = (gpus as usize).saturating_sub(has.len());
        waiting.sort_by(|a, b| b.age.partial_cmp(&a.age).unwrap_or(Ordering::Equal));
        let matched = ((OLDEST * waiting.len() as f64) as usize).max(free);
        waiting.truncate(matched);
        let mut shares: BTreeMap<usize, f64> =
            jobs.iter().map(|job| (job.id, before(job))).collect();
        for at in first(
            &waiting.iter().map(|job| job.left()).collect::<Vec<_>>(),
            free,
        ) {
            shares.insert(waiting[at].id, 1.0 / waiting[at].gang());
        }
        self.shares = shares;
        jobs.iter().map(before_of(&self.shares)).collect()
    }
}

fn before_of(shares: &BTreeMap<usize, f64>) -> impl Fn(&Job) -> f64 {
    |job| shares.get(&job.id).copied().unwrap_or(0.0)
}

/// Which jobs, by their durations, are the first of so many queues.
fn first(durations: &[f64], queues: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..durations.len()).collect();
    order.sort_by(|&a, &b| {
        durations[a]
            .partial_cmp(&durations[b])
            .unwrap_or(Ordering::Equal)
    });
    order.truncate(queues);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: usize, left: f64, age: f64) -> Job {
        Job {
            id,
            gang: 1,
            throughput: 1.0,
            remaining: left,
            age,
        }
    }

    /// The least sum of waiting and running times of jobs on one GPU each, by trying every order and every division.
    fn least(durations: &mut Vec<f64>, ends: &mut [f64]) -> f64 {
        if durations.is_empty() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for at in 0..durations.len() {
            let duration = durations.remove(at);
            for gpu in 0..ends.len() {
                ends[gpu] += duration;
                best = best.min(ends[gpu] + least(durations, ends));
                ends[gpu] -= duration;
            }
            durations.insert(at, duration);
        }
        best
    }

    #[test]
    fn the_first_of_queues_begin_a_best_schedule() {
        for durations in [vec![5.0, 1.0, 3.0, 2.0, 4.0], vec![9.0, 2.0, 2.5, 7.0]] {
            let optimum = least(&mut durations.clone(), &mut [0.0, 0.0]);
            let mut rest = durations.clone();
            let mut chosen = first(&durations, 2);
            let mut ends: Vec<f64> = chosen.iter().map(|&at| durations[at]).collect();
            chosen.sort_unstable();
            for at in chosen.into_iter().rev() {
                rest.remove(at);
            }
            let begun: f64 = ends.iter().sum();
            assert!((begun + least(&mut rest, &mut ends) - optimum).abs() < 1e-9);
        }
    }

    #[test]
    fn who_has_a_gpu_keeps_it() {
        let mut allox = Allox::default();
        assert_eq!(allox.allocate(&[job(0, 9.0, 1.0)], 1), [1.0]);
        assert_eq!(
            allox.allocate(&[job(0, 9.0, 1.0), job(1, 1.0, 0.0)], 1),
            [1.0, 0.0]
        );
        assert_eq!(allox.allocate(&[job(1, 1.0, 0.0)], 1), [1.0]);
    }
}
