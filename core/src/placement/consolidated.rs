//! As few nodes as the gang's size allows, or wait: the rule of Tiresias' simulator (scheme
//! `yarn`) and of YARN-CS.

/// A gang up to one node's size goes to the tightest node that holds it; a larger one takes
/// ⌊gpus / node_size⌋ whole idle nodes and, for the remainder, the tightest other node.
pub(super) fn place(free: &[u32], node_size: u32, gpus: u32, parts: &mut Vec<(u32, u32)>) -> bool {
    let whole = gpus / node_size;
    let remainder = gpus % node_size;
    let mut idle = (0u32..).zip(free).filter(|&(_, &here)| here == node_size);
    parts.extend(
        idle.by_ref()
            .take(whole as usize)
            .map(|(node, _)| (node, node_size)),
    );
    if parts.len() < whole as usize {
        return false;
    }
    if remainder == 0 {
        return true;
    }
    let tightest_other = (0u32..)
        .zip(free)
        .filter(|&(node, &here)| {
            here >= remainder && !parts.iter().any(|&(taken, _)| taken == node)
        })
        .min_by_key(|&(node, &here)| (here, node));
    if let Some((node, _)) = tightest_other {
        parts.push((node, remainder));
    }
    tightest_other.is_some()
}
