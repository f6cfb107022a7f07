//! The queues of a run under KAI: what each has and asks for, what its share is, who waits and who may be evicted.
//!
//! In: jobs that come, start, stop and end. Out: how queues stand, and whose turn it is by their order. A division looks only at
//! queues in which there are jobs: others claim nothing and change nothing.

use super::super::evictions::Evictions;
use super::super::leaf_lines::{LeafLines, Shape};
use super::super::leaves::Leaves;
use super::past::{Grounds, Tried};
use super::quotas::{Amounts, KINDS, Members, counted};
use crate::Time;
use crate::job::JobId;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use switchyard_engine::{NodeState, View};
use switchyard_queues::kai::cycle::facts::NoQuota;
use switchyard_queues::kai::division::{Claim, Share, Step, divide_into};
use switchyard_queues::kai::history;
use switchyard_queues::kai::levels::{Demands, claim};
use switchyard_queues::kai::min_runtime::Resolve;
use switchyard_queues::kai::order::{Contender, Decided, compare};
use switchyard_queues::kai::reclaim::Reclaimer;
use switchyard_queues::kai::standing::Standings;
use switchyard_queues::kai::usage::Usage;
use switchyard_queues::tree::{Kind, QueueId, QueueTree};

/// A job whose turn it may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) leaf: QueueId,
    pub(super) job: JobId,
    pub(super) shape: Shape,
    /// What counts of it, or of all victims of its leaf up to it.
    pub(super) amounts: Amounts,
}

/// What a board is made by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) k: f64,
    /// Jobs of this priority or a higher one are not evicted.
    pub(super) fixed_priority: i64,
    /// None: nothing is known of what queues had.
    pub(super) history: Option<history::Settings>,
    /// For how many seconds it is taken to stay the same.
    pub(super) fetch: f64,
}

/// For how long jobs may not be evicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRuntimes {
    pub(super) resolve: Resolve,
    /// Where no queue says so, in seconds.
    pub(super) reclaim: f64,
    pub(super) preempt: f64,
}

pub(super) struct Board {
    pub(super) tree: QueueTree,
    pub(super) rules: Rules,
    /// By job.
    pub(super) leaf_of: Vec<QueueId>,
    /// By job.
    priorities: Vec<i64>,
    /// What there is of each resource, on nodes that take jobs.
    pub(super) totals: Vec<f64>,
    pub(super) standings: Standings,
    /// What each queue has and waits for, queue by queue.
    requests: Vec<f64>,
    /// Queues in which jobs wait or run.
    pub(super) asking: Members,
    /// Queues in which jobs wait.
    pub(super) waiting: Members,
    pub(super) lines: LeafLines,
    /// By leaf: jobs that run and may be evicted, the first in its order first.
    pub(super) running: Vec<BTreeSet<(Reverse<i64>, JobId)>>,
    /// By job: whether it has quota.
    has_quota: Vec<bool>,
    usage: Option<Usage>,
    /// Since when shares stand; none: they have to be divided anew.
    divided: Option<f64>,
    pub(super) evictions: Evictions<Grounds>,
    /// Who was moved last for whom, and when.
    pub(super) moves: BTreeMap<JobId, (JobId, Time)>,
    /// What was last tried in vain for jobs that wait.
    pub(super) tried: BTreeMap<JobId, Tried>,
    claims: Vec<Claim>,
    shares: Vec<Share>,
}

impl Board {
    pub(super) fn new(leaves: &Leaves, rules: Rules, view: &View<'_>) -> Self {
        let gpus = view.node_sizes().iter().sum();
        let (tree, leaf_of) = leaves.in_tree(gpus);
        let totals = totals(view);
        let tree = counted(&tree, |kind| totals(kind).is_some());
        let queues = tree.queues().len();
        let resources = tree.resources().len();
        let jobs = 0..leaf_of.len() as u32;
        let now = view.now().seconds();
        let usage = (rules.history).map(|settings| Usage::new(settings, now, queues, resources));
        let mut board = Self {
            rules,
            priorities: jobs.map(|job| leaves.priority(JobId(job))).collect(),
            has_quota: vec![false; leaf_of.len()],
            leaf_of,
            totals: Vec::new(),
            standings: Standings::empty(&tree),
            requests: vec![0.0; queues * resources],
            asking: Members::new(&tree),
            waiting: Members::new(&tree),
            lines: LeafLines::new(queues, |_| false),
            running: vec![BTreeSet::new(); queues],
            usage,
            divided: None,
            evictions: Evictions::default(),
            moves: BTreeMap::new(),
            tried: BTreeMap::new(),
            claims: Vec::new(),
            shares: Vec::new(),
            tree,
        };
        board.count_nodes(view);
        board
    }

