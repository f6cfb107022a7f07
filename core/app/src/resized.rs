//! A cluster with more or fewer nodes: groups keep their shares, and what nodes hang on stays.

use switchyard::cluster::{ClusterError, ClusterSpec, NodeGroup};

/// Why there is no such cluster.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ResizeError {
    /// A group would have no node.
    #[error("it has {0} groups of nodes, so at least {0} nodes")]
    TooFew(u32),
    /// Too many GPUs, or nodes that their switches do not go with.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
}

/// The fewest nodes that a cluster's groups have: one each.
pub fn fewest_nodes(cluster: &ClusterSpec) -> u32 {
    cluster.groups().len() as u32
}

/// The same cluster with exactly so many nodes with GPUs: each group has its part of them, at least one, and what
/// rounding leaves goes to the largest remainders. Nodes without GPUs have their part, too.
///
/// # Errors
///
/// There are fewer nodes than groups, or it is no cluster.
pub fn with_nodes(cluster: &ClusterSpec, nodes: u32) -> Result<ClusterSpec, ResizeError> {
    let groups = cluster.groups();
    let (all, wanted) = (u64::from(cluster.nodes()), u64::from(nodes));
    if nodes < fewest_nodes(cluster) {
        return Err(ResizeError::TooFew(fewest_nodes(cluster)));
    }
    let part = |of: u32| u64::from(of) * wanted / all;
    let rest = |of: &NodeGroup| u64::from(of.nodes) * wanted % all;
    let mut counts: Vec<u64> = groups.iter().map(|of| part(of.nodes).max(1)).collect();
    let mut by_rest: Vec<usize> = (0..groups.len()).collect();
    by_rest.sort_by_key(|&at| std::cmp::Reverse(rest(&groups[at])));
    let mut next = by_rest.iter().cycle();
    while counts.iter().sum::<u64>() < wanted
        && let Some(&at) = next.next()
    {
        counts[at] += 1;
    }
    // Groups that had to have a node of their own took it from the largest.
    while counts.iter().sum::<u64>() > wanted
        && let Some(largest) = counts.iter_mut().max()
    {
        *largest -= 1;
    }
    let groups = groups.iter().zip(counts);
    let groups = groups.map(|(group, count)| NodeGroup {
        nodes: count as u32,
        ..*group
    });
    let core_nodes = cluster.core_nodes().iter().map(|of| {
        let mut of = *of;
        of.nodes = ((u64::from(of.nodes) * wanted + all / 2) / all).max(1) as u32;
        of
    });
    let resized = ClusterSpec::with_types(groups.collect(), cluster.types())?;
    let resized = resized.with_core_nodes(core_nodes.collect());
    let hung = resized.with_tree(cluster.tree().clone());
    Ok(hung.map_err(ClusterError::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resized(cluster: &str, nodes: u32) -> Result<String, ResizeError> {
        let cluster = cluster.parse().expect("a cluster");
        with_nodes(&cluster, nodes).map(|of| of.to_string())
    }

    #[test]
    fn groups_keep_their_shares() {
        for (cluster, nodes, told) in [
            ("8x8", 11, "11x8"),
            ("4x8:v100+8x4:k80", 6, "2x8:v100+4x4:k80"),
            ("4x8:v100+8x4:k80", 5, "2x8:v100+3x4:k80"),
            ("30x8+1x4+1x2", 3, "1x8+1x4+1x2"),
            ("1x8+1x4+1x2", 5, "2x8+2x4+1x2"),
            (
                "2x8:mine/speed=1.5+2x4/cores=64/memory=512",
                8,
                "4x8:mine/speed=1.5+4x4/cores=64/memory=512",
            ),
            ("4x8+2x0/cores=64", 8, "8x8+4x0/cores=64"),
            ("16x4/racks=4", 8, "8x4/racks=4"),
        ] {
            assert_eq!(resized(cluster, nodes).as_deref(), Ok(told), "{cluster}");
        }
    }

    /// Whatever the groups, there are as many nodes as were asked for, and each group has some.
    #[test]
    fn there_are_exactly_as_many_nodes_as_were_asked_for() {
        for cluster in ["5x8+7x4+1x2", "100x8:v100+1x8:a100+3x4:t4+9x2"] {
            let cluster: ClusterSpec = cluster.parse().expect("a cluster");
            for nodes in fewest_nodes(&cluster)..200 {
                let of = with_nodes(&cluster, nodes).expect("there are enough");
                assert_eq!(
                    (of.nodes(), of.groups().len()),
                    (nodes, cluster.groups().len())
                );
            }
            assert_eq!(with_nodes(&cluster, cluster.nodes()), Ok(cluster.clone()));
        }
    }

    #[test]
    fn what_is_no_cluster_is_told() {
        let why = |cluster: &str, nodes: u32| {
            resized(cluster, nodes).expect_err("no cluster").to_string()
        };
        assert_eq!(
            why("4x8+4x4", 1),
            "it has 2 groups of nodes, so at least 2 nodes"
        );
        assert!(why("16x4/racks=4", 3).contains("racks"));
        assert!(why("1x8", u32::MAX).contains("a cluster has at most"));
    }
}
