//! Shortest expected remaining service first, preemptive: what a scheduler would do that knows
//! the distribution of service but not the Gittins index. (Tiresias' simulator names a
//! `shortest-expected`, but runs its SRTF.)

use super::attained_service::attained_service;
use super::continuous::{self, Continuous, Rule};
use super::entry::{BuildContext, Properties};
use super::history::{HISTORY, History, HistoryChoice};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::{Fact, Plot, Policy, PolicyEntry};
use crate::job::JobId;
use switchyard_engine::View;
use switchyard_explain::Unit;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "shortest-expected",
    title: "Shortest expected",
    summary: "The least expected remaining service first, given the service a job has had and a distribution learned from history. Not clairvoyant.",
    source: "Gu et al., NSDI'19 (simulator)",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        history: HistoryChoice = HISTORY,
        quantum: f64 = continuous::QUANTUM,
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn history(&self) -> Option<&str> {
        self.history.name()
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    let rule = LeastExpected(History::new(&params.history, context));
    Box::new(Continuous::new(params.quantum, strategy, rule))
}

/// What is expected to remain of a job.
pub(super) struct LeastExpected(History);

impl LeastExpected {
    /// By a distribution learned from jobs that end.
    pub(super) fn of_those_that_end(context: &BuildContext<'_>) -> Self {
        Self(History::new(&HistoryChoice::Online, context))
    }
}

impl Rule for LeastExpected {
    fn key(&self, view: &View<'_>, job: JobId) -> f64 {
        self.0.distribution.expected_remaining(view.attained(job))
    }

    fn learn(&mut self, view: &View<'_>) -> bool {
        self.0.learn(view)
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let attained = view.attained(job);
        let distribution = &self.0.distribution;
        let expected = distribution.expected_remaining(attained);
        let term = "expected remaining";
        let expected = match expected.is_finite() {
            true => {
                let fact = Fact::number(term, expected, 0, Unit::GpuSeconds);
                distribution.with_mean(fact, attained)
            }
            false => Fact::new(term, "more than any job it learned from"),
        };
        vec![attained_service(view, job), expected]
    }

    fn plots(&self, _view: &View<'_>, _job: JobId) -> Vec<Plot> {
        Vec::new()
    }
}
