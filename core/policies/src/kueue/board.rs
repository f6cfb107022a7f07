//! The tree under Kueue in a run: whose jobs have quota, and who waits in which line.

use super::super::evictions::Evictions;
use super::super::leaf_lines::{LeafLines, Rank, Shape};
use super::super::leaves::Leaves;
use super::grounds::Grounds;
use crate::job::JobId;
use std::collections::{BTreeMap, BTreeSet};
use switchyard_engine::{News, View};
use switchyard_queues::kueue::amount::Amount;
use switchyard_queues::kueue::assignment::{Head, Request};
use switchyard_queues::kueue::cycle::Decision;
use switchyard_queues::kueue::quotas::{Quotas, Use};
use switchyard_queues::kueue::state::{State, Workload, WorkloadId};
use switchyard_queues::tree::{Evicts, Kind, Queue, QueueId, QueueTree, WhileBorrowing};

/// The tree, who has quota, and who waits.
pub(super) struct Board {
    pub(super) tree: QueueTree,
    /// By queue.
    roots: Vec<QueueId>,
    /// By job.
    pub(super) leaf_of: Vec<QueueId>,
    pub(super) state: State,
    pub(super) lines: LeafLines,
    /// By job: its rank when it joined its line.
    pub(super) ranks: Vec<Rank>,
    /// By job, while it has quota.
    pub(super) workloads: Vec<Option<WorkloadId>>,
    /// By queue: who has quota.
    pub(super) running: Vec<BTreeSet<JobId>>,
    /// Places of GPUs, cores and memory among the kinds of resources, where quotas limit them.
    pub(super) kinds: [Option<usize>; 3],
    /// By pool: the flavor called like it. By none is meant that all flavors are for all pools.
    flavors: Vec<Option<usize>>,
    /// How many were admitted so far: who came later has the higher number.
    admitted: i64,
    pub(super) evictions: Evictions<Grounds>,
    /// Of heads that have tried some flavors: from which one on they go on.
    pub(super) flavors_left: BTreeMap<JobId, Vec<usize>>,
}

impl Board {
    /// With all jobs in their leaves. `is_strict` says of which leaves the head blocks those behind it.
    pub(super) fn new(
        leaves: &Leaves,
        view: &View<'_>,
        preempts: bool,
        is_strict: impl Fn(&Queue) -> bool,
    ) -> Self {
        let (mut tree, leaf_of) = leaves.in_tree(view.node_sizes().iter().sum());
        if !preempts {
            tree = without_preemption(&tree);
        }
        let quotas = Quotas::of(&tree);
        let resources = quotas.resources();
        // Quotas without a flavor are of all nodes, those without a type too.
        let flavor = |name: &str| {
            let mut flavors = resources.flavors.iter();
            flavors.position(|other| other == name && !other.is_empty())
        };
        let flavors = (0..view.pools()).map(|pool| flavor(view.pool_name(pool)));
        let flavors = flavors.collect();
        let kinds = [Kind::Gpus, Kind::Cores, Kind::Memory].map(|kind| resources.kind_of(kind));
        let ids = (0..tree.queues().len()).map(|at| QueueId(at as u32));
        Self {
            roots: ids.map(|id| tree.path(id).last().unwrap_or(id)).collect(),
            lines: LeafLines::new(tree.queues().len(), |queue| is_strict(tree.queue(queue))),
            ranks: vec![Rank::from(0); leaf_of.len()],
            workloads: vec![None; leaf_of.len()],
            running: vec![BTreeSet::new(); tree.queues().len()],
            kinds,
            flavors,
            state: State::new(quotas),
            admitted: 0,
            evictions: Evictions::default(),
            flavors_left: BTreeMap::new(),
            leaf_of,
            tree,
        }
    }

