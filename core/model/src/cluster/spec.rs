//! What a cluster is made of.

use super::{
    CLUSTERS, CoreNodes, GpuModel, NoTypeName, NodeGroup, NodeKind, Tree, TreeError, TypeId,
};
use crate::meant::hint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// A node's GPUs are kept as one 64-bit mask.
pub const MAX_GPUS_PER_NODE: u32 = 64;

/// The largest cluster accepted: far beyond any published trace, small enough for dense arrays.
pub const MAX_GPUS: u32 = 1_000_000;

/// GPU types that a cluster, or the jobs of a workload, may have: sets of them are 64-bit masks. In a
/// cluster those of another memory or speed count as others.
pub const MAX_TYPES: usize = 64;

/// A cluster: groups of alike nodes, numbered through in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterSpec {
    groups: Vec<NodeGroup>,
    /// Nodes without GPUs.
    core_nodes: Vec<CoreNodes>,
    /// Names of the GPU types, in order of appearance.
    types: Vec<String>,
    tree: Tree,
}

/// Why a text or a set of groups is no cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClusterError {
    /// Not of the form `NODESxGPUS`.
    #[error(
        "'{0}' is not a cluster{meant}: write NODESxGPUS, such as 16x4, 8x8+4x4 for unlike nodes, or 8x8:v100+4x4:a100 with GPU types",
        meant = hint(.0, CLUSTERS.iter().map(|of| of.name))
    )]
    Syntax(String),
    /// A property of nodes that is none, or has no such value.
    #[error(
        "'{0}' is no property of nodes: write cores=NUMBER, memory=GIB, gpu-memory=GIB or speed=FACTOR (a V100 has 1), each once, above 0 and at most 1000000, and after all nodes what they hang on, such as racks=4"
    )]
    Property(String),
    /// Not the name of a GPU type.
    #[error(transparent)]
    Type(#[from] NoTypeName),
    /// A GPU type that is not known, of which no speed is said either.
    #[error(
        "no GPU type is known as '{0}': write one that is, such as t4, v100, a100-80 or h100, or say how fast it trains beside a V100, as in 8x8:{0}/speed=1.5"
    )]
    UnknownType(String),
    /// Too many GPU types.
    #[error("{0} GPU types: a cluster has at most {MAX_TYPES}")]
    TooManyTypes(usize),
    /// Nodes that hang together in no tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Not the JSON of a cluster.
    #[error(
        "this JSON is not a cluster: {0}; write {{\"groups\": [{{\"nodes\": 8, \"gpus\": 4, \"type\": \"v100\", \"cores\": 64, \"memory\": 512}}]}}"
    )]
    Json(String),
    /// One of several groups that is none.
    #[error("group {number}: {why}")]
    Group {
        /// Counted from 1.
        number: usize,
        /// What is wrong with it.
        why: Box<ClusterError>,
    },
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

impl ClusterError {
    /// The same of the group at this place, from 0, of several.
    pub(super) fn of_group(self, at: Option<usize>) -> Self {
        match at {
            Some(at) => Self::Group {
                number: at + 1,
                why: Box::new(self),
            },
            None => self,
        }
    }
}

impl ClusterSpec {
    /// A cluster of `nodes` alike nodes with `gpus` GPUs each.
    pub fn uniform(nodes: u32, gpus: u32) -> Result<Self, ClusterError> {
        Self::new(vec![NodeGroup::plain(nodes, gpus)])
    }

    /// A cluster of the given groups, which say no types.
    pub fn new(groups: Vec<NodeGroup>) -> Result<Self, ClusterError> {
        Self::with_types::<&str>(groups, &[])
    }

