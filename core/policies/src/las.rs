//! Continuous 2D-LAS: least attained service (GPUs × time) first, preemptive, without queues.
//! Jobs of about equal service take turns, one quantum each: what Tiresias' queues avoid.

use super::attained_service::attained_service;
use super::continuous::{self, Continuous, Rule};
use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::{Fact, Plot, Policy, PolicyEntry};
use crate::job::JobId;
use switchyard_engine::View;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "las",
    title: "2D-LAS, continuous",
    summary: "Least attained service (GPUs × time) first, compared anew every quantum, without queues. Shows how many preemptions discretizing saves.",
    source: "Gu et al., NSDI'19 §4.2",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        quantum: f64 = continuous::QUANTUM,
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    Box::new(Continuous::new(params.quantum, strategy, LeastAttained))
}

/// The service that a job has had.
pub(super) struct LeastAttained;

impl Rule for LeastAttained {
    fn key(&self, view: &View<'_>, job: JobId) -> f64 {
        view.attained(job)
    }

    fn learn(&mut self, _view: &View<'_>) -> bool {
        false
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        vec![attained_service(view, job)]
    }

    fn plots(&self, _view: &View<'_>, _job: JobId) -> Vec<Plot> {
        Vec::new()
    }
}