    /// Takes note of who has come and gone.
    pub(super) fn follow(&mut self, view: &View<'_>, rank: impl Fn(JobId) -> Rank) {
        self.lines.wake();
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.join(view, job, rank(job)),
                News::Finished(job) => self.give_back(job),
                News::Evicted(job) => {
                    self.give_back(job);
                    self.join(view, job, rank(job));
                }
                News::NodeUp(_) | News::NodeDown(_) | News::CoresFreed | News::Alarm(_) => {
                    self.lines.ask_for_room();
                }
            }
        }
    }

    fn join(&mut self, view: &View<'_>, job: JobId, rank: Rank) {
        let leaf = self.leaf_of[job.index()];
        self.ranks[job.index()] = rank;
        (self.lines).join(leaf, Shape::of(view, job), rank, job);
    }

    /// A job that has just lost its GPUs, and its quota with them.
    pub(super) fn rest(&mut self, view: &View<'_>, job: JobId, rank: Rank) {
        let leaf = self.leaf_of[job.index()];
        self.ranks[job.index()] = rank;
        (self.lines).rest(leaf, Shape::of(view, job), rank, job);
    }

    /// A job's quota is free again, for all queues below the same root.
    pub(super) fn give_back(&mut self, job: JobId) {
        let Some(id) = self.workloads[job.index()].take() else {
            return;
        };
        self.state.release(id);
        self.running[self.leaf_of[job.index()].index()].remove(&job);
        let roots = &self.roots;
        let root = roots[self.leaf_of[job.index()].index()];
        self.lines.ask_for_quota(|leaf| roots[leaf.index()] == root);
        self.lines.ask_for_room();
    }

    /// The heads that may be asked now.
    pub(super) fn heads(&self, leaves: &Leaves) -> Vec<(Head, JobId, Shape)> {
        let heads = self.lines.leaves().filter_map(|leaf| {
            let (job, shape) = self.lines.head(leaf)?;
            Some((self.head(leaves, job, shape), job, shape))
        });
        heads.collect()
    }

    pub(super) fn head(&self, leaves: &Leaves, job: JobId, shape: Shape) -> Head {
        let [gpus, cores, memory] = self.kinds;
        let asks = [
            (gpus, Amount::of_units(f64::from(shape.gpus))),
            (cores, Amount::of_thousandths(i64::from(shape.cores))),
            (memory, Amount::of_units(f64::from(shape.memory) / 1024.0)),
        ];
        let asks = asks
            .into_iter()
            .filter_map(|(kind, amount)| Some((kind?, amount)));
        Head {
            queue: self.leaf_of[job.index()],
            request: Request {
                asks: asks.filter(|&(_, amount)| amount > Amount::ZERO).collect(),
                flavors: self.flavors_for(shape),
            },
            priority: leaves.priority(job),
            // Jobs are numbered as they were submitted, and whoever is evicted keeps its place.
            created: i64::from(job.0),
            from: self.flavors_left.get(&job).cloned().unwrap_or_default(),
        }
    }

    /// The flavors on whose nodes a job may run; none: all.
    fn flavors_for(&self, shape: Shape) -> Option<Vec<usize>> {
        let resources = self.state.quotas().resources();
        if resources.flavors.iter().all(String::is_empty) {
            return None;
        }
        let all = 0..resources.flavors.len();
        let will_do = all.filter(|&flavor| {
            resources.flavors[flavor].is_empty() || self.pools_of(flavor) & shape.pools != 0
        });
        Some(will_do.collect())
    }

    /// The pools that are of a flavor, a bit each.
    fn pools_of(&self, flavor: usize) -> u64 {
        let pools = self.flavors.iter().enumerate();
        let of_it = pools.filter(|&(_, &other)| other == Some(flavor));
        of_it.fold(0, |bits, (pool, _)| {
            bits | 1u64.checked_shl(pool as u32).unwrap_or(0)
        })
    }

    /// The pool whose nodes a workload must have, if its GPUs are of a flavor.
    pub(super) fn pool_for(&self, uses: &[Use]) -> Option<usize> {
        let resources = self.state.quotas().resources();
        let gpus = uses
            .iter()
            .find(|one| Some(resources.kind(one.slot)) == self.kinds[0])?;
        let flavor = resources.flavor(gpus.slot);
        self.flavors.iter().position(|&other| other == Some(flavor))
    }

    /// The job that has a workload's quota.
    pub(super) fn job_of(&self, id: WorkloadId) -> Option<JobId> {
        self.state
            .get(id)
            .map(|workload| JobId(workload.uid as u32))
    }

    /// Whether a head fits once its victims are gone.
    pub(super) fn fits(&mut self, head: &Head, decision: &Decision) -> bool {
        for victim in &decision.found.victims {
            self.state.take(victim.id);
        }
        let fits = (self.state.book()).fits(head.queue, &decision.assignment.uses);
        for victim in &decision.found.victims {
            self.state.put_back(victim.id);
        }
        fits
    }

    pub(super) fn admit(&mut self, head: &Head, job: JobId, shape: Shape, uses: &[Use]) {
        (self.lines).leave(head.queue, shape, self.ranks[job.index()], job);
        self.running[head.queue.index()].insert(job);
        self.admitted += 1;
        let id = self.state.admit(Workload {
            queue: head.queue,
            uses: uses.to_vec(),
            priority: head.priority,
            created: head.created,
            reserved: self.admitted,
            is_evicted: false,
            uid: u64::from(job.0),
        });
        self.workloads[job.index()] = Some(id);
    }
}

/// The same tree, in which nobody evicts.
fn without_preemption(tree: &QueueTree) -> QueueTree {
    let queues = tree.queues().iter().cloned().map(|mut queue| {
        queue.within = Evicts::Never;
        queue.reclaims = Evicts::Never;
        queue.while_borrowing = WhileBorrowing::Never;
        queue
    });
    let tree = QueueTree::new(tree.resources().to_vec(), queues.collect());
    tree.unwrap_or_default()
}
