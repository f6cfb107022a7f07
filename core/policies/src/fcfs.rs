//! First come, first served, as batch systems have it: the head of the line waits until it fits, and
//! with `backfill` others run before it that do not delay it: EASY (Lifka, JSSPP'95). Without, it is
//! [`fifo`](super::fifo).

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::picking::{BACKFILL, Backfill, ByScore, QUIRKS, Queue};
use super::{Policy, PolicyEntry};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "fcfs",
    title: "FCFS",
    summary: "First come, first served, never preempted. With backfill it is EASY: jobs that do not delay the reserved start of the head of the line overtake it, by the times that jobs ask for (an oracle where the trace tells none: then by the true ones). Without, it does what FIFO does.",
    source: "Lifka, JSSPP'95; RLScheduler (SC'20)",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    in_order: true,
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
        self.backfill
    }

    fn goes_by_times_asked(&self) -> bool {
        true
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let pick = ByScore::fixed(|job, _| job.submit, 0.0);
    let backfill = Backfill::of(params.backfill, params.quirks);
    Box::new(Queue::new(
        pick,
        backfill,
        params.placement.or(context.placement),
    ))
}