    /// Nodes have come or gone.
    pub(super) fn count_nodes(&mut self, view: &View<'_>) {
        let totals = totals(view);
        let resources = self.tree.resources().iter();
        self.totals = resources
            .map(|resource| totals(resource.kind).unwrap_or(0.0))
            .collect();
        self.divided = None;
        if let Some(usage) = &mut self.usage {
            usage.set_capacity(view.now().seconds(), &self.totals);
        }
    }

    pub(super) fn priority(&self, job: JobId) -> i64 {
        self.priorities.get(job.index()).copied().unwrap_or(0)
    }

    /// What a job asks for, as a class.
    pub(super) fn shape(&self, view: &View<'_>, job: JobId) -> Shape {
        Shape {
            fixed: self.priority(job) >= self.rules.fixed_priority,
            ..Shape::of(view, job)
        }
    }

    /// What of it counts.
    pub(super) fn amounts(&self, shape: &Shape) -> Amounts {
        let mut amounts = [0.0; KINDS];
        for (amount, resource) in amounts.iter_mut().zip(self.tree.resources()) {
            *amount = match resource.kind {
                Kind::Gpus => f64::from(shape.gpus),
                Kind::Cores => f64::from(shape.cores),
                Kind::Memory => f64::from(shape.memory),
            };
        }
        amounts
    }

