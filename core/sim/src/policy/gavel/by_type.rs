//! Gavel's mechanism (Narayanan et al., OSDI'20 §5): shares of time by type of GPU become rounds. In:
//! who is active, how fast each is where. Out: who runs where until the next round.
//!
//! Shares are found anew when jobs have come or finished, at the earliest so long after the last time
//! as the released simulator waits; until then newcomers wait. In a round the types choose in turn, the
//! fastest first: among those that have a share there, alone or in pairs, whose share ÷ time received
//! there since is the greatest, then the others by what they have been denied. GPUs that come free within
//! a round stay idle until its end.

use super::super::{
    Cadence, Explanation, Fact, Policy, Rng, RoundReport, RoundRow, Verdict, rounds,
};
use super::allocator::{Allocator, Asking};
use super::combination::{Combination, first};
use crate::Time;
use crate::cluster::{Part, Placement};
use crate::draw::below;
use crate::job::JobId;
use crate::order;
use crate::placement::{Budget, Room, Strategy};
use crate::sim::{News, Phase, Plan, View};
use crate::workload::DEFAULT_PACKLIMIT;
use std::cmp::Reverse;

pub(super) struct ByType {
    allocator: Allocator,
    /// Seconds of a round.
    round: f64,
    /// Seconds from one allocation to the next, at least.
    reset: f64,
    strategy: Strategy,
    /// In order of submission.
    active: Vec<JobId>,
    /// By their jobs.
    combinations: Vec<Combination>,
    /// When shares were last found.
    allocated: Option<Time>,
    /// Whether somebody has come or finished since.
    has_changed: bool,
    began: Time,
    room: Room,
    /// GPUs that the last round left to no one.
    left: Budget,
    last: Option<RoundReport>,
}

impl ByType {
    pub(super) fn new(allocator: Allocator, round: f64, reset: f64, strategy: Strategy) -> Self {
        Self {
            allocator,
            round,
            reset,
            strategy,
            active: Vec::new(),
            combinations: Vec::new(),
            allocated: None,
            has_changed: false,
            began: Time::default(),
            room: Room::default(),
            left: Budget::default(),
            last: None,
        }
    }

    fn follow(&mut self, view: &View<'_>) {
        let passed = view.now() - self.began;
        for combination in &mut self.combinations {
            let mut members = combination.members();
            if let Some(pool) = combination.ran
                && members.all(|job| view.phase(job) == Phase::Running)
            {
                combination.on[pool].received += passed;
            }
        }
        self.began = view.now();
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.active.push(job),
                News::Finished(job) => self.active.retain(|&active| active != job),
                _ => continue,
            }
            self.has_changed = true;
        }
        let active = |job: JobId| {
            let phase = view.phase(job);
            phase == Phase::Running || phase == Phase::Waiting
        };
        self.combinations.retain(|of| of.members().all(active));
    }

    /// Finds shares anew, if it is time.
    fn allocate(&mut self, view: &View<'_>, gpus: &[u32]) {
        let since = self.allocated.map(|at| view.now() - at);
        let is_due = since.is_none_or(|since| since >= self.reset);
        if !self.has_changed || !is_due {
            return;
        }
        let asking = Asking {
            view,
            active: &self.active,
            gpus,
        };
        let mut combinations = self.allocator.allocate(&asking);
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
        self.combinations = combinations;
        self.allocated = Some(view.now());
        self.has_changed = false;
    }

    /// Which combinations run on which type.
    fn choose(&mut self, view: &View<'_>, gpus: &[u32], rng: &mut Rng) {
        for combination in &mut self.combinations {
            combination.ran = None;
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
            let mut order: Vec<usize> = (0..self.combinations.len()).collect();
            let standing = |at: usize| &self.combinations[at].on[pool];
            order::sort_by(&mut order, |&a, &b| first(standing(a), standing(b)));
            for at in order {
                if left[pool] == 0 {
                    break;
                }
                let combination = &mut self.combinations[at];
                let gang = view.gpus(combination.jobs.0);
                let runs = |job: JobId| view.speed_on(job, pool) > 0.0;
                let is_free = |job: &JobId| chosen.binary_search(job).is_err();
                if combination.ran.is_none()
                    && gang <= left[pool]
                    && combination.members().all(|job| runs(job) && is_free(&job))
                {
                    left[pool] -= gang;
                    combination.ran = Some(pool);
                    for job in combination.members() {
                        let at = chosen.partition_point(|&other| other < job);
                        chosen.insert(at, job);
                    }
                }
            }
        }
    }

    /// Lays those who are to run, and takes the GPUs of those who are not. Who stays on a type stays
    /// where it is.
    fn lay(&mut self, view: &View<'_>, plan: &mut Plan) {
        let mut wanted: Vec<(JobId, usize)> = Vec::new();
        for combination in &self.combinations {
            if let Some(pool) = combination.ran {
                wanted.extend(combination.members().map(|job| (job, pool)));
            }
        }
        order::sort(&mut wanted);
        let pool_of = |room: &Room, job: JobId| {
            let parts = view.ledger().parts(job);
            parts.first().map(|part| room.pool_of(part.node))
        };
        let goes_to = |job: JobId| {
            let at = wanted.binary_search_by_key(&job, |&(job, _)| job);
            at.ok().map(|at| wanted[at].1)
        };
        view.room(&mut self.room);
        let mut leaving: Vec<JobId> = Vec::new();
        for job in view.ledger().running() {
            if goes_to(job) != pool_of(&self.room, job) {
                self.room.give(view.ledger().parts(job), view.needs(job));
                leaving.push(job);
            }
        }
        let mut coming: Vec<(JobId, usize)> = wanted.clone();
        coming.retain(|&(job, pool)| pool_of(&self.room, job) != Some(pool));
        order::sort_by_key(&mut coming, |&(job, _)| Reverse(view.gpus(job)));
        let mut placement = Placement::default();
        for (job, pool) in coming {
            let mut gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
            gang.needs = gang.needs.within(pool);
            if self.room.place(self.strategy, gang, &mut placement) {
                self.room.take(&placement.parts, view.needs(job));
                plan.place(job, &placement);
                leaving.retain(|&other| other != job);
                self.note(view, job, &placement.parts);
            } else {
                let waits = |of: &&mut Combination| of.members().any(|member| member == job);
                if let Some(of) = self
                    .combinations
                    .iter_mut()
                    .filter(|of| of.ran.is_some())
                    .find(waits)
                {
                    of.ran = None;
                }
            }
        }
        for job in leaving {
            plan.preempt(job);
            self.note(view, job, &[]);
        }
        self.left = self.room.budget();
    }

    /// Says in the round's report what a job is given.
    fn note(&mut self, view: &View<'_>, job: JobId, after: &[Part]) {
        let speed = self.speed(view, job, after);
        if let Some(report) = &mut self.last
            && let Ok(at) = report.rows.binary_search_by_key(&job, |row| row.job)
        {
            report.rows[at].after = after.to_vec();
            report.rows[at].speedup = speed;
        }
    }

    /// How fast a job is alone on these GPUs.
    fn speed(&self, view: &View<'_>, job: JobId, parts: &[Part]) -> f64 {
        let pool = parts.first().map(|part| self.room.pool_of(part.node));
        pool.map_or(0.0, |pool| view.speed_on(job, pool))
    }
}

