//! As few nodes as are free now, leaving the smallest holes.

use super::{Entry, Gang, Strategy, rack_turns, share, tightest_node, turn_of};
use crate::cluster::{FreeGpus, Part};

impl Strategy {
    /// As few nodes as are free now, leaving the smallest holes; never waits for a better place.
    pub const LEAST_FRAGMENTATION: Self = Self(&Entry {
        name: "least-fragmentation",
        summary: "The tightest node that holds the gang; failing that, the fewest nodes, in few racks. Never waits while enough GPUs are free anywhere.",
        may_wait: false,
        by_skew: false,
        lay,
        share: share::tightest,
    });
}

/// The tightest node that holds what is left of the gang; while there is none, all of the
/// node with the most free GPUs, of alike ones in few racks.
pub(super) fn lay(free: &FreeGpus, _node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
    let gpus = gang.gpus;
    if let Some(node) = tightest_node(free.per_node(), gpus) {
        parts.push(Part::new(node, gpus));
        return true;
    }
    let mut emptiest: Vec<Part> = (0u32..)
        .zip(free.per_node())
        .filter(|&(_, &here)| here > 0)
        .map(|(node, &here)| Part::new(node, here))
        .collect();
    let most = emptiest.iter().map(|here| here.gpus).max();
    let alike = emptiest.iter().filter(|here| Some(here.gpus) == most);
    let wanted = gpus.div_ceil(most.unwrap_or(1));
    let turns = rack_turns(free, alike.map(|here| here.node), wanted);
    emptiest.sort_unstable_by_key(|here| {
        let turn = turn_of(free, &turns, here.node);
        (std::cmp::Reverse(here.gpus), turn, here.node)
    });
    let mut left = gpus;
    for i in 0..emptiest.len() {
        let rest = &emptiest[i..];
        // Sorted by free GPUs: those that hold what is left come first, the tightest of them last.
        let holding = rest.partition_point(|here| here.gpus >= left);
        if holding > 0 {
            let tightest = rest[holding - 1].gpus;
            let first = rest.partition_point(|here| here.gpus > tightest);
            let alike = &rest[first..holding];
            let rack = |here: &Part| free.racks().get(here.node as usize);
            let near = |here: &&Part| parts.iter().any(|part| rack(part) == rack(here));
            let last = alike.iter().find(near).unwrap_or(&rest[first]);
            parts.push(Part::new(last.node, left));
            return true;
        }
        parts.push(rest[0]);
        left -= rest[0].gpus;
    }
    false
}
