//! A run in numbers: over all of its jobs, or over some of them ([`Summary::over`]).
//!
//! A mean is of a set of jobs. Two runs are compared only where both have finished all of theirs
//! ([`Summary::is_whole`]), or over the jobs that both have finished ([`finished_in_all`]). What cannot
//! be known is NaN, which JSON has as `null`.

use super::bill::Bill;
use super::{Distribution, Failures, Outcomes};
use crate::cluster::ClusterSpec;
use crate::job::JobId;
use crate::sim::RunLog;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// A run in numbers; times in seconds. Of an unfinished run: what is known so far, else NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    /// First submission to last finish; NaN while jobs are unfinished.
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
    /// The longest single wait of any job (starvation); NaN while jobs are unfinished.
    pub longest_wait: f64,
    /// What failures cost.
    #[serde(default)]
    pub failures: Failures,
}

/// How evenly the cluster was shared; NaN where nothing has finished.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

impl Default for Summary {
    /// Of no jobs: nothing is known.
    fn default() -> Self {
        Self {
            jobs: 0,
            finished: 0,
            rejected: 0,
            jct: Distribution::default(),
            queueing: Distribution::default(),
            makespan: f64::NAN,
            restarts: 0,
            gpu_allocation: f64::NAN,
            node_hours: f64::NAN,
            mean_nodes: f64::NAN,
            fairness: Fairness::of(&[]),
            longest_wait: f64::NAN,
            failures: Failures::default(),
        }
    }
}

impl Summary {
    /// Of a run of `workload` on `cluster`.
    pub fn of(workload: &Workload, cluster: &ClusterSpec, log: &RunLog) -> Self {
        Self::of_outcomes(&Outcomes::of(workload, cluster, log), cluster, log)
    }

    /// The same, from outcomes already computed of this log.
    pub fn of_outcomes(outcomes: &Outcomes, cluster: &ClusterSpec, log: &RunLog) -> Self {
        let end = log.event_times().last().copied().unwrap_or(0.0);
        let begin = log.event_times().first().copied().unwrap_or(0.0);
        let span = end - begin;
        let rented = Bill::of(log, cluster.nodes(), begin, end);
        let held: f64 = allocated_gpu_seconds(log, end);
        let jct = known(&outcomes.jct);
        let jobs = outcomes.jct.len() as u32;
        let rejected = outcomes.rejected.iter().filter(|&&is| is).count() as u32;
        let finished = jct.len() as u32;
        let counts = Self {
            jobs,
            finished,
            rejected,
            ..Self::default()
        };
        // Of jobs that wait or run, nobody knows when they end.
        let at_the_end = |value| match counts.never_ends() {
            true => f64::NAN,
            false => value,
        };
        Self {
            jct: Distribution::of(jct),
            queueing: Distribution::of(known(&outcomes.queueing)),
            makespan: at_the_end(span),
            restarts: outcomes.restarts.iter().sum(),
            gpu_allocation: held / (span * f64::from(cluster.gpus())),
            node_hours: rented.node_hours(),
            mean_nodes: rented.mean_nodes(span),
            fairness: Fairness::of(&outcomes.rho),
            longest_wait: at_the_end(longest(&outcomes.longest_wait)),
            failures: Failures::of(outcomes, cluster, log, (begin, end)),
            ..counts
        }
    }

    /// Over some jobs alone, all of which have finished. What is the cluster's and not theirs is unknown:
    /// allocation, rented nodes, failures.
    pub fn over(chosen: &[JobId], workload: &Workload, outcomes: &Outcomes) -> Self {
        let of = |values: &[f64]| chosen.iter().map(|job| values[job.index()]).collect();
        let jct: Vec<f64> = of(&outcomes.jct);
        let submits = || {
            let jobs = chosen.iter().map(|job| &workload.jobs[job.index()]);
            jobs.map(|job| job.submit.seconds())
        };
        let begin = submits().fold(f64::INFINITY, f64::min);
        let ends = submits().zip(&jct).map(|(submit, jct)| submit + jct);
        let end = ends.fold(f64::NEG_INFINITY, f64::max);
        let jobs = chosen.len() as u32;
        let restarts = chosen.iter().map(|job| outcomes.restarts[job.index()]);
        Self {
            jobs,
            finished: jobs,
            jct: Distribution::of(jct),
            queueing: Distribution::of(of(&outcomes.queueing)),
            makespan: if jobs > 0 { end - begin } else { f64::NAN },
            restarts: restarts.sum(),
            fairness: Fairness::of(&of(&outcomes.rho)),
            longest_wait: match jobs {
                0 => f64::NAN,
                _ => longest(&of(&outcomes.longest_wait)),
            },
            ..Self::default()
        }
    }

    /// "149 of 240 finished", where some have not: to stand beside the run's name.
    pub fn left(&self) -> Option<String> {
        let (finished, jobs) = (self.finished, self.jobs);
        (!self.is_whole()).then(|| format!("{finished} of {jobs} finished"))
    }

    /// What a run is called in a table: its name, and how many jobs have finished where some have not.
    pub fn called(&self, name: &str) -> String {
        match self.left() {
            None => name.to_owned(),
            Some(left) => format!("{name} ({left})"),
        }
    }

    /// The same in a table of figures over so many jobs that finished in all runs.
    pub fn called_over(&self, name: &str, jobs: u32) -> String {
        self.called(&format!("{name}, over {jobs} jobs"))
    }

