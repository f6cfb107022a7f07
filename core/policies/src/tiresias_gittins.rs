//! Tiresias' discretized 2D-Gittins (NSDI'19 §4.2): K [queues](super::multilevel) by attained
//! service, served in order; within a queue the greatest Gittins index first, where the service
//! quantum Δ is the queue's upper limit. What does not fit is skipped, or, with `strict`, nothing
//! overtakes it.

use super::entry::{BuildContext, Levels, Properties};
use super::history::{HISTORY, History, HistoryChoice};
use super::multilevel::{self, Multilevel};
use super::pack_limit::PackLimit;
use super::parameters::{Given, PLACEMENT, PlacementChoice, Value, param, parameters};
use super::priority_walk::PriorityWalk;
use super::waiting_room::Waiter;
use super::{Explanation, Fact, ParamKind, Policy, PolicyEntry, Rng};
use crate::job::JobId;
use crate::order::ByValue;
use switchyard_engine::{Measure, News, Phase, Plan, View};
use switchyard_explain::Unit;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "tiresias-gittins",
    title: "Tiresias 2D-Gittins",
    summary: "K queues by attained service (GPUs × time); in each, the job likeliest to end soon by the distribution of service it learns.",
    source: "Gu et al., NSDI'19 §4.2; simulator's dlas-gpu-gittins",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        queues: Given<u32> = multilevel::QUEUES,
        thresholds: Given<Vec<f64>> = multilevel::THRESHOLDS,
        history: HistoryChoice = HISTORY,
        delta: Delta = param(
            ParamKind::Word("queue, simulator or GPU·s"),
            "queue",
            "The service quantum Δ of the index: queue (the queue's upper limit), a number of GPU·s, or simulator (the released simulator's table for Δ = 3250).",
        )
        .for_experts(),
        knob: f64 = multilevel::KNOB,
        strict: bool = multilevel::STRICT,
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
            Measure::Service,
        ))
    }

    fn history(&self) -> Option<&str> {
        self.history.name()
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(TiresiasGittins::new(params, context))
}

/// The service quantum of the index.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Delta {
    /// The upper limit of the job's queue.
    Queue,
    /// The same everywhere, GPU·s.
    Fixed(f64),
    /// 3250 GPU·s, looked up as the released simulator does.
    Simulator,
}

impl Value for Delta {
    fn read(text: &str) -> Result<Self, String> {
        match (text, text.parse::<f64>()) {
            ("queue", _) => Ok(Self::Queue),
            ("simulator", _) => Ok(Self::Simulator),
            (_, Ok(delta)) if delta > 0.0 && delta.is_finite() => Ok(Self::Fixed(delta)),
            _ => Err(format!(
                "delta is '{text}': use queue, simulator or a number of GPU·s above 0"
            )),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Queue => "queue".to_owned(),
            Self::Fixed(delta) => delta.to_string(),
            Self::Simulator => "simulator".to_owned(),
        }
    }
}

/// The simulator's Δ, GPU·s.
const SIMULATOR_DELTA: f64 = 3250.0;

/// By queue, then by index (as a negative number: the greatest first).
type Rank = (u32, ByValue);

struct TiresiasGittins {
    levels: Multilevel,
    history: History,
    delta: Delta,
    /// With the simulator's bug of taking E over S instead of S−a.
    absolute: bool,
    pack_limit: PackLimit,
    walk: PriorityWalk<Rank>,
    /// Running jobs that have just sunk into a queue.
    demoted: Vec<JobId>,
    /// The key under which a job waits; by job.
    waits_as: Vec<Rank>,
}

impl TiresiasGittins {
    fn new(params: &Parameters, context: &BuildContext<'_>) -> Self {
        let levels = multilevel::levels(&params.queues, &params.thresholds, Measure::Service);
        let mut walk = PriorityWalk::new(params.placement.or(context.placement));
        walk.strict = params.strict;
        Self {
            levels: Multilevel::new(levels, params.knob, params.quirks),
            history: History::new(&params.history, context),
            delta: params.delta,
            absolute: params.quirks,
            pack_limit: PackLimit::new(params.packlimit, params.refit),
            walk,
            demoted: Vec::new(),
            waits_as: Vec::new(),
        }
    }

