//! The main scheduler and backfill: who starts, who is evicted, and who has to wait for whom.

use super::super::evictions::Evictions;
use super::super::leaves::Leaves;
use super::horizon::{Found, Horizon, Run, Running};
use super::line::{Waiter, WaitingJobs};
use super::merits::{Given, Merits, Ranked};
use super::preempts::Preempting;
use super::reservations::{Party, Window};
use super::settings::{Backfill, Parameters, Preempt};
use super::standing::{Rules, Standing};
use super::victims::{self, Candidate};
use crate::Time;
use crate::job::JobId;
use crate::order::{self, ByValue};
use crate::workload::DEFAULT_PACKLIMIT;
use std::collections::BTreeMap;
use switchyard_engine::{News, Plan, View};
use switchyard_placement::{Gang, Strategy};
use switchyard_queues::tree::QueueTree;

/// A year, which stands in for no limit.
const YEAR: f64 = 365.0 * 86_400.0;

pub(super) struct Slurm {
    pub(super) params: Parameters,
    /// Until the first plan.
    pub(super) given: Option<Given>,
    pub(super) rules: Rules,
    pub(super) tiers: Ranked,
    pub(super) preempting: Preempting,
    /// By job: who submitted it, from 1; 0: nobody knows.
    pub(super) users: Vec<u32>,
    /// By user, which reservations are for them.
    pub(super) reserved: Vec<Party>,
    pub(super) leaves: Leaves,
    pub(super) strategy: Strategy,
    /// From the first plan on.
    pub(super) board: Option<Board>,
}

/// Who waits and who runs.
pub(super) struct Board {
    pub(super) tree: QueueTree,
    pub(super) merits: Merits,
    pub(super) standing: Standing,
    pub(super) line: WaitingJobs,
    pub(super) running: Running,
    /// By job that runs: when its limit is.
    pub(super) limits: BTreeMap<JobId, f64>,
    pub(super) horizon: Horizon,
    /// Whether the priorities of all who wait are computed.
    is_priced: bool,
    /// By queue of the tree, which reservations are for it.
    reserved: Vec<Party>,
    /// Something has changed since the main scheduler looked, and since backfill did.
    pub(super) is_due: bool,
    pub(super) is_backfill_due: bool,
    /// With the ranks of the evicting job and of the victim.
    pub(super) evictions: Evictions<(u32, u32)>,
    /// Who loses their GPUs by the plan that is being made.
    pub(super) evicted: Vec<JobId>,
}

impl Slurm {
    pub(super) fn begin(&mut self, view: &View<'_>) -> Option<Board> {
        let gpus = view.node_sizes().iter().sum();
        let (tree, leaves) = self.leaves.in_tree(gpus);
        let standing = Standing::new(&tree, leaves.len(), self.rules);
        let window = |(node, from, to): (u32, Time, Time)| Window {
            node,
            from: from.seconds(),
            to: to.seconds(),
            party: 0,
        };
        let maintenance = view.maintenance().filter(|_| self.params.maintenance);
        let reservations = &self.params.reservations;
        let mut windows: Vec<Window> = maintenance.map(window).collect();
        windows.extend(reservations.windows(view.node_sizes().len() as u32));
        order::sort_by_key(&mut windows, |window| ByValue::of(window.from));
        Some(Board {
            reserved: reservations.of_queues(&tree),
            merits: Merits::new(self.given.take()?, &tree, leaves, view),
            tree,
            standing,
            line: WaitingJobs::default(),
            running: Running::new(),
            limits: BTreeMap::new(),
            horizon: Horizon::new(self.strategy, windows),
            is_priced: true,
            is_due: false,
            is_backfill_due: false,
            evictions: Evictions::default(),
            evicted: Vec::new(),
        })
    }

    /// A job's time limit, seconds: its own, or that of all that tell none.
    pub(super) fn told_limit(&self, view: &View<'_>, job: JobId) -> Option<f64> {
        let default = self.params.default_time;
        let default = (default > 0.0).then_some(default);
        view.asks(job).time.or(default)
    }

    /// The same; where there is none, how long it takes.
    pub(super) fn limit(&self, view: &View<'_>, job: JobId) -> f64 {
        let told = self.told_limit(view, job);
        told.or_else(|| view.duration(job)).unwrap_or(YEAR)
    }

    /// What of a job decides whom it may evict.
    pub(super) fn rank(&self, board: &Board, job: JobId) -> u32 {
        match self.params.preempt {
            Preempt::None => 0,
            Preempt::Qos if !self.preempting.is_said() => board.merits.qos.of(job),
            Preempt::Qos if !self.preempting.may_evict(job) => 0,
            // Who is named as an evictor is one, of whatever priority.
            Preempt::Qos => board.merits.qos.of(job).max(1),
            Preempt::Partition => self.tiers.of(job),
        }
    }

