//! Packers on the nodes of a run, of which they see GPUs.

use super::{Node, Packer, Pod, Scale};
use crate::cluster::{FreeGpus, Share, Shares};
use crate::draw::{Rng, below};
use rand_xoshiro::rand_core::SeedableRng;
use switchyard_model::pods::{Typical, WHOLE};

impl Packer {
    /// The node for a gang among those that hold it whole.
    pub(crate) fn node_for(&self, free: &FreeGpus, gpus: u32) -> Option<u32> {
        let pod = pod(gpus, WHOLE);
        let with_room = |node: u32, here: u32| here >= gpus && free.is_open(node);
        let (node, _) = self.best(free, &pod, with_room)?;
        Some(node)
    }

    /// The node for a share, and its GPU there; `None`: an idle one.
    pub(crate) fn gpu_for(
        &self,
        free: &FreeGpus,
        shares: &Shares,
        share: &Share,
    ) -> Option<(u32, Option<u8>)> {
        let pod = pod(1, share.thousandths.get());
        let has_room = |node: u32, here: u32| {
            let idle = here > 0 && shares.fits_idle(node, share);
            free.is_open(node)
                && (idle || shares.of_node(node).iter().any(|slot| slot.has_room(share)))
        };
        let (node, gpu) = self.best(free, &pod, has_room)?;
        let slot = shares.of_node(node).get(usize::from(gpu));
        // What the score chose may lack memory.
        let of_node = || {
            shares
                .of_node(node)
                .iter()
                .find(|slot| slot.has_room(share))
        };
        let slot = match slot {
            Some(slot) if slot.has_room(share) => Some(slot),
            Some(_) => of_node(),
            None if shares.fits_idle(node, share) => None,
            None => of_node(),
        };
        Some((node, slot.map(|slot| slot.gpu)))
    }

    /// The best node among those `with_room` (given their number and idle GPUs), and the GPU of a
    /// share: its place among those in use, or beyond them.
    fn best(
        &self,
        free: &FreeGpus,
        pod: &Pod,
        with_room: impl Fn(u32, u32) -> bool,
    ) -> Option<(u32, u8)> {
        let none = Typical::default();
        let shares = free.shares();
        let sizes = free.node_sizes();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let scale = Scale {
            cores: 1.0,
            gpus: largest.max(1) * u32::from(WHOLE),
            typical: shares.map_or(none, |shares| shares.typical().clone()),
        };
        let nodes = (0u32..).zip(free.per_node());
        let open = nodes.filter(|&(node, &here)| with_room(node, here));
        let seen = |node: u32, idle: u32| {
            let slots = shares.map_or(&[][..], |shares| shares.of_node(node));
            let in_use = slots.iter().map(|slot| slot.left);
            let size = sizes[node as usize] as usize;
            let mut left: Vec<u16> = in_use.collect();
            left.resize(left.len() + idle as usize, WHOLE);
            let whole = size.saturating_sub(left.len());
            left.resize(left.len() + whole, 0);
            Node::seen(left, !slots.is_empty(), whole > 0)
        };
        if self.drawn {
            let open: Vec<(u32, u32)> = open.map(|(node, &here)| (node, here)).collect();
            let slots = shares.map_or(0, |shares| shares.slots().len() as u64);
            let seed = u64::from(free.total()) << 32 | slots << 8 | u64::from(pod.share);
            let mut rng = Rng::seed_from_u64(seed);
            let at = below(&mut rng, open.len() as u32) as usize;
            let &(node, idle) = open.get(at)?;
            let node_seen = seen(node, idle);
            let left = (0u8..).zip(node_seen.left());
            let gpus: Vec<u8> = left
                .filter(|(_, left)| **left >= pod.share)
                .map(|of| of.0)
                .collect();
            let at = below(&mut rng, gpus.len() as u32) as usize;
            return Some((node, gpus.get(at).copied().unwrap_or(0)));
        }
        let mut best = None;
        for (node, &idle) in open {
            let scored = (self.score)(&seen(node, idle), pod, &scale);
            if best.is_none_or(|(_, score, _)| scored.score > score) {
                best = Some((node, scored.score, scored.gpu));
            }
        }
        best.map(|(node, _, gpu)| (node, gpu))
    }
}

fn pod(gpus: u32, share: u16) -> Pod {
    Pod {
        cores: 0,
        share,
        gpus,
        types: 0,
        memory: 0,
    }
}
