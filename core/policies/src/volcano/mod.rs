//! Volcano: queues that deserve a part of the cluster, by weight (`proportion`) or as they say (`capacity`). At each change
//! jobs are enqueued, as far as the cluster is not overcommitted; those that are enqueued get GPUs, the queue with the
//! smallest share of what it deserves first; a job may evict jobs of lower priority of its own queue; a queue may take back
//! what it deserves. The rules are those of [`switchyard_queues::volcano`].
//!
//! What differs from Volcano: a job is one gang, which gets all of its GPUs or none, and is evicted whole. Who is evicted
//! gives way at once, and only where the evicting gang then lies. Where nothing runs and no queue's part is large enough for
//! any job, the first one that fits starts all the same: Volcano would wait for ever. GPUs are counted where the tree says
//! nothing of them; cores and memory only where it does.

mod board;
mod facts;
mod grounds;

use super::entry::{BuildContext, Properties};
use super::leaf_lines::{SetAside, Shape};
use super::leaves::Leaves;
use super::parameters::{PLACEMENT, PlacementChoice, Words, param, parameters, words};
use super::{Explanation, ParamKind, Policy, PolicyEntry, Rng, Verdict};
use crate::cluster::Placement;
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use board::{Asking, Board, Place};
use grounds::{Grounds, Rule};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use switchyard_engine::{Plan, View};
use switchyard_placement::{Room, Strategy};
use switchyard_queues::lending::InnerQuota;
use switchyard_queues::tree::QueueId;
use switchyard_queues::volcano::queues::Plugin;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "volcano",
    title: "Volcano",
    summary: "Queues that deserve a part of the cluster, by weight or as they say: the queue with the smallest share of it goes first, and takes back what others have beyond theirs.",
    source: "volcano-sh/volcano, plugins proportion and capacity",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        plugin: Plugin = param(
            ParamKind::OneOf(Plugin::WORDS),
            "proportion",
            "What a queue deserves: its part by weight among those that ask, which it cannot exceed (proportion); or its nominal quota, at each level of the tree, beyond which it may go up to its borrowing limit (capacity).",
        ),
        reclaim: bool = param(
            ParamKind::Bool,
            "true",
            "The action reclaim: a queue that has less than it deserves evicts jobs of queues that have more.",
        ),
        preempt: bool = param(
            ParamKind::Bool,
            "true",
            "The action preempt: a job evicts jobs of lower priority of its own queue.",
        ),
        overcommit: f64 = param(
            ParamKind::Float { min: 1.0, max: 1000.0 },
            "1.2",
            "The action enqueue lets jobs ask until they ask for so many times what the cluster has (overcommit-factor).",
        ),
        placement: PlacementChoice = PLACEMENT,
    }
}

words! {
    Plugin { Proportion = "proportion", Capacity = "capacity" }
}

impl Properties for Parameters {
    fn inner_quota(&self) -> InnerQuota {
        InnerQuota::Whole
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Volcano {
        plugin: params.plugin,
        reclaims: params.reclaim,
        preempts: params.preempt,
        overcommit: params.overcommit,
        strategy: params.placement.or(context.placement),
        leaves: Leaves::new(context),
        board: None,
        room: Room::default(),
        placement: Placement::default(),
    })
}

struct Volcano {
    plugin: Plugin,
    reclaims: bool,
    preempts: bool,
    overcommit: f64,
    strategy: Strategy,
    leaves: Leaves,
    /// From the first plan on, when it is known how many GPUs there are.
    board: Option<Board>,
    room: Room,
    placement: Placement,
}

impl Volcano {
    /// The action enqueue. Says whether somebody may ask who might not before.
    fn enqueue(&self, board: &mut Board, view: &View<'_>) -> bool {
        let mut open = board.waiting.clone();
        let mut has_changed = false;
        while let Some(leaf) = board.next(&open) {
            let Some((job, shape)) = board.pending.head(leaf) else {
                open.remove(&leaf);
                continue;
            };
            let asks = board.asks.of(view, job);
            let may = board.queues.limit_to_enqueue(leaf, &asks).is_none()
                && !board.queues.is_overcommitted(&asks, self.overcommit);
            if may {
                board.enqueue(&self.leaves, Asking { leaf, job, shape }, asks);
                has_changed = true;
            } else {
                board.pending.set_aside(leaf, shape, SetAside::Quota);
            }
        }
        has_changed
    }

