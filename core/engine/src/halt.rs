//! What ends a run before its jobs are done: a log that has outgrown its [budget](LogBudget), and
//! time or work that no longer goes on, which [`Watch`](super::watch::Watch) sees. Policies are programs with parameters, and some values of
//! some parameters preempt at every second of thirty years, or never start anyone: such a run is
//! ended with a [`Halt`] that names the policy, the moment and the parameter to change, and its log
//! stays whole up to there.
//!
//! The budget is part of [`SimOptions`](super::SimOptions) (`log_budget`); whoever knows the
//! machine sets it with [`LogBudget::of_memory`], and may change it
//! [meanwhile](super::Simulation::set_log_budget), as others need more or less of the same memory. Until it
//! is reached it changes nothing, least of all the log's hash. What is said of a full log names what of the
//! policy and the jobs helps; each program adds [its own ways](RunError::with_ways) to more room.

use super::log::{EventKind, LEAST_EVENTS, RunLog};
use super::plan::{PlanError, ProgramError};
use crate::job::JobId;
use crate::{Resource, Time};
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

    /// Whether a log that is beyond it would be shorter if the policy moved jobs less often, and the log of
    /// so many jobs has room in it at all. Else no policy helps.
    pub(super) fn is_wasted(&self, log: &RunLog, jobs: u32) -> bool {
        let is_submit = |&at: &usize| log.event(at).kind == EventKind::Submit;
        let come = (0..log.events()).filter(is_submit).count() as u64;
        // Samples and gangs on several nodes may add as much again as jobs need at least.
        let repeats = log.events() as u64 > 2 * LEAST_EVENTS * come
            || log.bytes() > 2 * RunLog::least_bytes(come);
        let jobs = u64::from(jobs);
        let has_room =
            LEAST_EVENTS * jobs <= self.events && RunLog::least_bytes(jobs) <= self.bytes;
        repeats && has_room
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
    /// None of it: the jobs are more than there is room for, whatever the policy.
    FewerJobs,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Greater(parameter) => write!(f, "set a greater '{parameter}'"),
            Self::Other(given) if given.is_empty() => f.write_str("choose another policy"),
            Self::Other(given) => write!(f, "set another '{}'", given.join("' or '")),
            Self::FewerJobs => f.write_str("take fewer jobs, such as a window of the trace"),
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
    /// What is counted.
    pub unit: Resource,
}

impl Halt {
    /// Whether it was for lack of room in the log: who ran it may have more, and knows how to get it.
    pub fn lacks_room(&self) -> bool {
        matches!(self.reason, HaltReason::LogFull { .. })
    }
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
                    "its log is full, with {events} events in {megabytes} MB; {remedy}"
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
                "every job, job {} the last, {} before its restart is over; lower the restart cost, or {remedy}",
                job.0,
                self.unit.words("loses its GPUs")
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

impl RunError {
    /// The same in a sentence that goes on, for lack of room in the log, with the `ways` to more of it that
    /// there are where the run was started.
    pub fn with_ways(&self, ways: &str) -> String {
        match self {
            Self::Halt(halt) if halt.lacks_room() => format!("{halt}, or {ways}"),
            _ => self.to_string(),
        }
    }
}

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
