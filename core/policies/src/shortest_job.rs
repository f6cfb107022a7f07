//! Shortest job first: the one that asks for the least time, as batch systems have it, not preemptive.

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::picking::{BACKFILL, Backfill, ByScore, QUIRKS, Queue};
use super::{Policy, PolicyEntry};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "shortest-job",
    title: "SJF (shortest job)",
    summary: "Shortest job first: the one that asks for the least time, never preempted; equal ones in order of submission. An oracle where the trace tells no times asked for: then it is the true one.",
    source: "Compared in RLScheduler (SC'20) as SJF",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        backfill: bool = BACKFILL,
        quirks: bool = QUIRKS,
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        true
    }

    fn goes_by_times_asked(&self) -> bool {
        true
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let pick = ByScore::fixed(|job, _| job.seconds, 0.0);
    let backfill = Backfill::of(params.backfill, params.quirks);
    Box::new(Queue::new(
        pick,
        backfill,
        params.placement.or(context.placement),
    ))
}
