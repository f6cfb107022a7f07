//! WFP3: jobs that have waited long for the time they ask for, and large ones, first (Tang et al.,
//! CLUSTER'09): the greatest (waited ÷ time asked for)³ · GPUs.

use super::PolicyEntry;
use super::entry::{PLACEMENT, Registered};
use super::picking::{BACKFILL, ByScore, Candidate, Line, QUIRKS, Queue, ZERO};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "wfp3",
        title: "WFP3",
        summary: "Jobs that have waited long for the time they ask for first, large ones before small ones: (waited ÷ time asked for)³ · GPUs. An oracle where the trace tells no times asked for: then it is the true one.",
        source: "Tang et al., CLUSTER'09; RLScheduler (SC'20)",
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

pub(super) fn score(job: &Candidate, waited: f64) -> f64 {
    let slowdown = waited / job.seconds;
    -(slowdown * slowdown * slowdown * f64::from(job.gpus))
}

/// The cube root of that.
pub(super) fn line(job: &Candidate) -> Line {
    Line {
        slope: libm::cbrt(f64::from(job.gpus)) / job.seconds,
        head_start: 0.0,
    }
}