    /// What counts as amounts.
    pub(super) fn counted<'a>(&self, amounts: &'a Amounts) -> &'a [f64] {
        &amounts[..self.totals.len()]
    }

    /// The place of GPUs among what counts.
    pub(super) fn gpus(&self) -> Option<usize> {
        let mut kinds = self.tree.resources().iter();
        kinds.position(|resource| resource.kind == Kind::Gpus)
    }

    /// Whether a job has no quota.
    pub(super) fn waits(&self, job: JobId) -> bool {
        !self.has_quota[job.index()]
    }

    /// A job has come.
    pub(super) fn arrive(&mut self, view: &View<'_>, job: JobId) {
        let shape = self.shape(view, job);
        let leaf = self.leaf_of[job.index()];
        self.asking.add(&self.tree, leaf);
        self.request(leaf, &self.amounts(&shape), 1.0);
        self.join(job, shape);
    }

    /// A job waits in its line.
    pub(super) fn join(&mut self, job: JobId, shape: Shape) {
        let leaf = self.leaf_of[job.index()];
        self.waiting.add(&self.tree, leaf);
        self.lines.join(leaf, shape, self.priority(job), job);
    }

    /// A job that waited runs.
    pub(super) fn start(&mut self, now: f64, job: JobId, shape: Shape) {
        let leaf = self.leaf_of[job.index()];
        let priority = self.priority(job);
        self.lines.leave(leaf, shape, priority, job);
        self.waiting.remove(&self.tree, leaf);
        self.tried.remove(&job);
        self.has_quota[job.index()] = true;
        self.take(job, &shape);
        if !shape.fixed {
            self.running[leaf.index()].insert((Reverse(priority), job));
        }
        self.note_usage(now, leaf);
    }

    /// A job that ran does no more. Says whether it did.
    pub(super) fn stop(&mut self, now: f64, job: JobId, shape: Shape) -> bool {
        if !std::mem::take(&mut self.has_quota[job.index()]) {
            return false;
        }
        let leaf = self.leaf_of[job.index()];
        self.give(job, &shape);
        let place = (Reverse(self.priority(job)), job);
        self.running[leaf.index()].remove(&place);
        self.note_usage(now, leaf);
        true
    }

    /// A job is done.
    pub(super) fn leave(&mut self, view: &View<'_>, job: JobId) {
        let shape = self.shape(view, job);
        let leaf = self.leaf_of[job.index()];
        self.stop(view.now().seconds(), job, shape);
        self.asking.remove(&self.tree, leaf);
        self.request(leaf, &self.amounts(&shape), -1.0);
        if !self.asking.has(leaf) {
            for queue in self.tree.path(leaf) {
                if !self.asking.has(queue) {
                    for standing in self.standings.of_mut(queue) {
                        standing.fair = 0.0;
                    }
                }
            }
        }
    }

    /// A job has its resources, in an attempt.
    pub(super) fn take(&mut self, job: JobId, shape: &Shape) {
        let amounts = self.amounts(shape);
        let counted = &amounts[..self.totals.len()];
        let leaf = self.leaf_of[job.index()];
        (self.standings).add(&self.tree, leaf, counted, !shape.fixed);
    }

    /// A job has them no more, in an attempt.
    pub(super) fn give(&mut self, job: JobId, shape: &Shape) {
        let amounts = self.amounts(shape);
        let counted = &amounts[..self.totals.len()];
        let leaf = self.leaf_of[job.index()];
        (self.standings).remove(&self.tree, leaf, counted, !shape.fixed);
    }

    fn request(&mut self, leaf: QueueId, amounts: &Amounts, sign: f64) {
        let resources = self.totals.len();
        for queue in self.tree.path(leaf) {
            let start = queue.index() * resources;
            for (request, amount) in self.requests[start..start + resources]
                .iter_mut()
                .zip(amounts)
            {
                *request += sign * amount;
            }
        }
        self.divided = None;
    }

    fn note_usage(&mut self, now: f64, leaf: QueueId) {
        let Some(usage) = &mut self.usage else { return };
        for queue in self.tree.path(leaf) {
            let standings = self.standings.of(queue).iter();
            usage.set(now, queue.index(), standings.map(|of| of.allocated));
        }
    }

    /// What a queue has and waits for.
    pub(super) fn requested(&self, queue: QueueId, resource: usize) -> f64 {
        self.requests[queue.index() * self.totals.len() + resource]
    }

    /// What a queue had lately, as a part of what there was; none: it does not count.
    pub(super) fn used_lately(&self, now: f64, queue: QueueId, resource: usize) -> Option<f64> {
        let usage = self.usage.as_ref()?;
        Some(usage.of(now, queue.index(), resource))
    }

    /// Claims of the queues below one, of a resource.
    fn claims(&self, now: f64, queues: &[QueueId], resource: usize, into: &mut Vec<Claim>) {
        let asked = Demands {
            totals: &self.totals,
            k: self.rules.k,
            requests: &self.requests,
            usage: None,
            created: None,
        };
        into.clear();
        into.extend(queues.iter().map(|&queue| Claim {
            usage: self.used_lately(now, queue, resource).unwrap_or(0.0),
            ..claim(&self.tree, &asked, queue, resource)
        }));
    }

    /// What the queues below one divide.
    fn pot(&self, parent: Option<QueueId>, resource: usize) -> f64 {
        match parent {
            Some(parent) => self.standings.of(parent)[resource].fair,
            None => self.totals[resource],
        }
    }

    /// Divides the cluster among all queues, if what they ask for has changed since.
    pub(super) fn share(&mut self, now: f64) {
        let stands = |divided| self.usage.is_none() || now < divided + self.rules.fetch;
        if self.divided.is_some_and(stands) {
            return;
        }
        self.divided = Some(now);
        let mut claims = std::mem::take(&mut self.claims);
        let mut shares = std::mem::take(&mut self.shares);
        let mut parents = vec![None];
        while let Some(parent) = parents.pop() {
            for resource in 0..self.totals.len() {
                let queues = self.asking.below(parent);
                self.claims(now, queues, resource, &mut claims);
                let pot = self.pot(parent, resource);
                divide_into(pot, self.rules.k, &claims, &mut shares, |_| ());
                for (&queue, share) in queues.iter().zip(&shares) {
                    self.standings.of_mut(queue)[resource].fair = share.total;
                }
            }
            let queues = self.asking.below(parent).iter();
            let inner = queues.filter(|&&queue| !self.tree.is_leaf(queue));
            parents.extend(inner.map(|&queue| Some(queue)));
        }
        (self.claims, self.shares) = (claims, shares);
    }

    /// How a queue's share of a resource came about, with the queues beside it: its share by parts, its steps, and what all
    /// divided.
    pub(super) fn steps(
        &self,
        now: f64,
        queue: QueueId,
        resource: usize,
    ) -> Option<(Share, Vec<Step>, f64)> {
        let parent = self.tree.queue(queue).parent;
        let queues = self.asking.below(parent);
        let own = queues.iter().position(|&other| other == queue)?;
        let mut claims = Vec::new();
        self.claims(now, queues, resource, &mut claims);
        let (mut shares, mut steps) = (Vec::new(), Vec::new());
        let pot = self.pot(parent, resource);
        divide_into(pot, self.rules.k, &claims, &mut shares, |step| {
            let (Step::Deserved { queue, .. }
            | Step::OverQuota { queue, .. }
            | Step::Leftover { queue, .. }) = step;
            if queue == own {
                steps.push(step);
            }
        });
        Some((*shares.get(own)?, steps, pot))
    }

    /// Whether the queues of a job have room for it: within their limits, and what nobody may evict within what they deserve.
    pub(super) fn has_room_for(&self, leaf: QueueId, shape: &Shape) -> Result<(), NoQuota> {
        let amounts = self.amounts(shape);
        for queue in self.tree.path(leaf) {
            let standings = self.standings.of(queue).iter().zip(&amounts);
            for (resource, (of, &amount)) in standings.enumerate() {
                let no_quota = |would_have, bound, fixed| NoQuota {
                    queue,
                    resource,
                    would_have,
                    bound,
                    fixed,
                };
                if amount == 0.0 {
                    continue;
                }
                let would_have = of.allocated + amount;
                if would_have > of.limit {
                    return Err(no_quota(would_have, of.limit, false));
                }
                let would_have = of.fixed + amount;
                if shape.fixed && would_have > of.deserved {
                    return Err(no_quota(would_have, of.deserved, true));
                }
            }
        }
        Ok(())
    }

    pub(super) fn reclaimer<'a>(
        &self,
        leaf: QueueId,
        shape: &Shape,
        amounts: &'a Amounts,
    ) -> Reclaimer<'a> {
        Reclaimer {
            queue: leaf,
            request: &amounts[..self.totals.len()],
            preemptible: !shape.fixed,
        }
    }

    /// Of two queues beside one another, which is next, if each offers that.
    pub(super) fn compare(
        &self,
        left: (QueueId, &Amounts),
        right: (QueueId, &Amounts),
        are_victims: bool,
    ) -> Decided {
        let decided = compare(
            &self.contender(left, are_victims),
            &self.contender(right, are_victims),
            &self.totals,
        );
        let order = match are_victims {
            true => decided.order.reverse(),
            false => decided.order,
        };
        Decided { order, ..decided }
    }

    fn contender<'a>(
        &'a self,
        (queue, amounts): (QueueId, &'a Amounts),
        are_victims: bool,
    ) -> Contender<'a> {
        let amounts = self.counted(amounts);
        let (head, victims) = match are_victims {
            true => (&[][..], amounts),
            false => (amounts, &[][..]),
        };
        Contender {
            standings: self.standings.of(queue),
            priority: self.tree.queue(queue).priority,
            created: f64::from(queue.0),
            head,
            victims,
        }
    }

    /// Whose turn it is of the queues below one, from the top down; of victims, the last one.
    pub(super) fn next(
        &self,
        members: &Members,
        parent: Option<QueueId>,
        are_victims: bool,
        offer: &mut dyn FnMut(QueueId) -> Option<Offer>,
    ) -> Option<Offer> {
        let mut best: Option<(QueueId, Offer)> = None;
        for &queue in members.below(parent) {
            let own = match self.tree.is_leaf(queue) {
                true => offer(queue),
                false => self.next(members, Some(queue), are_victims, offer),
            };
            let Some(own) = own else { continue };
            let is_next = best.as_ref().is_none_or(|(other, of_other)| {
                let sides = ((queue, &own.amounts), (*other, &of_other.amounts));
                self.compare(sides.0, sides.1, are_victims).order == Ordering::Less
            });
            if is_next {
                best = Some((queue, own));
            }
        }
        best.map(|(_, offer)| offer)
    }
}

/// What nodes that take jobs have of a kind; none: it is not said.
fn totals(view: &View<'_>) -> impl Fn(Kind) -> Option<f64> {
    let nodes = view.node_sizes().len() as u32;
    let up = (0..nodes).filter(|&node| view.node_state(node) == NodeState::Up);
    let (mut gpus, mut cores, mut memory) = (0.0, Some(0_u64), Some(0_u64));
    for node in up {
        gpus += f64::from(view.node_sizes()[node as usize]);
        let of_node = view.cores_and_memory(node);
        let add = |sum: Option<u64>, own: Option<u64>| {
            let own = own.filter(|&own| own < u64::from(u32::MAX));
            sum?.checked_add(own?)
        };
        cores = add(cores, of_node.map(|(cores, _)| cores));
        memory = add(memory, of_node.map(|(_, memory)| memory));
    }
    move |kind| match kind {
        Kind::Gpus => Some(gpus),
        Kind::Cores => cores.map(|cores| cores as f64),
        Kind::Memory => memory.map(|memory| memory as f64),
    }
}
