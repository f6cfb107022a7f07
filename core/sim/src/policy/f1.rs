//! F1: a formula found by regression over simulated queues, for the least bounded slowdown (Carastan-Santos
//! and de Camargo, SC'17): the least log₁₀(time asked for) · GPUs + 870 · log₁₀(submitted).

use super::PolicyEntry;
use super::entry::{PLACEMENT, Registered};
use super::picking::{BACKFILL, ByScore, Candidate, QUIRKS, Queue, ZERO};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "f1",
        title: "F1",
        summary: "Small and short jobs first, and old ones: log₁₀(time asked for) · GPUs + 870 · log₁₀(submitted). An oracle where the trace tells no times asked for: then it is the true one.",
        source: "Carastan-Santos and de Camargo, SC'17; RLScheduler (SC'20)",
        oracle: |_| true,
        takes_whole_gpus: true,
        params: &[BACKFILL, ZERO, QUIRKS, PLACEMENT],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        let pick = ByScore::fixed(score, params.float(ZERO.name));
        Box::new(Queue::of(pick, params, context))
    },
};

fn score(job: &Candidate, _waited: f64) -> f64 {
    let log = |seconds: f64| libm::log10(if seconds > 0.0 { seconds } else { 0.1 });
    log(job.seconds) * f64::from(job.gpus) + 870.0 * log(job.submit)
}
