//! A cluster's tree, edge by edge: cluster › partition › switches › rack › node › socket › GPU. In: a
//! [`ClusterSpec`]. Out: which edges there are, what they carry, what hangs on what.
//!
//! A GPU's own edge carries nobody else's traffic, so that its [capacity](Topology::gpu) is all there
//! is to know of it.

use super::{Capacity, ClusterSpec, Switch, Switches};
use std::collections::BTreeMap;

/// An edge from something to what it hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Link {
    /// From a partition to the cluster.
    Partition(u32),
    /// From a switch between to the switch, or partition, above it: its number among [all above
    /// racks](Topology::uppers).
    Switch(u32),
    /// From a rack to what is above it.
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
    /// What is above racks: partitions, then the switches below them, each behind what it hangs on.
    uppers: Vec<Upper>,
    partitions: u32,
    racks: Vec<Rack>,
    nodes: Vec<Node>,
    /// GB/s of each GPU's own edge.
    gpu: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct Upper {
    name: String,
    /// What it hangs on; `None`: the cluster.
    above: Option<u32>,
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
    /// What it hangs on.
    above: u32,
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
        let (uppers, racks, own) = match &tree.switches {
            Switches::Even { partitions, racks } => {
                // Where something of this number falls, of so many, among so many others.
                let within = |i: u64, of: u64, among: u32| (i * u64::from(among) / of) as u32;
                for (node, rack) in (0u64..).zip(&mut rack_of) {
                    *rack = within(node, count, *racks);
                }
                let rack = |i: u32| Rack {
                    name: (i + 1).to_string(),
                    above: within(u64::from(i), u64::from(*racks), *partitions),
                };
                let upper = |i: u32| Upper {
                    name: i.to_string(),
                    above: None,
                };
                let uppers = (1..=*partitions).map(upper).collect();
                (uppers, (0..*racks).map(rack).collect(), BTreeMap::new())
            }
            Switches::Named(switches) => named(switches, &mut rack_of, &mut nic),
        };
        let mut topology = Self {
            edges: Vec::new(),
            partitions: uppers.iter().filter(|of| of.above.is_none()).count() as u32,
            uppers,
            racks,
            nodes: Vec::new(),
            gpu: tree.gpu.or(tree.pcie).unwrap_or(Capacity::PCIE).gigabytes(),
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
        own: &BTreeMap<Link, f64>,
    ) {
        let tree = cluster.tree();
        let own = |link: Link| own.get(&link).copied();
        let mut up = vec![0.0; self.racks.len()];
        for (&rack, &nic) in rack_of.iter().zip(nic) {
            up[rack as usize] += nic;
        }
        let mut out = vec![0.0; self.uppers.len()];
        for ((i, rack), up) in (0u32..).zip(&self.racks).zip(&mut up) {
            *up = own(Link::Rack(i)).unwrap_or(*up / tree.oversubscribed());
            out[rack.above as usize] += *up;
        }
        for i in (0..self.uppers()).rev() {
            let carries = own(self.upper_link(i)).unwrap_or(out[i as usize]);
            out[i as usize] = carries;
            if let Some(above) = self.above(i) {
                out[above as usize] += carries;
            }
        }
        let edge = |(link, capacity): (Link, f64)| Edge { link, capacity };
        let uppers = (0u32..).zip(out);
        let uppers = uppers.map(|(i, out)| (self.upper_link(i), out));
        self.edges = uppers.map(edge).collect();
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

    fn upper_link(&self, upper: u32) -> Link {
        match self.uppers[upper as usize].above {
            None => Link::Partition(upper),
            Some(_) => Link::Switch(upper),
        }
    }

    /// What the edge of each GPU carries in each direction, GB/s.
    pub fn gpu(&self) -> f64 {
        self.gpu
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
            Link::Partition(i) => format!("partition {}'s uplink", self.uppers[i as usize].name),
            Link::Switch(i) => format!("switch {}'s uplink", self.uppers[i as usize].name),
            Link::Rack(i) => format!("rack {}'s uplink", self.racks[i as usize].name),
            Link::Node(node) => format!("node {node}'s NIC"),
            Link::Socket { node, socket } => format!("node {node}'s QPI at socket {socket}"),
            Link::Pcie { node, socket } => format!("node {node}'s PCIe at socket {socket}"),
        }
    }

    /// How many partitions.
    pub fn partitions(&self) -> u32 {
        self.partitions
    }

    /// How many partitions, and switches between them and racks.
    pub fn uppers(&self) -> u32 {
        self.uppers.len() as u32
    }

    /// What a partition (`None`) or a switch between hangs on; always of a smaller number.
    pub fn above(&self, upper: u32) -> Option<u32> {
        self.uppers[upper as usize].above
    }

    /// What a rack hangs on.
    pub fn above_rack(&self, rack: u32) -> u32 {
        self.racks[rack as usize].above
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
        let mut upper = self.above_rack(rack);
        while let Some(above) = self.above(upper) {
            upper = above;
        }
        upper
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

    /// The edge of a partition, or of a switch between, to what it hangs on.
    pub fn upper_edge(&self, upper: u32) -> u32 {
        upper
    }

    /// A rack's edge to what is above it.
    pub fn rack_edge(&self, rack: u32) -> u32 {
        self.uppers() + rack
    }

    /// A node's edge to its rack.
    pub fn node_edge(&self, node: u32) -> u32 {
        self.uppers() + self.racks() + node
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

/// What is above racks, racks, and the capacities of their own that a list of switches gives; racks and
/// NICs of nodes are written to what is given.
type Named = (Vec<Upper>, Vec<Rack>, BTreeMap<Link, f64>);

fn named(switches: &[Switch], rack_of: &mut [u32], nic: &mut [f64]) -> Named {
    let is_rack = |switch: &Switch| !switch.nodes.0.is_empty();
    let mut uppers: Vec<Upper> = Vec::new();
    let (mut racks, mut own) = (Vec::new(), BTreeMap::new());
    let mut add = |link: Link, switch: &Switch| {
        own.extend(switch.capacity.map(|own| (link, own.gigabytes())));
    };
    // A rack that hangs on the cluster is a partition by itself, whose edge is the rack's.
    let tops = switches.iter().filter(|of| of.parent.is_none());
    for switch in tops
        .clone()
        .filter(|of| !is_rack(of))
        .chain(tops.filter(|of| is_rack(of)))
    {
        add(Link::Partition(uppers.len() as u32), switch);
        uppers.push(Upper {
            name: switch.name.clone(),
            above: None,
        });
    }
    // Below those, list after list from its begin, each switch once what it hangs on is there: in which of these
    // rounds that is. A tree has few levels.
    let by_name: BTreeMap<&str, usize> = (switches.iter().enumerate())
        .map(|(at, switch)| (switch.name.as_str(), at))
        .collect();
    let above = |at: usize| by_name.get(switches[at].parent.as_deref()?).copied();
    let round = |at: usize| {
        let (mut rounds, mut below) = (1, at);
        while let Some(next) = above(below).filter(|&next| switches[next].parent.is_some()) {
            rounds += usize::from(next > below);
            below = next;
        }
        rounds
    };
    let between = switches.iter().enumerate();
    let between = between.filter(|(_, of)| of.parent.is_some() && !is_rack(of));
    let mut between: Vec<(usize, usize)> = between.map(|(at, _)| (round(at), at)).collect();
    between.sort_unstable();
    let mut place: BTreeMap<&str, u32> = (0u32..)
        .zip(&uppers)
        .filter_map(|(place, upper)| {
            let &at = by_name.get(upper.name.as_str())?;
            Some((switches[at].name.as_str(), place))
        })
        .collect();
    for (_, at) in between {
        let switch = &switches[at];
        let number = uppers.len() as u32;
        let above = switch.parent.as_deref().and_then(|name| place.get(name));
        add(Link::Switch(number), switch);
        uppers.push(Upper {
            name: switch.name.clone(),
            above: above.copied(),
        });
        place.insert(&switch.name, number);
    }
    for switch in switches.iter().filter(|of| is_rack(of)) {
        let rack = racks.len() as u32;
        let above = switch.parent.as_ref().unwrap_or(&switch.name);
        add(Link::Rack(rack), switch);
        for node in switch.nodes.iter() {
            rack_of[node as usize] = rack;
            if let Some(own) = switch.nic {
                nic[node as usize] = own.gigabytes();
            }
        }
        racks.push(Rack {
            name: switch.name.clone(),
            above: place.get(above.as_str()).copied().unwrap_or(0),
        });
    }
    (uppers, racks, own)
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

    #[test]
    fn as_many_levels_as_are_said() {
        let tree = topology(
            r#"{"nodes":"4x2","gpu":25,"switches":[{"name":"a","parent":"row","nodes":"0"},
                {"name":"b","parent":"row","capacity":2,"nodes":"1"},{"name":"row","parent":"hall"},
                {"name":"c","parent":"hall","nodes":"2"},{"name":"hall"},{"name":"d","nodes":"3"}]}"#,
        );
        assert_eq!((tree.partitions(), tree.uppers(), tree.racks()), (2, 3, 4));
        assert_eq!((tree.above(2), tree.above_rack(0)), (Some(0), 2));
        assert_eq!(
            [0, 1, 2, 3].map(|rack| tree.partition_of(rack)),
            [0, 0, 0, 1]
        );
        assert_eq!(tree.link(tree.upper_edge(2)), Link::Switch(2));
        assert_eq!(tree.name(2), "switch row's uplink");
        // Of one node each, 3:1.
        let up = 3.125 / 3.0;
        assert_eq!(tree.capacity(2), up + 2.0);
        assert_eq!(tree.capacity(0), up + (up + 2.0));
        assert_eq!((tree.gpu(), topology("1x1/pcie=4").gpu()), (25.0, 4.0));
    }
}
