//! Where a share of a GPU goes: on one in use by other shares, if there is room, else on an idle one.

use crate::cluster::{FreeGpus, Needs, Part, Share, Shares};
use crate::gang::Gang;

/// The GPU for a share by a placement that knows only whole ones: of those in use, the one with the
/// least left; else one of the node that `lay` lays a single GPU on.
pub(super) fn tightest(
    free: &FreeGpus,
    node_size: u32,
    share: Share,
    lay: impl FnOnce(&FreeGpus, u32, Gang, &mut Vec<Part>) -> bool,
) -> Option<Part> {
    let shares = free.shares()?;
    let slots = shares.slots().iter().filter(|slot| free.is_open(slot.node));
    let with_room = slots.filter(|slot| slot.has_room(&share));
    if let Some(slot) = with_room.min_by_key(|slot| (slot.left, slot.node, slot.gpu)) {
        let gpu = slot.gpu;
        return Some(Part::of_share(slot.node, Share { gpu, ..share }));
    }
    let gang = Gang {
        gpus: 1,
        share: None,
        skewed: false,
        needs: Needs::NONE,
        profile: None,
        asker: None,
    };
    let mut parts = Vec::new();
    let is_laid = free.total() > 0 && lay(free, node_size, gang, &mut parts);
    let node = parts.first().filter(|_| is_laid)?.node;
    begun(shares, node, share)
}

/// A share of an idle GPU of a node, if that has the memory.
pub(super) fn begun(shares: &Shares, node: u32, share: Share) -> Option<Part> {
    let gpu = shares.next_gpu(node);
    let part = Part::of_share(node, Share { gpu, ..share });
    shares.fits_idle(node, &share).then_some(part)
}
