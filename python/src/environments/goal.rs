//! What an episode is rewarded by: a metric of its run, of which each step pays a part as soon as it is known. An
//! episode's rewards add up to minus the metric.

use serde::{Deserialize, Serialize};
use std::str::FromStr;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::{EventKind, RunLog};
use switchyard::job::Job;
use switchyard::report::{Outcomes, Summary, bounded_slowdown, bounded_slowdown_of};
use switchyard::workload::Workload;

/// The metric that is to be small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    BoundedSlowdown,
    JctMean,
    JctP95,
    Makespan,
    RhoMean,
}

/// By the metrics' ids.
const GOALS: [(&str, Goal); 5] = [
    ("bounded_slowdown", Goal::BoundedSlowdown),
    ("jct_mean", Goal::JctMean),
    ("jct_p95", Goal::JctP95),
    ("makespan", Goal::Makespan),
    ("rho_mean", Goal::RhoMean),
];

impl FromStr for Goal {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = GOALS.iter().find(|(name, _)| *name == word);
        found.map(|(_, goal)| *goal).ok_or_else(|| {
            let names = GOALS.map(|(name, _)| name).join(", ");
            format!("reward is '{word}': it takes one of {names}")
        })
    }
}

/// What came of an episode.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Ended {
    bounded_slowdown: f64,
    jct: f64,
    jct_p95: f64,
    makespan: f64,
    rho: f64,
}

impl Ended {
    pub(super) fn of(workload: &Workload, cluster: &ClusterSpec, log: &RunLog) -> Self {
        let outcomes = Outcomes::of(workload, cluster, log);
        let summary = Summary::of_outcomes(&outcomes, cluster, log);
        Self {
            bounded_slowdown: bounded_slowdown(workload, log),
            jct: summary.jct.mean,
            jct_p95: summary.jct.p95,
            makespan: summary.makespan,
            rho: summary.fairness.rho_mean,
        }
    }

    fn by(self, goal: Goal) -> f64 {
        match goal {
            Goal::BoundedSlowdown => self.bounded_slowdown,
            Goal::JctMean => self.jct,
            Goal::JctP95 => self.jct_p95,
            Goal::Makespan => self.makespan,
            Goal::RhoMean => self.rho,
        }
    }

    /// All of it, in the order of [`GOALS`].
    pub(super) fn figures(self) -> [f64; GOALS.len()] {
        GOALS.map(|(_, goal)| self.by(goal))
    }
}

/// What a run has cost so far.
pub(super) struct Meter {
    goal: Goal,
    /// Whether a job that has started runs to its end, so that its end is known then.
    ends_are_known: bool,
    /// What has been looked at of the log: starts, or events.
    counted: usize,
    now: f64,
    paid: f64,
}

impl Meter {
    pub(super) fn new(goal: Goal, ends_are_known: bool) -> Self {
        Self {
            goal,
            ends_are_known,
            counted: 0,
            now: 0.0,
            paid: 0.0,
        }
    }

    /// What is known to cost more since the last step.
    pub(super) fn step(&mut self, workload: &Workload, log: &RunLog) -> f64 {
        let more = match self.goal {
            Goal::BoundedSlowdown => self.of_jobs(workload, log, bounded_slowdown_of),
            Goal::JctMean => self.of_jobs(workload, log, |_, jct| jct),
            Goal::Makespan => {
                let now = log.event_times().last().copied().unwrap_or(0.0);
                now - std::mem::replace(&mut self.now, now)
            }
            // Of these nothing is known before the end.
            Goal::JctP95 | Goal::RhoMean => 0.0,
        };
        self.paid += more;
        more
    }

    /// What an end costs beyond what has been paid.
    pub(super) fn end(&self, ended: Ended) -> f64 {
        ended.by(self.goal) - self.paid
    }

    /// The mean of something over all jobs, as far as those go that have started or ended since.
    fn of_jobs(&mut self, workload: &Workload, log: &RunLog, of: impl Fn(&Job, f64) -> f64) -> f64 {
        let jobs = &workload.jobs;
        let sum: f64 = if self.ends_are_known {
            let from = std::mem::replace(&mut self.counted, log.segments());
            let starts = (from..log.segments()).map(|at| log.segment(at));
            let costs = starts.map(|stay| {
                let job = &jobs[stay.job.index()];
                of(job, stay.start - job.submit + job.work.seconds())
            });
            costs.sum()
        } else {
            let from = std::mem::replace(&mut self.counted, log.events());
            let events = (from..log.events()).map(|at| log.event(at));
            let ends = events.filter(|event| event.kind == EventKind::Finish);
            let costs = ends.map(|event| {
                let job = &jobs[event.job.index()];
                of(job, event.time - job.submit)
            });
            costs.sum()
        };
        sum / jobs.len().max(1) as f64
    }
}
