//! What page and runner say to one another. A runner carries one run: it is [loaded](RunRequest::Load), then streams
//! [pieces](RunReply::Log) of its log until it is [done](RunReply::Done) or has [failed](RunReply::Failed), never far
//! [ahead](AHEAD) of the page. Loaded and not simulated, it answers questions alone.

use super::{Kind, Message, Role};
use crate::bridge::log_piece::LogPiece;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;
use switchyard::engine::SimulationProgress;
use switchyard::job::JobId;
use switchyard::policies::{Explanation, RoundReport, Slowness};
use switchyard::report::{GroupLives, LifePart};
use switchyard::workload::ApplicationSettings;
use switchyard::{RunSpec, Time};
use switchyard_app::study::Whom;
use wasm_bindgen::JsValue;

/// How many pieces of a log may be on their way to a page: the worker goes on once one is
/// [taken](RunRequest::Taken). With more, what else a page has to do would wait behind them, wherever
/// simulating is faster than showing; with fewer, the worker would wait for every answer.
pub const AHEAD: u32 = 2;

/// Carries one run.
#[derive(Debug)]
pub enum Runner {}

impl Role for Runner {
    const NAME: &'static str = "runner";
    type Request = RunRequest;
    type Reply = RunReply;
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

impl Message for RunRequest {
    fn kind(&self) -> Kind {
        match self {
            Self::Load(_) => LOAD,
            Self::Simulate => Kind::named("simulate").shared(),
            Self::Taken { .. } => TAKEN,
            Self::Explain { .. } => Kind::named("explain"),
            Self::Round { .. } => Kind::named("round"),
            Self::Lives { .. } => Kind::named("lives"),
        }
    }
}

/// The kinds that static/sharing.js knows by name.
pub(super) const LOAD: Kind = Kind::named("load").shared();
pub(super) const TAKEN: Kind = Kind::named("taken");

/// What a runner says.
#[derive(Debug, Serialize, Deserialize)]
pub enum RunReply {
    /// More of the run's log.
    Log {
        /// What was added.
        piece: LogPiece,
        /// How far the run has come.
        progress: SimulationProgress,
    },
    /// The run is over, its log complete.
    Done {
        /// Fingerprint of the log.
        log_hash: u64,
        /// Milliseconds of simulation alone.
        wall_ms: f64,
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

impl Message for RunReply {
    fn kind(&self) -> Kind {
        match self {
            Self::Log { .. } => Kind::named("log").shared(),
            Self::Done { .. } => Kind::named("done").shared().last(),
            Self::Failed { .. } => Kind::named("failed").shared().last(),
            Self::Explained { .. } => Kind::named("explained").last(),
            // It comes after the answer.
            Self::Lived { .. } => Kind::named("lived"),
            Self::Lives { .. } => Kind::named("lives").last(),
            Self::Round { .. } => Kind::named("round").last(),
        }
    }

    fn attachments(&self) -> Vec<JsValue> {
        match self {
            Self::Log { piece, .. } => vec![piece.cells.clone()],
            Self::Done { .. }
            | Self::Failed { .. }
            | Self::Explained { .. }
            | Self::Lived { .. }
            | Self::Lives { .. }
            | Self::Round { .. } => Vec::new(),
        }
    }

    fn attach(&mut self, attachments: Vec<JsValue>) {
        if let Self::Log { piece, .. } = self {
            piece.cells = attachments.into_iter().next().unwrap_or_default();
        }
    }
}
