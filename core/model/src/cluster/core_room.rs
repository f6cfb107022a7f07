//! Room for jobs that ask for no GPU: cores and memory that are left on nodes, with GPUs or without. A job lies on
//! one node where some node is large enough for it, the fullest that has room, nodes without GPUs first; else on as
//! few as hold it. In: what is left by node ([`Spare`]) and what a job asks for. Out: its parts.

use super::core_part::CorePart;
use super::pools::{Capacity, Pools, Spare};
use crate::demand::Demand;
use std::cmp::Reverse;

/// What a job without GPUs asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CoreDemand {
    /// Thousandths; at least those of one core.
    pub cores: u32,
    /// MiB.
    pub memory: u32,
}

impl CoreDemand {
    /// What a job asks for; one core where it does not say.
    pub fn of(demand: &Demand) -> Self {
        Self {
            cores: demand.cores.max(1000),
            memory: demand.memory,
        }
    }

    fn fits(self, left: Capacity) -> bool {
        u64::from(self.cores) <= left.cores && u64::from(self.memory) <= left.memory
    }

    /// Memory beside so many of its cores, rounded up.
    fn memory_of(self, cores: u64) -> u64 {
        (u64::from(self.memory) * cores).div_ceil(u64::from(self.cores))
    }

    /// How many of its cores, in thousandths, fit there with their memory; whole ones.
    fn most(self, left: Capacity) -> u64 {
        let by_memory = match u64::from(self.memory) {
            0 => u64::MAX,
            memory => left.memory.saturating_mul(u64::from(self.cores)) / memory,
        };
        left.cores.min(by_memory) / 1000 * 1000
    }
}

/// Where jobs without GPUs can lie at one moment.
#[derive(Debug)]
pub struct CoreRoom {
    /// Those that take jobs and say their cores.
    nodes: Vec<Node>,
    /// The most that one of them has.
    most: Capacity,
    /// The most that one of them has in all, whoever is there.
    largest: Vec<Capacity>,
}

/// One node, and what is left of it.
#[derive(Clone, Copy, Debug)]
struct Node {
    node: u32,
    has_gpus: bool,
    left: Capacity,
}

impl CoreRoom {
    /// What is left of nodes. `kept` says of each node with GPUs how many of how many GPUs keep their part of its
    /// cores and memory; `None`: it takes nobody.
    pub fn of(pools: &Pools, spare: &Spare, kept: impl Fn(u32) -> Option<(u32, u32)>) -> Self {
        let gpu_nodes = pools.nodes();
        let all = (0..).zip(spare.left.iter().zip(&spare.all));
        let mut nodes: Vec<Node> = Vec::new();
        let mut largest: Vec<Capacity> = Vec::new();
        for (node, (&left, &all)) in all {
            if all.cores == u64::MAX {
                continue;
            }
            let has_gpus = node < gpu_nodes;
            let (kept, of) = match has_gpus {
                false => (0, 1),
                true => match kept(node) {
                    Some(kept) => kept,
                    None => continue,
                },
            };
            if !largest.contains(&all) {
                largest.push(all);
            }
            nodes.push(Node {
                node,
                has_gpus,
                left: left.less(all.part(kept, of)),
            });
        }
        let mut room = Self {
            nodes,
            most: Capacity::NONE,
            largest,
        };
        room.look();
        room
    }

    /// That of an idle cluster.
    pub fn idle(pools: &Pools) -> Self {
        Self::of(pools, &Spare::all(pools), |_| Some((0, 1)))
    }

    fn look(&mut self) {
        let most = |most: Capacity, of: &Node| Capacity {
            cores: most.cores.max(of.left.cores),
            memory: most.memory.max(of.left.memory),
        };
        self.most = self.nodes.iter().fold(Capacity::NONE, most);
    }

    /// The most cores that a node has left, thousandths.
    pub fn most_cores(&self) -> u64 {
        self.most.cores
    }

    /// Whether some node would be large enough if nobody was there.
    fn is_for_one_node(&self, asks: CoreDemand) -> bool {
        self.largest.iter().any(|&all| asks.fits(all))
    }

    /// Where a job can lie; empty: nowhere.
    pub fn lay(&self, asks: CoreDemand) -> Vec<CorePart> {
        if !self.is_for_one_node(asks) {
            return self.spread(asks);
        }
        if !asks.fits(self.most) {
            return Vec::new();
        }
        let fitting = self.nodes.iter().filter(|of| asks.fits(of.left));
        let fullest = fitting.min_by_key(|of| (of.has_gpus, of.left.cores, of.node));
        let part = fullest.map(|of| CorePart {
            node: of.node,
            cores: asks.cores,
            memory: asks.memory,
        });
        part.into_iter().collect()
    }

