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
use switchyard::workload::ApplicationSettings;
use switchyard::{RunSpec, Time};
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
}

impl Message for RunRequest {
    fn kind(&self) -> Kind {
        match self {
            Self::Load(_) => LOAD,
            Self::Simulate => Kind::named("simulate").shared(),
            Self::Taken { .. } => TAKEN,
            Self::Explain { .. } => Kind::named("explain"),
            Self::Round { .. } => Kind::named("round"),
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
    /// How fast a job ran that was [asked](RunRequest::Explain) about, where anything slows jobs.
    Slowed {
        /// The job.
        job: JobId,
        /// Its speed, and what it lost.
        slowness: Box<Slowness>,
    },
    /// The answer to [`RunRequest::Round`].
    Round {
        /// The time.
        at: Time,
        /// The round; `None` where the policy has none.
        report: Option<Box<RoundReport>>,
    },
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
            Self::Slowed { .. } => Kind::named("slowed"),
            Self::Round { .. } => Kind::named("round").last(),
        }
    }

    fn attachments(&self) -> Vec<JsValue> {
        match self {
            Self::Log { piece, .. } => vec![piece.cells.clone()],
            Self::Done { .. }
            | Self::Failed { .. }
            | Self::Explained { .. }
            | Self::Slowed { .. }
            | Self::Round { .. } => Vec::new(),
        }
    }

    fn attach(&mut self, attachments: Vec<JsValue>) {
        if let Self::Log { piece, .. } = self {
            piece.cells = attachments.into_iter().next().unwrap_or_default();
        }
    }
}
