//! The step all preemptive priority schedulers share: walk the jobs from the highest priority
//! down, run each gang that still fits, take the GPUs of running jobs that no longer do.

use super::Verdict;
use super::waiting_room::{Waiter, Waiters, WaitingRoom};
use crate::cluster::{Needs, Part, Placement};
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_placement::{Budget, Gang, Room, Strategy};

/// What a walk asks about nodes and jobs: of the engine's [`View`], or of what is left of that once a
/// script has begun to change it.
pub(super) trait Floor {
    /// How many jobs run.
    fn running(&self) -> usize;
    /// GPUs that they hold whole.
    fn gpus_in_use(&self) -> u32;
    /// Free GPUs.
    fn free_gpus(&self) -> u32;
    /// How many nodes take nobody.
    fn closed_nodes(&self) -> u32;
    /// Whether nodes are not all alike to jobs.
    fn has_unlike_nodes(&self) -> bool;
    /// What is free for gangs to be laid on.
    fn room(&self, room: &mut Room);
    /// Where a running job is.
    fn parts(&self, job: JobId) -> &[Part];
    /// GPUs that its preemption would set free.
    fn open_gpus(&self, job: JobId) -> u32;
    /// Where its gang may lie.
    fn needs(&self, job: JobId) -> Needs;
    /// Its gang, for a placement to lay.
    fn gang(&self, job: JobId, strategy: Strategy, packlimit: f64) -> Gang;
}

impl Floor for View<'_> {
    fn running(&self) -> usize {
        self.ledger().len() as usize
    }

    fn gpus_in_use(&self) -> u32 {
        self.ledger().gpus_in_use()
    }

    fn free_gpus(&self) -> u32 {
        self.free().total()
    }

    fn closed_nodes(&self) -> u32 {
        View::closed_nodes(self)
    }

    fn has_unlike_nodes(&self) -> bool {
        View::has_unlike_nodes(self)
    }

    fn room(&self, room: &mut Room) {
        View::room(self, room);
    }

    fn parts(&self, job: JobId) -> &[Part] {
        self.ledger().parts(job)
    }

    fn open_gpus(&self, job: JobId) -> u32 {
        View::open_gpus(self, job)
    }

    fn needs(&self, job: JobId) -> Needs {
        View::needs(self, job)
    }

    fn gang(&self, job: JobId, strategy: Strategy, packlimit: f64) -> Gang {
        View::gang(self, job, strategy, packlimit)
    }
}

/// The active jobs of a preemptive policy and who of them runs. Keys order jobs, least first.
///
/// GPUs are first counted over the whole cluster (by type, where there are several), then the chosen jobs are placed. Where the
/// placement makes a chosen gang wait, jobs about to lose their GPUs keep them if they still
/// can, and later waiting jobs are tried, so that no GPU idles in its favour.
pub(super) struct PriorityWalk<K, W = WaitingRoom<K>> {
    pub(super) waiting: W,
    /// Those who run, as the [`Ledger`](switchyard_engine::Ledger) has them, in the order of their keys once
    /// [`walk`](Self::walk) has run.
    pub(super) running: Vec<Waiter<K>>,
    /// What the last walk started, or moved to GPUs of another type, by priority; they are in `running` too.
    pub(super) started: Vec<Waiter<K>>,
    /// What the last walk preempted, by priority; the policy gives each a key and puts it back
    /// into `waiting`.
    pub(super) preempted: Vec<Waiter<K>>,
    strategy: Strategy,
    /// Of [`Strategy::SKEW`].
    pub(super) packlimit: f64,
    /// No waiting job overtakes one before it that does not fit, even where GPUs then idle.
    pub(super) strict: bool,
    room: Room,
    placement: Placement,
    chosen: Vec<Waiter<K>>,
    /// The next `running`, while it is chosen.
    kept: Vec<Waiter<K>>,
    refused: Vec<Gang>,
    /// GPUs that the last walk left to no one.
    left: Budget,
}

impl<K: Ord + Copy> PriorityWalk<K> {
    pub(super) fn new(strategy: Strategy) -> Self {
        Self::of(strategy, WaitingRoom::default())
    }

    /// Gives waiting jobs new keys.
    pub(super) fn rekey_waiting(&mut self, key: impl Fn(JobId) -> K) {
        for waiter in self.waiting.take_all() {
            self.waiting.insert(Waiter {
                key: key(waiter.job),
                ..waiter
            });
        }
    }
}

impl<K: Ord + Copy, W: Waiters<K>> PriorityWalk<K, W> {
    /// With this room, which is empty.
    pub(super) fn of(strategy: Strategy, waiting: W) -> Self {
        Self {
            waiting,
            running: Vec::new(),
            started: Vec::new(),
            preempted: Vec::new(),
            strategy,
            packlimit: DEFAULT_PACKLIMIT,
            strict: false,
            room: Room::default(),
            placement: Placement::default(),
            chosen: Vec::new(),
            kept: Vec::new(),
            refused: Vec::new(),
            left: Budget::default(),
        }
    }