    /// A cluster of the given groups, whose types are indices into `names`; neighbouring groups of
    /// alike nodes are joined. Types that are not known have the speed of a V100 where none is said,
    /// and from then on say so.
    ///
    /// # Errors
    ///
    /// A [`ClusterError`], also where a group's type has no name.
    pub fn with_types<S: AsRef<str>>(
        groups: Vec<NodeGroup>,
        names: &[S],
    ) -> Result<Self, ClusterError> {
        let mut joined: Vec<NodeGroup> = Vec::with_capacity(groups.len());
        let mut core_nodes: Vec<CoreNodes> = Vec::new();
        let mut types: Vec<String> = Vec::new();
        let mut total = 0u64;
        let several = groups.len() > 1;
        for (i, mut group) in groups.into_iter().enumerate() {
            if let Some(of) = group.of_cores() {
                total += u64::from(of.nodes);
                match core_nodes.last_mut() {
                    Some(last) if (last.cores, last.memory) == (of.cores, of.memory) => {
                        last.nodes = last.nodes.saturating_add(of.nodes);
                    }
                    _ => core_nodes.push(of),
                }
                if total > u64::from(MAX_GPUS) {
                    return Err(ClusterError::TooLarge(total));
                }
                continue;
            }
            let wrong = if group.nodes == 0 || group.gpus == 0 {
                Some(ClusterError::Empty)
            } else {
                let too_large = group.gpus > MAX_GPUS_PER_NODE;
                too_large.then_some(ClusterError::NodeTooLarge(group.gpus))
            };
            if let Some(why) = wrong {
                return Err(why.of_group(several.then_some(i)));
            }
            total += u64::from(group.nodes) * u64::from(group.gpus);
            if total > u64::from(MAX_GPUS) {
                return Err(ClusterError::TooLarge(total));
            }
            if let Some(id) = group.kind.gpu {
                let name = names.get(id.index()).map_or("", AsRef::as_ref);
                let name = super::type_name(name)
                    .map_err(|why| ClusterError::from(why).of_group(several.then_some(i)))?;
                if GpuModel::named(&name).is_none() {
                    group.kind.speed.get_or_insert(1000);
                }
                group.kind.gpu = Some(entry(&mut types, &name)?);
            }
            match joined.last_mut() {
                Some(last) if last.is_like(&group) => last.nodes += group.nodes,
                _ => joined.push(group),
            }
        }
        if joined.is_empty() {
            return Err(ClusterError::Empty);
        }
        let kinds = joined.iter().map(|group| {
            let NodeKind {
                gpu,
                gpu_memory,
                speed,
                ..
            } = group.kind;
            (gpu, gpu_memory, speed)
        });
        let kinds = kinds.collect::<BTreeSet<_>>().len();
        if kinds > MAX_TYPES {
            return Err(ClusterError::TooManyTypes(kinds));
        }
        Ok(Self {
            groups: joined,
            core_nodes,
            types,
            tree: Tree::default(),
        })
    }

    /// The same cluster with these nodes without GPUs instead of its own.
    #[must_use]
    pub fn with_core_nodes(self, core_nodes: Vec<CoreNodes>) -> Self {
        Self { core_nodes, ..self }
    }

    /// The nodes without GPUs, which are numbered after the others.
    pub fn core_nodes(&self) -> &[CoreNodes] {
        &self.core_nodes
    }

    /// Whether it is said of some nodes how many cores they have, so that jobs can run on cores alone.
    pub fn tells_cores(&self) -> bool {
        let mut groups = self.groups.iter();
        !self.core_nodes.is_empty() || groups.any(|group| group.kind.cores.is_some())
    }

    /// Cores of all nodes that say how many they have.
    pub fn cores(&self) -> f64 {
        let groups = self.groups.iter();
        let of_groups = groups.map(|of| (of.nodes, of.kind.cores.unwrap_or(0)));
        let of_core_nodes = self.core_nodes.iter().map(|of| (of.nodes, of.cores));
        let all = of_groups.chain(of_core_nodes);
        let thousandths: u64 = all
            .map(|(nodes, cores)| u64::from(nodes) * u64::from(cores))
            .sum();
        thousandths as f64 / 1000.0
    }

    /// The same nodes in a tree.
    ///
    /// # Errors
    ///
    /// A [`TreeError`] where it is none, or not over these nodes.
    pub fn with_tree(mut self, tree: Tree) -> Result<Self, TreeError> {
        tree.check(self.nodes())?;
        self.tree = tree;
        Ok(self)
    }

    /// How the nodes hang together.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The groups of alike nodes, in node order.
    pub fn groups(&self) -> &[NodeGroup] {
        &self.groups
    }

    /// The groups and their nodes, in order.
    pub fn ranges(&self) -> impl Iterator<Item = (Range<u32>, &NodeGroup)> {
        let mut next = 0;
        self.groups.iter().map(move |group| {
            let first = next;
            next += group.nodes;
            (first..next, group)
        })
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

    /// What is known of each node, in node order.
    pub fn kinds_per_node(&self) -> impl Iterator<Item = NodeKind> + '_ {
        self.groups
            .iter()
            .flat_map(|g| std::iter::repeat_n(g.kind, g.nodes as usize))
    }

