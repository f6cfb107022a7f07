//! Continuous 2D-Gittins (Tiresias, NSDI'19 §4.2): the greatest Gittins index over attained
//! service first, preemptive, without queues. The index itself: [`ServiceDistribution::index`].

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
    name: "gittins",
    title: "2D-Gittins, continuous",
    summary: "The job with the greatest Gittins index first: the likeliest to end soon for the service it has had, by a distribution it learns. Without queues.",
    source: "Gu et al., NSDI'19 §4.2",
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
    let rule = GreatestIndex(History::new(&params.history, context));
    Box::new(Continuous::new(params.quantum, strategy, rule))
}

/// A job's index, of the greatest first.
pub(super) struct GreatestIndex(History);

impl GreatestIndex {
    /// By a distribution learned from jobs that end.
    pub(super) fn of_those_that_end(context: &BuildContext<'_>) -> Self {
        Self(History::new(&HistoryChoice::Online, context))
    }
}

impl Rule for GreatestIndex {
    fn key(&self, view: &View<'_>, job: JobId) -> f64 {
        -self.0.distribution.index(view.attained(job))
    }

    fn learn(&mut self, view: &View<'_>) -> bool {
        self.0.learn(view)
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let attained = view.attained(job);
        let index = self.0.distribution.index(attained) * 1e3;
        vec![
            attained_service(view, job),
            self.0.distribution.with_ratio(
                Fact::number("Gittins index", index, 3, Unit::PerThousandGpuSeconds),
                attained,
            ),
        ]
    }

    fn plots(&self, view: &View<'_>, job: JobId) -> Vec<Plot> {
        let distribution = &self.0.distribution;
        distribution.plots(|a| distribution.index(a), &[], Some(view.attained(job)))
    }
}