    /// The action allocate. Says whether somebody starts.
    fn allocate(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan) -> bool {
        let mut open = board.waiting.clone();
        let mut has_started = false;
        while let Some(leaf) = board.next(&open) {
            let head = board.enqueued.head(leaf);
            let (Some((job, shape)), false) = (head, board.queues.is_overused(leaf)) else {
                open.remove(&leaf);
                continue;
            };
            let asking = Asking { leaf, job, shape };
            let asks = board.what_it_asks(view, job);
            if board.queues.limit(leaf, &asks).is_some() {
                board.enqueued.set_aside(leaf, shape, SetAside::Quota);
            } else if self.lay(view, job) {
                self.start(board, view, plan, asking);
                has_started = true;
            } else {
                board.enqueued.set_aside(leaf, shape, SetAside::Room);
            }
        }
        has_started
    }

    /// Lays a job's gang, if there is room.
    fn lay(&mut self, view: &View<'_>, job: JobId) -> bool {
        if view.gpus(job) > self.room.total() {
            return false;
        }
        let gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        (self.room).place(self.strategy, gang, &mut self.placement)
    }

    /// Starts an enqueued job where it has just been laid.
    fn start(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan, asking: Asking) {
        let Asking { leaf, job, shape } = asking;
        (self.room).take(job, &self.placement.parts, view.needs(job));
        plan.place(job, &self.placement);
        let priority = self.leaves.priority(job);
        board.enqueued.leave(leaf, shape, priority, job);
        if let Some(asks) = &board.asked[job.index()] {
            board.queues.take(leaf, asks);
        }
        let running = board.running.entry(leaf).or_default();
        running.insert((priority, Reverse(job)));
    }

    /// The actions preempt and reclaim. Says whether somebody is evicted.
    fn evict(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan, rule: Rule) -> bool {
        board.ask_all();
        let mut open = board.waiting.clone();
        let mut has_evicted = false;
        while let Some(leaf) = board.next(&open) {
            let head = board.enqueued.head(leaf);
            let is_over = rule == Rule::Reclaim && board.queues.is_overused(leaf);
            let (Some((job, shape)), false) = (head, is_over) else {
                open.remove(&leaf);
                continue;
            };
            let asking = Asking { leaf, job, shape };
            let found = match rule {
                Rule::Preempt => self.victims_within(board, view, asking),
                Rule::Reclaim => self.victims_of_others(board, view, asking),
            };
            if self.start_instead(board, view, plan, asking, rule, &found) {
                has_evicted = true;
            } else {
                board.enqueued.set_aside(leaf, shape, SetAside::Quota);
            }
        }
        has_evicted
    }

    /// Whether a running job can give way in this plan, and by that makes room.
    fn gives_way(view: &View<'_>, job: JobId) -> bool {
        view.ledger().gpus(job) > 0 && view.open_gpus(job) > 0
    }

    /// Jobs of lower priority of the same queue, in the order in which they give way.
    fn victims_within(&self, board: &Board, view: &View<'_>, asking: Asking) -> Vec<JobId> {
        let own = self.leaves.priority(asking.job);
        let Some(running) = board.running.get(&asking.leaf) else {
            return Vec::new();
        };
        let lower = running.iter().take_while(|(priority, _)| *priority < own);
        let lower = lower.map(|&(_, Reverse(job))| job);
        lower.filter(|&job| Self::gives_way(view, job)).collect()
    }

    /// Jobs of queues that have more than they deserve.
    fn victims_of_others(&self, board: &Board, view: &View<'_>, asking: Asking) -> Vec<JobId> {
        let asks = board.what_it_asks(view, asking.job);
        if !board.queues.may_reclaim(asking.leaf, &asks) {
            return Vec::new();
        }
        let now = view.now().seconds();
        let mut candidates = Vec::new();
        for (&leaf, running) in &board.running {
            let protected = board.tree.queue(leaf).reclaim_min_runtime;
            if leaf == asking.leaf || protected.is_infinite() {
                continue;
            }
            let level = board.queues.common_level(leaf, asking.leaf);
            let jobs = running.iter().filter(|(_, Reverse(job))| {
                Self::gives_way(view, *job) && now - view.since(*job).seconds() >= protected
            });
            candidates.extend(jobs.map(|&place| (Reverse(level), place, leaf)));
        }
        candidates.sort_unstable();
        let mut lost: BTreeMap<QueueId, Vec<f64>> = BTreeMap::new();
        let may_lose = |&(_, (_, Reverse(job)), leaf): &(Reverse<usize>, Place, QueueId)| {
            let has = board.what_it_asks(view, job);
            let lost = lost.entry(leaf).or_insert_with(|| vec![0.0; has.len()]);
            board.queues.may_lose(leaf, lost, &has, &asks)?;
            for (lost, has) in lost.iter_mut().zip(&has) {
                *lost += has;
            }
            Some(job)
        };
        candidates.iter().filter_map(may_lose).collect()
    }

