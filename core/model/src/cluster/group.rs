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
    /// GPUs on each of them, 1 to [`MAX_GPUS_PER_NODE`](super::MAX_GPUS_PER_NODE). Written with none and with
    /// cores, they are [`CoreNodes`].
    pub gpus: u32,
    /// What else is known of them.
    pub kind: NodeKind,
}

/// Alike nodes without GPUs, on which jobs run that ask for none. They are numbered after the nodes with GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreNodes {
    /// How many nodes.
    pub nodes: u32,
    /// Cores of each, thousandths.
    pub cores: u32,
    /// Memory of each, MiB, where it is said.
    pub memory: Option<u32>,
}

impl NodeGroup {
    /// What it is where its nodes have no GPUs but cores; `None` where they have GPUs, or nothing to run on.
    pub(super) fn of_cores(&self) -> Option<CoreNodes> {
        let NodeKind {
            gpu,
            gpu_memory,
            speed,
            cores,
            memory,
        } = self.kind;
        let says_gpus = gpu.is_some() || gpu_memory.is_some() || speed.is_some();
        let is_one = self.nodes > 0 && self.gpus == 0 && !says_gpus;
        is_one.then_some(CoreNodes {
            nodes: self.nodes,
            cores: cores?,
            memory,
        })
    }

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
