//! What page and runner say to one another. A runner carries one run: it is [loaded](RunRequest::Load), then streams
//! [pieces](RunReply::Log) of its log until it is [done](RunReply::Done) or has [failed](RunReply::Failed), never far
//! [ahead](AHEAD) of the page. Loaded and not simulated, it answers questions alone.

use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;
use switchyard::engine::{BadCells, LogRows, RunLog, SimulationProgress};
use switchyard::job::JobId;
use switchyard::policies::{Explanation, RoundReport, Slowness};
use switchyard::report::{GroupLives, LifePart};
use switchyard::workload::ApplicationSettings;
use switchyard::{RunSpec, Time};
use switchyard_app::study::Whom;

/// Page and worker must be of the same build: counts changes of what any worker says or is asked.
pub const PROTOCOL: u32 = 23;

/// How many pieces of a log may be on their way to a page: the worker goes on once one is
/// [taken](RunRequest::Taken). With more, what else a page has to do would wait behind them, wherever
/// simulating is faster than showing; with fewer, the worker would wait for every answer.
pub const AHEAD: u32 = 2;

/// What any worker says.
#[derive(Debug, Serialize, Deserialize)]
pub enum WorkerMessage<Reply> {
    /// It can take requests. Stays the first, so that pages and workers of different builds understand it.
    Ready {
        /// Its [`PROTOCOL`].
        protocol: u32,
    },
    /// It is dying.
    Crashed(String),
    /// Another program than its own answers this request.
    NeedsOtherProgram,
    /// What its role has it say.
    Reply(Reply),
}

/// What a run is made of. The jobs are attached; files of weights follow them, one's own before the shipped one.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunInput {
    /// The settings.
    pub spec: Rc<RunSpec>,
    /// What adaptive jobs train; `None`: plain jobs stay plain.
    pub applications: Option<Arc<ApplicationSettings>>,
    /// Whether one's own weights follow the jobs.
    pub has_user_weights: bool,
}

/// What the page asks of a runner.
#[derive(Debug, Serialize, Deserialize)]
pub enum RunRequest {
    /// Get ready for this run. Answered only if that fails.
    Load(RunInput),
    /// Simulate it, and send its log.
    Simulate,
    /// The page has taken in so many pieces of the log, of all there were.
    Taken {
        /// How many.
        pieces: u32,
        /// How long the log may become by now, bytes, where it draws from what there is for all.
        room: Option<u64>,
    },
    /// Tell what the policy thought of a job at a time: runs again up to there.
    Explain {
        /// The job.
        job: JobId,
        /// The time.
        at: Time,
    },
    /// Tell what the policy decided in its last round up to a time: runs again up to there.
    Round {
        /// The time.
        at: Time,
    },
    /// Tell what all its jobs spent their lives on: runs again to the end.
    Lives {
        /// By whom; `None`: all together.
        whom: Option<Whom>,
        /// Of these jobs alone; `None`: of all.
        among: Option<Vec<JobId>>,
    },
}

/// What a runner says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "", deserialize = "C: Default"))]
pub enum RunReply<C> {
    /// More of the run's log.
    Log {
        /// What was added.
        piece: LogPiece<C>,
        /// How far the run has come.
        progress: SimulationProgress,
    },
    /// The run is over, its log complete.
    Done {
        /// Fingerprint of the log.
        log_hash: u64,
        /// Milliseconds of simulation alone.
        wall_ms: f64,
        /// Whether a native program carried it, and no worker of the page's.
        is_native: bool,
        /// Of a placer that learned, if there is one.
        decisions: Option<u64>,
        /// Of every job its finish-time fairness, where jobs train applications: the page does not have
        /// those.
        rho: Option<Vec<f64>>,
    },
    /// The run broke off.
    Failed {
        /// Why.
        why: String,
        /// What it was short of, if it was its log that became too long.
        shortage: Option<LogShortage>,
    },
    /// The answer to [`RunRequest::Explain`].
    Explained {
        /// The job.
        job: JobId,
        /// The time.
        at: Time,
        /// The policy's word.
        explanation: Explanation,
    },
    /// What a job spent its life on that was [asked](RunRequest::Explain) about.
    Lived {
        /// The job.
        job: JobId,
        /// What was told.
        life: Box<ToldLife>,
    },
    /// The answer to [`RunRequest::Lives`].
    Lives {
        /// What each group spent.
        groups: Vec<GroupLives>,
    },
    /// The answer to [`RunRequest::Round`].
    Round {
        /// The time.
        at: Time,
        /// The round; `None` where the policy has none.
        report: Option<Box<RoundReport>>,
    },
}

/// A piece of a run's log as it travels: the numbers of its rows in the message, and beside it their cells, column by
/// column, in one buffer. So cells are copied once in the worker and once in the page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound(serialize = "", deserialize = "C: Default"))]
pub struct LogPiece<C> {
    /// How many rows.
    pub rows: LogRows,
    /// Their cells, which are attached.
    #[serde(skip)]
    pub cells: C,
}

/// A buffer of cells.
pub trait Cells: Default {
    /// The cells of a piece of a worker's log.
    fn of(piece: &switchyard::engine::LogPiece<'_>) -> Self;

    /// Appends them to the page's log, as so many rows.
    ///
    /// # Errors
    ///
    /// They have not come along, or are none of a log's.
    fn append_to(&self, rows: LogRows, log: &mut RunLog) -> Result<(), BadCells>;
}

impl<C: Cells> LogPiece<C> {
    /// A piece of a worker's log.
    pub fn of(piece: &switchyard::engine::LogPiece<'_>) -> Self {
        Self {
            rows: piece.rows(),
            cells: C::of(piece),
        }
    }

    /// Appends it to the page's log.
    ///
    /// # Errors
    ///
    /// Its cells have not come along, or are none of a log's.
    pub fn append_to(&self, log: &mut RunLog) -> Result<(), BadCells> {
        self.cells.append_to(self.rows, log)
    }
}

/// A job's life in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToldLife {
    /// What it was spent on, most first.
    pub parts: Vec<LifePart>,
    /// How fast it ran, where anything slows jobs.
    pub slowness: Option<Slowness>,
}

/// What room a log was short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogShortage {
    /// Room for what this policy does.
    Policy,
    /// Room for so many jobs, whatever the policy.
    Jobs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_any_build_understand_that_a_worker_is_ready() {
        let ready = WorkerMessage::<RunReply<()>>::Ready { protocol: 5 };
        assert_eq!(postcard::to_allocvec(&ready).expect("bytes"), [0, 5]);
    }
}
