//! Pods that share GPUs, and the machines they run on: what a placement of shares is measured with.
//!
//! GPUs and cores are counted in thousandths, memory in MiB, as the traces of shared clusters do.

mod typical;

pub use typical::Typical;

use crate::draw::{Rng, below};
use rand_xoshiro::rand_core::SeedableRng;
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
    /// An invented cluster: 160 machines of three kinds, and pods of which half ask for shares, some
    /// for one type of GPU, and some for none.
    pub fn sample() -> Self {
        const SIXTEEN_GIB: u32 = 16 << 10;
        let machine = |cores, memory, gpus, gpu_type| Machine {
            cores,
            memory,
            gpus,
            gpu_type: Some(gpu_type),
        };
        let mut machines = vec![machine(96_000, 24 * SIXTEEN_GIB, 8, 0); 64];
        machines.resize(128, machine(64_000, 16 * SIXTEEN_GIB, 2, 1));
        machines.resize(160, machine(32_000, 8 * SIXTEEN_GIB, 4, 2));
        let mut rng = Rng::seed_from_u64(7);
        let mut draw = |bound| below(&mut rng, bound);
        let mut pod = || {
            let (gpus, share) = match draw(100) {
                0..12 => (0, 0),
                12..60 => (1, [100, 250, 330, 460, 500, 700, 850][draw(7) as usize]),
                60..96 => (1, WHOLE),
                96..98 => (2, WHOLE),
                98 => (4, WHOLE),
                _ => (8, WHOLE),
            };
            let per_gpu = [2_000, 4_000, 6_000, 8_000, 11_000][draw(5) as usize];
            Pod {
                cores: per_gpu * gpus.max(1),
                share,
                gpus,
                types: match (gpus, draw(10)) {
                    (1, 0) => 0b001,
                    (1, 1) => 0b110,
                    _ => 0,
                },
                memory: SIXTEEN_GIB * gpus.max(1),
            }
        };
        Self {
            pods: (0..1200).map(|_| pod()).collect(),
            machines,
            types: ["v100", "t4", "p100"].map(String::from).into(),
        }
    }

    /// Thousandths of all GPUs.
    pub fn gpu_thousandths(&self) -> u64 {
        let gpus = self.machines.iter().map(|machine| u64::from(machine.gpus));
        gpus.sum::<u64>() * u64::from(WHOLE)
    }
}
