//! Tiresias' discretized 2D-LAS (NSDI'19 §4.2): K [queues](super::multilevel) by attained service
//! (GPUs × time on GPUs), served in order. Within a queue the running jobs come first, each group
//! in the order in which it came there (FIFO by start time). What does not fit is skipped, or,
//! with `strict`, nothing overtakes it.

use super::entry::{BuildContext, Levels, Properties};
use super::multilevel::{self, Multilevel};
use super::pack_limit::PackLimit;
use super::parameters::{Given, PLACEMENT, PlacementChoice, Words, param, parameters, words};
use super::priority_walk::PriorityWalk;
use super::waiting_room::Waiter;
use super::{Explanation, ParamKind, Policy, PolicyEntry, Rng};
use crate::job::JobId;
use switchyard_engine::{Measure, News, Phase, Plan, View};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "tiresias-las",
    title: "Tiresias 2D-LAS",
    summary: "K queues by attained service (GPUs × time): new jobs first, demoted as they are served. Needs no knowledge of durations.",
    source: "Gu et al., NSDI'19 §4.2; simulator's dlas-gpu",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        queues: Given<u32> = multilevel::QUEUES,
        thresholds: Given<Vec<f64>> = multilevel::THRESHOLDS,
        knob: f64 = multilevel::KNOB,
        strict: bool = multilevel::STRICT,
        measure: Measure = param(
            ParamKind::OneOf(Measure::WORDS),
            "service",
            "What sinks a job: service (GPUs × time) or time alone (the simulator's dlas; thresholds then in s).",
        ),
        placement: PlacementChoice = PLACEMENT,
        packlimit: f64 = multilevel::PACKLIMIT,
        refit: bool = multilevel::REFIT,
        quirks: bool = multilevel::QUIRKS,
    }
}

impl Properties for Parameters {
    fn check(&self) -> Result<(), String> {
        multilevel::check(&self.queues, &self.thresholds)
    }

    fn levels(&self) -> Option<Levels> {
        Some(multilevel::levels(
            &self.queues,
            &self.thresholds,
            self.measure,
        ))
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(TiresiasLas::new(params, context))
}

/// The order of jobs: by queue; in it, jobs that already ran there before those that wait or
/// have just sunk into it; among equals, first come first served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    queue: u32,
    newcomer: bool,
    turn: i64,
}

words! {
    Measure { Service = "service", Time = "time" }
}

struct TiresiasLas {
    levels: Multilevel,
    pack_limit: PackLimit,
    walk: PriorityWalk<Rank>,
    /// By job.
    rank: Vec<Rank>,
    /// The next turn at a queue's tail, and the next one before its head.
    tail: i64,
    head: i64,
    /// Running jobs that have just sunk into a queue.
    demoted: Vec<JobId>,
    /// Positions of running jobs that are about to be settled.
    settling: Vec<usize>,
}

impl TiresiasLas {
    fn new(params: &Parameters, context: &BuildContext<'_>) -> Self {
        let levels = multilevel::levels(&params.queues, &params.thresholds, params.measure);
        let mut walk = PriorityWalk::new(params.placement.or(context.placement));
        walk.strict = params.strict;
        Self {
            levels: Multilevel::new(levels, params.knob, params.quirks),
            pack_limit: PackLimit::new(params.packlimit, params.refit),
            walk,
            rank: Vec::new(),
            tail: 0,
            head: -1,
            demoted: Vec::new(),
            settling: Vec::new(),
        }
    }

    fn newcomer(&mut self, queue: u32) -> Rank {
        self.tail += 1;
        Rank {
            queue,
            newcomer: true,
            turn: self.tail,
        }
    }

    fn admit(&mut self, view: &View<'_>, job: JobId) {
        self.levels.admit(job);
        let rank = self.newcomer(0);
        if self.rank.len() <= job.index() {
            self.rank.resize(job.index() + 1, Rank::default());
        }
        self.rank[job.index()] = rank;
        self.walk.waiting.insert(Waiter::of(rank, job, view));
    }

