//! What a job may be given: so many GPUs of one type on so few nodes (SOSP'23, section 3.3). In: the types of a
//! cluster. Out: the columns of a round's program, in the order of types.
//!
//! Within a node powers of two, beyond it whole nodes, up to 64 GPUs: no job is given more.

/// The most GPUs of a configuration of several nodes.
const MOST_GPUS: u32 = 64;

/// Nodes of one GPU type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeType {
    /// The type's name, as profiles have it.
    pub name: String,
    /// Nodes.
    pub nodes: u32,
    /// GPUs of each.
    pub gpus_per_node: u32,
}

impl NodeType {
    /// A type by its name, its number of nodes, and the GPUs of each.
    pub fn new(name: &str, nodes: u32, gpus_per_node: u32) -> Self {
        Self {
            name: name.to_owned(),
            nodes,
            gpus_per_node,
        }
    }

    /// All GPUs of the type.
    pub fn gpus(&self) -> u32 {
        self.nodes.saturating_mul(self.gpus_per_node)
    }
}

/// One column: GPUs of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The type, an index into the cluster's types.
    pub kind: usize,
    /// Nodes.
    pub nodes: u32,
    /// GPUs on all of them together.
    pub gpus: u32,
}

/// All configurations of a cluster, type by type, the fewest GPUs first.
pub fn configurations(types: &[NodeType]) -> Vec<Configuration> {
    let mut columns = Vec::new();
    for (kind, of) in types.iter().enumerate() {
        if of.nodes == 0 {
            continue;
        }
        let within = std::iter::successors(Some(1_u32), |gpus| gpus.checked_mul(2));
        for gpus in within.take_while(|&gpus| gpus < of.gpus_per_node) {
            columns.push(Configuration {
                kind,
                nodes: 1,
                gpus,
            });
        }
        let whole = 1..=of.nodes.min((MOST_GPUS / of.gpus_per_node.max(1)).max(1));
        for nodes in whole {
            columns.push(Configuration {
                kind,
                nodes,
                gpus: nodes.saturating_mul(of.gpus_per_node),
            });
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_papers_cluster_there_are_19() {
        let types = [
            NodeType::new("aws", 6, 4),
            NodeType::new("dgx-ext", 2, 8),
            NodeType::new("rtx", 3, 8),
        ];
        let columns = configurations(&types);
        let of = |kind: usize| -> Vec<(u32, u32)> {
            let of = columns.iter().filter(|column| column.kind == kind);
            of.map(|column| (column.nodes, column.gpus)).collect()
        };
        let four = [
            (1, 1),
            (1, 2),
            (1, 4),
            (2, 8),
            (3, 12),
            (4, 16),
            (5, 20),
            (6, 24),
        ];
        assert_eq!(of(0), four);
        assert_eq!(of(1), [(1, 1), (1, 2), (1, 4), (1, 8), (2, 16)]);
        assert_eq!(of(2), [(1, 1), (1, 2), (1, 4), (1, 8), (2, 16), (3, 24)]);
        assert_eq!(columns.len(), 19);
    }

    #[test]
    fn a_type_without_nodes_has_none() {
        assert_eq!(configurations(&[NodeType::new("none", 0, 8)]), []);
        assert_eq!(configurations(&[NodeType::new("one", 2, 1)]).len(), 2);
    }

    #[test]
    fn no_job_is_given_more_than_64() {
        let columns = configurations(&[NodeType::new("aws", 192, 4), NodeType::new("rtx", 96, 8)]);
        let most = |kind| {
            let of = columns.iter().filter(|column| column.kind == kind);
            of.map(|column| (column.nodes, column.gpus)).max()
        };
        assert_eq!((most(0), most(1)), (Some((16, 64)), Some((8, 64))));
    }
}
