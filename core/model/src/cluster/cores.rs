//! A cluster by its cores, for jobs that are counted in cores.
//!
//! A node holds at most 64 units, so one of more cores is several nodes of as many cores each as can be, as its
//! sockets are: 128 cores are two nodes of 64, 96 are two of 48. A job that asks for more than 64 cores lies on
//! several, which costs nothing unless the run says that spanning nodes does.

use super::{ClusterError, ClusterSpec, MAX_GPUS_PER_NODE, NodeGroup, NodeKind};

impl ClusterSpec {
    /// The same nodes with a unit for each core, and for no GPU. A group that says no cores is taken as it
    /// stands: its units are cores already.
    ///
    /// # Errors
    ///
    /// It has more cores than a cluster can.
    pub fn in_cores(&self) -> Result<Self, ClusterError> {
        if !self.tells_cores() {
            return Ok(self.clone());
        }
        let groups = self.groups().iter().flat_map(|group| {
            let cores = match group.kind.cores {
                // A part of a core is no unit, and a node has one at least.
                Some(thousandths) => (thousandths / 1000).max(1),
                None => group.gpus,
            };
            Self::of_cores(group.nodes, cores, group.kind.memory)
        });
        let core_nodes = self.core_nodes().iter();
        let core_nodes =
            core_nodes.flat_map(|of| Self::of_cores(of.nodes, (of.cores / 1000).max(1), of.memory));
        let cluster = Self::new(groups.chain(core_nodes).collect())?;
        // A tree is over nodes: it stays where they do.
        let same = cluster.nodes() == self.nodes();
        let tree = self.tree().clone();
        match same.then(|| cluster.clone().with_tree(tree)) {
            Some(Ok(cluster)) => Ok(cluster),
            _ => Ok(cluster),
        }
    }

    /// Nodes of so many cores, and MiB of memory each.
    pub fn of_cores(nodes: u32, cores: u32, memory: Option<u32>) -> Vec<NodeGroup> {
        let parts = cores.div_ceil(MAX_GPUS_PER_NODE).max(1);
        let (least, larger) = (cores / parts, cores % parts);
        let group = |count: u32, gpus: u32| NodeGroup {
            nodes: nodes.saturating_mul(count),
            gpus,
            kind: NodeKind {
                memory: memory.map(|memory| memory / parts),
                ..NodeKind::default()
            },
        };
        let groups = [group(larger, least + 1), group(parts - larger, least)];
        groups.into_iter().filter(|of| of.nodes > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_cores(text: &str) -> String {
        let cluster: ClusterSpec = text.parse().expect("a cluster");
        cluster.in_cores().expect("not too large").to_string()
    }

    #[test]
    fn nodes_of_more_than_64_cores_are_several() {
        for (given, expected) in [
            ("2x8:a100/cores=64/memory=512", "2x64/memory=512"),
            ("2x8/cores=128/memory=512", "4x64/memory=256"),
            ("1x4/cores=96", "2x48"),
            ("3x4/cores=65", "3x33+3x32"),
            ("1x4/cores=0.5", "1x1"),
            // Without a word of cores they are cores.
            ("4x32", "4x32"),
            ("4x32+1x8/cores=16", "4x32+1x16"),
            ("1x8/cores=16+2x0/cores=40", "1x16+2x40"),
        ] {
            assert_eq!(in_cores(given), expected, "{given}");
            assert_eq!(in_cores(expected), expected, "{given}");
        }
    }

    #[test]
    fn none_is_larger_than_a_cluster_can_be() {
        let cluster: ClusterSpec = "1000x8/cores=2000".parse().expect("a cluster");
        assert_eq!(cluster.in_cores(), Err(ClusterError::TooLarge(1_008_000)));
    }

    #[test]
    fn a_tree_stays_where_nodes_do() {
        assert_eq!(in_cores("4x8/cores=32/racks=2"), "4x32/racks=2");
        assert_eq!(in_cores("4x8/cores=128/racks=2"), "8x64");
    }
}
