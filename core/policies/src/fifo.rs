//! First in, first out, without preemption. Strict: the head of the line blocks everything
//! behind it. With backfill: jobs that fit overtake jobs that do not (Tiresias' simulator calls
//! this `fjf`).

use super::entry::{BuildContext, Properties};
use super::line::Line;
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::{Explanation, Fact, ParamKind, Policy, PolicyEntry, Rng};
use crate::job::JobId;
use switchyard_engine::{Plan, View};
use switchyard_explain::Unit;
use switchyard_placement::Strategy;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "fifo",
    title: "FIFO",
    summary: "First in, first out, never preempted. Strict: the head of the line blocks everything behind it; with backfill, jobs that fit overtake it.",
    source: "Baseline of Tiresias (NSDI'19) as fifo and fjf",
    params: Parameters::INFOS,
    in_order: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        backfill: bool = param(
            ParamKind::Bool,
            "false",
            "Jobs that fit overtake jobs that do not, for which nothing is reserved.",
        ),
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Fifo::new(
        params.backfill,
        params.placement.or(context.placement),
    ))
}

/// Job ids are in order of submission: no other key is needed.
pub(super) struct Fifo(Line<()>);

impl Fifo {
    pub(super) fn new(backfill: bool, strategy: Strategy) -> Self {
        Self(Line::new(strategy, backfill))
    }
}

impl Policy for Fifo {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.0.follow(view, |_| ());
        self.0.serve(view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let facts = vec![
            Fact::gpus("gang", view.gpus(job)),
            Fact::count("free GPUs", view.free().total(), Unit::None),
            Fact::new("placement", self.0.strategy()),
        ];
        Explanation::new(self.0.verdict(view, job), facts)
    }
}
