//! Gavel's mechanism (Narayanan et al., OSDI'20 §5): shares of time by type of GPU become rounds. In:
//! who is active, how fast each is where. Out: who runs where until the next round.
//!
//! Shares are found anew when jobs have come or finished, at the earliest so long after the last time
//! as the released simulator waits; until then newcomers wait. In a round the types choose in turn, the
//! fastest first: among those that have a share there, alone or in pairs, whose share ÷ time received
//! there since is the greatest, then the others by what they have been denied. GPUs that come free within
//! a round stay idle until its end. Two who run together are on one GPU, half of it each; who changes
//! between that and a GPU of its own starts anew.

use super::super::{
    Cadence, Explanation, Fact, Policy, Rng, RoundReport, RoundRow, Verdict, rounds,
};
use super::allocator::{Allocate, Asking};
use super::combination::{Combination, Turns};
use crate::Time;
use crate::cluster::{Part, Placement, Share};
use crate::job::JobId;
use crate::order;
use crate::workload::DEFAULT_PACKLIMIT;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_explain::{Operand, Unit};
use switchyard_model::draw::below;
use switchyard_placement::{Budget, Gang, Room, Strategy};

pub(crate) struct ByType {
    allocator: Box<dyn Allocate>,
    /// Seconds of a round, and the parameter that says so.
    round: f64,
    parameter: &'static str,
    /// Seconds from one allocation to the next, at least.
    reset: f64,
    strategy: Strategy,
    /// Whether a job that comes when nobody runs need not wait for a round.
    begins_at_once: bool,
    /// In order of submission.
    active: Vec<JobId>,
    /// By their jobs; some of whom may have finished since shares were last found.
    combinations: Vec<Combination>,
    turns: Turns,
    /// Those that ran in the last round, in their order.
    ran: Vec<usize>,
    /// When shares were last found.
    allocated: Option<Time>,
    /// Whether somebody has come or finished since.
    has_changed: bool,
    began: Time,
    room: Room,
    /// GPUs that the last round left to no one.
    left: Budget,
    last: Option<Time>,
    /// Of the last round's report the rows of those who had GPUs before or after.
    rows: BTreeMap<JobId, RoundRow>,
}

/// Where somebody runs in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seat {
    job: JobId,
    pool: usize,
    /// On the same GPU.
    partner: Option<JobId>,
}

