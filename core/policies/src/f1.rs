//! F1: a formula found by regression over simulated queues, for the least bounded slowdown (Carastan-Santos
//! and de Camargo, SC'17): the least log₁₀(time asked for) · GPUs + 870 · log₁₀(submitted).

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::picking::{BACKFILL, Backfill, ByScore, Candidate, QUIRKS, Queue, ZERO};
use super::{Policy, PolicyEntry};
use switchyard_explain::{Operand, Unit};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "f1",
    title: "F1",
    summary: "Small and short jobs first, and old ones: log₁₀(time asked for) · GPUs + 870 · log₁₀(submitted). An oracle where the trace tells no times asked for: then it is the true one.",
    source: "Carastan-Santos and de Camargo, SC'17; RLScheduler (SC'20)",
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
    let pick = ByScore::fixed(score, params.zero).told_by(terms);
    let backfill = Backfill::of(params.backfill, params.quirks);
    Box::new(Queue::new(
        pick,
        backfill,
        params.placement.or(context.placement),
    ))
}

pub(super) fn score(job: &Candidate, _waited: f64) -> f64 {
    let [seconds, submit] = of_logarithms(job);
    libm::log10(seconds) * f64::from(job.gpus) + 870.0 * libm::log10(submit)
}

/// The time asked for and the submission, from which logarithms are taken.
fn of_logarithms(job: &Candidate) -> [f64; 2] {
    [job.seconds, job.submit].map(|seconds| if seconds > 0.0 { seconds } else { 0.1 })
}

pub(super) fn terms(job: &Candidate, _waited: f64) -> (&'static str, Vec<Operand>) {
    let [seconds, submit] = of_logarithms(job);
    let operands = vec![
        Operand::new("the time it asks for", seconds, Unit::Seconds),
        Operand::new("its GPUs", f64::from(job.gpus), Unit::Gpus),
        Operand::new("when it was submitted, 0.1 for 0", submit, Unit::Seconds),
    ];
    ("log₁₀({0}) × {1} + 870 × log₁₀({2})", operands)
}