    /// A job's gang, and which reservations it may use.
    pub(super) fn gang(&self, board: &Board, view: &View<'_>, job: JobId) -> (Gang, Party) {
        let gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        (gang, self.party(board, job))
    }

    /// Which reservations a job may use.
    pub(super) fn party(&self, board: &Board, job: JobId) -> Party {
        let user = self.users[job.index()].checked_sub(1);
        let of_user = user.and_then(|user| self.reserved.get(user as usize));
        let leaf = board.merits.leaves[job.index()];
        of_user.copied().unwrap_or(0) | board.reserved[leaf.index()]
    }

    /// Takes note of who has come and gone, and of what is to be computed.
    pub(super) fn follow(&self, board: &mut Board, view: &View<'_>) {
        let now = view.now().seconds();
        // Whoever ends now has run until then.
        let is_computed = board.standing.compute(now);
        board.is_due |= board.horizon.forget_past(now);
        for &news in view.news() {
            board.is_due = true;
            if let News::Finished(job) | News::Evicted(job) = news {
                board.stop(job, now);
            }
        }
        if is_computed && !board.line.is_empty() {
            self.reorder(board, view);
            board.is_due = true;
        }
        let comes = |&news: &News| match news {
            News::Arrived(job) | News::Evicted(job) => Some(job),
            _ => None,
        };
        let mut coming = view.news().iter().filter_map(comes);
        match (coming.next(), coming.next()) {
            // There is nobody before or behind whom it could stand. Most such jobs start at once.
            (Some(job), None) if board.line.is_empty() => {
                self.join_with(board, view, job, 0);
                board.is_priced = false;
            }
            _ => {
                let coming = view.news().iter().filter_map(comes);
                coming.for_each(|job| self.join(board, view, job));
            }
        }
        board.is_backfill_due |= board.is_due;
    }

    /// Who came alone and did not start gets its priority.
    pub(super) fn price(&self, board: &mut Board, view: &View<'_>) {
        if !std::mem::replace(&mut board.is_priced, true) && !board.line.is_empty() {
            self.reorder(board, view);
        }
    }

    /// Computes the priorities of all who wait.
    fn reorder(&self, board: &mut Board, view: &View<'_>) {
        board.standing.bring_up_to_date();
        let (merits, standing) = (&board.merits, &board.standing);
        let now = view.now().seconds();
        board.line.reorder(now, |job| {
            merits.priority(view, standing, (job, now, self.limit(view, job)))
        });
    }

    pub(super) fn join(&self, board: &mut Board, view: &View<'_>, job: JobId) {
        board.standing.bring_up_to_date();
        let of = (job, view.now().seconds(), self.limit(view, job));
        let priority = board.merits.priority(view, &board.standing, of);
        self.join_with(board, view, job, priority);
    }

    fn join_with(&self, board: &mut Board, view: &View<'_>, job: JobId, priority: u32) {
        board.line.join(Waiter {
            rank: self.rank(board, job),
            tier: self.tiers.of(job),
            priority,
            job,
            gpus: view.gpus(job),
            as_of: view.now().seconds(),
        });
    }

    /// Starts a job if it has room now, as things stand, or if it may evict who is in its way.
    pub(super) fn start(
        &self,
        board: &mut Board,
        view: &View<'_>,
        plan: &mut Plan,
        waiter: &Waiter,
    ) -> bool {
        let (job, now) = (waiter.job, view.now().seconds());
        let (gang, limit) = (self.gang(board, view, job), self.limit(view, job));
        if !board.horizon.has_room(gang, now, limit)
            && !self.evict_for(board, view, plan, (waiter, gang, limit))
        {
            return false;
        }
        let parts = board.horizon.placement.parts.clone();
        board.horizon.take(job, &parts, gang.0.needs);
        plan.place(job, &board.horizon.placement);
        if let Some(told) = self.told_limit(view, job) {
            plan.limit(job, Time(now + told + self.params.over_time_limit));
        }
        let run = Run {
            parts,
            needs: gang.0.needs,
        };
        board.running.insert((ByValue::of(now + limit), job), run);
        board.limits.insert(job, now + limit);
        let leaf = board.merits.leaves[job.index()];
        board.standing.start(job, leaf, waiter.gpus, now);
        true
    }

