//! Attempts of jobs that failed and were tried again, as their trace records them
//! ([`Recorded`](crate::workload::Recorded)). An attempt takes as long as it took then, whatever was
//! saved before: what the next one did over is a part of its own time. So a job holds its GPUs as long
//! as recorded, and what an attempt had not saved is work in vain.

use crate::job::{JobId, Work};
use crate::workload::Workload;
use std::collections::BTreeMap;

/// By job; only those that are to fail.
#[derive(Default)]
pub(super) struct Attempts(BTreeMap<JobId, Job>);

/// What is to come of a job, and what was in vain.
struct Job {
    /// Seconds of the attempts to come, the next one last; the present one is not among them.
    left: Vec<f64>,
    /// Seconds of execution.
    lost: f64,
}

impl Attempts {
    pub(super) fn of(workload: &Workload) -> Self {
        let recorded = workload.recorded.attempts.iter();
        let job = recorded.filter_map(|(&id, failed)| {
            let Work::Fixed { duration } = workload.jobs.get(id.index())?.work else {
                return None;
            };
            let last = duration - failed.iter().sum::<f64>();
            let is_sound = last > 0.0 && failed.iter().all(|seconds| *seconds > 0.0);
            let mut left = failed.clone();
            left.push(last);
            left.reverse();
            is_sound.then_some((id, Job { left, lost: 0.0 }))
        });
        Self(job.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the job's present attempt ends by failing.
    pub(super) fn fails(&self, job: JobId) -> bool {
        self.0.get(&job).is_some_and(|of| !of.left.is_empty())
    }

    /// The next attempt, the first one included: its seconds. Of the one before, so many were in vain.
    pub(super) fn next(&mut self, job: JobId, lost: f64) -> Option<f64> {
        let of = self.0.get_mut(&job)?;
        of.lost += lost;
        of.left.pop()
    }

    /// What earlier attempts did in vain, seconds of execution.
    pub(super) fn lost(&self, job: JobId) -> f64 {
        self.0.get(&job).map_or(0.0, |of| of.lost)
    }
}