    /// Names of the GPU types, in order of appearance.
    pub fn types(&self) -> &[String] {
        &self.types
    }

    /// The name of a type; "" for one of another cluster.
    pub fn type_name(&self, id: TypeId) -> &str {
        self.types.get(id.index()).map_or("", String::as_str)
    }

    /// The type of this name.
    pub fn type_named(&self, name: &str) -> Option<TypeId> {
        let at = self.types.iter().position(|own| own == name)?;
        Some(TypeId(at as u8))
    }

    /// The group that a node belongs to.
    pub fn group_of(&self, node: u32) -> Option<&NodeGroup> {
        let mut ranges = self.ranges();
        ranges.find_map(|(nodes, group)| nodes.contains(&node).then_some(group))
    }

    /// The type of a node's GPUs, if it is said.
    pub fn type_of(&self, node: u32) -> Option<TypeId> {
        self.group_of(node)?.kind.gpu
    }

    /// The nodes whose GPUs are of this type (`None`: those of which no type is said), in order.
    pub fn nodes_of(&self, of: Option<TypeId>) -> impl Iterator<Item = u32> {
        let ranges = self.ranges();
        let of = ranges.filter(move |(_, group)| group.kind.gpu == of);
        of.flat_map(|(nodes, _)| nodes)
    }

    /// GPUs of this type (`None`: those of which no type is said).
    pub fn gpus_of(&self, of: Option<TypeId>) -> u32 {
        let groups = self.groups.iter().filter(|group| group.kind.gpu == of);
        groups.map(|group| group.nodes * group.gpus).sum()
    }

    /// Memory of each GPU of such a node, MiB: as it is said, or its type's.
    pub fn gpu_memory(&self, kind: NodeKind) -> Option<u32> {
        let of_type = || GpuModel::named(self.type_name(kind.gpu?))?.memory;
        kind.gpu_memory.or_else(of_type)
    }

    /// How fast the GPUs of such a node train, V100 = 1: as it is said, or their type's.
    pub fn speed(&self, kind: NodeKind) -> Option<f64> {
        let said = kind.speed.map(|speed| f64::from(speed) / 1000.0);
        said.or_else(|| GpuModel::named(self.type_name(kind.gpu?))?.speed)
    }
}

/// The index of a name in a table, which it is added to if it is new.
fn entry(types: &mut Vec<String>, name: &str) -> Result<TypeId, ClusterError> {
    let known = types.iter().position(|own| own == name);
    let at = known.unwrap_or(types.len());
    if at >= MAX_TYPES {
        return Err(ClusterError::TooManyTypes(at + 1));
    }
    if known.is_none() {
        types.push(name.to_owned());
    }
    Ok(TypeId(at as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_stand_in_a_table_and_nodes_are_found_by_them() {
        let cluster: ClusterSpec = "2x8:V100+3x4:t4+1x8:v100+1x2".parse().expect("a cluster");
        assert_eq!(cluster.types(), ["v100", "t4"]);
        let v100 = cluster.type_named("v100");
        assert_eq!(v100, Some(TypeId(0)));
        assert_eq!(cluster.nodes_of(v100).collect::<Vec<_>>(), [0, 1, 5]);
        assert_eq!((cluster.gpus_of(v100), cluster.gpus_of(None)), (24, 2));
        assert_eq!(cluster.type_of(2), cluster.type_named("t4"));
        assert_eq!((cluster.type_of(6), cluster.group_of(7)), (None, None));
        let kinds: Vec<NodeKind> = cluster.kinds_per_node().collect();
        assert_eq!(cluster.gpu_memory(kinds[0]), Some(16 * 1024));
        assert_eq!(cluster.gpu_memory(kinds[6]), None);
        let stray = NodeGroup {
            kind: NodeKind {
                gpu: Some(TypeId(3)),
                ..NodeKind::default()
            },
            ..NodeGroup::plain(1, 1)
        };
        assert!(ClusterSpec::new(vec![stray]).is_err());
    }

    #[test]
    fn sixty_four_types_are_the_most() {
        let groups = |types: usize| {
            (0..types)
                .map(|i| format!("1x1:t{i}/speed=1"))
                .collect::<Vec<_>>()
        };
        assert!(groups(64).join("+").parse::<ClusterSpec>().is_ok());
        let error = groups(65).join("+").parse::<ClusterSpec>().unwrap_err();
        assert_eq!(error, ClusterError::TooManyTypes(65));
    }
}
