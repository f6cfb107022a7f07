//! Which running jobs make room for one that waits.
//!
//! In: a job, and what is tried for it. Out: a plan that starts it, moves some and evicts others, or why none helps.
//! Source: `actions/common/solvers`. Victims are taken one after the other, the last one in the order of queues and jobs
//! first. After each, those on one node of it are tried; for gangs that no node holds, and where that did not help, those on
//! as few nodes as may be enough, then on more.

use super::super::leaf_lines::Shape;
use super::Kai;
use super::board::{Board, Offer};
use super::past::{Grounds, Tried};
use super::quotas::Amounts;
use crate::Time;
use crate::cluster::{Part, Placement};
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use switchyard_engine::{Plan, View};
use switchyard_queues::kai::cycle::facts::Action;
use switchyard_queues::kai::min_runtime::{MinRuntime, for_preempt, for_reclaim};
use switchyard_queues::kai::reclaim::{Refusal, Victims, can_lose, may_reclaim, may_try};
use switchyard_queues::kai::standing::Standings;
use switchyard_queues::tree::QueueId;

/// How many scenarios are played through for one job at most. KAI has no such bound, and may take minutes.
const MOST_SCENARIOS: u32 = 64;

/// What is tried, and for whom.
struct Attempt<'a> {
    action: Action,
    offer: &'a Offer,
    /// How queues stood before.
    before: Standings,
    /// Scenarios played so far.
    scenarios: u32,
    /// Why the last one was not fair.
    refused: Option<Refusal>,
    /// When the first of those that are too young may be evicted.
    ready: Option<Time>,
}

/// A scenario that is allowed: who loses their GPUs, and who gets others.
struct Found {
    lost: Vec<JobId>,
    moved: Vec<(JobId, Placement)>,
}

/// A job of a leaf, by its place there.
type Place = (Reverse<i64>, JobId);

/// Where the search for victims of a leaf is.
#[derive(Clone, Copy, Default)]
struct Cursor {
    /// The last one taken.
    last: Option<Place>,
    /// What those that were taken have.
    taken: Amounts,
    /// The next one, once it has been looked for.
    next: Option<Place>,
    is_known: bool,
}

/// Where the search for victims is: by leaf; none: of that leaf nobody may be one.
#[derive(Default)]
struct VictimSearch {
    leaves: BTreeMap<QueueId, Option<Cursor>>,
    count: usize,
}

impl Kai {
    /// A look before anything is tried: whether an action could help a job at all.
    pub(super) fn may_help(
        &self,
        board: &Board,
        action: Action,
        (leaf, shape, job): (QueueId, &Shape, JobId),
    ) -> bool {
        match action {
            Action::Consolidate => {
                self.consolidation > 0
                    && !shape.fixed
                    && shape.gpus <= self.room.total()
                    && !self.fragmented.contains(shape)
                    && board.has_room_for(leaf, shape).is_ok()
            }
            Action::Reclaim => {
                let amounts = board.amounts(shape);
                let reclaimer = board.reclaimer(leaf, shape, &amounts);
                may_try(&board.standings, &reclaimer).is_ok()
            }
            _ => {
                let last = board.running[leaf.index()].last();
                last.is_some_and(|&(Reverse(priority), _)| priority < board.priority(job))
            }
        }
    }

    /// Makes room for a job and starts it. Says whether it could.
    pub(super) fn make_room(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        plan: &mut Plan,
        action: Action,
        offer: &Offer,
    ) -> bool {
        let mut attempt = Attempt {
            action,
            offer,
            before: Standings::default(),
            scenarios: 0,
            refused: None,
            ready: None,
        };
        let found = match self.has_enough(board, &attempt) {
            true => {
                attempt.before = board.standings.clone();
                self.search(board, view, &mut attempt)
            }
            false => None,
        };
        let Some(found) = found else {
            if action == Action::Consolidate {
                self.fragmented.push(offer.shape);
            }
            if let Some(ready) = attempt.ready {
                let first = self.wake.is_none_or(|(other, _)| ready < other);
                if first {
                    self.wake = Some((ready, offer.job));
                }
            }
            let tried = Tried {
                at: view.now(),
                action,
                scenarios: attempt.scenarios,
                refused: attempt.refused,
                ready: attempt.ready,
            };
            board.tried.insert(offer.job, tried);
            return false;
        };
        self.carry_out(board, view, plan, &attempt, found);
        true
    }

