//! A run in numbers.

use super::bill::Bill;
use super::{Distribution, Failures, Outcomes};
use crate::cluster::ClusterSpec;
use crate::sim::RunLog;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// A run in numbers; times in seconds. Of an unfinished run: what is known so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Jobs in the workload.
    pub jobs: u32,
    /// Jobs that ran to their end.
    pub finished: u32,
    /// Jobs wanting more GPUs than the cluster has.
    pub rejected: u32,
    /// Job completion time, finish − submit, of finished jobs.
    pub jct: Distribution,
    /// Waiting of finished jobs over their whole life: JCT − time on GPUs.
    pub queueing: Distribution,
    /// First submission to last finish.
    pub makespan: f64,
    /// Starts after a job's first: resumes and moves.
    pub restarts: u32,
    /// Mean share of GPUs that jobs held, first submission to last finish.
    pub gpu_allocation: f64,
    /// What it cost: nodes rented × hours, first submission to last finish. All nodes, unless the
    /// policy rents fewer.
    pub node_hours: f64,
    /// Nodes rented on the mean of that time.
    pub mean_nodes: f64,
    /// How evenly the cluster was shared.
    pub fairness: Fairness,
    /// The longest single wait of any job (starvation).
    pub longest_wait: f64,
    /// What failures cost.
    #[serde(default)]
    pub failures: Failures,
}

/// How evenly the cluster was shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fairness {
    /// Mean finish-time fairness ρ (see [`Outcomes::rho`]); below 1: better than an equal share.
    pub rho_mean: f64,
    /// 99th percentile of ρ.
    pub rho_p99: f64,
    /// Greatest ρ.
    pub rho_max: f64,
    /// Jain's index (Σx)²/(n·Σx²) over x = 1/ρ, the speed each job saw relative to its equal
    /// share: 1 when all are alike, 1/n when one has everything.
    pub jain: f64,
}

impl Summary {
    /// Of a run of `workload` on `cluster`.
    pub fn of(workload: &Workload, cluster: &ClusterSpec, log: &RunLog) -> Self {
        Self::of_outcomes(&Outcomes::of(workload, cluster, log), cluster, log)
    }

    /// The same, from outcomes already computed of this log.
    pub fn of_outcomes(outcomes: &Outcomes, cluster: &ClusterSpec, log: &RunLog) -> Self {
        let known = |values: &[f64]| {
            values
                .iter()
                .copied()
                .filter(|value| !value.is_nan())
                .collect::<Vec<_>>()
        };
        let jct = known(&outcomes.jct);
        let rho = Distribution::of(known(&outcomes.rho));
        let end = log.event_times().last().copied().unwrap_or(0.0);
        let begin = log.event_times().first().copied().unwrap_or(0.0);
        let makespan = end - begin;
        let rented = Bill::of(log, cluster.nodes(), begin, end);
        let held: f64 = allocated_gpu_seconds(log, end);
        let available = makespan * f64::from(cluster.gpus());
        Self {
            jobs: outcomes.jct.len() as u32,
            finished: jct.len() as u32,
            rejected: outcomes
                .rejected
                .iter()
                .filter(|&&rejected| rejected)
                .count() as u32,
            jct: Distribution::of(jct),
            queueing: Distribution::of(known(&outcomes.queueing)),
            makespan,
            restarts: outcomes.restarts.iter().sum(),
            gpu_allocation: if available > 0.0 {
                held / available
            } else {
                0.0
            },
            node_hours: rented.node_hours(),
            mean_nodes: rented.mean_nodes(makespan),
            fairness: Fairness {
                rho_mean: rho.mean,
                rho_p99: rho.p99,
                rho_max: rho.max,
                jain: jain(
                    outcomes
                        .rho
                        .iter()
                        .filter(|rho| !rho.is_nan())
                        .map(|rho| 1.0 / rho),
                ),
            },
            longest_wait: outcomes.longest_wait.iter().copied().fold(0.0, f64::max),
            failures: Failures::of(outcomes, cluster, log, (begin, end)),
        }
    }
}

/// ∫ GPUs allocated dt up to `end`.
fn allocated_gpu_seconds(log: &RunLog, end: f64) -> f64 {
    let times = log.sample_times();
    let until = times.iter().skip(1).chain(std::iter::once(&end));
    times
        .iter()
        .zip(until)
        .zip(log.sample_gpus())
        .map(|((from, to), &gpus)| (to - from) * f64::from(gpus))
        .sum()
}

/// Jain's fairness index; 0 for no values.
fn jain(values: impl Iterator<Item = f64>) -> f64 {
    let (n, sum, squares) = values.fold((0.0, 0.0, 0.0), |(n, sum, squares), x| {
        (n + 1.0, sum + x, squares + x * x)
    });
    if squares > 0.0 {
        sum * sum / (n * squares)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::sim::{SimOptions, Simulation};
    use std::sync::Arc;

    /// Two jobs of 2 GPUs one after the other on 2 GPUs, and one that is too large.
    #[test]
    fn a_hand_computed_run() {
        let workload = Arc::new(Workload {
            jobs: vec![
                Job::plain(0.0, 2, 100.0),
                Job::plain(0.0, 2, 100.0),
                Job::plain(10.0, 3, 5.0),
            ],
            ..Default::default()
        });
        let cluster = ClusterSpec::uniform(1, 2).unwrap();
        let context = crate::policy::BuildContext {
            placement: Default::default(),
            workload: &workload,
            history: None,
            picker: None,
        };
        let policy = crate::policy::build(&"fifo".parse().unwrap(), &context);
        let mut run = Simulation::new(workload.clone(), &cluster, policy, SimOptions::default());
        run.run().unwrap();
        let outcomes = Outcomes::of(&workload, &cluster, run.log());
        let summary = Summary::of_outcomes(&outcomes, &cluster, run.log());

        assert_eq!(
            (summary.jobs, summary.finished, summary.rejected),
            (3, 2, 1)
        );
        assert_eq!(
            (summary.jct.mean, summary.jct.max, summary.makespan),
            (150.0, 200.0, 200.0)
        );
        assert_eq!((summary.queueing.mean, summary.longest_wait), (50.0, 100.0));
        assert_eq!((summary.gpu_allocation, summary.restarts), (1.0, 0));
        assert_eq!(
            (summary.node_hours, summary.mean_nodes),
            (200.0 / 3600.0, 1.0)
        );
        // The first job shared with one other all its life: alone on one GPU it takes 200 s.
        // The second shared half of its life: N = 1.5, alone on 4/3 GPUs it takes 150 s.
        assert_eq!(outcomes.rho[..2], [0.5, 200.0 / 150.0]);
        assert!(
            (summary.fairness.jain - (2.0f64 + 0.75).powi(2) / (2.0 * (4.0 + 0.5625))).abs()
                < 1e-12
        );
    }

    #[test]
    fn jain_is_one_for_equals_and_one_nth_for_a_monopoly() {
        assert_eq!(jain([3.0, 3.0, 3.0].into_iter()), 1.0);
        assert_eq!(jain([0.0, 7.0, 0.0, 0.0].into_iter()), 0.25);
        assert_eq!(jain(std::iter::empty()), 0.0);
    }
}
