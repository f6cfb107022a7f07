//! As few nodes as the gang's size allows, or wait: the rule of Tiresias' simulator (scheme
//! `yarn`) and of YARN-CS, carried over to clusters of unlike nodes.

use crate::cluster::{FreeGpus, Part};
use crate::gang::Gang;
use crate::nodes::{rack_turns, tightest_node, turn_of};
use crate::order;
use crate::placement::{Description, Placement};
use std::cmp::Reverse;

/// As few nodes as the gang's size allows, or wait.
pub(crate) struct Consolidated;

impl Placement for Consolidated {
    const DESCRIPTION: Description = Description {
        may_wait: true,
        ..Description::new(
            "consolidated",
            "A gang that fits one node runs on one node; a larger one on whole idle nodes plus at most one more, in few racks. Otherwise it waits.",
        )
    };

    /// A gang up to the largest node's size goes to the tightest node that holds it; a larger one
    /// takes whole idle nodes, the largest first and of alike ones those in few racks, and for the
    /// remainder the tightest other node.
    fn lay(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let gpus = gang.gpus;
        if gpus <= node_size {
            parts.extend(tightest_node(free.per_node(), gpus).map(|node| Part::new(node, gpus)));
            return !parts.is_empty();
        }
        let sizes = free.node_sizes();
        let idle = |&node: &u32| {
            let size = sizes[node as usize];
            size > 0 && free.per_node()[node as usize] == size
        };
        let mut idle: Vec<u32> = (0..sizes.len() as u32).filter(idle).collect();
        let largest = idle.iter().map(|&node| sizes[node as usize]).max();
        let alike = idle.iter().copied();
        let alike = alike.filter(|&node| Some(sizes[node as usize]) == largest);
        let turns = rack_turns(free, alike, gpus.div_ceil(largest.unwrap_or(1)));
        order::sort_by_key(&mut idle, |&node| {
            (Reverse(sizes[node as usize]), turn_of(free, &turns, node))
        });
        let mut left = gpus;
        for node in idle {
            if left <= node_size && put_remainder(free, left, parts) {
                return true;
            }
            // No other node holds what is left, so neither does this one.
            let size = sizes[node as usize];
            parts.push(Part::new(node, size));
            left -= size;
        }
        left <= node_size && put_remainder(free, left, parts)
    }
}

/// Lays what is left of the gang on the tightest node that holds it and is not yet in `parts`; of
/// alike ones, in a rack that is.
fn put_remainder(free: &FreeGpus, left: u32, parts: &mut Vec<Part>) -> bool {
    let rack = |node: u32| free.racks().get(node as usize);
    let is_away = |node: u32| !parts.iter().any(|part| rack(part.node) == rack(node));
    let tightest = (0u32..)
        .zip(free.per_node())
        .filter(|&(node, &here)| here >= left && !parts.iter().any(|part| part.node == node))
        .min_by_key(|&(node, &here)| (here, is_away(node), node));
    parts.extend(tightest.map(|(node, _)| Part::new(node, left)));
    tightest.is_some()
}
