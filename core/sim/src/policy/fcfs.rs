//! First come, first served, as batch systems have it: the head of the line waits until it fits, and
//! with EASY backfilling small jobs run before it (Lifka, JSSPP'95). Without, it is [`fifo`](super::fifo).

use super::PolicyEntry;
use super::entry::{PLACEMENT, Registered};
use super::picking::{BACKFILL, ByScore, Queue};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "fcfs",
        title: "FCFS (EASY)",
        summary: "First come, first served. With EASY backfilling, jobs overtake the head of the line that end before its reserved start; never preempted.",
        source: "Lifka, JSSPP'95; RLScheduler (SC'20)",
        oracle: |params| params.bool(BACKFILL.name),
        takes_whole_gpus: true,
        in_order: true,
        params: &[BACKFILL, PLACEMENT],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        let pick = ByScore {
            score: |job, _| job.submit,
            zero: 0.0,
            negative_waits: false,
        };
        Box::new(Queue::of(pick, params, context))
    },
};
