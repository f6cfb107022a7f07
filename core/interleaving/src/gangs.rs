//! Where a gang fits: on one node, or on whole nodes and a part of one more.
//!
//! In: gangs, one after the other. Out: whether there is room for each, which it then takes. Source: `ms_yarn_placement`
//! of the authors' simulator (Muri, SIGCOMM'22), after Tiresias' (NSDI'19). CPUs and memory never bind there.

/// The nodes of a cluster, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// How many nodes there are.
    pub nodes: usize,
    /// GPUs of each node.
    pub gpus_per_node: u32,
}

impl Cluster {
    /// The cluster of the paper's simulations: 8 nodes with 8 GPUs each (`n8g8.csv`).
    pub const PUBLISHED: Self = Self {
        nodes: 8,
        gpus_per_node: 8,
    };

    /// GPUs of all nodes.
    pub fn gpus(self) -> u32 {
        let nodes = u32::try_from(self.nodes).unwrap_or(u32::MAX);
        nodes.saturating_mul(self.gpus_per_node)
    }
}

/// Whether gangs fit a cluster, one after the other.
pub trait Fit {
    /// Empties the cluster.
    fn clear(&mut self);

    /// Takes GPUs for the gang of a candidate, by its place among them. Returns false, and takes none, where there is no
    /// room for it.
    fn take(&mut self, candidate: usize, gpus: u32) -> bool;
}

impl Fit for Room {
    fn clear(&mut self) {
        self.clear();
    }

    fn take(&mut self, _: usize, gpus: u32) -> bool {
        self.take(gpus)
    }
}

/// What is free on each node.
#[derive(Clone, Debug)]
pub struct Room {
    cluster: Cluster,
    free: Vec<u32>,
}

impl Room {
    /// An empty cluster.
    pub fn new(cluster: Cluster) -> Self {
        Self {
            cluster,
            free: vec![cluster.gpus_per_node; cluster.nodes],
        }
    }

    /// Empties all nodes.
    pub fn clear(&mut self) {
        self.free.fill(self.cluster.gpus_per_node);
    }

    /// Takes GPUs for a gang. Returns false, and takes none, where they are not free in the shape that it needs: on the
    /// first node that has them, or, for more than a node has, on the first idle nodes, with the rest on the first other
    /// node.
    pub fn take(&mut self, gpus: u32) -> bool {
        let whole = self.cluster.gpus_per_node;
        if gpus <= whole {
            let node = self.free.iter_mut().find(|free| **free >= gpus);
            return node.map(|free| *free -= gpus).is_some();
        }
        let (nodes, rest) = match (gpus.checked_div(whole), gpus.checked_rem(whole)) {
            (Some(nodes), Some(rest)) => (nodes as usize, rest),
            _ => return false,
        };
        let idle = (0..self.free.len()).filter(|&node| self.free[node] == whole);
        let idle: Vec<usize> = idle.take(nodes).collect();
        if idle.len() < nodes {
            return false;
        }
        let last =
            (0..self.free.len()).find(|node| self.free[*node] >= rest && !idle.contains(node));
        if rest > 0 {
            let Some(last) = last else { return false };
            self.free[last] -= rest;
        }
        for node in idle {
            self.free[node] = 0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_gang_stays_on_one_node() {
        let mut room = Room::new(Cluster {
            nodes: 2,
            gpus_per_node: 4,
        });
        assert!(room.take(3) && room.take(3));
        assert!(!room.take(2), "one GPU is free on either node");
        assert!(room.take(1) && room.take(1) && !room.take(1));
    }

    #[test]
    fn a_large_gang_takes_idle_nodes_and_the_rest_of_one_more() {
        let mut room = Room::new(Cluster {
            nodes: 3,
            gpus_per_node: 4,
        });
        assert!(room.take(1));
        assert!(
            room.take(11),
            "two idle nodes, and the three left of the first"
        );
        room.clear();
        assert!(room.take(2) && room.take(2));
        assert!(
            !room.take(9),
            "two nodes are idle, and no GPU is left beside them but on busy ones"
        )
    }
}
