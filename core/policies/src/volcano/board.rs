//! The tree under Volcano in a run: who has what, who may ask, and who waits for that.

use super::super::asks::Asks;
use super::super::evictions::Evictions;
use super::super::leaf_lines::{LeafLines, Shape};
use super::super::leaves::Leaves;
use super::grounds::Grounds;
use crate::job::JobId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use switchyard_engine::{News, View};
use switchyard_queues::tree::{Kind, Order, Queue, QueueId, QueueTree, Quota, Resource};
use switchyard_queues::volcano::queues::{Plugin, Queues, specs};

/// Who may be evicted first: the least priority, then who came last.
pub(super) type Place = (i64, Reverse<JobId>);

/// The tree, who has what, and who waits.
pub(super) struct Board {
    pub(super) tree: QueueTree,
    /// By job.
    pub(super) leaf_of: Vec<QueueId>,
    pub(super) asks: Asks,
    pub(super) queues: Queues,
    /// Who may not ask yet.
    pub(super) pending: LeafLines,
    /// Who may.
    pub(super) enqueued: LeafLines,
    /// Leaves in which somebody may wait.
    pub(super) waiting: BTreeSet<QueueId>,
    /// By job, while it runs or may ask: what it asks for.
    pub(super) asked: Vec<Option<Vec<f64>>>,
    /// By leaf: who runs.
    pub(super) running: BTreeMap<QueueId, BTreeSet<Place>>,
    pub(super) evictions: Evictions<Grounds>,
}

/// A job that asks.
#[derive(Clone, Copy)]
pub(super) struct Asking {
    pub(super) leaf: QueueId,
    pub(super) job: JobId,
    pub(super) shape: Shape,
}

impl Board {
    pub(super) fn new(plugin: Plugin, leaves: &Leaves, view: &View<'_>) -> Self {
        let gpus = view.node_sizes().iter().sum();
        let (tree, leaf_of) = leaves.in_tree(gpus);
        let tree = with_gpus(tree);
        let asks = Asks::new(tree.resources(), view);
        let queues = Queues::new(plugin, specs(&tree), &asks.totals(view));
        let lines = || {
            let is_strict = |queue| tree.queue(queue).order == Order::StrictFifo;
            LeafLines::new(tree.queues().len(), is_strict)
        };
        Self {
            pending: lines(),
            enqueued: lines(),
            asks,
            queues,
            waiting: BTreeSet::new(),
            asked: vec![None; leaf_of.len()],
            running: BTreeMap::new(),
            evictions: Evictions::default(),
            leaf_of,
            tree,
        }
    }

    /// Takes note of who has come and gone.
    pub(super) fn follow(&mut self, leaves: &Leaves, view: &View<'_>) {
        self.waiting.extend(self.pending.wake());
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.join(leaves, view, job),
                News::Finished(job) => self.give_back(leaves, job),
                News::Evicted(job) => {
                    self.give_back(leaves, job);
                    self.join(leaves, view, job);
                }
                News::NodeUp(_) | News::NodeDown(_) | News::CoresFreed | News::Alarm(_) => {}
            }
        }
    }

    fn join(&mut self, leaves: &Leaves, view: &View<'_>, job: JobId) {
        let leaf = self.leaf_of[job.index()];
        let shape = Shape::of(view, job);
        (self.pending).join(leaf, shape, leaves.priority(job), job);
        self.waiting.insert(leaf);
    }

    pub(super) fn give_back(&mut self, leaves: &Leaves, job: JobId) {
        let leaf = self.leaf_of[job.index()];
        let place = (leaves.priority(job), Reverse(job));
        let ran = self.running.get_mut(&leaf);
        if ran.is_some_and(|ran| ran.remove(&place))
            && let Some(asks) = self.asked[job.index()].take()
        {
            self.queues.give(leaf, &asks);
        }
    }

    /// Everybody is asked again.
    pub(super) fn ask_all(&mut self) {
        let (pending, enqueued) = (&mut self.pending, &mut self.enqueued);
        self.waiting.retain(|&leaf| {
            pending.ask_all(leaf);
            enqueued.ask_all(leaf);
            pending.first(leaf).is_some() || enqueued.first(leaf).is_some()
        });
    }

    /// The next of some leaves.
    pub(super) fn next(&self, open: &BTreeSet<QueueId>) -> Option<QueueId> {
        let open = open.iter().copied();
        open.min_by(|a, b| self.queues.compare(*a, *b))
    }

    /// A job may ask from now on.
    pub(super) fn enqueue(&mut self, leaves: &Leaves, asking: Asking, asks: Vec<f64>) {
        let Asking { leaf, job, shape } = asking;
        let priority = leaves.priority(job);
        self.pending.leave(leaf, shape, priority, job);
        self.enqueued.join(leaf, shape, priority, job);
        self.queues.enqueue(leaf, &asks);
        self.asked[job.index()] = Some(asks);
    }

    pub(super) fn what_it_asks(&self, view: &View<'_>, job: JobId) -> Vec<f64> {
        let asked = self.asked[job.index()].clone();
        asked.unwrap_or_else(|| self.asks.of(view, job))
    }
}

/// The tree, in which GPUs are counted: where nothing is said of them, they are nobody's and without a limit.
fn with_gpus(tree: QueueTree) -> QueueTree {
    let mut resources = tree.resources().to_vec();
    if resources.iter().any(|resource| resource.kind == Kind::Gpus) {
        return tree;
    }
    resources.push(Resource {
        kind: Kind::Gpus,
        flavor: None,
    });
    let queues = tree.queues().iter().map(|queue| {
        let mut queue: Queue = queue.clone();
        queue.quotas.push(Quota::default());
        queue
    });
    QueueTree::new(resources, queues.collect()).unwrap_or(tree)
}
