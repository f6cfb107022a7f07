//! WFP3: jobs that have waited long for the time they ask for, and large ones, first (Tang et al.,
//! CLUSTER'09): the greatest (waited ÷ time asked for)³ · GPUs.

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::picking::{BACKFILL, Backfill, ByScore, Candidate, QUIRKS, Queue, Urgency, ZERO};
use super::{Policy, PolicyEntry};
use switchyard_explain::{Operand, Unit};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "wfp3",
    title: "WFP3",
    summary: "Jobs that have waited long for the time they ask for first, large ones before small ones: (waited ÷ time asked for)³ · GPUs. An oracle where the trace tells no times asked for: then it is the true one.",
    source: "Tang et al., CLUSTER'09; RLScheduler (SC'20)",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        backfill: bool = BACKFILL,
        zero: f64 = ZERO,
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
    let pick = ByScore::ageing(score, line, params.zero, params.quirks).told_by(terms);
    let backfill = Backfill::of(params.backfill, params.quirks);
    Box::new(Queue::new(
        pick,
        backfill,
        params.placement.or(context.placement),
    ))
}

pub(super) fn score(job: &Candidate, waited: f64) -> f64 {
    let slowdown = waited / job.seconds;
    -(slowdown * slowdown * slowdown * f64::from(job.gpus))
}

fn terms(job: &Candidate, waited: f64) -> (&'static str, Vec<Operand>) {
    let operands = vec![
        Operand::new("it has waited", waited, Unit::Seconds),
        Operand::new("the time it asks for", job.seconds, Unit::Seconds),
        Operand::new("its GPUs", f64::from(job.gpus), Unit::Gpus),
    ];
    ("−({0} ∕ {1})³ × {2}", operands)
}

/// The cube root of that.
pub(super) fn line(job: &Candidate) -> Urgency {
    Urgency {
        slope: libm::cbrt(f64::from(job.gpus)) / job.seconds,
        head_start: 0.0,
    }
}
