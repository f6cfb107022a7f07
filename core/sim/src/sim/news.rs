//! What a policy hears, in the order in which it happened.

use crate::job::JobId;

/// Something that has happened since the policy was last asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// The job has been submitted.
    Arrived(JobId),
    /// The job is done; its GPUs are free again.
    Finished(JobId),
    /// The job's [alarm](super::Plan::alarm) is due.
    Alarm(JobId),
}