    /// Jobs that neither finished nor were rejected: at the end of a run those that never will.
    pub fn stuck(&self) -> u32 {
        self.jobs - self.finished - self.rejected
    }

    /// Whether nobody knows when all of its jobs end: some are stuck, or none has finished.
    pub fn never_ends(&self) -> bool {
        self.finished == 0 || self.stuck() > 0
    }

    /// Whether every job ran to its end, none rejected: only then do its figures stand for the workload.
    pub fn is_whole(&self) -> bool {
        self.finished == self.jobs
    }
}

impl Fairness {
    /// Of jobs' ρ, NaN for those that have not finished.
    fn of(rho: &[f64]) -> Self {
        let rho = known(rho);
        let jain = jain(rho.iter().map(|rho| 1.0 / rho));
        let rho = Distribution::of(rho);
        Self {
            rho_mean: rho.mean,
            rho_p99: rho.p99,
            rho_max: rho.max,
            jain,
        }
    }
}

/// The jobs that have finished in every one of these runs, over which runs may be compared that leave
/// others behind.
pub fn finished_in_all<'a>(runs: impl IntoIterator<Item = &'a Outcomes>) -> Vec<JobId> {
    let mut runs = runs.into_iter();
    let Some(first) = runs.next() else {
        return Vec::new();
    };
    let mut common: Vec<bool> = first.jct.iter().map(|jct| !jct.is_nan()).collect();
    for other in runs {
        for (is_common, jct) in common.iter_mut().zip(&other.jct) {
            *is_common &= !jct.is_nan();
        }
    }
    let jobs = (0..).map(JobId).zip(common);
    jobs.filter_map(|(job, is)| is.then_some(job)).collect()
}

fn known(values: &[f64]) -> Vec<f64> {
    let values = values.iter().copied();
    values.filter(|value| !value.is_nan()).collect()
}

fn longest(waits: &[f64]) -> f64 {
    waits.iter().copied().fold(0.0, f64::max)
}

/// ∫ GPUs allocated dt up to `end`.
pub(crate) fn allocated_gpu_seconds(log: &RunLog, end: f64) -> f64 {
    let times = log.sample_times();
    let until = times.iter().skip(1).chain(std::iter::once(&end));
    times
        .iter()
        .zip(until)
        .zip(log.sample_gpus())
        .map(|((from, to), &gpus)| (to - from) * f64::from(gpus))
        .sum()
}

/// Jain's fairness index; NaN for no values.
fn jain(values: impl Iterator<Item = f64>) -> f64 {
    let (n, sum, squares) = values.fold((0.0, 0.0, 0.0), |(n, sum, squares), x| {
        (n + 1.0, sum + x, squares + x * x)
    });
    sum * sum / (n * squares)
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
        let context = switchyard_policies::BuildContext {
            placement: Default::default(),
            workload: &workload,
            history: None,
            picker: None,
            queues: None,
        };
        let policy = switchyard_policies::build(&"fifo".parse().unwrap(), &context);
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
        assert!(jain(std::iter::empty()).is_nan());
    }

    /// Job 0 finishes in both runs, the others in one each.
    #[test]
    fn runs_are_compared_over_the_jobs_that_all_have_finished() {
        let workload = Workload {
            jobs: vec![
                Job::plain(5.0, 1, 10.0),
                Job::plain(0.0, 1, 10.0),
                Job::plain(0.0, 1, 10.0),
            ],
            ..Default::default()
        };
        let run = |jct: [f64; 3]| Outcomes {
            jct: jct.to_vec(),
            queueing: vec![1.0; 3],
            longest_wait: vec![2.0; 3],
            restarts: vec![3; 3],
            rho: vec![0.5; 3],
            rejected: vec![false; 3],
            ..Outcomes::default()
        };
        let runs = [run([10.0, 20.0, f64::NAN]), run([30.0, f64::NAN, 40.0])];
        let common = finished_in_all(&runs);
        assert_eq!(common, [JobId(0)]);
        let over = runs
            .each_ref()
            .map(|of| Summary::over(&common, &workload, of));
        assert_eq!(over.map(|of| of.jct.mean), [10.0, 30.0]);
        assert_eq!(over.map(|of| of.makespan), [10.0, 30.0]);
        assert_eq!(over.map(|of| of.restarts), [3, 3]);
        assert!(over.iter().all(Summary::is_whole));
        assert!(over[0].gpu_allocation.is_nan());
        assert!(finished_in_all([]).is_empty());
        let none = Summary::over(&[], &workload, &runs[0]);
        assert!(none.makespan.is_nan() && none.longest_wait.is_nan());
    }

    /// One job that runs, and one that waits for ever.
    #[test]
    fn what_never_ends_has_no_makespan_and_no_longest_wait() {
        let cluster = ClusterSpec::uniform(1, 2).unwrap();
        let outcomes = Outcomes {
            jct: vec![10.0, f64::NAN],
            rho: vec![0.5, f64::NAN],
            rejected: vec![false; 2],
            ..Outcomes::default()
        };
        let summary = Summary::of_outcomes(&outcomes, &cluster, &RunLog::default());
        assert!(!summary.is_whole());
        assert_eq!(summary.jct.mean, 10.0);
        assert!(summary.makespan.is_nan() && summary.longest_wait.is_nan());
    }
}
