//! Tetris' alignment (Grandl et al., SIGCOMM'14 §3.2): the machine whose free capacity, as a vector over
//! resources, has the largest dot product with what is asked of it. Resources here are GPUs, cores
//! and the NIC, each as a part of what the machine has. Tetris' other half, short jobs first, is the
//! queue's to do.

use crate::cluster::Part;
use crate::gang::Gang;
use crate::network_state::{NetworkState, Site};
use crate::on_links::LinkPlacement;
use crate::placement::Description;

/// By the alignment of demand and free capacity.
pub(crate) struct Tetris;

impl LinkPlacement for Tetris {
    const DESCRIPTION: Description = Description::new(
        "tetris",
        "The node whose free GPUs, cores and NIC are best aligned (dot product) with what the gang asks of it, of those that hold it; where none does, the best aligned one after another. Never waits while enough GPUs are free anywhere.",
    );

    fn lay(site: &Site<'_>, network: &NetworkState, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let mut left = gang.gpus;
        while left > 0 {
            let nodes = (0u32..).zip(site.free.per_node());
            let open = nodes.filter(|&(node, &here)| {
                here > 0 && !parts.iter().any(|part: &Part| part.node == node)
            });
            let open: Vec<(u32, u32)> = open.map(|(node, &here)| (node, here)).collect();
            let holds = open.iter().any(|&(_, here)| here >= left);
            let mut best: Option<(f64, u32, u32)> = None;
            for (node, here) in open.into_iter().filter(|&(_, here)| !holds || here >= left) {
                let gpus = here.min(left);
                let score = alignment(site, network, &gang, node, gpus);
                if best.is_none_or(|(most, ..)| score > most) {
                    best = Some((score, node, gpus));
                }
            }
            let Some((_, node, gpus)) = best else {
                return false;
            };
            parts.push(Part::new(node, gpus));
            left -= gpus;
        }
        true
    }
}

/// Of so many of a gang's workers with what a node has left.
fn alignment(site: &Site<'_>, network: &NetworkState, gang: &Gang, node: u32, gpus: u32) -> f64 {
    let size = f64::from(site.free.node_sizes()[node as usize]);
    let here = f64::from(site.free.per_node()[node as usize]);
    let mut sum = f64::from(gpus) / size * (here / size);
    let Some(profile) = &gang.profile else {
        return sum;
    };
    let (cores, wanted) = network.cores(node);
    if cores > 0 {
        let cores = cores as f64 / 1000.0;
        let free = 1.0 - wanted as f64 / 1000.0 / cores;
        sum += f64::from(gpus) * profile.cores / cores * free.max(0.0);
    }
    let topology = network.topology();
    let nic = topology.node_edge(node);
    if gang.gpus > 1 || gang.needs.servers().count > 0 {
        let sends = profile.gradients / profile.compute / topology.capacity(nic);
        let free = 1.0 - network.load(nic);
        sum += sends * free.max(0.0);
    }
    sum
}
