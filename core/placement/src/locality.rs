//! Workers near one another, whatever that does to others.

use crate::cluster::{FreeGpus, Part};
use crate::gang::Gang;
use crate::least_fragmentation::LeastFragmentation;
use crate::nodes::few_nodes;
use crate::placement::{Description, Placement};
use std::cmp::Reverse;

/// The fewest servers, in the fewest racks.
pub(crate) struct Locality;

impl Placement for Locality {
    const DESCRIPTION: Description = Description::new(
        "locality",
        "The fewest nodes that hold the gang, and of these the fewest racks; of one node or rack the tightest. Never waits while enough GPUs are free anywhere.",
    );

    fn lay(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let here = free.per_node();
        let emptiest = |node: u32| Reverse(here[node as usize]);
        if here.iter().any(|&here| here >= gang.gpus) || free.racks().is_empty() {
            return LeastFragmentation::lay(free, node_size, gang, parts);
        }
        let mut fewest = Vec::new();
        few_nodes(free, gang.gpus, &mut fewest, |_| true, emptiest);
        let racks = free.racks().iter().max().map_or(0, |last| last + 1);
        let mut best: Option<(u32, Vec<Part>)> = None;
        for rack in 0..racks {
            let is_in = |node: u32| free.racks()[node as usize] == rack;
            let mut within = Vec::new();
            let fits = few_nodes(free, gang.gpus, &mut within, is_in, emptiest);
            if !fits || within.len() > fewest.len() {
                continue;
            }
            let nodes = (0u32..).zip(here).filter(|&(node, _)| is_in(node));
            let left = nodes.map(|(_, here)| here).sum::<u32>();
            if best.as_ref().is_none_or(|(least, _)| left < *least) {
                best = Some((left, within));
            }
        }
        match best {
            Some((_, within)) => {
                *parts = within;
                true
            }
            None => LeastFragmentation::lay(free, node_size, gang, parts),
        }
    }
}
