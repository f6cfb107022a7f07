//! What a cluster is made of, and its text form: `16x4`, or `8x8+4x4` for unlike nodes.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A node's GPUs are kept as one 64-bit mask.
pub const MAX_GPUS_PER_NODE: u32 = 64;

/// The largest cluster accepted: far beyond any published trace, small enough for dense arrays.
pub const MAX_GPUS: u32 = 1_000_000;

/// `nodes` alike nodes of `gpus` GPUs each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeGroup {
    /// How many nodes.
    pub nodes: u32,
    /// GPUs on each of them, 1 to [`MAX_GPUS_PER_NODE`].
    pub gpus: u32,
}

/// A cluster: groups of alike nodes, numbered through in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterSpec {
    groups: Vec<NodeGroup>,
}

/// Why a text or a set of groups is no cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClusterError {
    /// Not of the form `NODESxGPUS`.
    #[error("'{0}' is not a cluster: write NODESxGPUS, such as 16x4, or 8x8+4x4 for unlike nodes")]
    Syntax(String),
    /// Nothing to schedule on.
    #[error("a cluster needs at least one node with at least one GPU")]
    Empty,
    /// Beyond what one node's mask holds.
    #[error("{0} GPUs on one node: a node has at most {MAX_GPUS_PER_NODE}; use more nodes")]
    NodeTooLarge(u32),
    /// Beyond what dense arrays should hold.
    #[error("{0} GPUs: a cluster has at most {MAX_GPUS}")]
    TooLarge(u64),
}

impl ClusterSpec {
    /// A cluster of `nodes` alike nodes with `gpus` GPUs each.
    pub fn uniform(nodes: u32, gpus: u32) -> Result<Self, ClusterError> {
        Self::new(vec![NodeGroup { nodes, gpus }])
    }

    /// A cluster of the given groups; neighbouring groups of alike nodes are joined.
    pub fn new(groups: Vec<NodeGroup>) -> Result<Self, ClusterError> {
        let mut joined: Vec<NodeGroup> = Vec::with_capacity(groups.len());
        let mut total = 0u64;
        for group in groups {
            if group.nodes == 0 || group.gpus == 0 {
                return Err(ClusterError::Empty);
            }
            if group.gpus > MAX_GPUS_PER_NODE {
                return Err(ClusterError::NodeTooLarge(group.gpus));
            }
            total += u64::from(group.nodes) * u64::from(group.gpus);
            if total > u64::from(MAX_GPUS) {
                return Err(ClusterError::TooLarge(total));
            }
            match joined.last_mut() {
                Some(last) if last.gpus == group.gpus => last.nodes += group.nodes,
                _ => joined.push(group),
            }
        }
        if joined.is_empty() {
            return Err(ClusterError::Empty);
        }
        Ok(Self { groups: joined })
    }

    /// The groups of alike nodes, in node order.
    pub fn groups(&self) -> &[NodeGroup] {
        &self.groups
    }

    /// How many nodes.
    pub fn nodes(&self) -> u32 {
        self.groups.iter().map(|g| g.nodes).sum()
    }

    /// How many GPUs in all.
    pub fn gpus(&self) -> u32 {
        self.groups.iter().map(|g| g.nodes * g.gpus).sum()
    }

    /// GPUs of the largest node.
    pub fn largest_node(&self) -> u32 {
        self.groups.iter().map(|g| g.gpus).max().unwrap_or(0)
    }

    /// GPUs of each node, in node order.
    pub fn gpus_per_node(&self) -> impl Iterator<Item = u32> + '_ {
        self.groups
            .iter()
            .flat_map(|g| std::iter::repeat_n(g.gpus, g.nodes as usize))
    }
}

impl fmt::Display for ClusterSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, group) in self.groups.iter().enumerate() {
            let plus = if i > 0 { "+" } else { "" };
            write!(f, "{plus}{}x{}", group.nodes, group.gpus)?;
        }
        Ok(())
    }
}

impl FromStr for ClusterSpec {
    type Err = ClusterError;

    fn from_str(text: &str) -> Result<Self, ClusterError> {
        let syntax = || ClusterError::Syntax(text.to_string());
        let groups = text
            .split('+')
            .map(|part| {
                let (nodes, gpus) = part.trim().split_once(['x', 'X', '×']).ok_or_else(syntax)?;
                Ok(NodeGroup {
                    nodes: nodes.trim().parse().map_err(|_| syntax())?,
                    gpus: gpus.trim().parse().map_err(|_| syntax())?,
                })
            })
            .collect::<Result<Vec<_>, ClusterError>>()?;
        Self::new(groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_parses() {
        for text in ["16x4", "8x8+4x4", "1x64"] {
            assert_eq!(text.parse::<ClusterSpec>().unwrap().to_string(), text);
        }
        assert_eq!(
            "2 x 4 + 3x4".parse::<ClusterSpec>().unwrap().to_string(),
            "5x4"
        );
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text: &str| text.parse::<ClusterSpec>().unwrap_err();
        assert_eq!(error("16"), ClusterError::Syntax("16".into()));
        assert_eq!(error("0x4"), ClusterError::Empty);
        assert_eq!(error("4x65"), ClusterError::NodeTooLarge(65));
        assert_eq!(
            error("4000000000x64"),
            ClusterError::TooLarge(256_000_000_000)
        );
    }
}
