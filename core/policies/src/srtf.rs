//! Shortest remaining time first, preemptive, by true remaining time: an oracle. (Tiresias'
//! simulator: `shortest`.) [`srsf`](super::srsf) is the same with remaining service.

use super::attained_service::with_product;
use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::priority_walk::PriorityWalk;
use super::{Explanation, Fact, Policy, PolicyEntry, Rng};
use crate::Time;
use crate::job::JobId;
use switchyard_engine::{Measure, Plan, View};
use switchyard_explain::Unit;
use switchyard_placement::Strategy;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "srtf",
    title: "SRTF (oracle)",
    summary: "The shortest true remaining time first, preemptive. Oracle: no real scheduler knows remaining times.",
    source: "Baseline of Tiresias (NSDI'19) as shortest",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        true
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    Box::new(ShortestRemaining::new(Measure::Time, strategy))
}

/// Least remaining time or service first.
pub(super) struct ShortestRemaining {
    measure: Measure,
    /// Keyed by what remains ([`Time`] orders floats).
    walk: PriorityWalk<Time>,
}

impl ShortestRemaining {
    pub(super) fn new(measure: Measure, strategy: Strategy) -> Self {
        Self {
            measure,
            walk: PriorityWalk::new(strategy),
        }
    }
}

/// What remains of a job.
pub(super) fn remaining(measure: Measure, view: &View<'_>, job: JobId) -> Time {
    let seconds = view.remaining(job).unwrap_or(f64::INFINITY);
    Time(measure.of(seconds, view.gpus(job)))
}

impl Policy for ShortestRemaining {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let measure = self.measure;
        let key = |job| remaining(measure, view, job);
        self.walk.follow(view, key);
        self.walk.rekey_running(key);
        self.walk.walk(view, plan);
        self.walk.requeue_preempted();
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let remaining = remaining(self.measure, view, job).seconds();
        let fact = match self.measure {
            Measure::Time => Fact::span("remaining time (true)", remaining),
            Measure::Service => {
                let fact = Fact::number("remaining service (true)", remaining, 0, Unit::GpuSeconds);
                let seconds = view.remaining(job).unwrap_or(f64::NAN);
                with_product(fact, view, job, (remaining, seconds), "its remaining time")
            }
        };
        Explanation::new(self.walk.verdict(view, job), vec![fact])
    }
}