    /// A job that no node is large enough for, on as few as hold it.
    fn spread(&self, asks: CoreDemand) -> Vec<CorePart> {
        let mut nodes: Vec<(u64, u32)> = (self.nodes.iter())
            .map(|of| (asks.most(of.left), of.node))
            .filter(|&(most, _)| most > 0)
            .collect();
        nodes.sort_by_key(|&(most, node)| (Reverse(most), node));
        let mut wanted = u64::from(asks.cores);
        let mut parts = Vec::new();
        for (most, node) in nodes {
            let cores = wanted.min(most);
            parts.push(CorePart {
                node,
                cores: cores as u32,
                memory: asks.memory_of(cores) as u32,
            });
            wanted -= cores;
            if wanted == 0 {
                return parts;
            }
        }
        Vec::new()
    }

    /// Counts parts as taken.
    pub fn take(&mut self, parts: &[CorePart]) {
        for part in parts {
            if let Some(of) = self.nodes.iter_mut().find(|of| of.node == part.node) {
                of.left = of.left.less(Capacity::of(part));
            }
        }
        self.look();
    }
}

impl Spare {
    /// Takes what a job without GPUs has.
    pub fn take_cores(&mut self, parts: &[CorePart]) {
        for part in parts {
            if let Some(left) = self.left.get_mut(part.node as usize) {
                *left = left.less(Capacity::of(part));
            }
        }
    }

    /// Gives it back.
    pub fn give_cores(&mut self, parts: &[CorePart]) {
        for part in parts {
            let at = part.node as usize;
            if let (Some(left), Some(&all)) = (self.left.get_mut(at), self.all.get(at)) {
                *left = left.more(Capacity::of(part), all);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterSpec;

    fn room(cluster: &str, kept: u32) -> CoreRoom {
        let cluster: ClusterSpec = cluster.parse().expect("a cluster");
        let pools = Pools::of(&cluster);
        let sizes: Vec<u32> = cluster.gpus_per_node().collect();
        CoreRoom::of(&pools, &Spare::all(&pools), |node| {
            Some((kept, sizes[node as usize]))
        })
    }

    fn lain(room: &CoreRoom, cores: u32, memory: u32) -> Vec<(u32, u32, u32)> {
        let asks = CoreDemand {
            cores: cores * 1000,
            memory,
        };
        let parts = room.lay(asks).into_iter();
        parts
            .map(|part| (part.node, part.cores / 1000, part.memory))
            .collect()
    }

    #[test]
    fn a_job_lies_on_the_fullest_node_that_has_room() {
        let mut room = room("2x8/cores=64/memory=1+1x4/cores=32", 0);
        assert_eq!(lain(&room, 16, 0), [(2, 16, 0)]);
        assert_eq!(lain(&room, 48, 100), [(0, 48, 100)]);
        room.take(&room.lay(CoreDemand {
            cores: 40_000,
            memory: 0,
        }));
        assert_eq!(lain(&room, 20, 0), [(0, 20, 0)]);
        assert_eq!(lain(&room, 28, 0), [(2, 28, 0)]);
        assert_eq!(lain(&room, 60, 1024), [(1, 60, 1024)]);
    }

    #[test]
    fn nodes_without_gpus_come_first_and_free_gpus_keep_their_part() {
        let room = room("1x8/cores=64+2x0/cores=40", 4);
        assert_eq!(lain(&room, 8, 0), [(1, 8, 0)]);
        assert_eq!(room.most_cores(), 40_000);
        // A node of 64 would do for it alone: it waits for that one, of which free GPUs keep half.
        assert_eq!(lain(&room, 50, 0), []);
    }

    #[test]
    fn what_no_node_holds_is_spread() {
        let room = room("1x8/cores=64+2x0/cores=40/memory=1", 0);
        assert_eq!(lain(&room, 100, 0), [(0, 64, 0), (1, 36, 0)]);
        // Memory bounds it too.
        let parts = [(0, 64, 6400), (1, 10, 1000), (2, 6, 600)];
        assert_eq!(lain(&room, 80, 8000), parts);
        assert_eq!(lain(&room, 200, 0), []);
    }

    #[test]
    fn nodes_that_do_not_say_their_cores_take_nobody() {
        assert_eq!(lain(&room("4x8", 0), 1, 0), []);
        assert_eq!(lain(&room("4x8+1x4/cores=4", 0), 1, 0), [(4, 1, 0)]);
    }
}
