//! What may happen to a job, and why it may stop.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What happened to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum EventKind {
    /// Entered the queue.
    Submit = 0,
    /// Got GPUs for the first time; detail: the segment.
    Start = 1,
    /// Lost its GPUs before its end; detail: the segment that ended.
    Pause = 2,
    /// Got GPUs again; detail: the segment.
    Restart = 3,
    /// Sank to a lower queue; detail: the queue (0 is the highest).
    Demote = 4,
    /// Rose to a higher queue; detail: the queue.
    Promote = 5,
    /// Done; detail: the segment that ended.
    Finish = 6,
    /// Wants more GPUs than the cluster has; detail: the GPUs it wants.
    Reject = 7,
    /// Lost its GPUs because a node failed; detail: the segment that ended. More is in the
    /// [eviction](super::RunLog::eviction).
    Evict = 8,
    /// Lost its GPUs because it failed, as its trace records, and tries again; detail: the segment
    /// that ended. More is in the [stop](super::RunLog::stop).
    Fail = 9,
}

impl EventKind {
    /// Whether a segment ends with it.
    pub(super) fn ends_segment(self) -> bool {
        match self {
            Self::Pause | Self::Finish | Self::Evict | Self::Fail => true,
            Self::Submit
            | Self::Start
            | Self::Restart
            | Self::Demote
            | Self::Promote
            | Self::Reject => false,
        }
    }
}

/// Why a job stopped: as its trace records, or by a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum StopCause {
    /// An attempt failed; the job tries again.
    Retried = 0,
    /// It ended as failed.
    Failed = 1,
    /// It ended because its node failed.
    NodeFailed = 2,
    /// Its owner ended it.
    Cancelled = 3,
    /// It came to the [limit](crate::Plan::limit) that its policy sets.
    TimedOut = 4,
}

impl fmt::Display for StopCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Retried => "failed and tries again",
            Self::Failed => "ended as failed",
            Self::NodeFailed => "ended with its node",
            Self::Cancelled => "was cancelled",
            Self::TimedOut => "was ended at its time limit",
        })
    }
}