    fn carry_out(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        plan: &mut Plan,
        attempt: &Attempt<'_>,
        found: Found,
    ) {
        let now = view.now().seconds();
        let Attempt { action, offer, .. } = *attempt;
        // The standings have changed in the attempt; `start` and `stop` count them themselves.
        let own = std::mem::take(&mut self.placement);
        board.give(offer.job, &offer.shape);
        for &victim in &found.lost {
            let shape = board.shape(view, victim);
            board.take(victim, &shape);
        }
        for victim in found.lost {
            let shape = board.shape(view, victim);
            plan.preempt_for(victim, offer.job);
            board.stop(now, victim, shape);
            let grounds = Grounds {
                asked: offer.shape.gpus,
                priority: board.priority(offer.job),
                action,
                winner: None,
                loser: None,
            };
            let leaves = (offer.leaf, board.leaf_of[victim.index()]);
            let grounds = grounds.between(&board.tree, &attempt.before, board.gpus(), leaves);
            let by = (view.now(), offer.job);
            board.evictions.note(victim, by, grounds);
            self.changed.insert(victim);
            self.evicted.push(victim);
        }
        for (victim, placement) in found.moved {
            plan.place(victim, &placement);
            board.moves.insert(victim, (offer.job, view.now()));
            self.changed.insert(victim);
        }
        plan.place(offer.job, &own);
        board.start(now, offer.job, offer.shape);
        self.changed.insert(offer.job);
        self.placement = own;
    }

    /// Whether candidates have as many GPUs as a job asks for, with those that are free.
    fn has_enough(&self, board: &Board, attempt: &Attempt<'_>) -> bool {
        let Offer { leaf, shape, .. } = *attempt.offer;
        let free = self.room.total();
        match attempt.action {
            Action::Consolidate => shape.gpus <= free,
            Action::Reclaim => {
                let Some(gpus) = board.gpus() else {
                    return true;
                };
                let mut sum = f64::from(free);
                let mut leaves = vec![None];
                while let Some(parent) = leaves.pop() {
                    for &queue in board.asking.below(parent) {
                        if !board.tree.is_leaf(queue) {
                            leaves.push(Some(queue));
                        } else if self.may_lose(board, attempt, queue) {
                            let standing = board.standings.of(queue)[gpus];
                            sum += standing.allocated - standing.fixed;
                        }
                    }
                }
                sum >= f64::from(shape.gpus)
            }
            _ => !board.running[leaf.index()].is_empty(),
        }
    }

    /// Whether jobs of a leaf may be victims.
    fn may_lose(&self, board: &Board, attempt: &Attempt<'_>, leaf: QueueId) -> bool {
        if board.running[leaf.index()].is_empty() {
            return false;
        }
        let offer = attempt.offer;
        match attempt.action {
            Action::Consolidate => true,
            Action::Reclaim => {
                let reclaimer = board.reclaimer(offer.leaf, &offer.shape, &offer.amounts);
                leaf != offer.leaf && can_lose(&board.tree, &board.standings, &reclaimer, leaf)
            }
            _ => leaf == offer.leaf,
        }
    }

    /// For how long a victim in a leaf must have run.
    fn must_run(&self, board: &Board, attempt: &Attempt<'_>, leaf: QueueId) -> f64 {
        let times = &self.min_runtimes;
        match attempt.action {
            Action::Reclaim => self.until_reclaim(board, attempt.offer.leaf, leaf).seconds,
            Action::Preempt => for_preempt(&board.tree, times.preempt, leaf).seconds,
            _ => 0.0,
        }
    }

    /// For how long a job of a leaf must have run before one of another leaf may evict it.
    fn until_reclaim(&self, board: &Board, reclaimer: QueueId, victim: QueueId) -> MinRuntime {
        let times = &self.min_runtimes;
        for_reclaim(&board.tree, times.resolve, times.reclaim, reclaimer, victim)
    }

    /// The next victim of a leaf.
    fn next_of(
        &self,
        board: &Board,
        view: &View<'_>,
        attempt: &mut Attempt<'_>,
        leaf: QueueId,
        from: Option<Place>,
    ) -> Option<Place> {
        let seconds = self.must_run(board, attempt, leaf);
        let own = board.priority(attempt.offer.job);
        let running = &board.running[leaf.index()];
        let mut left = match from {
            Some(from) => running.range(..from),
            None => running.range(..),
        };
        loop {
            let &(Reverse(priority), job) = left.next_back()?;
            if attempt.action == Action::Preempt && priority >= own {
                return None;
            }
            // What it has is not to be had, or is what this plan gives it.
            if self.changed.contains(&job) || view.is_on_closed_node(job) {
                continue;
            }
            let ready = view.since(job) + seconds;
            if ready > view.now() {
                let first = attempt.ready.map_or(ready, |other| other.min(ready));
                attempt.ready = Some(first);
                continue;
            }
            return Some((Reverse(priority), job));
        }
    }

