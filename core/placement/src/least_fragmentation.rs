//! As few nodes as are free now, leaving the smallest holes.

use crate::cluster::{FreeGpus, MAX_GPUS_PER_NODE, Part};
use crate::gang::Gang;
use crate::nodes::{rack_turns, tightest_node, turn_of};
use crate::order;
use crate::placement::{Description, Placement};

/// As few nodes as are free now, leaving the smallest holes; never waits for a better place.
pub(crate) struct LeastFragmentation;

impl Placement for LeastFragmentation {
    const DESCRIPTION: Description = Description::new(
        "least-fragmentation",
        "The tightest node that holds the gang; failing that, the fewest nodes, in few racks. Never waits while enough GPUs are free anywhere.",
    );

    /// The tightest node that holds what is left of the gang; while there is none, all of the
    /// node with the most free GPUs, of alike ones in few racks.
    fn lay(free: &FreeGpus, _node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let gpus = gang.gpus;
        if let Some(node) = tightest_node(free.per_node(), gpus) {
            parts.push(Part::new(node, gpus));
            return true;
        }
        let mut emptiest = emptiest_first(free.per_node());
        if !free.racks().is_empty() {
            by_rack(&mut emptiest, free, gpus);
        }
        let mut left = gpus;
        for i in 0..emptiest.len() {
            let rest = &emptiest[i..];
            // Sorted by free GPUs: those that hold what is left come first, the tightest of them last.
            let holding = rest.partition_point(|here| here.gpus >= left);
            if holding > 0 {
                let tightest = rest[holding - 1].gpus;
                let first = rest.partition_point(|here| here.gpus > tightest);
                let alike = &rest[first..holding];
                let rack = |node: u32| free.racks().get(node as usize);
                let near =
                    |here: &&Here| parts.iter().any(|part| rack(part.node) == rack(here.node));
                let last = alike.iter().find(near).unwrap_or(&rest[first]);
                parts.push(Part::new(last.node, left));
                return true;
            }
            parts.push(Part::new(rest[0].node, rest[0].gpus));
            left -= rest[0].gpus;
        }
        false
    }
}

/// Orders nodes with as much free by the turns of their racks.
#[cold]
fn by_rack(emptiest: &mut [Here], free: &FreeGpus, gpus: u32) {
    let most = emptiest.first().map_or(1, |here| here.gpus);
    let alike = emptiest.iter().take_while(|here| here.gpus == most);
    let turns = rack_turns(free, alike.map(|here| here.node), gpus.div_ceil(most));
    for alike in emptiest.chunk_by_mut(|a, b| a.gpus == b.gpus) {
        order::sort_by_key(alike, |here| turn_of(free, &turns, here.node));
    }
}

/// What is free on a node.
#[derive(Clone, Copy, Default)]
struct Here {
    node: u32,
    gpus: u32,
}

/// All that is free, by node: most first, of alike nodes the lowest number.
fn emptiest_first(free: &[u32]) -> Vec<Here> {
    // By free GPUs: how many nodes have as many, then where the next of them goes.
    let mut places = [0usize; MAX_GPUS_PER_NODE as usize + 1];
    for &here in free {
        places[here as usize] += 1;
    }
    let mut nodes = 0;
    for place in places.iter_mut().skip(1).rev() {
        nodes += std::mem::replace(place, nodes);
    }
    let mut emptiest = vec![Here::default(); nodes];
    for (node, &gpus) in (0u32..).zip(free).filter(|&(_, &gpus)| gpus > 0) {
        let place = &mut places[gpus as usize];
        emptiest[*place] = Here { node, gpus };
        *place += 1;
    }
    emptiest
}
