//! Alike nodes, and what is known of them.

use serde::{Deserialize, Serialize};

/// A GPU type of a cluster: an index into [`ClusterSpec::types`](super::ClusterSpec::types).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TypeId(pub u8);

impl TypeId {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What is known of a node besides how many GPUs it has: all of it optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeKind {
    /// The type of its GPUs.
    pub gpu: Option<TypeId>,
    /// Memory of each GPU, MiB; where it is not said, [that of its type](super::GpuModel::memory).
    pub gpu_memory: Option<u32>,
    /// How fast its GPUs train, thousandths of a V100; where it is not said, [that of its
    /// type](super::GpuModel::speed).
    pub speed: Option<u32>,
    /// Cores, thousandths.
    pub cores: Option<u32>,
    /// Memory of the node, MiB.
    pub memory: Option<u32>,
}

/// `nodes` alike nodes of `gpus` GPUs each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeGroup {
    /// How many nodes.
    pub nodes: u32,
    /// GPUs on each of them, 1 to [`MAX_GPUS_PER_NODE`](super::MAX_GPUS_PER_NODE).
    pub gpus: u32,
    /// What else is known of them.
    pub kind: NodeKind,
}

impl NodeGroup {
    /// Nodes of which no more is known than their GPUs.
    pub const fn plain(nodes: u32, gpus: u32) -> Self {
        Self {
            nodes,
            gpus,
            kind: NodeKind {
                gpu: None,
                gpu_memory: None,
                speed: None,
                cores: None,
                memory: None,
            },
        }
    }

    /// Whether its nodes are like those of another.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.gpus, self.kind) == (other.gpus, other.kind)
    }
}
