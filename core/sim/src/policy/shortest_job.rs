//! The job that asks for the least time first, as batch systems have it: not preemptive. ([`sjf`](super::sjf)
//! is Tiresias' of the same name, by GPUs.)

use super::PolicyEntry;
use super::entry::{PLACEMENT, Registered};
use super::picking::{BACKFILL, ByScore, Queue};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "shortest-job",
        title: "SJF (least time)",
        summary: "The job that asks for the least time first, never preempted; equal ones in order of submission. Oracle: the time asked for is the true one.",
        source: "Compared in RLScheduler (SC'20) as SJF",
        oracle: |_| true,
        takes_whole_gpus: true,
        params: &[BACKFILL, PLACEMENT],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        let pick = ByScore {
            score: |job, _| job.seconds,
            zero: 0.0,
            negative_waits: false,
        };
        Box::new(Queue::of(pick, params, context))
    },
};
