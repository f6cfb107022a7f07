//! How several placements choose nodes: the tightest one, as few as hold a gang, those in few racks.

use crate::cluster::{FreeGpus, Part};
use crate::order;

/// How late each rack's turn is, so that a gang that takes so many of these nodes is on few racks:
/// first those that hold it whole, the tightest of them first, then those with the most of the nodes.
/// Empty where all nodes are in one rack.
pub(crate) fn rack_turns(
    free: &FreeGpus,
    nodes: impl IntoIterator<Item = u32>,
    wanted: u32,
) -> Vec<u32> {
    let racks = free.racks();
    let Some(last) = racks.iter().max() else {
        return Vec::new();
    };
    let mut turns = vec![0u32; *last as usize + 1];
    for node in nodes {
        turns[racks[node as usize] as usize] += 1;
    }
    for turn in &mut turns {
        *turn = if *turn >= wanted {
            *turn - wanted
        } else {
            u32::MAX - *turn
        };
    }
    turns
}

/// The node's rack's turn.
pub(crate) fn turn_of(free: &FreeGpus, turns: &[u32], node: u32) -> (u32, u32) {
    let rack = free.racks().get(node as usize).copied().unwrap_or(0);
    (turns.get(rack as usize).copied().unwrap_or(0), rack)
}

/// Lays so many GPUs on nodes of a kind, one after another in the order of `key`, each giving all it has,
/// until one holds what is left: the tightest of these. `false`: there are too few, and `parts` is left
/// empty.
pub(crate) fn few_nodes<K: Ord>(
    free: &FreeGpus,
    gpus: u32,
    parts: &mut Vec<Part>,
    is_in: impl Fn(u32) -> bool,
    key: impl Fn(u32) -> K,
) -> bool {
    parts.clear();
    let nodes = (0u32..).zip(free.per_node());
    let open = nodes.filter(|&(node, &here)| here > 0 && is_in(node));
    let mut open: Vec<(u32, u32)> = open.map(|(node, &here)| (node, here)).collect();
    order::sort_by_key(&mut open, |&(node, _)| (key(node), node));
    let mut left = gpus;
    for (at, &(node, here)) in open.iter().enumerate() {
        let holding = open[at..].iter().filter(|(_, here)| *here >= left);
        if let Some(&(last, _)) = holding.min_by_key(|(_, here)| *here) {
            parts.push(Part::new(last, left));
            return true;
        }
        parts.push(Part::new(node, here));
        left -= here;
    }
    parts.clear();
    false
}

/// The node with the fewest free GPUs that still has `gpus`, the lowest number first.
pub(crate) fn tightest_node(free: &[u32], gpus: u32) -> Option<u32> {
    // What would be left; where there is too little, more than any node has. No branch: several
    // nodes at a time.
    let left = free.iter().map(|here| here.wrapping_sub(gpus));
    let left = left.fold(u32::MAX, u32::min);
    let tightest = left.checked_add(gpus)?;
    let node = free.iter().position(|&here| here == tightest)?;
    Some(node as u32)
}