impl ByType {
    pub(crate) fn new(
        allocator: Box<dyn Allocate>,
        (round, parameter): (f64, &'static str),
        reset: f64,
        strategy: Strategy,
    ) -> Self {
        Self {
            allocator,
            round,
            parameter,
            reset,
            strategy,
            begins_at_once: false,
            active: Vec::new(),
            combinations: Vec::new(),
            turns: Turns::default(),
            ran: Vec::new(),
            allocated: None,
            has_changed: false,
            began: Time::default(),
            room: Room::default(),
            left: Budget::default(),
            last: None,
            rows: BTreeMap::new(),
        }
    }

    /// The same, but when nobody runs a round begins with whoever comes.
    pub(crate) fn at_once(self) -> Self {
        Self {
            begins_at_once: true,
            ..self
        }
    }

    fn follow(&mut self, view: &View<'_>) {
        let passed = view.now() - self.began;
        for &at in &self.ran {
            let combination = &mut self.combinations[at];
            let mut members = combination.members();
            if let Some(pool) = combination.ran
                && members.all(|job| view.phase(job) == Phase::Running)
            {
                let standing = &mut combination.on[pool];
                let before = standing.turn(at);
                standing.received += passed;
                let gang = view.gpus(combination.jobs.0);
                (self.turns).change(pool, gang, before, standing.turn(at));
            }
        }
        self.began = view.now();
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.active.push(job),
                News::Finished(job) => {
                    if let Ok(at) = self.active.binary_search(&job) {
                        self.active.remove(at);
                    }
                }
                _ => continue,
            }
            self.has_changed = true;
        }
        let combinations = &mut self.combinations;
        self.ran.retain(|&at| {
            let stays = combinations[at].is_active(view);
            if !stays {
                combinations[at].ran = None;
            }
            stays
        });
    }

    /// Finds shares anew, if it is time.
    fn allocate(&mut self, view: &View<'_>, gpus: &[u32], rng: &mut Rng) {
        let since = self.allocated.map(|at| view.now() - at);
        let is_due = since.is_none_or(|since| since >= self.reset);
        // In Shockwave's simulator shares of the very first moment, of few jobs, hold for one round.
        let is_due = is_due || self.begins_at_once && self.allocated == Some(Time::default());
        if is_due && !self.has_changed {
            self.has_changed = self.allocator.has_changed(view);
        }
        if !self.has_changed || !is_due {
            return;
        }
        let asking = Asking {
            view,
            active: &self.active,
            gpus,
        };
        let mut combinations = self.allocator.allocate(&asking, rng);
        order::sort_by_key(&mut combinations, |of| of.jobs);
        for new in &mut combinations {
            let old = self
                .combinations
                .binary_search_by_key(&new.jobs, |of| of.jobs);
            let old = old.ok().map(|at| &self.combinations[at]);
            for (pool, standing) in new.on.iter_mut().enumerate() {
                standing.received = self.round / 2.0;
                if let Some(old) = old.map(|old| old.on[pool]) {
                    let received = old.received - self.round / 2.0;
                    standing.denied = old.denied + old.share * since.unwrap_or(0.0) - received;
                }
            }
            new.ran = old.and_then(|old| old.ran);
        }
        let gang = |of: &Combination| view.gpus(of.jobs.0);
        self.turns = Turns::of(&combinations, gang, gpus.len());
        let ran = combinations.iter().enumerate();
        self.ran = ran
            .filter(|(_, of)| of.ran.is_some())
            .map(|(at, _)| at)
            .collect();
        self.combinations = combinations;
        self.allocated = Some(view.now());
        self.has_changed = false;
    }

    /// Which combinations run on which type.
    fn choose(&mut self, view: &View<'_>, gpus: &[u32], rng: &mut Rng) {
        for at in self.ran.drain(..) {
            self.combinations[at].ran = None;
        }
        let mut pools: Vec<usize> = (0..gpus.len()).collect();
        if self.allocator.is_blind() {
            for last in (1..pools.len()).rev() {
                pools.swap(last, below(rng, last as u32 + 1) as usize);
            }
        }
        let mut chosen: Vec<JobId> = Vec::new();
        let mut left = gpus.to_vec();
        for pool in pools {
            let mut after = None;
            while let Some(turn) = self.turns.next(pool, left[pool], after) {
                after = Some(turn);
                let at = turn.2;
                let combination = &mut self.combinations[at];
                let gang = view.gpus(combination.jobs.0);
                let runs = |job: JobId| view.speed_on(job, pool) > 0.0;
                let is_free = |job: &JobId| chosen.binary_search(job).is_err();
                if combination.ran.is_none()
                    && combination.is_active(view)
                    && combination.members().all(|job| runs(job) && is_free(&job))
                    && match combination.jobs {
                        (a, Some(b)) => view.rates_together(a, b, pool).is_some(),
                        _ => true,
                    }
                {
                    left[pool] -= gang;
                    combination.ran = Some(pool);
                    self.ran.push(at);
                    for job in combination.members() {
                        let at = chosen.partition_point(|&other| other < job);
                        chosen.insert(at, job);
                    }
                }
            }
        }
        self.ran.sort_unstable();
    }

    /// Who runs where by the last choice, in order of jobs.
    fn seats(&self) -> Vec<Seat> {
        let mut seats: Vec<Seat> = Vec::new();
        for &at in &self.ran {
            let combination = &self.combinations[at];
            if let (Some(pool), (job, partner)) = (combination.ran, combination.jobs) {
                seats.push(Seat { job, pool, partner });
                seats.extend(partner.map(|other| Seat {
                    job: other,
                    pool,
                    partner: Some(job),
                }));
            }
        }
        order::sort_by_key(&mut seats, |seat| seat.job);
        seats
    }

    /// Lays those who are to run, and takes the GPUs of those who are not. Who stays on a type, alone
    /// or with the same other, stays where it is.
    fn lay(&mut self, view: &View<'_>, plan: &mut Plan) {
        let ledger = view.ledger();
        view.room(&mut self.room);
        let seats = self.seats();
        let shared = |job: JobId| {
            let share = ledger.share(job).filter(|_| view.half(job).is_some());
            share.map(|(node, share)| (node, share.gpu))
        };
        let room = &self.room;
        let stays = |seat: &Seat| {
            let first = ledger.parts(seat.job).first();
            let pool = first.map(|part| room.pool_of(part.node));
            let partner = seat.partner.map(shared);
            pool == Some(seat.pool)
                && match (shared(seat.job), partner) {
                    (mine, Some(its)) => mine.is_some() && mine == its,
                    (mine, None) => mine.is_none(),
                }
        };
        let mut leaving: Vec<JobId> = Vec::new();
        for job in ledger.running() {
            if !seat_of(&seats, job).is_some_and(stays) {
                leaving.push(job);
            }
        }
        let coming = self.ran.iter().copied().filter(|&at| {
            let seat = seat_of(&seats, self.combinations[at].jobs.0);
            !seat.is_some_and(stays)
        });
        let mut coming: Vec<usize> = coming.collect();
        order::sort_by_key(&mut coming, |&at| {
            Reverse(view.gpus(self.combinations[at].jobs.0))
        });
        for &job in &leaving {
            self.room.give(job, ledger.parts(job), view.needs(job));
        }
        let mut placement = Placement::default();
        for at in coming {
            let Combination { mut jobs, ran, .. } = self.combinations[at];
            let Some(pool) = ran else { continue };
            let mut is_laid = match jobs {
                (job, None) => self.lay_alone(view, job, pool, &mut placement),
                (a, Some(b)) => self.lay_with_partner(view, [a, b], pool, &mut placement),
            };
            if !is_laid {
                self.combinations[at].ran = None;
                // Memory or cores may not do for two: then one of them has the GPU.
                for job in [Some(jobs.0).filter(|_| jobs.1.is_some()), jobs.1] {
                    let Some(job) = job.filter(|_| !is_laid) else {
                        continue;
                    };
                    let alone = self
                        .combinations
                        .binary_search_by_key(&(job, None), |of| of.jobs);
                    let Ok(alone) = alone else { continue };
                    let parts = ledger.parts(job);
                    let held = parts.first().map(|part| self.room.pool_of(part.node));
                    let may_stay = held == Some(pool) && shared(job).is_none();
                    if may_stay && self.room.fits(parts, view.needs(job)) {
                        self.room.take(job, parts, view.needs(job));
                        leaving.retain(|&other| other != job);
                        self.combinations[alone].ran = Some(pool);
                        self.ran.push(alone);
                        break;
                    }
                    is_laid = self.lay_alone(view, job, pool, &mut placement);
                    if is_laid {
                        self.combinations[alone].ran = Some(pool);
                        self.ran.push(alone);
                        jobs = (job, None);
                    }
                }
            }
            if !is_laid {
                continue;
            }
            for (job, partner) in [(Some(jobs.0), jobs.1), (jobs.1, Some(jobs.0))] {
                let Some(job) = job else { continue };
                if let Some(half) = view.half(job).filter(|_| partner.is_some()) {
                    let part = placement.parts[0];
                    let gpu = part.share.map_or(half.gpu, |share| share.gpu);
                    placement.parts = vec![Part::of_share(part.node, Share { gpu, ..half })];
                }
                self.room.take(job, &placement.parts, view.needs(job));
                plan.place(job, &placement);
                leaving.retain(|&other| other != job);
                self.note(view, job, &placement.parts, partner);
            }
        }
        for job in leaving {
            plan.preempt(job);
            self.note(view, job, &[], None);
        }
        self.ran.retain(|&at| self.combinations[at].ran.is_some());
        self.ran.sort_unstable();
        self.left = self.room.budget();
    }

    /// Finds GPUs for a job by itself.
    fn lay_alone(
        &self,
        view: &View<'_>,
        job: JobId,
        pool: usize,
        placement: &mut Placement,
    ) -> bool {
        let mut gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        gang.needs = gang.needs.within(pool);
        self.room.place(self.strategy, gang, placement)
    }

    /// Finds an idle GPU for two; says which in the first one's share.
    fn lay_with_partner(
        &mut self,
        view: &View<'_>,
        jobs: [JobId; 2],
        pool: usize,
        placement: &mut Placement,
    ) -> bool {
        let gang = Gang {
            gpus: 1,
            share: None,
            skewed: false,
            needs: view.needs(jobs[0]).within(pool),
            profile: view.profile(jobs[0], self.strategy),
            asker: view.asker(jobs[0], self.strategy),
        };
        if !self.room.place(self.strategy, gang, placement) {
            return false;
        }
        let node = placement.parts[0].node;
        let shares = self.room.free().shares();
        let gpu = shares.map_or(0, |shares| shares.next_gpu(node));
        let mut taken: Vec<(Part, JobId)> = Vec::new();
        for job in jobs {
            let Some(half) = view.half(job) else { break };
            let part = Part::of_share(node, Share { gpu, ..half });
            if !self.room.fits(&[part], view.needs(job)) {
                break;
            }
            self.room.take(job, &[part], view.needs(job));
            taken.push((part, job));
        }
        for &(part, job) in &taken {
            self.room.give(job, &[part], view.needs(job));
        }
        placement.parts = taken.iter().map(|&(part, _)| part).take(1).collect();
        taken.len() == 2
    }

    /// Says in the round's report what a job is given.
    fn note(&mut self, view: &View<'_>, job: JobId, after: &[Part], partner: Option<JobId>) {
        let speed = self.speed(view, job, after, partner);
        let row = self.rows.entry(job).or_insert_with(|| idle(job));
        row.after = after.to_vec();
        row.speedup = speed;
    }

    /// Of a job that shares nothing: why its turn comes when it does, where the allocator tells that.
    fn order(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let Some(mut facts) = self.allocator.facts(view, job) else {
            return Vec::new();
        };
        let at = self
            .combinations
            .binary_search_by_key(&(job, None), |of| of.jobs);
        let Ok(at) = at else {
            facts.push(Fact::new("share", "none before shares are found anew"));
            return facts;
        };
        for pool in 0..view.pools() {
            let on = |term: &str| match view.pool_name(pool) {
                "" => term.to_owned(),
                name => format!("{term} on {name}"),
            };
            let active = || {
                let all = self.combinations.iter().enumerate();
                all.filter(|(_, of)| of.is_active(view))
            };
            let standing = &self.combinations[at].on[pool];
            let given: f64 = active().map(|(_, of)| of.on[pool].received).sum();
            let fraction = standing.received / given;
            let term = on("fraction of all time given out, with half a round for each");
            let seconds = |name, value| Operand::new(name, value, Unit::Seconds);
            facts.push(Fact::percent(&term, fraction, 2).by(
                "{0} ∕ {1}",
                [
                    seconds("given to it, and half a round", standing.received),
                    seconds("given to all, and half a round each", given),
                ],
                (fraction, Unit::None),
            ));
            let priority = standing.share / fraction;
            let term = on("priority: share ÷ fraction");
            facts.push(Fact::number(&term, priority, 2, Unit::None).by(
                "{0} ∕ {1}",
                [
                    Operand::new("its share", standing.share, Unit::None),
                    Operand::new("its fraction", fraction, Unit::None),
                ],
                (priority, Unit::None),
            ));
            let turn = standing.turn(at);
            let before = active().filter(|(other, of)| of.on[pool].turn(*other) < turn);
            facts.push(Fact::part(
                &on("place in the order"),
                before.count() + 1,
                active().count(),
            ));
        }
        facts
    }

    /// How fast a job is on these GPUs.
    fn speed(&self, view: &View<'_>, job: JobId, parts: &[Part], partner: Option<JobId>) -> f64 {
        let Some(pool) = parts.first().map(|part| self.room.pool_of(part.node)) else {
            return 0.0;
        };
        let keeps = partner.and_then(|other| view.rates_together(job, other, pool));
        view.speed_on(job, pool) * keeps.map_or(1.0, |[mine, _]| mine)
    }
}

