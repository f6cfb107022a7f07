//! UNICEP: jobs that have waited long, ask for little time and few GPUs first (Tang et al., CLUSTER'09):
//! the greatest waited ÷ (log₂ GPUs · time asked for).

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::picking::{BACKFILL, Backfill, ByScore, Candidate, QUIRKS, Queue, Urgency, ZERO};
use super::{Policy, PolicyEntry};
use switchyard_explain::{Operand, Unit};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "unicep",
    title: "UNICEP",
    summary: "Jobs that have waited long, ask for little time and few GPUs first: waited ÷ (log₂ GPUs · time asked for). An oracle where the trace tells no times asked for: then it is the true one.",
    source: "Tang et al., CLUSTER'09; RLScheduler (SC'20) as UNI",
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

/// Keeps quotients finite.
const TINY: f64 = 1e-15;

fn score(job: &Candidate, waited: f64) -> f64 {
    -(waited + TINY) / divisor(job)
}

fn terms(job: &Candidate, waited: f64) -> (&'static str, Vec<Operand>) {
    let operands = vec![
        Operand::new("it has waited", waited, Unit::Seconds),
        Operand::new("its GPUs", f64::from(job.gpus), Unit::Gpus),
        Operand::new("the time it asks for", job.seconds, Unit::Seconds),
        Operand::new("a tiny number", TINY, Unit::None),
    ];
    ("−({0} + {3}) ∕ (log₂({1} + {3}) × {2})", operands)
}

fn line(job: &Candidate) -> Urgency {
    Urgency {
        slope: 1.0 / divisor(job),
        head_start: TINY,
    }
}

fn divisor(job: &Candidate) -> f64 {
    libm::log2(f64::from(job.gpus) + TINY) * job.seconds
}