    /// Takes note of who has finished, and who has come with which key.
    pub(super) fn follow(&mut self, view: &View<'_>, mut key: impl FnMut(JobId) -> K) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.waiting.insert(Waiter::of(key(job), job, view)),
                News::Finished(job) => self.forget(job),
                News::Evicted(job) => {
                    self.forget(job);
                    self.waiting.insert(Waiter::of(key(job), job, view));
                }
                News::Alarm(_) | News::NodeDown(_) | News::NodeUp(_) | News::CoresFreed => {}
            }
        }
    }

    /// Forgets a job that has lost its GPUs by itself.
    pub(super) fn forget(&mut self, job: JobId) {
        if let Some(at) = self.running.iter().position(|running| running.job == job) {
            self.running.remove(at);
        }
    }

    /// Where a running job stands, by its key.
    pub(super) fn position(&self, key: K, job: JobId) -> Option<usize> {
        self.running
            .binary_search_by(|running| (running.key, running.job).cmp(&(key, job)))
            .ok()
    }

    /// Gives running jobs new keys, and puts them in their order.
    pub(super) fn rekey_running(&mut self, key: impl Fn(JobId) -> K) {
        for running in &mut self.running {
            running.key = key(running.job);
        }
        self.sort_running();
    }

    /// Puts `running` in the order of its keys, after the policy has changed some of them.
    pub(super) fn sort_running(&mut self) {
        sort_nearly_sorted(&mut self.running);
    }

    /// Decides who runs now. `running` must be sorted by key.
    pub(super) fn walk(&mut self, view: &impl Floor, plan: &mut Plan) {
        self.choose(view);
        if !self.chosen.is_empty() {
            self.place_chosen(view, plan);
        }
        for preempted in &self.preempted {
            plan.preempt(preempted.job);
        }
        self.settle_started();
    }

    /// Starts what fits on free GPUs, by priority, and takes nobody's.
    pub(super) fn fill(&mut self, view: &impl Floor, plan: &mut Plan) {
        self.chosen.clear();
        self.started.clear();
        self.preempted.clear();
        let mut budget = self.budget(view);
        while let Some(waiter) = self.waiting.first_fitting(&budget, None)
            && budget.take(waiter.gpus, waiter.pools)
        {
            self.waiting.remove(waiter);
            self.chosen.push(waiter);
        }
        self.left = budget;
        if !self.chosen.is_empty() {
            self.place_chosen(view, plan);
        }
        self.settle_started();
    }

    fn settle_started(&mut self) {
        for &started in &self.started {
            let at = self
                .running
                .partition_point(|running| (running.key, running.job) < (started.key, started.job));
            self.running.insert(at, started);
        }
    }

    /// Puts what the last walk preempted back with the key it had.
    pub(super) fn requeue_preempted(&mut self) {
        for preempted in self.preempted.drain(..) {
            self.waiting.insert(preempted);
        }
    }

    /// Why a job runs or waits since the last walk.
    pub(super) fn verdict(&self, view: &View<'_>, job: JobId) -> Verdict {
        match view.phase(job) {
            Phase::Running => Verdict::Runs,
            Phase::Waiting => {
                let wants = view.gpus(job);
                let left = self.left.most(view.needs(job).pools());
                if wants <= left {
                    Verdict::PlacementWaits { wants, free: left }
                } else {
                    Verdict::TooFewGpus { wants, left }
                }
            }
            _ => Verdict::NotActive,
        }
    }

    /// Counts GPUs down the priorities: who is chosen to start, and who is preempted for it.
    fn choose(&mut self, view: &impl Floor) {
        debug_assert_eq!(self.running.len(), view.running());
        self.chosen.clear();
        self.started.clear();
        self.preempted.clear();
        let mut budget = self.budget(view);
        if self.waiting.gpus() <= u64::from(budget.total()) && self.all_fit(&mut budget) {
            self.left = budget;
            return;
        }
        self.kept.clear();
        // What is on nodes that take nobody can be given to no other: who is there stays.
        let all_open = view.closed_nodes() == 0;
        let frees = |run: &Waiter<K>| {
            if all_open {
                run.gpus
            } else {
                view.open_gpus(run.job)
            }
        };
        let held = if all_open {
            view.gpus_in_use()
        } else {
            self.running.iter().map(frees).sum()
        };
        let running = self.running.iter().map(|running| running.job);
        let parts = running.map(|job| view.parts(job));
        budget.add(held, parts, &self.room);
        let mut running = self.running.iter().copied().peekable();
        let mut blocked = false;
        loop {
            let waiter = match (blocked, self.strict) {
                (true, _) => None,
                (false, true) => self.waiting.first(),
                (false, false) => self.waiting.first_fitting(&budget, None),
            };
            let first_running = running.peek().copied();
            match (waiter, first_running) {
                (Some(waiter), first)
                    if first.is_none_or(|run| (waiter.key, waiter.job) < (run.key, run.job)) =>
                {
                    if !budget.take(waiter.gpus, waiter.pools) {
                        blocked = true;
                        continue;
                    }
                    self.waiting.remove(waiter);
                    self.chosen.push(waiter);
                }
                (_, Some(run)) => {
                    running.next();
                    if budget.keep(frees(&run), || view.parts(run.job), &self.room) {
                        self.kept.push(run);
                    } else {
                        self.preempted.push(run);
                    }
                }
                (_, None) => break,
            }
        }
        drop(running);
        std::mem::swap(&mut self.running, &mut self.kept);
        self.left = budget;
    }

    /// Chooses all who wait, if what is free has room for all: then nobody needs to give way.
    fn all_fit(&mut self, budget: &mut Budget) -> bool {
        let mut left = budget.clone();
        while let Some(waiter) = self.waiting.first() {
            if !left.take(waiter.gpus, waiter.pools) {
                for chosen in self.chosen.drain(..) {
                    self.waiting.insert(chosen);
                }
                return false;
            }
            self.waiting.remove(waiter);
            self.chosen.push(waiter);
        }
        *budget = left;
        true
    }

    /// What is free by count; where nodes are unlike, `room` is what is free.
    fn budget(&mut self, view: &impl Floor) -> Budget {
        if view.has_unlike_nodes() {
            view.room(&mut self.room);
            self.room.budget()
        } else {
            Budget::of(view.free_gpus())
        }
    }

    fn place_chosen(&mut self, view: &impl Floor, plan: &mut Plan) {
        view.room(&mut self.room);
        for preempted in &self.preempted {
            let job = preempted.job;
            (self.room).give(job, view.parts(job), view.needs(job));
        }
        self.refused.clear();
        for i in 0..self.chosen.len() {
            self.try_to_start(self.chosen[i], view, plan);
        }
        // Where nodes are unlike, a gang may lie in another pool than that it was counted in.
        if self.refused.is_empty() && !self.left.is_by_pool() {
            return;
        }
        self.keep_where_possible(view);
        if self.left.is_by_pool() {
            self.move_where_possible(view, plan);
        }
        self.left = self.room.budget();
        let mut after = None;
        while !self.strict
            && let Some(waiter) = self.waiting.first_fitting(&self.left, after)
        {
            after = Some((waiter.key, waiter.job));
            if !self.is_refused(&self.gang(waiter, view)) {
                self.waiting.remove(waiter);
                self.try_to_start(waiter, view, plan);
                self.left = self.room.budget();
            }
        }
    }

    /// Starts the job, or lets it wait again if the placement has no room for its gang. (The room
    /// only shrinks, so a gang size refused once stays refused.)
    fn try_to_start(&mut self, waiter: Waiter<K>, view: &impl Floor, plan: &mut Plan) {
        let gang = self.gang(waiter, view);
        let after_refusal = self.strict && !self.refused.is_empty();
        let placed = !after_refusal
            && !self.is_refused(&gang)
            && (self.room).place(self.strategy, gang, &mut self.placement);
        if placed {
            (self.room).take(waiter.job, &self.placement.parts, gang.needs);
            plan.place(waiter.job, &self.placement);
            self.started.push(waiter);
        } else {
            self.refused.push(gang);
            self.waiting.insert(waiter);
        }
    }

    fn is_refused(&self, gang: &Gang) -> bool {
        self.refused.iter().any(|refused| refused.is_like(gang))
    }

    fn gang(&self, waiter: Waiter<K>, view: &impl Floor) -> Gang {
        view.gang(waiter.job, self.strategy, self.packlimit)
    }

    /// Lets jobs marked for preemption go on on nodes of another type.
    #[cold]
    fn move_where_possible(&mut self, view: &impl Floor, plan: &mut Plan) {
        for preempted in std::mem::take(&mut self.preempted) {
            let gang = self.gang(preempted, view);
            if (self.room).place(self.strategy, gang, &mut self.placement) {
                (self.room).take(preempted.job, &self.placement.parts, gang.needs);
                plan.place(preempted.job, &self.placement);
                self.started.push(preempted);
            } else {
                self.preempted.push(preempted);
            }
        }
    }

    /// Lets jobs marked for preemption stay where their GPUs are still free.
    fn keep_where_possible(&mut self, view: &impl Floor) {
        let room = &mut self.room;
        let running = &mut self.running;
        self.preempted.retain(|&preempted| {
            let parts = view.parts(preempted.job);
            let needs = view.needs(preempted.job);
            let stays = room.fits(parts, needs);
            if stays {
                room.take(preempted.job, parts, needs);
                running.push(preempted);
            }
            !stays
        });
        sort_nearly_sorted(running);
    }
}

/// Insertion sort: from one event to the next hardly anyone changes places.
fn sort_nearly_sorted<K: Ord + Copy>(waiters: &mut [Waiter<K>]) {
    for i in 1..waiters.len() {
        let waiter = waiters[i];
        let mut at = i;
        while at > 0 && (waiters[at - 1].key, waiters[at - 1].job) > (waiter.key, waiter.job) {
            waiters[at] = waiters[at - 1];
            at -= 1;
        }
        waiters[at] = waiter;
    }
}
