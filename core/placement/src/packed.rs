//! FGD and its rivals as placements: [`sharing`](crate::sharing) scores nodes by what of their GPUs
//! is left. Cores and memory play no part here; the machine of a random placement is drawn from what
//! is free, so that the same run is the same again.

use super::{Entry, Gang, Registered, Strategy, Way, least_fragmentation, share};
use crate::cluster::{FreeGpus, Part, Share};
use crate::sharing::Packer;

/// A placement by a packer.
macro_rules! packed {
    ($($name:ident: $packer:ident,)*) => {
        impl Strategy {
            $(
                #[doc = concat!("By [`Packer::", stringify!($packer), "`].")]
                pub const $name: Self = Self::of(&$name);
            )*
        }

        $(
            pub(super) const $name: Registered = Registered {
                entry: Entry {
                    name: Packer::$packer.name,
                    summary: Packer::$packer.summary,
                    ..Entry::PLAIN
                },
                way: Way {
                    lay: |free, _, gang, parts| lay(Packer::$packer, free, gang, parts),
                    share: |_, free, _, share| share_of(Packer::$packer, free, share),
                    ..Way::PLAIN
                },
            };
        )*
    };
}

packed! {
    RANDOM: RANDOM,
    DOT_PROD: DOT_PROD,
    GPU_CLUSTERING: GPU_CLUSTERING,
    GPU_PACKING: GPU_PACKING,
    BEST_FIT: BEST_FIT,
    FGD: FGD,
}

/// A gang goes to the node with the best score among those that hold it whole; where none does, to
/// as few as hold it.
fn lay(packer: &'static Packer, free: &FreeGpus, gang: Gang, parts: &mut Vec<Part>) -> bool {
    match packer.node_for(free, gang.gpus) {
        Some(node) => {
            parts.push(Part::new(node, gang.gpus));
            true
        }
        None => least_fragmentation::lay(free, 0, gang, parts),
    }
}

fn share_of(packer: &'static Packer, free: &FreeGpus, share: Share) -> Option<Part> {
    let shares = free.shares()?;
    match packer.gpu_for(free, shares, &share)? {
        (node, Some(gpu)) => Some(Part::of_share(node, Share { gpu, ..share })),
        (node, None) => share::begun(shares, node, share),
    }
}
