//! What there is to be had. In: the cluster's nodes, and what is left on them. Out: kinds of nodes, which are those of
//! one type and size, and the columns of a round's program.

use crate::cluster::Part;
use crate::{ChoiceColumn, Choices};
use switchyard_engine::{NodeState, View};
use switchyard_sia::configurations::{Configuration, NodeType, configurations};

/// The kinds of nodes, and which of them take jobs now.
#[derive(Default)]
pub(super) struct Kinds {
    /// The pool of each kind.
    pools: Vec<usize>,
    /// Each kind with the nodes that take jobs now.
    types: Vec<NodeType>,
    /// The kind of each node that has GPUs.
    of_node: Vec<Option<usize>>,
    /// Of each kind the nodes that take jobs now.
    open: Vec<Vec<u32>>,
}

impl Kinds {
    /// Looks at the nodes; the order of kinds is always the same.
    pub(super) fn see(&mut self, view: &View<'_>) {
        let sizes = view.node_sizes();
        if self.of_node.len() != sizes.len() {
            *self = Self::default();
            for (node, &size) in (0u32..).zip(sizes) {
                let kind = (size > 0).then(|| self.kind(view, view.pool_of(node), size));
                self.of_node.push(kind);
            }
        }
        for (of, open) in self.types.iter_mut().zip(&mut self.open) {
            of.nodes = 0;
            open.clear();
        }
        for (node, kind) in (0u32..).zip(&self.of_node) {
            if let Some(kind) = *kind
                && view.node_state(node) == NodeState::Up
            {
                self.types[kind].nodes += 1;
                self.open[kind].push(node);
            }
        }
    }

    fn kind(&mut self, view: &View<'_>, pool: usize, size: u32) -> usize {
        let is_it = |at: &usize| self.pools[*at] == pool && self.types[*at].gpus_per_node == size;
        let known = (0..self.pools.len()).find(is_it);
        known.unwrap_or_else(|| {
            self.pools.push(pool);
            (self.types).push(NodeType::new(view.pool_name(pool), 0, size));
            self.open.push(Vec::new());
            self.pools.len() - 1
        })
    }

    /// How many kinds there are.
    pub(super) fn len(&self) -> usize {
        self.pools.len()
    }

    /// The pool of a kind.
    pub(super) fn pool(&self, kind: usize) -> usize {
        self.pools[kind]
    }

    /// The kinds, each with the nodes that take jobs now.
    pub(super) fn types(&self) -> &[NodeType] {
        &self.types
    }

    /// The nodes of a kind that take jobs now, in order.
    pub(super) fn open(&self, kind: usize) -> &[u32] {
        &self.open[kind]
    }

    /// The kind of all these nodes; none: they are of several.
    pub(super) fn of(&self, parts: &[Part]) -> Option<usize> {
        let kind = |part: &Part| self.of_node.get(part.node as usize).copied().flatten();
        let first = kind(parts.first()?)?;
        let same = parts.iter().all(|part| kind(part) == Some(first));
        same.then_some(first)
    }

    /// What jobs that adapt may have.
    pub(super) fn columns(&self) -> Vec<Configuration> {
        configurations(&self.types)
    }

    /// Adds what a gang of so many GPUs may have.
    pub(super) fn add_columns_of_gang(&self, columns: &mut Vec<Configuration>, gpus: u32) {
        for (kind, of) in self.types.iter().enumerate() {
            let is_there = |column: &Configuration| column.kind == kind && column.gpus == gpus;
            if gpus <= of.gpus() && !columns.iter().any(is_there) {
                columns.push(Configuration {
                    kind,
                    nodes: gpus.div_ceil(of.gpus_per_node),
                    gpus,
                });
            }
        }
    }

    /// GPUs free on the nodes of each kind that take jobs, by what is free on each node.
    pub(super) fn capacities(&self, free: &[u32]) -> Vec<u32> {
        let on = |nodes: &Vec<u32>| {
            let free = |&node: &u32| free.get(node as usize).copied().unwrap_or(0);
            nodes.iter().map(free).sum()
        };
        self.open.iter().map(on).collect()
    }

    /// What of these GPUs, by node of the cluster, is on nodes of a kind.
    pub(super) fn only(&self, kind: usize, free: &[u32]) -> Vec<u32> {
        let on = |(of, free): (&Option<usize>, &u32)| if *of == Some(kind) { *free } else { 0 };
        self.of_node.iter().zip(free).map(on).collect()
    }

    /// The most GPUs of a kind of these pools, whether its nodes take jobs now or not.
    pub(super) fn most(&self, allows: impl Fn(usize) -> bool) -> u32 {
        let nodes = |kind| self.of_node.iter().filter(|of| **of == Some(kind)).count() as u32;
        let kinds = (0..self.pools.len()).filter(|&kind| allows(self.pools[kind]));
        let gpus = kinds.map(|kind| nodes(kind) * self.types[kind].gpus_per_node);
        gpus.max().unwrap_or(0)
    }

    /// What is to be chosen from, as it is told.
    pub(super) fn choices(&self, columns: &[Configuration]) -> Choices {
        let column = |column: &Configuration| ChoiceColumn {
            gpu: self.types[column.kind].name.clone(),
            gpus: column.gpus,
            nodes: column.nodes,
        };
        Choices {
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }
}
