//! Shortest remaining service first: true remaining time × GPUs, preemptive: an oracle.
//! (Tiresias' simulator: `shortest-gpu`.)

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::srtf::ShortestRemaining;
use super::{Policy, PolicyEntry};
use switchyard_engine::Measure;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "srsf",
    title: "SRSF (oracle)",
    summary: "The shortest true remaining service (time × GPUs) first, preemptive. Oracle: no real scheduler knows remaining times.",
    source: "Baseline of Tiresias (NSDI'19) as shortest-gpu",
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
    Box::new(ShortestRemaining::new(Measure::Service, strategy))
}
