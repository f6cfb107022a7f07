//! What ends a run before its jobs are done: a log that has outgrown its [budget](LogBudget), and
//! time or work that no longer goes on, which [`Watch`](super::watch::Watch) sees. Policies are programs with parameters, and some values of
//! some parameters preempt at every second of thirty years, or never start anyone: such a run is
//! ended with a [`Halt`] that names the policy, the moment and the parameter to change, and its log
//! stays whole up to there.
//!
//! The budget is part of [`SimOptions`](super::SimOptions) (`log_budget`); whoever knows the
//! machine sets it with [`LogBudget::of_memory`]. Until it is reached it changes nothing, least of
//! all the log's hash.

use super::log::RunLog;
use super::plan::{PlanError, ProgramError};
use crate::Time;
use crate::job::JobId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much a run may write into its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogBudget {
    /// Rows of [`RunLog::events`].
    pub events: u64,
    /// What the log's columns take in memory ([`RunLog::bytes`]).
    pub bytes: u64,
}

impl LogBudget {
    /// A budget in bytes alone.
    pub const fn of_bytes(bytes: u64) -> Self {
        Self {
            events: u64::MAX,
            bytes,
        }
    }

    /// What one run may take of so many bytes of memory: a quarter, since columns that grow are
    /// copied, and a finished log is read by others who keep notes on it.
    pub const fn of_memory(bytes: u64) -> Self {
        Self::of_bytes(bytes / 4)
    }

    /// Whether a log is beyond it.
    pub(super) fn is_spent(&self, log: &RunLog) -> bool {
        log.events() as u64 > self.events || log.bytes() > self.bytes
    }
}

impl Default for LogBudget {
    /// 1 GiB: some eight million jobs that nobody preempts.
    fn default() -> Self {
        Self::of_bytes(1 << 30)
    }
}

/// Why a run was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltReason {
    /// The log has outgrown its budget.
    LogFull {
        /// Rows of events written.
        events: u64,
        /// Bytes written.
        bytes: u64,
    },
    /// The policy was asked so often for one and the same moment.
    TimeStandsStill {
        /// How often.
        asked: u32,
    },
    /// Jobs wait, nobody runs, and the policy was asked so often without a change to that.
    NobodyRuns {
        /// Jobs that wait.
        waiting: u32,
        /// How often.
        asked: u32,
        /// Nodes that take nobody, being down or drained.
        closed: u32,
    },
    /// The policy was asked so often without a change to anything.
    NothingChanges {
        /// How often.
        asked: u32,
    },
    /// The policy is asked so often that it would be asked millions of times more before anything else happens.
    AskedTooOften {
        /// How often.
        asked: u32,
        /// Since when.
        since: Time,
        /// When something else will happen.
        until: Time,
    },
    /// All who run restart, and it would be asked ever so often before one of them works.
    StillRestarting {
        /// How often it was asked meanwhile.
        asked: u32,
        /// When the first of them will work.
        ready: Time,
    },
    /// Jobs are preempted or moved again and again before their restart is over.
    NoProgress {
        /// The last of them.
        job: JobId,
    },
    /// Nodes fail again and again before any job on them has saved anything.
    NothingSaved {
        /// The last of those jobs.
        job: JobId,
    },
}

/// What of the policy to change, so that its next run goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A greater value of the parameter by which the policy is asked.
    Greater(&'static str),
    /// Another value of one of the parameters given; none was: another policy.
    Other(Vec<String>),
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Greater(parameter) => write!(f, "set a greater '{parameter}'"),
            Self::Other(given) if given.is_empty() => f.write_str("choose another policy"),
            Self::Other(given) => write!(f, "set another '{}'", given.join("' or '")),
        }
    }
}

/// A run ended before its jobs were done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halt {
    /// The policy's canonical spec.
    pub policy: String,
    /// When.
    pub time: Time,
    /// Jobs finished or rejected by then.
    pub done: u32,
    /// Jobs in the workload.
    pub jobs: u32,
    /// Why.
    pub reason: HaltReason,
    /// What to change.
    pub remedy: Remedy,
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            policy,
            done,
            jobs,
            remedy,
            ..
        } = self;
        let time = self.time.seconds();
        write!(
            f,
            "{policy} was ended at {time} s, with {done} of {jobs} jobs done: "
        )?;
        match self.reason {
            HaltReason::LogFull { events, bytes } => {
                let megabytes = bytes.div_ceil(1_000_000);
                write!(
                    f,
                    "its log is full, with {events} events in {megabytes} MB; {remedy}, or raise the log budget"
                )
            }
            HaltReason::TimeStandsStill { asked } => {
                write!(f, "it was asked {asked} times for this moment; {remedy}")
            }
            HaltReason::NobodyRuns {
                waiting,
                asked,
                closed: 0,
            } => write!(
                f,
                "{waiting} jobs wait and none runs, though it was asked {asked} times; {remedy}"
            ),
            HaltReason::NobodyRuns {
                waiting,
                asked,
                closed,
            } => write!(
                f,
                "{waiting} jobs wait and none runs, though it was asked {asked} times; {closed} nodes are down or drained: let them come back earlier, or {remedy}"
            ),
            HaltReason::NothingChanges { asked } => write!(
                f,
                "it was asked {asked} times and nothing has changed; {remedy}, or leave out jobs that never end"
            ),
            HaltReason::AskedTooOften {
                asked,
                since,
                until,
            } => write!(
                f,
                "it was asked {asked} times within {} s, and nothing else happens before {} s; let its alarms be farther apart, or {remedy}",
                self.time - since,
                until.seconds()
            ),
            HaltReason::StillRestarting { asked, ready } => write!(
                f,
                "it was asked {asked} times while all who run restart, and none of them works before {} s; lower the restart cost, or {remedy}",
                ready.seconds()
            ),
            HaltReason::NoProgress { job } => write!(
                f,
                "every job, job {} the last, loses its GPUs before its restart is over; lower the restart cost, or {remedy}",
                job.0
            ),
            HaltReason::NothingSaved { job } => write!(
                f,
                "every job, job {} the last, loses all it does to failures; set a shorter checkpoint interval, or a longer time between failures",
                job.0
            ),
        }
    }
}

impl std::error::Error for Halt {}

/// Why a run did not come to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// A plan that the engine refuses: an error in the policy's program.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A mistake in a program that a person wrote.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// It would have gone on for ever, or beyond all memory.
    #[error(transparent)]
    Halt(#[from] Halt),
}
