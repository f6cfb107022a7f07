//! The role that carries one run: what is said stands in `switchyard-workers`, which knows no browser, and here how it
//! travels in one.

use super::{Kind, Message, Role};
use crate::bridge::log_piece::BufferCells;
use wasm_bindgen::JsValue;

pub use switchyard_workers::protocol::{LogShortage, RunInput, RunRequest, ToldLife};

/// Carries one run.
#[derive(Debug)]
pub enum Runner {}

impl Role for Runner {
    const NAME: &'static str = "runner";
    type Request = RunRequest;
    type Reply = RunReply;
}

/// What a runner says, with cells in a buffer of the browser's.
pub type RunReply = switchyard_workers::protocol::RunReply<BufferCells>;

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
            Self::Log { piece, .. } => vec![piece.cells.0.clone()],
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
            piece.cells = BufferCells(attachments.into_iter().next().unwrap_or_default());
        }
    }
}