    /// A job that has lost its GPUs to a failure is to wait before all others of its queue.
    fn forget_evicted(&mut self, job: JobId) {
        let rank = self.rank[job.index()];
        if let Some(at) = self.walk.position(rank, job) {
            self.walk.running.remove(at);
        }
        self.rank[job.index()] = Rank {
            newcomer: true,
            turn: self.head,
            ..rank
        };
        self.head -= 1;
    }

    /// Sinks a running job that has crossed its queue's threshold.
    fn demote(&mut self, job: JobId, plan: &mut Plan) {
        let queue = self.levels.demote(job);
        let rank = self.newcomer(queue);
        self.rank[job.index()] = rank;
        if let Some(running) = self
            .walk
            .running
            .iter_mut()
            .find(|running| running.job == job)
        {
            running.key = rank;
        }
        plan.demote(job, queue);
    }

    /// Lifts a waiting job that has waited long enough.
    fn promote(&mut self, view: &View<'_>, job: JobId, plan: &mut Plan) {
        let before = Waiter::of(self.rank[job.index()], job, view);
        self.walk.waiting.remove(before);
        self.levels.promote(view, job);
        let rank = self.newcomer(0);
        self.rank[job.index()] = rank;
        self.walk.waiting.insert(Waiter::of(rank, job, view));
        plan.promote(job, 0);
    }

    /// Sinks running jobs that have crossed their queue's threshold.
    fn sink(&mut self, view: &View<'_>, plan: &mut Plan) {
        let mut demoted = std::mem::take(&mut self.demoted);
        self.levels.crossing(view, &self.walk, &mut demoted);
        if self.levels.looks_at_every_event() {
            // The simulator looks in the order of submission, which decides who comes first below.
            demoted.sort_unstable();
        }
        for &job in &demoted {
            self.demote(job, plan);
        }
        self.demoted = demoted;
    }

    /// Jobs that now run are settled in their queue, behind those that ran there before.
    fn settle_running(&mut self) {
        self.settling.clear();
        let newcomers = self
            .walk
            .started
            .iter()
            .map(|started| started.job)
            .chain(self.demoted.iter().copied());
        for job in newcomers {
            let rank = self.rank[job.index()];
            self.settling.extend(self.walk.position(rank, job));
        }
        self.settling.sort_unstable();
        for &position in &self.settling {
            let running = &mut self.walk.running[position];
            // Who has only moved to other nodes keeps its turn.
            if !running.key.newcomer {
                continue;
            }
            self.tail += 1;
            running.key = Rank {
                newcomer: false,
                turn: self.tail,
                ..running.key
            };
            self.rank[running.job.index()] = running.key;
        }
    }

    /// Jobs that were settled and lost their GPUs wait before all others of their queue.
    fn requeue_preempted(&mut self) {
        for mut preempted in self.walk.preempted.drain(..).rev() {
            if !preempted.key.newcomer {
                preempted.key = Rank {
                    newcomer: true,
                    turn: self.head,
                    ..preempted.key
                };
                self.head -= 1;
                self.rank[preempted.job.index()] = preempted.key;
            }
            self.walk.waiting.insert(preempted);
        }
    }
}

impl Policy for TiresiasLas {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        for &news in view.news() {
            if let News::Finished(job) = news {
                if let Some(at) = self.walk.position(self.rank[job.index()], job) {
                    self.walk.running.remove(at);
                }
                self.pack_limit.observe(view, job);
            }
        }
        for job in Multilevel::evicted(view) {
            self.forget_evicted(job);
        }
        self.walk.packlimit = self.pack_limit.limit();
        self.sink(view, plan);
        for job in Multilevel::alarmed(view, Phase::Waiting) {
            self.promote(view, job, plan);
        }
        for &news in view.news() {
            if let News::Arrived(job) = news {
                self.admit(view, job);
            }
        }
        for job in Multilevel::evicted(view) {
            let rank = self.rank[job.index()];
            self.walk.waiting.insert(Waiter::of(rank, job, view));
        }
        if !self.demoted.is_empty() {
            self.walk.sort_running();
        }
        self.walk.walk(view, plan);
        for started in &self.walk.started {
            self.levels.resumes(view, started.job);
        }
        self.levels.watch(view, plan, &self.walk, &self.demoted);
        self.settle_running();
        self.requeue_preempted();
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        Explanation::new(self.walk.verdict(view, job), self.levels.facts(view, job))
    }
}
