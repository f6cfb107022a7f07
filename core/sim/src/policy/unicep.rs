//! UNICEP: jobs that have waited long, ask for little time and few GPUs first (Tang et al., CLUSTER'09):
//! the greatest waited ÷ (log₂ GPUs · time asked for).

use super::PolicyEntry;
use super::entry::{PLACEMENT, Registered};
use super::picking::{BACKFILL, ByScore, Candidate, Line, QUIRKS, Queue, ZERO};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "unicep",
        title: "UNICEP",
        summary: "Jobs that have waited long, ask for little time and few GPUs first: waited ÷ (log₂ GPUs · time asked for). An oracle where the trace tells no times asked for: then it is the true one.",
        source: "Tang et al., CLUSTER'09; RLScheduler (SC'20) as UNI",
        oracle: |_| true,
        takes_whole_gpus: true,
        params: &[BACKFILL, ZERO, QUIRKS, PLACEMENT],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        let pick = ByScore::ageing(score, line, params);
        Box::new(Queue::of(pick, params, context))
    },
};

/// Keeps quotients finite.
const TINY: f64 = 1e-15;

fn score(job: &Candidate, waited: f64) -> f64 {
    -(waited + TINY) / divisor(job)
}

fn line(job: &Candidate) -> Line {
    Line {
        slope: 1.0 / divisor(job),
        head_start: TINY,
    }
}

fn divisor(job: &Candidate) -> f64 {
    libm::log2(f64::from(job.gpus) + TINY) * job.seconds
}
