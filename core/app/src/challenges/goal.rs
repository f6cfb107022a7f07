//! What a challenge is about, in two figures of which less is better.

use serde::Serialize;
use switchyard::report::Distribution;
use switchyard::workload::Workload;

/// What counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Job completion times: their mean, and what 95 % do not exceed.
    Jct,
    /// The same of each tenant, on the mean of tenants: who submits much counts no more than who submits little.
    Tenants,
    /// Jobs for each one that is done in time. The engine knows no deadlines: a job is due [`SLACK`] seconds after
    /// [`STRETCH`] times its duration.
    Deadlines,
}

/// How many times its duration a job may take.
pub(super) const STRETCH: f64 = 1.5;
/// And so many seconds more.
pub(super) const SLACK: f64 = 120.0;

impl Goal {
    /// In words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Jct => "mean and 95th percentile of job completion times",
            Self::Tenants => "the same of each tenant, on the mean of tenants",
            Self::Deadlines => {
                "the share of jobs done within one and a half times their duration and two minutes"
            }
        }
    }

    /// Its figures where jobs take so long from submission to finish, all of them.
    pub(super) fn figures(self, workload: &Workload, jct: &[f64]) -> [f64; 2] {
        match self {
            Self::Jct => {
                let of = Distribution::of(jct.to_vec());
                [of.mean, of.p95]
            }
            Self::Tenants => {
                let each: Vec<Distribution> = by_tenant(workload)
                    .into_iter()
                    .map(|jobs| Distribution::of(jobs.into_iter().map(|job| jct[job]).collect()))
                    .collect();
                let mean = |of: fn(&Distribution) -> f64| {
                    each.iter().map(of).sum::<f64>() / each.len() as f64
                };
                [mean(|of| of.mean), mean(|of| of.p95)]
            }
            Self::Deadlines => {
                let durations = workload.jobs.iter().map(|job| job.work.seconds());
                let late = durations.zip(jct).filter(|&(of, &jct)| jct > due_after(of));
                per_timely(workload.jobs.len(), late.count())
            }
        }
    }
}

/// A job is due so many seconds after its submission.
pub(super) fn due_after(duration: f64) -> f64 {
    STRETCH * duration + SLACK
}

/// Jobs for each one in time, where so many are late. (Of none in time as many as of one.)
pub(super) fn per_timely(jobs: usize, late: usize) -> [f64; 2] {
    let timely = (jobs - late).max(1);
    [jobs as f64 / timely as f64; 2]
}

/// The jobs of each tenant that has any.
pub(super) fn by_tenant(workload: &Workload) -> Vec<Vec<usize>> {
    let mut tenants = vec![Vec::new(); workload.tenants.len() + 1];
    for (at, job) in workload.jobs.iter().enumerate() {
        let tenant = job.tenant.map_or(workload.tenants.len(), |of| of as usize);
        tenants[tenant].push(at);
    }
    tenants.retain(|jobs| !jobs.is_empty());
    tenants
}
