//! Where pods that share GPUs are laid: FGD and the five placements that it was measured against.
//!
//! A [`Packer`] gives every machine that can take a pod a score, and says which of its GPUs a share
//! goes to; the best score wins, the first machine among equals. One packer per file. [`Packing`]
//! keeps what is left on every machine and the scores, of which a placement voids one machine's;
//! [`Typical`] measures what is left, and [`inflate`] lets pods arrive until the cluster is full.
//! Time plays no part here; as placements of a run, packers see its nodes (`on_nodes`).
//!
//! Source: Weng et al., "Beware of Fragmentation" (USENIX ATC'23), and the figures of its simulator,
//! <https://github.com/hkust-adsl/kubernetes-scheduler-simulator>.

mod best_fit;
mod dot_product;
mod fgd;
mod gpu_clustering;
mod gpu_packing;
mod inflation;
mod node;
mod on_nodes;
mod packer;
mod packing;
mod random;
mod score;

pub use inflation::{Curve, Figures, OPENB, PUBLISHED, TARGET, inflate};
pub use node::Node;
pub use packer::Packer;
pub use packing::Packing;

use score::{BEST, Scale, Scored};
use switchyard_model::pods::Pod;

impl Packer {
    /// Every packer, in the order of the paper's figures.
    pub const ALL: [&'static Self; 6] = [
        Self::RANDOM,
        Self::DOT_PROD,
        Self::GPU_CLUSTERING,
        Self::GPU_PACKING,
        Self::BEST_FIT,
        Self::FGD,
    ];

    /// Any machine with room.
    pub const RANDOM: &'static Self = &random::PACKER;
    /// The smallest dot product of what is left and what is asked for.
    pub const DOT_PROD: &'static Self = &dot_product::PACKER;
    /// Pods of as many GPUs together.
    pub const GPU_CLUSTERING: &'static Self = &gpu_clustering::PACKER;
    /// GPUs in use before idle ones.
    pub const GPU_PACKING: &'static Self = &gpu_packing::PACKER;
    /// The least left.
    pub const BEST_FIT: &'static Self = &best_fit::PACKER;
    /// The least growth of fragments.
    pub const FGD: &'static Self = &fgd::PACKER;
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::pods::{Fleet, Machine, Typical};

    const fn pod(cores: u32, gpus: u32, share: u16) -> Pod {
        Pod {
            cores,
            share,
            gpus,
            types: 0,
            memory: 0,
        }
    }

    /// A machine of four GPUs and 40 cores among such of up to 8 and 64: half of its first GPU and
    /// all of its second are taken.
    fn used() -> (Node, Scale) {
        let machine = |cores, gpus| Machine {
            cores,
            memory: 0,
            gpus,
            gpu_type: None,
        };
        let fleet = Fleet {
            machines: vec![machine(40_000, 4), machine(64_000, 8)],
            pods: vec![pod(8_000, 1, 300), pod(1_000, 2, 1000)],
            types: Vec::new(),
        };
        let mut node = Node::new(&fleet.machines[0]);
        node.take(&pod(4_000, 1, 500), 0);
        node.take(&pod(4_000, 1, 1000), 0);
        assert_eq!(node.left(), [500, 0, 1000, 1000]);
        let scale = Scale::of(&fleet, Typical::of(&fleet.pods));
        (node, scale)
    }

    #[test]
    fn scores_by_hand() {
        let (node, scale) = used();
        let share = pod(8_000, 1, 300);
        let score = |packer: &Packer, pod: &Pod| {
            let Scored { score, gpu } = (packer.score)(&node, pod, &scale);
            (score, gpu)
        };
        // 24 of 64 cores and 2.2 of 8 GPUs would be left.
        assert_eq!(score(&best_fit::PACKER, &share), (67, 0));
        // 32/64 · 8/64 + 2.5/8 · 0.3/8, halved.
        assert_eq!(score(&dot_product::PACKER, &share), (96, 0));
        // Half a GPU in use is left; then two idle ones of a machine in use.
        assert_eq!(score(&gpu_packing::PACKER, &share), (95, 0));
        assert_eq!(score(&gpu_packing::PACKER, &pod(0, 1, 600)), (49, 2));
        assert_eq!(score(&gpu_packing::PACKER, &pod(0, 2, 1000)), (48, 0));
        // Another share and others; none of two GPUs; 5.5 of 8 GPUs are taken.
        assert_eq!(score(&gpu_clustering::PACKER, &share), (67, 0));
        assert_eq!(score(&gpu_clustering::PACKER, &pod(0, 2, 1000)), (17, 0));
        // To the pairs the half GPU is a fragment: 250 before, 100 after; an idle one would cost 850.
        assert_eq!(score(&fgd::PACKER, &share), (51, 0));
        assert_eq!(score(&fgd::PACKER, &pod(0, 1, 501)), (32, 2));
    }
}
