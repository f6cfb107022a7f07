//! The fewest GPUs first, preemptive. Equal gangs in order of submission. (Tiresias' simulator calls it `sjf`,
//! smallest job first; elsewhere SJF is [the shortest](super::shortest_job).)

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::priority_walk::PriorityWalk;
use super::{Explanation, Fact, Policy, PolicyEntry, Rng};
use crate::job::JobId;
use switchyard_engine::{Plan, View};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "fewest-gpus",
    title: "Fewest GPUs first",
    summary: "The job with the fewest GPUs first, preempting larger ones; equal gangs in order of submission.",
    source: "Baseline of Tiresias (NSDI'19), as sjf",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(FewestGpus {
        walk: PriorityWalk::new(params.placement.or(context.placement)),
    })
}

struct FewestGpus {
    /// Keyed by gang size.
    walk: PriorityWalk<u32>,
}

impl Policy for FewestGpus {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.walk.follow(view, |job| view.gpus(job));
        self.walk.walk(view, plan);
        self.walk.requeue_preempted();
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let gang = Fact::gpus("priority", view.gpus(job));
        Explanation::new(
            self.walk.verdict(view, job),
            vec![gang.then(" (fewer first)")],
        )
    }
}
