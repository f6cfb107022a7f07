//! The least loaded links.

use crate::cluster::Part;
use crate::gang::Gang;
use crate::network_state::{NetworkState, Site};
use crate::nodes::few_nodes;
use crate::on_links::LinkPlacement;
use crate::order::{self, ByValue};
use crate::placement::Description;

pub(crate) struct CongestionAware;

impl LinkPlacement for CongestionAware {
    const DESCRIPTION: Description = Description::new(
        "congestion-aware",
        "The node whose links (NIC, QPI and PCIe of sockets with free GPUs) are least loaded, of alike ones the tightest; a gang that no node holds goes to the rack with the least loaded uplink that does, by NIC after NIC. Never waits while enough GPUs are free anywhere.",
    );

    fn lay(site: &Site<'_>, network: &NetworkState, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let free = site.free;
        let nodes = (0u32..).zip(free.per_node());
        let holding = nodes.filter(|&(_, &here)| here >= gang.gpus);
        let best = holding.min_by(|&(a, here), &(b, there)| {
            let loads = order::by_value(&of_node(network, a), &of_node(network, b));
            loads.then(here.cmp(there)).then(a.cmp(&b))
        });
        if let Some((node, _)) = best {
            parts.push(Part::new(node, gang.gpus));
            return true;
        }
        let topology = network.topology();
        let nic = |node: u32| ByValue::of(network.load(topology.node_edge(node)));
        let mut racks: Vec<u32> = (0..topology.racks()).collect();
        order::sort_by_key(&mut racks, |&rack| {
            (ByValue::of(network.load(topology.rack_edge(rack))), rack)
        });
        for rack in racks {
            let is_in = |node: u32| topology.rack_of(node) == rack;
            if few_nodes(free, gang.gpus, parts, is_in, nic) {
                return true;
            }
        }
        let path = |node: u32| {
            let uplink = network.load(topology.rack_edge(topology.rack_of(node)));
            ByValue::of(uplink).max(nic(node))
        };
        few_nodes(free, gang.gpus, parts, |_| true, path)
    }
}

/// The load of the fullest link of a node that a newcomer might use.
fn of_node(network: &NetworkState, node: u32) -> f64 {
    let topology = network.topology();
    let free = network.free_mask(node);
    let open = (0..topology.sockets(node))
        .filter(|&socket| topology.socket_mask(node, socket) & free != 0);
    let inside = open.flat_map(|socket| {
        [
            topology.socket_edge(node, socket),
            topology.pcie_edge(node, socket),
        ]
    });
    let edges = std::iter::once(topology.node_edge(node)).chain(inside);
    edges.map(|edge| network.load(edge)).fold(0.0, f64::max)
}
