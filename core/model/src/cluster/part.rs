//! Where a gang lies.

use serde::{Deserialize, Serialize};
use std::num::NonZeroU16;

/// What a job has of one node, or is to have: GPUs for its workers, or a share of one, and parameter
/// servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// The node.
    pub node: u32,
    /// Whole GPUs there; 0 where it is a share.
    pub gpus: u32,
    /// The share of one GPU that it is instead of whole ones.
    pub share: Option<Share>,
    /// Parameter servers there, which need no GPUs.
    pub servers: u32,
    /// Which whole GPUs it would rather have, bit by GPU; those that are not free are made up for by
    /// the lowest that are.
    pub wished: u64,
}

/// Part of one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Share {
    /// How much of it.
    pub thousandths: Thousandths,
    /// Memory of it, MiB.
    pub memory: u32,
    /// Which GPU of its node; from [`MAX_GPUS_PER_NODE`](super::MAX_GPUS_PER_NODE) on one that is not
    /// in use yet, whichever the engine hands out: the same number is the same GPU within a plan.
    pub gpu: u8,
}

/// Thousandths of a GPU: at least 1, and less than a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Thousandths(NonZeroU16);

impl Thousandths {
    /// So many; `None` where that is none of a GPU or a whole one.
    pub fn new(thousandths: u16) -> Option<Self> {
        let some = NonZeroU16::new(thousandths)?;
        (thousandths < 1000).then_some(Self(some))
    }

    /// How many.
    pub fn get(self) -> u16 {
        self.0.get()
    }
}

impl Part {
    /// So many GPUs of a node.
    pub const fn new(node: u32, gpus: u32) -> Self {
        Self {
            node,
            gpus,
            share: None,
            servers: 0,
            wished: 0,
        }
    }

    /// Part of one GPU of a node.
    pub const fn of_share(node: u32, share: Share) -> Self {
        Self {
            node,
            gpus: 0,
            share: Some(share),
            servers: 0,
            wished: 0,
        }
    }

    /// Parameter servers on a node without workers.
    pub const fn of_servers(node: u32, servers: u32) -> Self {
        Self {
            node,
            gpus: 0,
            share: None,
            servers,
            wished: 0,
        }
    }

    /// The same, rather on these of the node's GPUs.
    pub const fn wishing(self, wished: u64) -> Self {
        Self { wished, ..self }
    }

    /// Whether there are workers, and not parameter servers alone.
    pub fn has_workers(&self) -> bool {
        self.width() > 0
    }

    /// On how many GPUs it lies, whole or not.
    pub fn width(&self) -> u32 {
        self.gpus + u32::from(self.share.is_some())
    }

    /// Whole GPUs over all parts.
    pub fn gpus_of(parts: &[Self]) -> u32 {
        parts.iter().map(|part| part.gpus).sum()
    }
}

/// One job's share of nodes, each node once: those with workers in node order, then those with
/// parameter servers alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// By node.
    pub parts: Vec<Part>,
}

impl Placement {
    /// GPUs over all nodes.
    pub fn gpus(&self) -> u32 {
        Part::gpus_of(&self.parts)
    }
}
