//! What of a node's cores and memory a job without GPUs has.

use serde::{Deserialize, Serialize};

/// What a job without GPUs has of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorePart {
    /// The node; those without GPUs are numbered after the others.
    pub node: u32,
    /// Thousandths.
    pub cores: u32,
    /// MiB.
    pub memory: u32,
}
