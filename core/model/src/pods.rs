//! Pods that share GPUs, and the machines they run on: what a placement of shares is measured with.
//!
//! GPUs and cores are counted in thousandths, memory in MiB, as the traces of shared clusters do.

use serde::{Deserialize, Serialize};

/// A whole GPU, or core, in thousandths.
pub const WHOLE: u16 = 1000;

/// At most this many GPU types are told apart: a pod's are bits of one number.
pub const MAX_TYPES: usize = 64;

/// One machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Thousandths of a core.
    pub cores: u32,
    /// MiB.
    pub memory: u32,
    /// Its GPUs, at most [`MAX_GPUS_PER_NODE`](crate::cluster::MAX_GPUS_PER_NODE).
    pub gpus: u32,
    /// Their type: an index into [`Fleet::types`].
    pub gpu_type: Option<u8>,
}

/// What a pod asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pod {
    /// Thousandths of a core.
    pub cores: u32,
    /// Thousandths of each of its GPUs, 1 to [`WHOLE`]; 0 where it has none.
    pub share: u16,
    /// How many GPUs; more than one only whole ones.
    pub gpus: u32,
    /// The types it may run on, one bit each; 0: any.
    pub types: u64,
    /// MiB.
    pub memory: u32,
}

impl Pod {
    /// Thousandths over all its GPUs.
    pub fn gpu_thousandths(&self) -> u64 {
        u64::from(self.share) * u64::from(self.gpus)
    }

    /// Whether it asks for less than a GPU.
    pub fn is_share(&self) -> bool {
        self.gpus == 1 && self.share < WHOLE
    }

    /// Whether it may run on GPUs of a type.
    pub fn allows(&self, gpu_type: Option<u8>) -> bool {
        self.types == 0 || gpu_type.is_some_and(|index| self.types >> index & 1 == 1)
    }
}

/// Machines, and the pods that came to them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fleet {
    /// The machines.
    pub machines: Vec<Machine>,
    /// The pods.
    pub pods: Vec<Pod>,
    /// Names of GPU types, at most [`MAX_TYPES`].
    pub types: Vec<String>,
}

impl Fleet {
    /// Thousandths of all GPUs.
    pub fn gpu_thousandths(&self) -> u64 {
        let gpus = self.machines.iter().map(|machine| u64::from(machine.gpus));
        gpus.sum::<u64>() * u64::from(WHOLE)
    }
}
