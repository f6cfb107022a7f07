//! What ends a run before its jobs are done: a log that has outgrown its [budget](LogBudget), and
//! time or work that no longer goes on. Policies are programs with parameters, and some values of
//! some parameters preempt at every second of thirty years, or never start anyone: such a run is
//! ended with a [`Halt`] that names the policy, the moment and the parameter to change, and its log
//! stays whole up to there.
//!
//! The budget is part of [`SimOptions`](super::SimOptions) (`log_budget`); whoever knows the
//! machine sets it with [`LogBudget::of_memory`]. Until it is reached it changes nothing, least of
//! all the log's hash.

use super::log::RunLog;
use super::nodes::Nodes;
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

/// A policy that asks for the same moment this often in a row is ended.
const MOST_PLANS_PER_MOMENT: u32 = 10_000;

/// So often in a row a policy may be asked while jobs wait and nobody runs, and change nothing.
const MOST_IDLE_PLANS: u32 = 1_000;

/// So often it may be asked in a row and change nothing while somebody runs.
const MOST_EMPTY_PLANS: u32 = 10_000_000;

/// So many stays in a row that all end before the restart is over: nobody will ever get anywhere.
fn most_fruitless_stays(gpus: u32) -> u32 {
    10_000 + 100 * gpus
}

/// Sees whether a run goes on.
#[derive(Debug, Default)]
pub(super) struct Watch {
    moment: Time,
    plans_this_moment: u32,
    /// Rows about jobs in the log when the policy was last asked.
    rows: usize,
    /// Plans in a row without such a row.
    empty_plans: u32,
    /// Preempted or moved before any progress, one after the other.
    fruitless_stays: u32,
}

impl Watch {
    /// A job has finished.
    pub(super) fn finished(&mut self) {
        self.fruitless_stays = 0;
    }

    /// A job loses its GPUs, having made progress on them or not.
    pub(super) fn stay_ended(
        &mut self,
        job: JobId,
        progressed: bool,
        gpus: u32,
    ) -> Result<(), HaltReason> {
        if self.is_fruitless(progressed, gpus) {
            return Err(HaltReason::NoProgress { job });
        }
        Ok(())
    }

    /// A job loses its GPUs to a failure, having saved anything on them or not.
    pub(super) fn evicted(&mut self, job: JobId, saved: bool, gpus: u32) -> Result<(), HaltReason> {
        if self.is_fruitless(saved, gpus) {
            return Err(HaltReason::NothingSaved { job });
        }
        Ok(())
    }

    fn is_fruitless(&mut self, progressed: bool, gpus: u32) -> bool {
        self.fruitless_stays = if progressed {
            0
        } else {
            self.fruitless_stays + 1
        };
        self.fruitless_stays > most_fruitless_stays(gpus)
    }

    /// A node has gone or come back, as it stands in a list: those have an end.
    pub(super) fn nodes_changed(&mut self) {
        self.empty_plans = 0;
    }

    /// A plan was carried out; so many jobs wait now.
    pub(super) fn planned(
        &mut self,
        now: Time,
        log: &RunLog,
        waiting: u32,
        nodes: &Nodes,
    ) -> Result<(), HaltReason> {
        self.plans_this_moment = if now == self.moment {
            self.plans_this_moment + 1
        } else {
            0
        };
        self.moment = now;
        if self.plans_this_moment > MOST_PLANS_PER_MOMENT {
            let asked = self.plans_this_moment;
            return Err(HaltReason::TimeStandsStill { asked });
        }
        let rows = log.events() + log.tunings();
        self.empty_plans = if rows == self.rows {
            self.empty_plans + 1
        } else {
            0
        };
        self.rows = rows;
        self.check_idle(waiting, nodes)?;
        let asked = self.empty_plans;
        if asked >= MOST_EMPTY_PLANS {
            return Err(HaltReason::NothingChanges { asked });
        }
        Ok(())
    }

    /// Time goes on, and the policy is not even asked; so many jobs wait.
    pub(super) fn idles(&mut self, waiting: u32, nodes: &Nodes) -> Result<(), HaltReason> {
        self.empty_plans += 1;
        self.check_idle(waiting, nodes)
    }

    fn check_idle(&self, waiting: u32, nodes: &Nodes) -> Result<(), HaltReason> {
        let asked = self.empty_plans;
        if nodes.in_use() == 0 && waiting > 0 && asked >= MOST_IDLE_PLANS {
            return Err(HaltReason::NobodyRuns {
                waiting,
                asked,
                closed: nodes.closed(),
            });
        }
        Ok(())
    }
}
