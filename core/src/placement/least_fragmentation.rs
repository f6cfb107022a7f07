//! As few nodes as are free now, leaving the smallest holes.

use super::tightest_node;

/// The tightest node that holds what is left of the gang; while there is none, all of the
/// node with the most free GPUs.
pub(super) fn place(free: &[u32], gpus: u32, parts: &mut Vec<(u32, u32)>) -> bool {
    if let Some(node) = tightest_node(free, gpus) {
        parts.push((node, gpus));
        return true;
    }
    let mut emptiest: Vec<(u32, u32)> = (0u32..)
        .zip(free)
        .filter(|&(_, &here)| here > 0)
        .map(|(node, &here)| (here, node))
        .collect();
    emptiest.sort_unstable_by_key(|&(here, node)| (std::cmp::Reverse(here), node));
    let mut left = gpus;
    for i in 0..emptiest.len() {
        let rest = &emptiest[i..];
        // Sorted by free GPUs: those that hold what is left come first, the tightest of them last.
        let holding = rest.partition_point(|&(here, _)| here >= left);
        if holding > 0 {
            let tightest = rest[holding - 1].0;
            let first = rest.partition_point(|&(here, _)| here > tightest);
            parts.push((rest[first].1, left));
            return true;
        }
        let (here, node) = rest[0];
        parts.push((node, here));
        left -= here;
    }
    false
}
