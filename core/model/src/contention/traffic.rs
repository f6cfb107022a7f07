//! Which edges of a cluster's tree a job's steps cross, and with how much.
//!
//! All-reduce goes round a ring over the parts in the tree's order, and so crosses each edge between
//! them once in each direction, with 2(n−1)/n of the gradients. With parameter servers every worker
//! sends each server its part of the gradients and gets as much back.

use crate::cluster::{Gpus, Topology};
use std::collections::BTreeMap;

/// What a job's step sends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Edges in increasing order, each with GB per step in each direction.
    pub edges: Vec<(u32, f64)>,
    /// GB per step over each GPU's own link.
    pub own: f64,
}

/// Workers and servers below an edge.
type Below = (u32, u32);

impl Traffic {
    /// Of workers on these GPUs, with parameter servers on these nodes (node, how many; none:
    /// all-reduce), for so many GB of gradients. `inside` is the part of a ring's traffic within one
    /// socket that its neighbours there feel.
    pub fn of(
        topology: &Topology,
        gpus: &[Gpus],
        servers: &[(u32, u32)],
        gradients: f64,
        inside: f64,
    ) -> Self {
        let workers: u32 = gpus.iter().map(|gpus| gpus.count()).sum();
        let served: u32 = servers.iter().map(|&(_, servers)| servers).sum();
        if workers == 0 || (workers == 1 && served == 0) {
            return Self::default();
        }
        let all = (workers, served);
        let mut edges = Vec::new();
        let mut nodes: BTreeMap<u32, Below> = BTreeMap::new();
        for &on in gpus {
            nodes.entry(on.node).or_default().0 += on.count();
            let sockets = topology.sockets(on.node);
            for socket in 0..sockets {
                let here = (on.mask & topology.socket_mask(on.node, socket)).count_ones();
                let pcie = topology.pcie_edge(on.node, socket);
                if here == workers && served == 0 {
                    edges.push((pcie, inside * crossing((1, 0), (2, 0), gradients)));
                } else if here > 0 {
                    // Servers run on the sockets: from GPUs to them is all of the traffic.
                    let sent = crossing((here, 0), all, gradients);
                    edges.push((pcie, sent));
                    if sockets > 1 {
                        edges.push((topology.socket_edge(on.node, socket), sent));
                    }
                }
            }
        }
        for &(node, servers) in servers {
            nodes.entry(node).or_default().1 += servers;
        }
        let mut racks: BTreeMap<u32, Below> = BTreeMap::new();
        for (&node, &below) in &nodes {
            edges.push((topology.node_edge(node), crossing(below, all, gradients)));
            add(racks.entry(topology.rack_of(node)).or_default(), below);
        }
        let mut uppers: BTreeMap<u32, Below> = BTreeMap::new();
        for (&rack, &below) in &racks {
            edges.push((topology.rack_edge(rack), crossing(below, all, gradients)));
            add(uppers.entry(topology.above_rack(rack)).or_default(), below);
        }
        // From the bottom up: what is above has a smaller number.
        while let Some((upper, below)) = uppers.pop_last() {
            edges.push((topology.upper_edge(upper), crossing(below, all, gradients)));
            if let Some(above) = topology.above(upper) {
                add(uppers.entry(above).or_default(), below);
            }
        }
        edges.retain(|&(_, sent)| sent > 0.0);
        edges.sort_unstable_by_key(|&(edge, _)| edge);
        let own = match served {
            0 => ring(workers, gradients),
            _ => gradients,
        };
        Self { edges, own }
    }
}

fn add(sum: &mut Below, below: Below) {
    *sum = (sum.0 + below.0, sum.1 + below.1);
}

/// GB per step round the ring of so many.
fn ring(workers: u32, gradients: f64) -> f64 {
    2.0 * f64::from(workers - 1) / f64::from(workers) * gradients
}

/// GB per step, in each direction, over the edge above these of all workers and servers.
fn crossing(below: Below, all: Below, gradients: f64) -> f64 {
    let above = (all.0 - below.0, all.1 - below.1);
    if all.1 == 0 {
        return if below.0 > 0 && above.0 > 0 {
            ring(all.0, gradients)
        } else {
            0.0
        };
    }
    let pairs = below.0 * above.1 + below.1 * above.0;
    gradients * f64::from(pairs) / f64::from(all.1)
}

/// The fastest that steps of so many GPUs can be in a cluster, packed as tightly as it allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Bandwidths {
    /// GB/s of a GPU's own link, of all GPUs of a socket together, and of those to a ring within it.
    gpu: f64,
    pcie: f64,
    inside: f64,
    /// GPUs of the largest thing of each level, from the socket up, and the most that anything of the
    /// level carries.
    levels: Vec<(u32, f64)>,
}

