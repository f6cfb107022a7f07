//! What the trace of a workload records of its jobs' ends: how each ended, and the attempts that had
//! failed before. Runs that replay failures go by it; all others do not look at it.

use crate::job::{JobId, Status};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How jobs ended in the trace they come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// By job; empty where the trace says it of none.
    pub statuses: Vec<Status>,
    /// Of jobs that failed and were tried again: seconds of each attempt but the last, in order, all
    /// of them above 0 and together less than the job's duration, of which they are a part.
    pub attempts: BTreeMap<JobId, Vec<f64>>,
}

impl Recorded {
    /// How a job ended.
    pub fn status(&self, job: JobId) -> Status {
        let status = self.statuses.get(job.index());
        status.copied().unwrap_or_default()
    }

    /// Whether a run that replays failures is another than one that does not.
    pub fn tells_failures(&self) -> bool {
        let is_one = |status: &Status| {
            matches!(
                status,
                Status::Failed | Status::NodeFailed | Status::Cancelled
            )
        };
        !self.attempts.is_empty() || self.statuses.iter().any(is_one)
    }
}
