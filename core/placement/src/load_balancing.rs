//! The least loaded server.

use crate::cluster::{FreeGpus, Part};
use crate::gang::Gang;
use crate::nodes::few_nodes;
use crate::placement::{Description, Placement};
use std::cmp::Reverse;

pub(crate) struct LoadBalancing;

impl Placement for LoadBalancing {
    const DESCRIPTION: Description = Description::new(
        "load-balancing",
        "The node with the most free GPUs, by its size, that holds the gang; where none does, all of the least loaded, one after another. Never waits while enough GPUs are free anywhere.",
    );

    fn lay(free: &FreeGpus, _node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let nodes = (0u32..).zip(free.per_node()).zip(free.node_sizes());
        let holding = nodes.filter(|&((_, &here), _)| here >= gang.gpus);
        // By the share that is free: compared without dividing.
        let freest = holding.max_by(|&((a, &here), &size), &((b, &there), &other)| {
            let shares =
                (u64::from(here) * u64::from(other)).cmp(&(u64::from(there) * u64::from(size)));
            shares.then(b.cmp(&a))
        });
        match freest {
            Some(((node, _), _)) => {
                parts.push(Part::new(node, gang.gpus));
                true
            }
            None => few_nodes(
                free,
                gang.gpus,
                parts,
                |_| true,
                |node| Reverse(free.per_node()[node as usize]),
            ),
        }
    }
}