    pub(super) fn evict_for(
        &self,
        board: &mut Board,
        view: &View<'_>,
        plan: &mut Plan,
        (waiter, gang, limit): (&Waiter, (Gang, Party), f64),
    ) -> bool {
        if waiter.rank == 0 {
            return false;
        }
        let now = view.now().seconds();
        let may_lose = |job: &JobId| {
            let ran = now - view.since(*job).seconds();
            !board.evicted.contains(job) && ran >= self.params.preempt_exempt_time
        };
        let running = view.ledger().running().filter(may_lose);
        let candidates = running.filter_map(|job| {
            let rank = self.rank(board, job);
            let may = match self.params.preempt {
                Preempt::Qos if self.preempting.is_said() => self.preempting.may(waiter.job, job),
                _ => rank < waiter.rank,
            };
            may.then_some(Candidate { job, rank })
        });
        let mut candidates: Vec<Candidate> = candidates.collect();
        candidates.sort_unstable_by_key(|of| of.job);
        let Some(victims) = victims::find(&mut board.horizon, view, candidates, (gang, limit))
        else {
            return false;
        };
        for victim in victims {
            plan.preempt_for(victim, waiter.job);
            board.stop(victim, now);
            board.evicted.push(victim);
            let ranks = (waiter.rank, self.rank(board, victim));
            let by = (view.now(), waiter.job);
            board.evictions.note(victim, by, ranks);
        }
        true
    }

    /// The main scheduler: in order, until one does not fit.
    pub(super) fn schedule(&self, board: &mut Board, view: &View<'_>, plan: &mut Plan) {
        let Some(first) = board.line.waiters().first() else {
            return;
        };
        if first.rank == 0 && first.gpus > view.free().total() {
            return;
        }
        board.horizon.clear();
        board.horizon.now(view, &board.running, &board.evicted);
        let mut started = Vec::new();
        for at in 0..board.line.waiters().len() {
            let waiter = board.line.waiters()[at];
            if !self.start(board, view, plan, &waiter) {
                break;
            }
            started.push(at);
        }
        board.line.leave(&started);
    }

    /// The backfill scheduler.
    pub(super) fn backfill(&self, board: &mut Board, view: &View<'_>, plan: &mut Plan) {
        let params = &self.params;
        board.horizon.clear();
        board.horizon.now(view, &board.running, &board.evicted);
        let mut free = board.horizon.total();
        let tested = self.tested(board);
        let may_start = |waiter: &Waiter, free: u32| waiter.gpus <= free || waiter.rank > 0;
        // What is reserved behind the last who may start now decides nothing.
        let last = |board: &Board, free: u32| {
            let waiters = board.line.waiters();
            (tested.iter()).rposition(|&at| may_start(&waiters[at], free))
        };
        let mut end = last(board, free).map_or(0, |last| last + 1);
        let now = view.now().seconds();
        let until = now + params.bf_window;
        let (mut found, mut started, mut reserved) = (Found::default(), Vec::new(), 0);
        // Whether what is free stands as it is now.
        let mut is_now = true;
        for (nth, &at) in tested.iter().enumerate() {
            if nth >= end {
                break;
            }
            let waiter = board.line.waiters()[at];
            let gang = self.gang(board, view, waiter.job);
            let limit = self.limit(view, waiter.job);
            let least = found.least(&gang, limit);
            if least <= now && may_start(&waiter, free) {
                if !is_now {
                    board.horizon.now(view, &board.running, &board.evicted);
                    is_now = true;
                }
                if self.start(board, view, plan, &waiter) {
                    started.push(at);
                    free = board.horizon.total();
                    end = last(board, free).map_or(0, |last| last + 1);
                    continue;
                }
            }
            if params.backfill == Backfill::Easy && reserved > 0 {
                found.note(gang, limit, f64::INFINITY);
                continue;
            }
            is_now = false;
            let from = least.max(now);
            let runs = (&board.running, &board.evicted[..]);
            let start = board
                .horizon
                .earliest(view, runs, (gang, limit), (from, until));
            found.note(gang, limit, start.unwrap_or(f64::INFINITY));
            if let Some(start) = start {
                board.horizon.reserve(start, limit, params.bf_resolution);
            }
            reserved += 1;
        }
        board.line.leave(&started);
    }

    /// The places in line of those at whom backfill looks.
    pub(super) fn tested(&self, board: &Board) -> Vec<usize> {
        let (most, of_a_user) = (self.params.bf_max_job_test, self.params.bf_max_job_user);
        let mut by_user: BTreeMap<u32, u32> = BTreeMap::new();
        let waiters = board.line.waiters().iter().enumerate();
        let may = waiters.filter(|(_, waiter)| {
            let user = self.users.get(waiter.job.index()).copied().unwrap_or(0);
            if of_a_user == 0 || user == 0 {
                return true;
            }
            let tested = by_user.entry(user).or_default();
            *tested += 1;
            *tested <= of_a_user
        });
        may.map(|(at, _)| at).take(most as usize).collect()
    }
}

impl Board {
    /// A job runs no longer.
    pub(super) fn stop(&mut self, job: JobId, now: f64) {
        if let Some(limit) = self.limits.remove(&job) {
            self.running.remove(&(ByValue::of(limit), job));
            self.standing.stop(job, now);
        }
    }
}
