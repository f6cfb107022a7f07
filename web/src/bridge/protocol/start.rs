//! When a job would start, under one policy.

use super::{Kind, Message, Role, RunInput};
use crate::complaint::Complaint;
use serde::{Deserialize, Serialize};
use switchyard_app::start::{Asked, Told, When};

/// Draws how a run may go on, and says when a job starts.
#[derive(Debug)]
pub enum Starter {}

impl Role for Starter {
    const NAME: &'static str = "starter";
    type Request = StartRequest;
    type Reply = StartReply;
}

/// What the page asks of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct StartRequest {
    /// The run.
    pub input: RunInput,
    /// The job.
    pub asked: Asked,
    /// Seconds since the first submission.
    pub moment: f64,
    /// How many runs.
    pub draws: u32,
}

impl Message for StartRequest {
    fn kind(&self) -> Kind {
        Kind::named("start")
    }
}

/// What it says.
#[derive(Debug, Serialize, Deserialize)]
pub enum StartReply {
    /// More of the runs are over.
    Drawn {
        /// When the job started in each of those, seconds since the first submission; infinite: it did not.
        starts: Vec<f64>,
        /// What all so far tell.
        so_far: When,
    },
    /// All are over. What would help is being tried: so many ways have been begun.
    Helping(u32),
    /// The answer, or why there is none.
    Told(Box<Result<Told, Complaint>>),
}

impl Message for StartReply {
    fn kind(&self) -> Kind {
        match self {
            Self::Drawn { .. } => Kind::named("drawn"),
            Self::Helping(_) => Kind::named("helping"),
            Self::Told(_) => Kind::named("told").last(),
        }
    }
}
