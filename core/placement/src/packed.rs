//! FGD and its rivals as placements: [`sharing`](crate::sharing) scores nodes by what of their GPUs
//! is left. Cores and memory play no part here; the machine of a random placement is drawn from what
//! is free, so that the same run is the same again.

use crate::cluster::{FreeGpus, Part, Share};
use crate::gang::Gang;
use crate::least_fragmentation::LeastFragmentation;
use crate::placement::{Description, Placement};
use crate::share;
use crate::sharing::Packer;

/// Placements by packers.
macro_rules! packed {
    ($($name:ident: $packer:ident,)*) => {
        $(
            #[doc = concat!("By [`Packer::", stringify!($packer), "`].")]
            pub(crate) struct $name;

            impl Placement for $name {
                const DESCRIPTION: Description =
                    Description::new(Packer::$packer.name, Packer::$packer.summary);

                fn lay(free: &FreeGpus, _node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
                    lay(Packer::$packer, free, gang, parts)
                }

                fn lay_share(free: &FreeGpus, _node_size: u32, share: Share) -> Option<Part> {
                    share_of(Packer::$packer, free, share)
                }
            }
        )*
    };
}

packed! {
    Random: RANDOM,
    DotProd: DOT_PROD,
    GpuClustering: GPU_CLUSTERING,
    GpuPacking: GPU_PACKING,
    BestFit: BEST_FIT,
    Fgd: FGD,
}

/// A gang goes to the node with the best score among those that hold it whole; where none does, to
/// as few as hold it.
fn lay(packer: &'static Packer, free: &FreeGpus, gang: Gang, parts: &mut Vec<Part>) -> bool {
    match packer.node_for(free, gang.gpus) {
        Some(node) => {
            parts.push(Part::new(node, gang.gpus));
            true
        }
        None => LeastFragmentation::lay(free, 0, gang, parts),
    }
}

fn share_of(packer: &'static Packer, free: &FreeGpus, share: Share) -> Option<Part> {
    let shares = free.shares()?;
    match packer.gpu_for(free, shares, &share)? {
        (node, Some(gpu)) => Some(Part::of_share(node, Share { gpu, ..share })),
        (node, None) => share::begun(shares, node, share),
    }
}
