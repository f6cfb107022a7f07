//! Placements of shares, measured while pods arrive, without a run.

use super::{Kind, Message, Role};
use crate::ui::views::fragmentation::experiment::Measured;
use serde::{Deserialize, Serialize};

/// Lets pods arrive under all placements of shares.
#[derive(Debug)]
pub enum Packer {}

impl Role for Packer {
    const NAME: &'static str = "packer";
    type Request = PackRequest;
    type Reply = PackReply;
}

/// What is asked. A list of machines and a list of pods may be attached, in either order; else both are invented.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackRequest {
    /// Runs of each placement.
    pub seeds: u32,
}

impl Message for PackRequest {
    fn kind(&self) -> Kind {
        Kind::named("pack")
    }
}

/// What the packer says.
#[derive(Debug, Serialize, Deserialize)]
pub enum PackReply {
    /// What the runs so far tell; comes after every run.
    Measured(Box<Measured>),
    /// The lists cannot be read: why.
    Refused(String),
}

impl Message for PackReply {
    fn kind(&self) -> Kind {
        match self {
            Self::Measured(_) => Kind::named("measured"),
            Self::Refused(_) => Kind::named("refused").last(),
        }
    }
}
