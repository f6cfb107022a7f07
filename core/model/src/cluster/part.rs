//! Where a gang lies.

use serde::{Deserialize, Serialize};

/// GPUs of one node that a job holds, or is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// The node.
    pub node: u32,
    /// GPUs there, at least 1.
    pub gpus: u32,
}

impl Part {
    /// So many GPUs of a node.
    pub const fn new(node: u32, gpus: u32) -> Self {
        Self { node, gpus }
    }

    /// GPUs over all parts.
    pub fn gpus_of(parts: &[Self]) -> u32 {
        parts.iter().map(|part| part.gpus).sum()
    }
}

/// One job's share of nodes, each node once, in node order.
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