    fn search(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        attempt: &mut Attempt<'_>,
    ) -> Option<Found> {
        let gpus = attempt.offer.shape.gpus;
        let mut line = VictimSearch::default();
        let mut taken = Vec::new();
        let passes: &[bool] = match gpus <= view.node_size() {
            true => &[true, false],
            false => &[false],
        };
        for &is_one_node in passes {
            for count in 1.. {
                if count > taken.len() {
                    let Some(victim) = self.next_victim(board, view, attempt, &mut line) else {
                        break;
                    };
                    taken.push(victim);
                }
                let scenarios = match is_one_node {
                    true => self.on_one_node(view, &taken[..count], gpus),
                    false => self.on_many_nodes(view, &taken[..count], gpus),
                };
                for scenario in scenarios {
                    if attempt.scenarios >= MOST_SCENARIOS {
                        return None;
                    }
                    if let Some(found) = self.play(board, view, attempt, &scenario) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The next of those that may be victims, the last one of all first.
    fn next_victim(
        &self,
        board: &Board,
        view: &View<'_>,
        attempt: &mut Attempt<'_>,
        line: &mut VictimSearch,
    ) -> Option<JobId> {
        let most = match attempt.action {
            // KAI counts to one more than its setting.
            Action::Consolidate => self.consolidation + 1,
            _ => usize::MAX,
        };
        if line.count >= most {
            return None;
        }
        let next = board.next(&board.asking, None, true, &mut |leaf| {
            let at = (line.leaves.entry(leaf))
                .or_insert_with(|| match self.may_lose(board, attempt, leaf) {
                    true => Some(Cursor::default()),
                    false => None,
                })
                .as_mut()?;
            if !at.is_known {
                at.next = self.next_of(board, view, attempt, leaf, at.last);
                at.is_known = true;
            }
            let (_, job) = at.next?;
            let shape = board.shape(view, job);
            let mut amounts = board.amounts(&shape);
            for (amount, taken) in amounts.iter_mut().zip(at.taken) {
                *amount += taken;
            }
            Some(Offer {
                leaf,
                job,
                shape,
                amounts,
            })
        });
        let Offer {
            leaf, job, amounts, ..
        } = next?;
        let last = Some((Reverse(board.priority(job)), job));
        let cursor = Cursor {
            last,
            taken: amounts,
            ..Cursor::default()
        };
        line.leaves.insert(leaf, Some(cursor));
        line.count += 1;
        Some(job)
    }

    /// For each node of the last victim, all that were taken and have GPUs there, if they have enough.
    fn on_one_node(&self, view: &View<'_>, taken: &[JobId], gpus: u32) -> Vec<Vec<JobId>> {
        let Some(&last) = taken.last() else {
            return Vec::new();
        };
        let mut scenarios = Vec::new();
        let nodes = view.ledger().parts(last).iter();
        for node in nodes
            .filter(|part| part.has_workers())
            .map(|part| part.node)
        {
            let on_it = |job: JobId| -> u32 {
                let parts = view.ledger().parts(job).iter();
                let there = parts.filter(|part| part.node == node);
                there.map(|part| part.gpus).sum()
            };
            let victims: Vec<JobId> = taken
                .iter()
                .copied()
                .filter(|&job| on_it(job) > 0)
                .collect();
            let freed: u32 = victims.iter().map(|&job| on_it(job)).sum();
            let free = self.room.free().per_node();
            let free = free.get(node as usize).copied().unwrap_or(0);
            if free + freed >= gpus && !scenarios.contains(&victims) {
                scenarios.push(victims);
            }
        }
        scenarios
    }

    /// Those on the nodes that would have least room, as few nodes as may be enough, then 1, 2, 4… more.
    fn on_many_nodes(&self, view: &View<'_>, taken: &[JobId], gpus: u32) -> Vec<Vec<JobId>> {
        let free = self.room.free().per_node();
        let free_on = |node: u32| free.get(node as usize).copied().unwrap_or(0);
        let mut covered = self.room.total();
        let mut nodes: BTreeMap<u32, u32> = BTreeMap::new();
        for part in taken.iter().flat_map(|&job| view.ledger().parts(job)) {
            let room = nodes.entry(part.node).or_insert_with(|| {
                let free = free_on(part.node);
                covered -= free;
                free
            });
            *room += part.gpus;
        }
        let mut nodes: Vec<(u32, u32)> =
            nodes.into_iter().map(|(node, room)| (room, node)).collect();
        nodes.sort_unstable();
        let mut count = 0;
        while covered < gpus {
            let Some(&(room, _)) = nodes.get(count) else {
                return Vec::new();
            };
            covered += room;
            count += 1;
        }
        let mut scenarios: Vec<Vec<JobId>> = Vec::new();
        let mut step = 1;
        loop {
            let picked = &nodes[..count];
            let is_on = |part: &Part| picked.iter().any(|&(_, node)| node == part.node);
            let victims = taken.iter().copied();
            let victims: Vec<JobId> = victims
                .filter(|&job| view.ledger().parts(job).iter().any(is_on))
                .collect();
            if !victims.is_empty() && !scenarios.contains(&victims) {
                scenarios.push(victims);
            }
            if count >= nodes.len() {
                return scenarios;
            }
            count = (count + step).min(nodes.len());
            step *= 2;
        }
    }

    /// Plays a scenario through. Where it is allowed, the room and the standings are as after it, the placement is that of
    /// the job; else all is as before.
    fn play(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        attempt: &mut Attempt<'_>,
        victims: &[JobId],
    ) -> Option<Found> {
        attempt.scenarios += 1;
        let Offer {
            leaf, job, shape, ..
        } = *attempt.offer;
        let shapes: Vec<Shape> = victims
            .iter()
            .map(|&victim| board.shape(view, victim))
            .collect();
        let gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        for (&victim, shape) in victims.iter().zip(&shapes) {
            self.room
                .give(victim, view.ledger().parts(victim), view.needs(victim));
            board.give(victim, shape);
        }
        let put_back = |of: &mut Self, board: &mut Board| {
            for (&victim, shape) in victims.iter().zip(&shapes) {
                of.room
                    .take(victim, view.ledger().parts(victim), view.needs(victim));
                board.take(victim, shape);
            }
        };
        let has_room = board.has_room_for(leaf, &shape).is_ok()
            && self.room.place(self.strategy, gang, &mut self.placement);
        if !has_room {
            put_back(self, board);
            return None;
        }
        self.room.take(job, &self.placement.parts, gang.needs);
        board.take(job, &shape);
        // Those whose GPUs are still free keep them, then others find some elsewhere.
        let mut without: Vec<(JobId, Shape)> = Vec::new();
        let mut stayed: Vec<(JobId, Shape)> = Vec::new();
        for (&victim, shape) in victims.iter().zip(&shapes).rev() {
            let (parts, needs) = (view.ledger().parts(victim), view.needs(victim));
            let own = board.leaf_of[victim.index()];
            if self.room.fits(parts, needs) && board.has_room_for(own, shape).is_ok() {
                self.room.take(victim, parts, needs);
                board.take(victim, shape);
                stayed.push((victim, *shape));
            } else {
                without.push((victim, *shape));
            }
        }
        let mut moved: Vec<(JobId, Placement)> = Vec::new();
        let mut lost: Vec<JobId> = Vec::new();
        for &(victim, shape) in &without {
            let mut placement = Placement::default();
            let gang = view.gang(victim, self.strategy, DEFAULT_PACKLIMIT);
            let own = board.leaf_of[victim.index()];
            if board.has_room_for(own, &shape).is_ok()
                && self.room.place(self.strategy, gang, &mut placement)
            {
                self.room.take(victim, &placement.parts, gang.needs);
                board.take(victim, &shape);
                moved.push((victim, placement));
            } else {
                lost.push(victim);
            }
        }
        // As they were taken.
        lost.reverse();
        if self.allows(board, view, attempt, &lost) {
            return Some(Found { lost, moved });
        }
        self.room.give(job, &self.placement.parts, gang.needs);
        board.give(job, &shape);
        for (victim, placement) in &moved {
            self.room
                .give(*victim, &placement.parts, view.needs(*victim));
            let shape = board.shape(view, *victim);
            board.give(*victim, &shape);
        }
        for (victim, shape) in &stayed {
            self.room
                .give(*victim, view.ledger().parts(*victim), view.needs(*victim));
            board.give(*victim, shape);
        }
        put_back(self, board);
        None
    }

    /// Whether a scenario is allowed in which so many lose their GPUs.
    fn allows(
        &self,
        board: &Board,
        view: &View<'_>,
        attempt: &mut Attempt<'_>,
        lost: &[JobId],
    ) -> bool {
        match attempt.action {
            Action::Consolidate => lost.is_empty(),
            Action::Reclaim => {
                let mut by_queue: Vec<Victims> = Vec::new();
                for &victim in lost {
                    let amounts = board.amounts(&board.shape(view, victim));
                    let amounts = board.counted(&amounts).to_vec();
                    let queue = board.leaf_of[victim.index()];
                    match by_queue.iter_mut().find(|of| of.queue == queue) {
                        Some(of) => of.amounts.push(amounts),
                        None => by_queue.push(Victims {
                            queue,
                            amounts: vec![amounts],
                        }),
                    }
                }
                let offer = attempt.offer;
                let reclaimer = board.reclaimer(offer.leaf, &offer.shape, &offer.amounts);
                let (tree, before) = (&board.tree, &attempt.before);
                match may_reclaim(tree, before, &reclaimer, &by_queue, self.multiplier) {
                    Ok(()) => true,
                    Err(refused) => {
                        attempt.refused = Some(refused);
                        false
                    }
                }
            }
            _ => true,
        }
    }
}