    /// Starts a job instead of as many of these as it takes. Where that is not possible, nothing is changed.
    fn start_instead(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        plan: &mut Plan,
        asking: Asking,
        rule: Rule,
        found: &[JobId],
    ) -> bool {
        if found.is_empty() {
            return false;
        }
        let mut queues = board.queues.clone();
        let asks = board.what_it_asks(view, asking.job);
        let mut given = 0;
        let mut is_laid = false;
        for &victim in found {
            (self.room).give(victim, view.ledger().parts(victim), view.needs(victim));
            queues.give(
                board.leaf_of[victim.index()],
                &board.what_it_asks(view, victim),
            );
            given += 1;
            // With what it takes back a queue has what it deserves, but not more than it may have.
            let may = rule == Rule::Reclaim || queues.limit(asking.leaf, &asks).is_none();
            if may && self.lay(view, asking.job) {
                is_laid = true;
                break;
            }
        }
        let is_there = |placement: &Placement, victim: JobId| {
            let mut parts = view.ledger().parts(victim).iter();
            parts.any(|part| placement.parts.iter().any(|other| other.node == part.node))
        };
        let mut victims = Vec::new();
        for &victim in &found[..given] {
            // Who is on other nodes need not give way, unless the queue is at its limit.
            let goes = is_laid && (rule == Rule::Preempt || is_there(&self.placement, victim));
            if goes {
                victims.push(victim);
            } else {
                (self.room).take(victim, view.ledger().parts(victim), view.needs(victim));
            }
        }
        for &victim in &victims {
            let leaf = board.leaf_of[victim.index()];
            let grounds = Grounds::new(rule, asking.leaf, (&board.queues, leaf));
            let by = (view.now(), asking.job);
            board.evictions.note(victim, by, grounds);
            plan.preempt_for(victim, asking.job);
            board.give_back(&self.leaves, victim);
            let (shape, priority) = (Shape::of(view, victim), self.leaves.priority(victim));
            board.pending.rest(leaf, shape, priority, victim);
        }
        if is_laid {
            self.start(board, view, plan, asking);
        }
        is_laid
    }

    /// Starts the first job that may be and for which there is room, though its queue deserves too little.
    fn start_anyway(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan) {
        board.ask_all();
        let mut open = board.waiting.clone();
        while let Some(leaf) = board.next(&open) {
            let enqueued = board.enqueued.head(leaf);
            let Some((job, shape)) = enqueued.or_else(|| board.pending.head(leaf)) else {
                open.remove(&leaf);
                continue;
            };
            let asking = Asking { leaf, job, shape };
            let asks = board.what_it_asks(view, job);
            let may = board.queues.limit_of_most(leaf, &asks).is_none();
            if may && self.lay(view, job) {
                if enqueued.is_none() {
                    board.enqueue(&self.leaves, asking, asks);
                }
                self.start(board, view, plan, asking);
                return;
            }
            match enqueued {
                Some(_) => board.enqueued.set_aside(leaf, shape, SetAside::Room),
                None => board.pending.set_aside(leaf, shape, SetAside::Room),
            }
        }
    }

    fn decide(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan) {
        view.room(&mut self.room);
        board.ask_all();
        // Where one leaf waits nobody asks which is next.
        let is_open = board.waiting.len() > 1;
        if is_open {
            board.queues.open();
        }
        // Who is enqueued asks from Volcano's next session on, a second later.
        if self.enqueue(board, view) || !is_open {
            board.queues.open();
        }
        let mut has_started = self.allocate(board, view, plan);
        let mut has_evicted = false;
        if self.preempts {
            has_evicted |= self.evict(board, view, plan, Rule::Preempt);
        }
        if self.reclaims {
            has_evicted |= self.evict(board, view, plan, Rule::Reclaim);
        }
        if has_evicted {
            // What the victims had and nobody took yet is for others.
            board.ask_all();
            self.allocate(board, view, plan);
            has_started = true;
        }
        if !has_started && view.ledger().is_empty() {
            self.start_anyway(board, view, plan);
        }
    }
}

impl Policy for Volcano {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let mut board = match self.board.take() {
            Some(board) => board,
            None => Board::new(self.plugin, &self.leaves, view),
        };
        board.follow(&self.leaves, view);
        if board.pending.waiting() + board.enqueued.waiting() > 0 {
            self.decide(&mut board, view, plan);
        }
        self.board = Some(board);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        match &self.board {
            Some(board) => facts::explain(board, self.overcommit, view, job),
            None => Explanation::new(Verdict::NotActive, Vec::new()),
        }
    }
}