impl Bandwidths {
    /// Of a cluster's tree; `inside` as for [`Traffic::of`].
    pub fn of(topology: &Topology, inside: f64) -> Self {
        let mut socket = (0, 0.0);
        let mut node = (0, 0.0);
        let mut rack = (vec![0; topology.racks() as usize], 0.0);
        let mut uppers: Vec<u32> = vec![0; topology.uppers() as usize];
        let mut pcie = 0.0;
        for n in 0..topology.nodes() {
            let gpus = topology.gpus(n);
            for s in 0..topology.sockets(n) {
                socket.0 = socket.0.max(topology.socket_mask(n, s).count_ones());
                socket.1 = most(socket.1, topology.capacity(topology.socket_edge(n, s)));
                pcie = most(pcie, topology.capacity(topology.pcie_edge(n, s)));
            }
            node.0 = node.0.max(gpus);
            node.1 = most(node.1, topology.capacity(topology.node_edge(n)));
            rack.0[topology.rack_of(n) as usize] += gpus;
        }
        for (r, gpus) in (0u32..).zip(&rack.0) {
            rack.1 = most(rack.1, topology.capacity(topology.rack_edge(r)));
            uppers[topology.above_rack(r) as usize] += gpus;
        }
        // By how many are above: partitions first.
        let mut depths = vec![0; uppers.len()];
        let mut above: Vec<(u32, f64)> = Vec::new();
        for upper in 0..topology.uppers() {
            let depth = topology
                .above(upper)
                .map_or(0, |up| depths[up as usize] + 1);
            depths[upper as usize] = depth;
            above.resize(above.len().max(depth + 1), (0, 0.0));
        }
        for upper in (0..topology.uppers()).rev() {
            let gpus = uppers[upper as usize];
            if let Some(up) = topology.above(upper) {
                uppers[up as usize] += gpus;
            }
            let level = &mut above[depths[upper as usize]];
            level.0 = level.0.max(gpus);
            level.1 = most(level.1, topology.capacity(topology.upper_edge(upper)));
        }
        let largest = rack.0.iter().copied().max().unwrap_or(0);
        let mut levels = vec![socket, node, (largest, rack.1)];
        levels.extend(above.into_iter().rev());
        Self {
            gpu: topology.gpu(),
            pcie,
            inside: pcie / inside,
            levels,
        }
    }

    /// GB/s round a ring of so many GPUs.
    pub fn ring(&self, gpus: u32) -> f64 {
        let socket = self.levels.first().map_or(0, |level| level.0);
        let pcie = if gpus > socket {
            self.pcie
        } else {
            self.inside
        };
        let crossed = self.levels.iter().filter(|(size, _)| gpus > *size);
        crossed.fold(self.gpu.min(pcie), |least, &(_, most)| least.min(most))
    }

    /// Seconds per GB of gradients of so many workers with parameter servers, which are all beside the
    /// most workers or dealt out among them, whichever crosses a level faster.
    pub fn served(&self, workers: u32) -> f64 {
        let of = f64::from(workers);
        let socket = self.levels.first().map_or(0, |level| level.0);
        let inside = (1.0 / self.gpu).max(f64::from(workers.min(socket)) / self.pcie);
        let crossed = self.levels.iter().filter(|(size, _)| workers > *size);
        let crossed = crossed.map(|&(size, most)| {
            let size = f64::from(size);
            (of - size).min(2.0 * size * (1.0 - size / of)) / most
        });
        crossed.fold(inside, f64::max)
    }
}

fn most(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpus(parts: &[(u32, u64)]) -> Vec<Gpus> {
        let gpus = |&(node, mask)| Gpus { node, mask };
        parts.iter().map(gpus).collect()
    }

    #[test]
    fn a_ring_crosses_what_lies_between_its_parts() {
        let topology = Topology::of(&"4x8/racks=2".parse().unwrap());
        let of = |parts: &[(u32, u64)]| Traffic::of(&topology, &gpus(parts), &[], 1.0, 0.25);
        assert_eq!(of(&[(0, 1)]), Traffic::default());
        // Within a socket, across sockets, across nodes, across racks.
        let inside = of(&[(0, 0b11)]);
        assert_eq!(inside.edges, [(topology.pcie_edge(0, 0), 0.25)]);
        let sockets = of(&[(0, 0b11000)]);
        let crossed: Vec<u32> = sockets.edges.iter().map(|&(edge, _)| edge).collect();
        let both = [(0, 0), (0, 1)];
        let expected = both.map(|(n, s)| [topology.socket_edge(n, s), topology.pcie_edge(n, s)]);
        assert_eq!(crossed, expected.concat());
        let nodes = of(&[(0, 1), (1, 1)]);
        assert_eq!(nodes.edges[0], (topology.node_edge(0), 1.0));
        assert_eq!(nodes.edges.len(), 2 + 4);
        let racks = of(&[(1, 0xff), (2, 0xff)]);
        assert_eq!(racks.edges[0], (topology.rack_edge(0), 2.0 * 15.0 / 16.0));
        assert_eq!(racks.edges.len(), 2 + 2 + 8);
    }

    #[test]
    fn servers_are_sent_their_part_and_send_as_much_back() {
        let topology = Topology::of(&"4x4/racks=2".parse().unwrap());
        let two = gpus(&[(0, 0b11)]);
        let beside = Traffic::of(&topology, &two, &[(0, 1)], 1.0, 0.0);
        assert_eq!(beside.edges, [(topology.pcie_edge(0, 0), 2.0)]);
        let away = Traffic::of(&topology, &two, &[(0, 1), (3, 1)], 1.0, 0.0);
        let at = |edge| {
            away.edges
                .iter()
                .find(|(e, _)| *e == edge)
                .map(|&(_, sent)| sent)
        };
        assert_eq!(at(topology.node_edge(3)), Some(1.0));
        assert_eq!(at(topology.rack_edge(0)), Some(1.0));
        assert_eq!(at(topology.partition_edge(0)), None);
    }

    #[test]
    fn tight_rings_are_fast() {
        let topology = Topology::of(&"4x8/racks=2".parse().unwrap());
        let fastest = Bandwidths::of(&topology, 0.1);
        assert_eq!(fastest.ring(4), 15.75);
        assert_eq!(fastest.ring(8), 15.75);
        assert_eq!(fastest.ring(16), 3.125);
        assert_eq!(fastest.ring(17), 2.0 * 3.125 / 3.0);
        assert_eq!(
            (fastest.served(1), fastest.served(4)),
            (1.0 / 15.75, 4.0 / 15.75)
        );
        assert_eq!(fastest.served(16), 8.0 / 3.125);
    }
}