    /// Δ of a queue; none: as the simulator looks it up.
    fn quantum(&self, queue: u32) -> Option<f64> {
        match self.delta {
            Delta::Queue => Some(self.levels.upper_limit(queue)),
            Delta::Fixed(delta) => Some(delta),
            Delta::Simulator => None,
        }
    }

    fn index(&self, attained: f64, queue: u32) -> f64 {
        let distribution = &self.history.distribution;
        match self.quantum(queue) {
            Some(delta) => distribution.index_within(attained, delta),
            None => distribution.index_of_simulator(attained, SIMULATOR_DELTA, self.absolute),
        }
    }

    /// The index, and how it comes about; the simulator's table is rounded, and tells no sum.
    fn told(&self, attained: f64, queue: u32) -> Fact {
        let index = self.index(attained, queue) * 1e3;
        let fact = Fact::number("Gittins index", index, 3, Unit::PerThousandGpuSeconds);
        match self.quantum(queue) {
            Some(delta) => {
                let distribution = &self.history.distribution;
                distribution.with_ratio_within(fact, attained, delta)
            }
            None => fact,
        }
    }

    fn rank(&self, view: &View<'_>, job: JobId) -> Rank {
        let queue = self.levels.queue(job);
        let index = self.index(self.levels.attained(view, job), queue);
        (queue, ByValue::of(-index))
    }

    fn wait(&mut self, view: &View<'_>, job: JobId) {
        let key = self.rank(view, job);
        if self.waits_as.len() <= job.index() {
            self.waits_as.resize(job.index() + 1, key);
        }
        self.waits_as[job.index()] = key;
        self.walk.waiting.insert(Waiter::of(key, job, view));
    }

    fn promote(&mut self, view: &View<'_>, job: JobId, plan: &mut Plan) {
        let before = Waiter::of(self.waits_as[job.index()], job, view);
        self.walk.waiting.remove(before);
        self.levels.promote(view, job);
        self.wait(view, job);
        plan.promote(job, 0);
    }

    /// Sinks running jobs that have crossed their queue's threshold.
    fn sink(&mut self, view: &View<'_>, plan: &mut Plan) {
        self.levels.crossing(view, &self.walk, &mut self.demoted);
        for &job in &self.demoted {
            plan.demote(job, self.levels.demote(job));
        }
    }
}

impl Policy for TiresiasGittins {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        for &news in view.news() {
            if let News::Finished(job) = news {
                self.walk.forget(job);
                self.pack_limit.observe(view, job);
            }
        }
        for job in Multilevel::evicted(view) {
            self.walk.forget(job);
        }
        self.walk.packlimit = self.pack_limit.limit();
        self.sink(view, plan);
        for job in Multilevel::alarmed(view, Phase::Waiting) {
            self.promote(view, job, plan);
        }
        if self.history.learn(view) {
            for waiter in self.walk.waiting.take_all() {
                self.wait(view, waiter.job);
            }
        }
        for &news in view.news() {
            if let News::Arrived(job) = news {
                self.levels.admit(job);
                self.wait(view, job);
            }
        }
        for job in Multilevel::evicted(view) {
            self.wait(view, job);
        }
        // Where everything fits, the order is of no consequence.
        let fits = self.walk.waiting.gpus() <= u64::from(view.free().total());
        if !fits || view.has_unlike_nodes() {
            let mut running = std::mem::take(&mut self.walk.running);
            for waiter in &mut running {
                waiter.key = self.rank(view, waiter.job);
            }
            self.walk.running = running;
            self.walk.sort_running();
        }
        self.walk.walk(view, plan);
        for started in &self.walk.started {
            self.levels.resumes(view, started.job);
        }
        self.levels.watch(view, plan, &self.walk, &self.demoted);
        for preempted in std::mem::take(&mut self.walk.preempted) {
            self.wait(view, preempted.job);
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let mut facts = self.levels.facts(view, job);
        let mut plots = Vec::new();
        if !facts.is_empty() {
            let attained = self.levels.attained(view, job);
            facts.push(self.told(attained, self.levels.queue(job)));
            plots = self.history.distribution.plots(
                |a| self.index(a, self.levels.queue_of(a)),
                &self.levels.marks(),
                Some(attained),
            );
        }
        Explanation {
            plots,
            ..Explanation::new(self.walk.verdict(view, job), facts)
        }
    }
}
