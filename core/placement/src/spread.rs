//! One GPU at a time on the emptiest node.

use crate::cluster::{FreeGpus, Part};
use crate::gang::Gang;
use crate::placement::{Description, Placement};

pub(crate) struct Spread;

impl Placement for Spread {
    const DESCRIPTION: Description = Description::new(
        "spread",
        "One GPU at a time on whichever node is emptiest, to share load (and network) evenly.",
    );

    /// Takes one GPU from every node at the highest level of free GPUs, then from every node at
    /// the next level, until the gang is laid.
    fn lay(free: &FreeGpus, _node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let (free, gpus) = (free.per_node(), gang.gpus);
        let highest = free.iter().copied().max().unwrap_or(0);
        // The level to which every node above it is drawn down.
        let mut level = highest;
        let mut taken = 0;
        while level > 0 {
            let at_level = free.iter().filter(|&&here| here >= level).count() as u32;
            if taken + at_level > gpus {
                break;
            }
            taken += at_level;
            level -= 1;
        }
        let mut extra = gpus - taken;
        for (node, &here) in (0u32..).zip(free) {
            let mut here_taken = here.saturating_sub(level);
            if extra > 0 && level > 0 && here >= level {
                here_taken += 1;
                extra -= 1;
            }
            if here_taken > 0 {
                parts.push(Part::new(node, here_taken));
            }
        }
        extra == 0
    }
}
