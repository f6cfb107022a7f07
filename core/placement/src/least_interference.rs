//! Where the gang and the jobs there slow one another least: a greedy that knows the true
//! [contention](crate::contention), which no real scheduler does.

use crate::cluster::Part;
use crate::gang::Gang;
use crate::network_state::{NetworkState, Site};
use crate::nodes::few_nodes;
use crate::on_links::LinkPlacement;
use crate::placement::Description;
use std::cmp::Reverse;

/// Where the gang and others slow one another least.
pub(crate) struct LeastInterference;

impl LinkPlacement for LeastInterference {
    const DESCRIPTION: Description = Description::new(
        "least-interference",
        "Where the gang and the jobs there slow one another least, by the true model of contention: of all nodes that hold it, else of the racks, partitions and the cluster, each on the fewest nodes. Never waits while enough GPUs are free anywhere.",
    );

    fn lay(site: &Site<'_>, network: &NetworkState, gang: Gang, parts: &mut Vec<Part>) -> bool {
        best(site, network, gang)
            .map(|best| *parts = best.parts)
            .is_some()
    }
}

/// A place for a gang, and what it costs.
pub(super) struct Best {
    pub(super) parts: Vec<Part>,
    /// [`log_slowdown`](crate::contention::Prospect::log_slowdown).
    pub(super) cost: f64,
}

/// Below this nobody is slower.
const NOTHING: f64 = 1e-9;

/// The place that costs least; of alike ones the tightest.
pub(super) fn best(site: &Site<'_>, network: &NetworkState, gang: Gang) -> Option<Best> {
    let free = site.free;
    let mut holding: Vec<(u32, u32)> = (0u32..)
        .zip(free.per_node())
        .filter(|&(_, &here)| here >= gang.gpus)
        .map(|(node, &here)| (here, node))
        .collect();
    holding.sort_unstable();
    // Idle nodes are as good as one another.
    let sizes = free.node_sizes();
    let mut idle = Vec::new();
    holding.retain(|&(here, node)| {
        let is_idle = here == sizes[node as usize] && network.residents(node).is_empty();
        let is_new = !is_idle || !idle.contains(&here);
        idle.extend(Some(here).filter(|_| is_idle));
        is_new
    });
    let mut least: Option<Best> = None;
    for (_, node) in holding {
        try_on(
            site,
            network,
            &gang,
            vec![Part::new(node, gang.gpus)],
            &mut least,
        );
        if least.as_ref().is_some_and(|least| least.cost < NOTHING) {
            return least;
        }
    }
    if least.is_some() {
        return least;
    }
    let topology = network.topology();
    let emptiest = |node: u32| Reverse(free.per_node()[node as usize]);
    let mut within = |is_in: &dyn Fn(u32) -> bool| {
        let mut parts = Vec::new();
        if few_nodes(free, gang.gpus, &mut parts, is_in, emptiest) {
            try_on(site, network, &gang, parts, &mut least);
        }
    };
    for rack in 0..topology.racks() {
        within(&|node| topology.rack_of(node) == rack);
    }
    for partition in 0..topology.partitions() {
        within(&|node| topology.partition_of(topology.rack_of(node)) == partition);
    }
    within(&|_| true);
    least
}

/// Keeps these parts, with parameter servers, if they cost less than the least so far.
fn try_on(
    site: &Site<'_>,
    network: &NetworkState,
    gang: &Gang,
    mut parts: Vec<Part>,
    least: &mut Option<Best>,
) {
    if !site.put_servers(&mut parts, gang.needs) {
        return;
    }
    let cost = network.prospect(gang, &parts).log_slowdown();
    if least.as_ref().is_none_or(|least| cost < least.cost) {
        *least = Some(Best { parts, cost });
    }
}
