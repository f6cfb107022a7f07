//! As few nodes as are free now, leaving the smallest holes.

use super::{Entry, Gang, Strategy, tightest_node};
use crate::cluster::{FreeGpus, Part};

impl Strategy {
    /// As few nodes as are free now, leaving the smallest holes; never waits for a better place.
    pub const LEAST_FRAGMENTATION: Self = Self(&Entry {
        name: "least-fragmentation",
        summary: "The tightest node that holds the gang; failing that, the fewest nodes. Never waits while enough GPUs are free anywhere.",
        may_wait: false,
        by_skew: false,
        lay,
    });
}

/// The tightest node that holds what is left of the gang; while there is none, all of the
/// node with the most free GPUs.
pub(super) fn lay(free: &FreeGpus, _node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
    let (free, gpus) = (free.per_node(), gang.gpus);
    if let Some(node) = tightest_node(free, gpus) {
        parts.push(Part::new(node, gpus));
        return true;
    }
    let mut emptiest: Vec<Part> = (0u32..)
        .zip(free)
        .filter(|&(_, &here)| here > 0)
        .map(|(node, &here)| Part::new(node, here))
        .collect();
    emptiest.sort_unstable_by_key(|here| (std::cmp::Reverse(here.gpus), here.node));
    let mut left = gpus;
    for i in 0..emptiest.len() {
        let rest = &emptiest[i..];
        // Sorted by free GPUs: those that hold what is left come first, the tightest of them last.
        let holding = rest.partition_point(|here| here.gpus >= left);
        if holding > 0 {
            let tightest = rest[holding - 1].gpus;
            let first = rest.partition_point(|here| here.gpus > tightest);
            parts.push(Part::new(rest[first].node, left));
            return true;
        }
        parts.push(rest[0]);
        left -= rest[0].gpus;
    }
    false
}
