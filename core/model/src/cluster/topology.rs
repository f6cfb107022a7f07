//! A cluster's tree, edge by edge: cluster › partition › rack › node › socket › GPU. In: a
//! [`ClusterSpec`]. Out: which edges there are, what they carry, what hangs on what.
//!
//! A GPU's own edge carries what its socket's PCIe does, and nobody else's traffic.

use super::{Capacity, ClusterSpec, Switch, Switches};

/// An edge from something to what it hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Link {
    /// From a partition to the cluster.
    Partition(u32),
    /// From a rack to its partition.
    Rack(u32),
    /// From a node to its rack: its NIC.
    Node(u32),
    /// From a socket to its node: QPI.
    Socket {
        /// The node.
        node: u32,
        /// From 0.
        socket: u32,
    },
    /// From a socket's GPUs to it: PCIe.
    Pcie {
        /// The node.
        node: u32,
        /// From 0.
        socket: u32,
    },
}

/// A cluster's tree, edge by edge. Edges are numbered from the top down.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    edges: Vec<Edge>,
    partitions: Vec<String>,
    racks: Vec<Rack>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Edge {
    link: Link,
    /// GB/s in each direction.
    capacity: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct Rack {
    name: String,
    partition: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    rack: u32,
    gpus: u32,
    sockets: u32,
    /// The first of its sockets' edges, two each.
    edges: u32,
}

impl Topology {
    /// The tree of a cluster.
    pub fn of(cluster: &ClusterSpec) -> Self {
        let tree = cluster.tree();
        let gpus: Vec<u32> = cluster.gpus_per_node().collect();
        let count = gpus.len() as u64;
        let mut nic = vec![tree.nic.unwrap_or(Capacity::NIC).gigabytes(); gpus.len()];
        let mut rack_of = vec![0u32; gpus.len()];
        let (partitions, racks, own) = match &tree.switches {
            Switches::Even { partitions, racks } => {
                // Where something of this number falls, of so many, among so many others.
                let within = |i: u64, of: u64, among: u32| (i * u64::from(among) / of) as u32;
                for (node, rack) in (0u64..).zip(&mut rack_of) {
                    *rack = within(node, count, *racks);
                }
                let rack = |i: u32| Rack {
                    name: (i + 1).to_string(),
                    partition: within(u64::from(i), u64::from(*racks), *partitions),
                };
                let names = (1..=*partitions).map(|i| i.to_string()).collect();
                (names, (0..*racks).map(rack).collect(), Vec::new())
            }
            Switches::Named(switches) => named(switches, &mut rack_of, &mut nic),
        };
        let mut topology = Self {
            edges: Vec::new(),
            partitions,
            racks,
            nodes: Vec::new(),
        };
        topology.connect(cluster, &gpus, &rack_of, &nic, &own);
        topology
    }

    /// Adds nodes and edges; `own` has the capacities of switches that were given one.
    fn connect(
        &mut self,
        cluster: &ClusterSpec,
        gpus: &[u32],
        rack_of: &[u32],
        nic: &[f64],
        own: &[(Link, f64)],
    ) {
        let tree = cluster.tree();
        let own = |link: Link| own.iter().find(|(of, _)| *of == link).map(|&(_, own)| own);
        let mut up = vec![0.0; self.racks.len()];
        for (&rack, &nic) in rack_of.iter().zip(nic) {
            up[rack as usize] += nic;
        }
        let mut out = vec![0.0; self.partitions.len()];
        for ((i, rack), up) in (0u32..).zip(&self.racks).zip(&mut up) {
            *up = own(Link::Rack(i)).unwrap_or(*up / tree.oversubscribed());
            out[rack.partition as usize] += *up;
        }
        let edge = |(link, capacity): (Link, f64)| Edge { link, capacity };
        let partitions = (0u32..).map(Link::Partition).zip(out);
        let partitions = partitions.map(|(link, out)| (link, own(link).unwrap_or(out)));
        self.edges.extend(partitions.map(edge));
        self.edges
            .extend((0u32..).map(Link::Rack).zip(up).map(edge));
        let nodes = (0u32..).map(Link::Node).zip(nic.iter().copied());
        self.edges.extend(nodes.map(edge));
        for ((node, &gpus), &rack) in (0u32..).zip(gpus).zip(rack_of) {
            let sockets = tree.sockets.unwrap_or(if gpus > 4 { 2 } else { 1 });
            let sockets = sockets.min(gpus);
            self.nodes.push(Node {
                rack,
                gpus,
                sockets,
                edges: self.edges.len() as u32,
            });
            for socket in 0..sockets {
                let qpi = tree.qpi.unwrap_or(Capacity::QPI).gigabytes();
                let pcie = tree.pcie.unwrap_or(Capacity::PCIE).gigabytes();
                self.edges.extend(
                    [
                        (Link::Socket { node, socket }, qpi),
                        (Link::Pcie { node, socket }, pcie),
                    ]
                    .map(edge),
                );
            }
        }
    }

    /// How many edges.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// What an edge is.
    pub fn link(&self, edge: u32) -> Link {
        self.edges[edge as usize].link
    }

    /// What an edge carries in each direction, GB/s.
    pub fn capacity(&self, edge: u32) -> f64 {
        self.edges[edge as usize].capacity
    }

    /// An edge for people.
    pub fn name(&self, edge: u32) -> String {
        match self.link(edge) {
            Link::Partition(i) => format!("partition {}'s uplink", self.partitions[i as usize]),
            Link::Rack(i) => format!("rack {}'s uplink", self.racks[i as usize].name),
            Link::Node(node) => format!("node {node}'s NIC"),
            Link::Socket { node, socket } => format!("node {node}'s QPI at socket {socket}"),
            Link::Pcie { node, socket } => format!("node {node}'s PCIe at socket {socket}"),
        }
    }

    /// How many partitions.
    pub fn partitions(&self) -> u32 {
        self.partitions.len() as u32
    }

    /// How many racks.
    pub fn racks(&self) -> u32 {
        self.racks.len() as u32
    }

    /// How many nodes.
    pub fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The node's rack.
    pub fn rack_of(&self, node: u32) -> u32 {
        self.nodes[node as usize].rack
    }

    /// The rack's partition.
    pub fn partition_of(&self, rack: u32) -> u32 {
        self.racks[rack as usize].partition
    }

    /// GPUs of a node.
    pub fn gpus(&self, node: u32) -> u32 {
        self.nodes[node as usize].gpus
    }

    /// Sockets of a node.
    pub fn sockets(&self, node: u32) -> u32 {
        self.nodes[node as usize].sockets
    }

    /// The GPUs of a node's socket, as a mask.
    pub fn socket_mask(&self, node: u32, socket: u32) -> u64 {
        let Node { gpus, sockets, .. } = self.nodes[node as usize];
        let below = |gpu: u32| match gpu {
            64.. => u64::MAX,
            gpu => (1 << gpu) - 1,
        };
        below((socket + 1) * gpus / sockets) & !below(socket * gpus / sockets)
    }

    /// A partition's edge to the cluster.
    pub fn partition_edge(&self, partition: u32) -> u32 {
        partition
    }

    /// A rack's edge to its partition.
    pub fn rack_edge(&self, rack: u32) -> u32 {
        self.partitions() + rack
    }

    /// A node's edge to its rack.
    pub fn node_edge(&self, node: u32) -> u32 {
        self.partitions() + self.racks() + node
    }

    /// A socket's edge to its node.
    pub fn socket_edge(&self, node: u32, socket: u32) -> u32 {
        self.nodes[node as usize].edges + 2 * socket
    }

    /// A socket's edge to its GPUs.
    pub fn pcie_edge(&self, node: u32, socket: u32) -> u32 {
        self.socket_edge(node, socket) + 1
    }
}

/// Partitions, racks and the capacities of their own that a list of switches gives; racks and NICs of
/// nodes are written to what is given.
type Named = (Vec<String>, Vec<Rack>, Vec<(Link, f64)>);

fn named(switches: &[Switch], rack_of: &mut [u32], nic: &mut [f64]) -> Named {
    let is_rack = |switch: &&Switch| !switch.nodes.0.is_empty();
    let mut partitions: Vec<String> = Vec::new();
    let (mut racks, mut own) = (Vec::new(), Vec::new());
    let mut add = |link: Link, switch: &Switch| {
        own.extend(switch.capacity.map(|own| (link, own.gigabytes())));
    };
    for switch in switches.iter().filter(|switch| !is_rack(switch)) {
        add(Link::Partition(partitions.len() as u32), switch);
        partitions.push(switch.name.clone());
    }
    for switch in switches.iter().filter(is_rack) {
        let rack = racks.len() as u32;
        let parent = switch.parent.as_ref();
        let above = parent.and_then(|name| partitions.iter().position(|other| other == name));
        let partition = above.unwrap_or_else(|| {
            // A rack that hangs on the cluster is a partition by itself, whose edge is the rack's.
            partitions.push(switch.name.clone());
            add(Link::Partition(partitions.len() as u32 - 1), switch);
            partitions.len() - 1
        });
        add(Link::Rack(rack), switch);
        for node in switch.nodes.iter() {
            rack_of[node as usize] = rack;
            if let Some(own) = switch.nic {
                nic[node as usize] = own.gigabytes();
            }
        }
        racks.push(Rack {
            name: switch.name.clone(),
            partition: partition as u32,
        });
    }
    (partitions, racks, own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology(text: &str) -> Topology {
        Topology::of(&text.parse().unwrap())
    }

    #[test]
    fn the_placers_data_centre() {
        let tree = topology("128x8/partitions=4/racks=16");
        assert_eq!(
            (tree.partitions(), tree.racks(), tree.nodes()),
            (4, 16, 128)
        );
        assert_eq!((tree.rack_of(7), tree.rack_of(8)), (0, 1));
        assert_eq!((tree.partition_of(3), tree.partition_of(4)), (0, 1));
        assert_eq!(tree.sockets(0), 2);
        assert_eq!(tree.socket_mask(0, 1), 0b1111_0000);
        // Eight NICs of 25 Gb/s, 3:1; four such racks.
        let up = 8.0 * 3.125 / 3.0;
        assert_eq!(tree.capacity(tree.rack_edge(5)), up);
        assert_eq!(tree.capacity(tree.partition_edge(1)), 4.0 * up);
        assert_eq!(tree.edges(), 4 + 16 + 128 + 128 * 4);
        assert_eq!(tree.name(tree.rack_edge(2)), "rack 3's uplink");
        let link = Link::Pcie { node: 5, socket: 1 };
        assert_eq!(tree.link(tree.pcie_edge(5, 1)), link);
    }

    #[test]
    fn named_switches() {
        let tree = topology(
            r#"{"nodes":"4x64","switches":[{"name":"p","capacity":9},
                {"name":"a","parent":"p","capacity":4,"nodes":"0,3"},
                {"name":"b","parent":"p","nodes":"1"},{"name":"c","nic":12.5,"nodes":"2"}]}"#,
        );
        assert_eq!((tree.partitions(), tree.racks()), (2, 3));
        assert_eq!(
            (0..4).map(|n| tree.rack_of(n)).collect::<Vec<_>>(),
            [0, 1, 2, 0]
        );
        assert_eq!(tree.capacity(tree.partition_edge(0)), 9.0);
        assert_eq!(tree.capacity(tree.rack_edge(0)), 4.0);
        assert_eq!(tree.capacity(tree.node_edge(2)), 12.5);
        assert_eq!(tree.partition_of(2), 1);
        assert_eq!(tree.socket_mask(0, 1).count_ones(), 32);
    }
}
