//! The placement of YARN-CS in Tiresias' simulator (scheme `yarn`): like
//! [consolidated](super::consolidated), but on the first nodes that will do, not the tightest.

use crate::cluster::{FreeGpus, Part};
use crate::consolidated::Consolidated;
use crate::gang::Gang;
use crate::placement::{Description, Placement};

/// As [consolidated](crate::consolidated), on the first nodes that will do: YARN-CS.
pub(crate) struct Yarn;

impl Placement for Yarn {
    const DESCRIPTION: Description = Description {
        may_wait: true,
        ..Description::new(
            "yarn",
            "As consolidated, but on the first nodes that will do, as YARN's capacity scheduler in Tiresias' simulator; a gang larger than a node takes whole nodes of the largest size.",
        )
    };

    /// On a cluster of unlike nodes that could never hold a gang so, it is laid as consolidated.
    ///
    /// A gang up to the largest node's size goes to the first node that holds it; a larger one takes
    /// the first idle nodes of that size, and for the remainder the first other node that holds it.
    fn lay(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let gpus = gang.gpus;
        if on_first(free.per_node(), node_size, gpus, parts) {
            return true;
        }
        parts.clear();
        let possible = gpus <= node_size || on_first(free.node_sizes(), node_size, gpus, parts);
        parts.clear();
        !possible && Consolidated::lay(free, node_size, gang, parts)
    }
}

fn on_first(free: &[u32], node_size: u32, gpus: u32, parts: &mut Vec<Part>) -> bool {
    let per_node = || (0u32..).zip(free);
    let whole = gpus / node_size;
    if whole > 0 {
        let idle = per_node().filter(|&(_, &here)| here == node_size);
        parts.extend(
            idle.take(whole as usize)
                .map(|(node, _)| Part::new(node, node_size)),
        );
        if (parts.len() as u32) < whole {
            return false;
        }
    }
    let rest = gpus - whole * node_size;
    if rest == 0 {
        return true;
    }
    let first = per_node()
        .find(|&(node, &here)| here >= rest && !parts.iter().any(|part| part.node == node));
    parts.extend(first.map(|(node, _)| Part::new(node, rest)));
    first.is_some()
}
