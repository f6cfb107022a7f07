//! Shortest job first: the one that asks for the least time, as batch systems have it, not preemptive.

use super::PolicyEntry;
use super::entry::{PLACEMENT, Registered};
use super::picking::{BACKFILL, ByScore, QUIRKS, Queue};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "shortest-job",
        title: "SJF (shortest job)",
        summary: "Shortest job first: the one that asks for the least time, never preempted; equal ones in order of submission. An oracle where the trace tells no times asked for: then it is the true one.",
        source: "Compared in RLScheduler (SC'20) as SJF",
        oracle: |_| true,
        takes_whole_gpus: true,
        params: &[BACKFILL, QUIRKS, PLACEMENT],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        let pick = ByScore::fixed(|job, _| job.seconds, 0.0);
        Box::new(Queue::of(pick, params, context))
    },
};
