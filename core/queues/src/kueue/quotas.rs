//! What a tree of queues allows: for every queue and every resource of a flavor, what it may use, lend and borrow.
//!
//! In: a [`QueueTree`]. Out: numbers that change only when the tree does. Per queue n and resource, with X⁺ for what of
//! X is above zero:
//! - subtree(leaf) = nominal; subtree(cohort) = nominal + Σ over children of (subtree − local);
//! - local(n) = (subtree − lending limit)⁺, or nothing without a limit: what never leaves the subtree;
//! - potential(root) = subtree; potential(n) = min(local + potential(parent), subtree + borrowing limit): the most that
//!   could be had if nobody used anything;
//! - lendable(n) per kind of resource = Σ over flavors of potential(n).
//!
//! Source: `pkg/cache/scheduler/resource_node.go`, `fair_sharing.go`; heights from
//! `pkg/scheduler/preemption/classical/hierarchical_preemption.go`.

use super::amount::Amount;
use crate::tree::{Evicts, Kind, QueueId, QueueTree, WhileBorrowing};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A resource of a flavor: its place in [`Resources::slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot(pub u32);

impl Slot {
    /// Its place among all slots.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// So much of one resource of one flavor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Of what.
    pub slot: Slot,
    /// How much.
    pub amount: Amount,
}

/// What quotas limit: kinds of resources, each of some flavors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Kinds of resources. Where two kinds decide equally, the one that stands first is named.
    pub kinds: Vec<String>,
    /// Flavors.
    pub flavors: Vec<String>,
    /// Kind and flavor of each slot, as places in the two lists.
    pub slots: Vec<(usize, usize)>,
}

impl Resources {
    /// The slot of a kind and a flavor.
    pub fn slot(&self, kind: usize, flavor: usize) -> Option<Slot> {
        let at = self.slots.iter().position(|&slot| slot == (kind, flavor))?;
        Some(Slot(at as u32))
    }

    /// The place of a kind of a tree's; none: no quota limits it.
    pub fn kind_of(&self, kind: Kind) -> Option<usize> {
        let (_, name) = KINDS.iter().find(|(other, _)| *other == kind)?;
        self.kinds.iter().position(|other| other == name)
    }

    /// The kind of a slot.
    pub fn kind(&self, slot: Slot) -> usize {
        self.slots[slot.index()].0
    }

    /// The flavor of a slot.
    pub fn flavor(&self, slot: Slot) -> usize {
        self.slots[slot.index()].1
    }

    /// All slots.
    pub fn ids(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..self.slots.len()).map(|at| Slot(at as u32))
    }
}

/// What a queue may have of one resource of one flavor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What it is entitled to.
    pub nominal: Amount,
    /// How much more it may use; without limit: as much as there is.
    pub borrowing: Amount,
    /// How much of it others may use; none: all.
    pub lending: Option<Amount>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nominal: Amount::ZERO,
            borrowing: Amount::UNLIMITED,
            lending: None,
        }
    }
}

/// Whether the search for a flavor goes on where it could stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// It stops.
    #[default]
    Stops,
    /// It tries the next flavor, and takes the best of all.
    GoesOn,
}

/// How a queue chooses among flavors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fungibility {
    /// At a flavor in which the workload would borrow.
    pub when_can_borrow: Search,
    /// At a flavor in which others would be evicted.
    pub when_can_preempt: Search,
    /// Whether evicting is better than borrowing. By default borrowing is.
    pub prefers_preemption: bool,
}

impl Default for Fungibility {
    fn default() -> Self {
        Self {
            when_can_borrow: Search::Stops,
            when_can_preempt: Search::GoesOn,
            prefers_preemption: false,
        }
    }
}

/// Kinds of resources that take the same flavor, and the flavors in the order in which they are tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Places in [`Resources::kinds`].
    pub kinds: Vec<usize>,
    /// Places in [`Resources::flavors`].
    pub flavors: Vec<usize>,
}

/// What a queue is, besides its quotas.
#[derive(Clone, Debug)]
struct Node {
    parent: Option<QueueId>,
    children: Vec<QueueId>,
    /// The way to the furthest leaf below.
    height: u32,
    /// How many queues lie above.
    depth: u32,
    weight: f64,
    within: Evicts,
    reclaims: Evicts,
    while_borrowing: WhileBorrowing,
    seeks_while_borrowing: bool,
    fungibility: Fungibility,
    /// Most leaves of a tree share theirs.
    groups: Arc<[Group]>,
}

/// Numbers of one queue and one slot.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    limits: Limits,
    subtree: Amount,
    local: Amount,
    potential: Amount,
}

/// What a tree of queues allows.
#[derive(Clone, Debug)]
pub struct Quotas {
    resources: Resources,
    nodes: Vec<Node>,
    /// By queue, then by slot.
    cells: Vec<Cell>,
    /// By queue, then by kind.
    lendable: Vec<Amount>,
}

impl Quotas {
    /// What a tree allows, with its own resources.
    pub fn of(tree: &QueueTree) -> Self {
        let resources = resources_of(tree);
        let limits = tree.queues().iter().flat_map(|queue| &queue.quotas);
        let limits: Vec<Limits> = limits.map(limits_of).collect();
        let groups: Arc<[Group]> = groups_of(&resources).into();
        let mut quotas = Self::with_resources(tree, resources, &limits);
        for node in &mut quotas.nodes {
            node.groups = Arc::clone(&groups);
        }
        quotas
    }

    /// What a tree allows with other resources: their limits by queue, then by slot. Missing limits are those of a queue
    /// that has nothing and may borrow.
    pub fn with_resources(tree: &QueueTree, resources: Resources, limits: &[Limits]) -> Self {
        let (slots, kinds) = (resources.slots.len(), resources.kinds.len());
        let queues = tree.queues();
        let ids = || (0..queues.len()).map(|at| QueueId(at as u32));
        let mut nodes: Vec<Node> = ids().map(|id| node(tree, id)).collect();
        let mut cells = vec![Cell::default(); queues.len() * slots];
        for (cell, &limits) in cells.iter_mut().zip(limits) {
            cell.limits = limits;
            cell.subtree = limits.nominal;
        }
        for &id in tree.upwards() {
            let parent = nodes[id.index()].parent;
            for slot in 0..slots {
                let cell = &mut cells[id.index() * slots + slot];
                let lending = cell.limits.lending;
                cell.local = lending.map_or(Amount::ZERO, |limit| (cell.subtree - limit).or_zero());
                let lent = cell.subtree - cell.local;
                if let Some(parent) = parent {
                    cells[parent.index() * slots + slot].subtree += lent;
                }
            }
            if let Some(parent) = parent {
                let height = nodes[id.index()].height + 1;
                let above = &mut nodes[parent.index()].height;
                *above = height.max(*above);
            }
        }
        let mut lendable = vec![Amount::ZERO; queues.len() * kinds];
        for &id in tree.upwards().iter().rev() {
            let parent = nodes[id.index()].parent;
            nodes[id.index()].depth = parent.map_or(0, |parent| nodes[parent.index()].depth + 1);
            for slot in 0..slots {
                let above = parent.map(|parent| cells[parent.index() * slots + slot].potential);
                let cell = &mut cells[id.index() * slots + slot];
                let most = cell.subtree + cell.limits.borrowing;
                cell.potential = above.map_or(cell.subtree, |above| most.min(cell.local + above));
                lendable[id.index() * kinds + resources.slots[slot].0] += cell.potential;
            }
        }
        Self {
            resources,
            nodes,
            cells,
            lendable,
        }
    }

    /// Sets how a queue chooses among flavors.
    pub fn set_fungibility(&mut self, queue: QueueId, fungibility: Fungibility) {
        self.nodes[queue.index()].fungibility = fungibility;
    }

    /// Sets that, with fair sharing, workloads of a queue look for victims although it would borrow. By default they do if
    /// it may evict others. Kueue does the same for a queue that leaves that open: a cluster never does, and fills in
    /// that it may not, but Kueue's tests do.
    pub fn set_seeks_while_borrowing(&mut self, queue: QueueId) {
        self.nodes[queue.index()].seeks_while_borrowing = true;
    }

    /// Sets which flavors a queue offers, in which order.
    pub fn set_groups(&mut self, queue: QueueId, groups: Vec<Group>) {
        self.nodes[queue.index()].groups = groups.into();
    }

    /// What quotas limit.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// How many queues there are.
    pub fn queues(&self) -> usize {
        self.nodes.len()
    }

    /// The queue above.
    pub fn parent(&self, queue: QueueId) -> Option<QueueId> {
        self.nodes[queue.index()].parent
    }

    /// The queues right below.
    pub fn children(&self, queue: QueueId) -> &[QueueId] {
        &self.nodes[queue.index()].children
    }

    /// Whether nothing lies below.
    pub fn is_leaf(&self, queue: QueueId) -> bool {
        self.children(queue).is_empty()
    }

    /// The queue, the one above it, and so on.
    pub fn path(&self, queue: QueueId) -> impl Iterator<Item = QueueId> + '_ {
        std::iter::successors(Some(queue), |&queue| self.parent(queue))
    }

    /// The queue at the top of its tree.
    pub fn root(&self, queue: QueueId) -> QueueId {
        self.path(queue).last().unwrap_or(queue)
    }

    /// How many queues lie above.
    pub fn depth(&self, queue: QueueId) -> u32 {
        self.nodes[queue.index()].depth
    }

    /// The way to the furthest leaf below.
    pub fn height(&self, queue: QueueId) -> u32 {
        self.nodes[queue.index()].height
    }

    /// The leaves below a queue, itself if it is one.
    pub fn leaves_below(&self, queue: QueueId) -> Vec<QueueId> {
        let mut leaves = Vec::new();
        let mut open = vec![queue];
        while let Some(queue) = open.pop() {
            open.extend(self.children(queue).iter().rev());
            if self.is_leaf(queue) {
                leaves.push(queue);
            }
        }
        leaves
    }

    /// Its weight among its siblings.
    pub fn weight(&self, queue: QueueId) -> f64 {
        self.nodes[queue.index()].weight
    }

    /// Whose workloads of its own it may evict.
    pub fn within(&self, queue: QueueId) -> Evicts {
        self.nodes[queue.index()].within
    }

    /// Whose workloads of others it may evict, while they borrow.
    pub fn reclaims(&self, queue: QueueId) -> Evicts {
        self.nodes[queue.index()].reclaims
    }

    /// The same, while it borrows itself.
    pub fn while_borrowing(&self, queue: QueueId) -> WhileBorrowing {
        self.nodes[queue.index()].while_borrowing
    }

    /// Whether, with fair sharing, its workloads look for victims although it would borrow.
    pub fn seeks_while_borrowing(&self, queue: QueueId) -> bool {
        self.nodes[queue.index()].seeks_while_borrowing
    }

    /// How it chooses among flavors.
    pub fn fungibility(&self, queue: QueueId) -> Fungibility {
        self.nodes[queue.index()].fungibility
    }

    /// The flavors that it offers, in the order in which they are tried.
    pub fn groups(&self, queue: QueueId) -> &Arc<[Group]> {
        &self.nodes[queue.index()].groups
    }

    /// What the queue itself is entitled to.
    pub fn nominal(&self, queue: QueueId, slot: Slot) -> Amount {
        self.cell(queue, slot).limits.nominal
    }

    /// How much more it may use.
    pub fn borrowing_limit(&self, queue: QueueId, slot: Slot) -> Amount {
        self.cell(queue, slot).limits.borrowing
    }

    /// What it and those below it are entitled to, as far as they lend it.
    pub fn subtree(&self, queue: QueueId, slot: Slot) -> Amount {
        self.cell(queue, slot).subtree
    }

    /// What of it nobody else may use.
    pub fn local(&self, queue: QueueId, slot: Slot) -> Amount {
        self.cell(queue, slot).local
    }

    /// What it could have if nobody used anything.
    pub fn potential(&self, queue: QueueId, slot: Slot) -> Amount {
        self.cell(queue, slot).potential
    }

    /// What it could have of a kind, of all flavors together.
    pub fn lendable(&self, queue: QueueId, kind: usize) -> Amount {
        self.lendable[queue.index() * self.resources.kinds.len() + kind]
    }

    fn cell(&self, queue: QueueId, slot: Slot) -> &Cell {
        &self.cells[queue.index() * self.resources.slots.len() + slot.index()]
    }
}

fn node(tree: &QueueTree, id: QueueId) -> Node {
    let queue = tree.queue(id);
    Node {
        parent: queue.parent,
        children: tree.children(id).to_vec(),
        height: 0,
        depth: 0,
        weight: queue.weight,
        within: queue.within,
        reclaims: queue.reclaims,
        while_borrowing: queue.while_borrowing,
        seeks_while_borrowing: queue.reclaims != Evicts::Never,
        fungibility: Fungibility::default(),
        groups: Arc::default(),
    }
}

fn limits_of(quota: &crate::tree::Quota) -> Limits {
    let limit = quota.borrowing_limit;
    Limits {
        nominal: Amount::of_units(quota.nominal),
        borrowing: limit.map_or(Amount::UNLIMITED, Amount::of_units),
        lending: quota.lending_limit.map(Amount::of_units),
    }
}

/// Kinds in the order of the names that Kueue compares.
const KINDS: [(Kind, &str); 3] = [
    (Kind::Cores, "cpu"),
    (Kind::Memory, "memory"),
    (Kind::Gpus, "nvidia.com/gpu"),
];

fn resources_of(tree: &QueueTree) -> Resources {
    let mut resources = Resources::default();
    let given = tree.resources();
    let kinds = KINDS
        .iter()
        .filter(|(kind, _)| given.iter().any(|resource| resource.kind == *kind));
    let kinds: Vec<Kind> = kinds.map(|&(kind, _)| kind).collect();
    for &kind in &kinds {
        let name = KINDS.iter().find(|(other, _)| *other == kind);
        resources
            .kinds
            .extend(name.map(|(_, name)| (*name).to_owned()));
    }
    for resource in given {
        let name = resource.flavor.clone().unwrap_or_default();
        let known = resources.flavors.iter().position(|flavor| *flavor == name);
        let flavor = known.unwrap_or(resources.flavors.len());
        if known.is_none() {
            resources.flavors.push(name);
        }
        let kind = kinds.iter().position(|kind| *kind == resource.kind);
        resources.slots.push((kind.unwrap_or_default(), flavor));
    }
    resources
}

/// Kinds that come in the same flavors take the same flavor.
fn groups_of(resources: &Resources) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for kind in 0..resources.kinds.len() {
        let slots = resources.slots.iter().filter(|slot| slot.0 == kind);
        let flavors: Vec<usize> = slots.map(|slot| slot.1).collect();
        match groups.iter_mut().find(|group| group.flavors == flavors) {
            Some(group) => group.kinds.push(kind),
            None => groups.push(Group {
                kinds: vec![kind],
                flavors,
            }),
        }
    }
    groups
}