impl Policy for ByType {
    fn cadence(&self) -> Cadence {
        rounds::over_all(self.round)
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        self.follow(view);
        view.room(&mut self.room);
        let budget = self.room.budget();
        let mut gpus: Vec<u32> = (0..view.pools())
            .map(|pool| budget.most(1 << pool))
            .collect();
        let ledger = view.ledger();
        for job in ledger.running() {
            if let Some(part) = ledger.parts(job).first() {
                gpus[self.room.pool_of(part.node)] += view.open_gpus(job);
            }
        }
        let rows = self.active.iter().map(|&job| {
            let parts = ledger.parts(job);
            let speed = self.speed(view, job, parts);
            RoundRow {
                job,
                before: parts.to_vec(),
                after: parts.to_vec(),
                speedup_before: speed,
                speedup: speed,
            }
        });
        self.last = Some(RoundReport {
            at: view.now(),
            plots: Vec::new(),
            rows: rows.collect(),
        });
        self.allocate(view, &gpus);
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
        let since = self.allocated.map_or(0.0, |at| view.now() - at);
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let mut facts = Vec::new();
        for pool in 0..view.pools() {
            let name = match view.pool_name(pool) {
                "" => "GPUs",
                name => name,
            };
            let mine = self
                .combinations
                .iter()
                .filter(|of| of.members().any(|member| member == job));
            let (mut share, mut received, mut beside) = (0.0, 0.0, 0.0);
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
                    beside += standing.share;
                }
            }
            facts.push(Fact::new(
                &format!("share of time on {name}"),
                percent(share),
            ));
            if since > 0.0 {
                facts.push(Fact::new(
                    &format!("received on {name}"),
                    percent(received / since),
                ));
            }
            if beside > 0.0 {
                facts.push(Fact::new(
                    &format!("of it beside another, on {name}"),
                    percent(beside),
                ));
            }
            let speed = view.speed_on(job, pool);
            facts.push(Fact::new(
                &format!("throughput on {name}"),
                format!("{speed:.2} of its fastest"),
            ));
        }
        Explanation::new(verdict, facts)
    }

    fn round(&self) -> Option<RoundReport> {
        self.last.clone()
    }
}
