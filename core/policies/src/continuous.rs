//! What continuous preemptive policies share: each job has one number, least first, that changes
//! while it runs, and the order is looked at anew at every event and every `quantum` seconds. No
//! queues: this is what Tiresias discretizes (NSDI'19 §4.2), to save preemptions.

use super::parameters::param;
use super::priority_walk::PriorityWalk;
use super::waiting_room::Waiter;
use super::{Cadence, Every, Explanation, Fact, ParamInfo, ParamKind, Plot, Policy, Rng};
use crate::Time;
use crate::job::JobId;
use switchyard_engine::{Plan, View};
use switchyard_placement::Strategy;

pub(super) const QUANTUM: ParamInfo = param(
    ParamKind::Seconds { min: 1.0, max: 1e6 },
    "60",
    "Seconds after which running jobs are compared anew with waiting ones, besides every event.",
);

/// What a job's number is.
pub(super) trait Rule {
    /// The job's number now, least first; for a waiting job it must not change by itself.
    fn key(&self, view: &View<'_>, job: JobId) -> f64;

    /// The number of one that is about to lose its GPUs, `running` while it has them.
    fn key_once_preempted(&self, _view: &View<'_>, _job: JobId, running: f64) -> f64 {
        running
    }

    /// Looks at what has happened; says whether waiting jobs' numbers have changed.
    fn learn(&mut self, view: &View<'_>) -> bool;

    /// The numbers behind a job's.
    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact>;

    /// The curves behind it.
    fn plots(&self, view: &View<'_>, job: JobId) -> Vec<Plot>;
}

/// The policy that follows a rule.
pub(super) struct Continuous<R> {
    quantum: f64,
    rule: R,
    walk: PriorityWalk<Time>,
}

impl<R: Rule> Continuous<R> {
    /// Compares jobs anew every `quantum` seconds, the parameter of that name.
    pub(super) fn new(quantum: f64, strategy: Strategy, rule: R) -> Self {
        Self {
            quantum,
            rule,
            walk: PriorityWalk::new(strategy),
        }
    }
}

impl<R: Rule> Policy for Continuous<R> {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: Some(Every {
                seconds: self.quantum,
                parameter: "quantum",
                while_all_run: false,
            }),
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let has_learned = self.rule.learn(view);
        let key = |job| Time(self.rule.key(view, job));
        self.walk.follow(view, key);
        if has_learned {
            self.walk.rekey_waiting(key);
        }
        if self.walk.waiting.is_empty() {
            return;
        }
        self.walk.rekey_running(key);
        self.walk.walk(view, plan);
        for preempted in self.walk.preempted.drain(..) {
            self.walk.waiting.insert(Waiter {
                key: Time(
                    self.rule
                        .key_once_preempted(view, preempted.job, preempted.key.0),
                ),
                ..preempted
            });
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        Explanation {
            plots: self.rule.plots(view, job),
            ..Explanation::new(self.walk.verdict(view, job), self.rule.facts(view, job))
        }
    }
}