/// The row of a job without GPUs.
fn idle(job: JobId) -> RoundRow {
    RoundRow {
        job,
        before: Vec::new(),
        after: Vec::new(),
        speedup_before: 0.0,
        speedup: 0.0,
    }
}

/// Where a job runs, if it does.
fn seat_of(seats: &[Seat], job: JobId) -> Option<&Seat> {
    let at = seats.binary_search_by_key(&job, |seat| seat.job).ok()?;
    seats.get(at)
}

impl Policy for ByType {
    fn cadence(&self) -> Cadence {
        let rounds = rounds::over_all(self.round, self.parameter);
        Cadence {
            on_change: self.begins_at_once,
            ..rounds
        }
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        self.follow(view);
        if self.begins_at_once {
            let goes_on = !view.is_round() && !view.ledger().is_empty();
            if goes_on || self.active.is_empty() {
                return;
            }
        }
        view.room(&mut self.room);
        let mut gpus = vec![0; view.pools()];
        for (node, size) in (0u32..).zip(view.free().node_sizes()) {
            gpus[self.room.pool_of(node)] += size;
        }
        let ledger = view.ledger();
        let seats = self.seats();
        let rows = ledger.running().map(|job| {
            let parts = ledger.parts(job);
            let partner = seat_of(&seats, job).and_then(|seat| seat.partner);
            let speed = self.speed(view, job, parts, partner);
            let row = RoundRow {
                job,
                before: parts.to_vec(),
                after: parts.to_vec(),
                speedup_before: speed,
                speedup: speed,
            };
            (job, row)
        });
        self.rows = rows.collect();
        self.last = Some(view.now());
        self.allocate(view, &gpus, rng);
        self.choose(view, &gpus, rng);
        self.lay(view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = match view.phase(job) {
            Phase::Running => Verdict::Runs,
            Phase::Waiting => Verdict::TooFewGpus {
                wants: view.gpus(job),
                left: self.left.most(view.needs(job).pools()),
            },
            _ => Verdict::NotActive,
        };
        // At the last round.
        let is_active = |member: JobId| self.active.binary_search(&member).is_ok();
        let since = self.allocated.map_or(0.0, |at| view.now() - at);
        let mut facts = Vec::new();
        for pool in 0..view.pools() {
            let name = match view.pool_name(pool) {
                "" => "GPUs",
                name => name,
            };
            let mine = self
                .combinations
                .iter()
                .filter(|of| of.members().any(|member| member == job))
                .filter(|of| of.members().all(is_active));
            let (mut share, mut received, mut partner) = (0.0, 0.0, 0.0);
            for of in mine {
                let standing = &of.on[pool];
                let passed = if of.ran == Some(pool) {
                    view.now() - self.began
                } else {
                    0.0
                };
                share += standing.share;
                received += standing.received - self.round / 2.0 + passed;
                if of.jobs.1.is_some() {
                    partner += standing.share;
                }
            }
            facts.push(Fact::percent(&format!("share of time on {name}"), share, 0));
            if since > 0.0 {
                let part = received / since;
                let seconds = |name, value| Operand::new(name, value, Unit::Seconds);
                let operands = [
                    seconds("its time there since shares were found", received),
                    seconds("all the time since then", since),
                ];
                facts.push(Fact::percent(&format!("received on {name}"), part, 0).by(
                    "{0} ∕ {1}",
                    operands,
                    (part, Unit::None),
                ));
            }
            if partner > 0.0 {
                facts.push(Fact::percent(
                    &format!("of it beside another, on {name}"),
                    partner,
                    0,
                ));
            }
            let speed = view.speed_on(job, pool);
            facts.push(
                Fact::number(&format!("throughput on {name}"), speed, 2, Unit::None)
                    .then(" of its fastest"),
            );
        }
        facts.extend(self.order(view, job));
        Explanation::new(verdict, facts)
    }

    fn round(&self) -> Option<RoundReport> {
        let row = |&job: &JobId| self.rows.get(&job).cloned().unwrap_or_else(|| idle(job));
        Some(RoundReport {
            at: self.last?,
            plots: Vec::new(),
            rows: self.active.iter().map(row).collect(),
            choices: None,
        })
    }
}
