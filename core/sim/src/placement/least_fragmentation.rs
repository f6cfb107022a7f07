//! As few nodes as are free now, leaving the smallest holes.

use super::tightest_node;
use crate::cluster::Part;

/// The tightest node that holds what is left of the gang; while there is none, all of the
/// node with the most free GPUs.
pub(super) fn place(free: &[u32], gpus: u32, parts: &mut Vec<Part>) -> bool {
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
