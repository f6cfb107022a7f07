//! First come, first served, as batch systems have it: the head of the line waits until it fits, and
//! with `backfill` others run before it that do not delay it: EASY (Lifka, JSSPP'95). Without, it is
//! [`fifo`](super::fifo).

use super::PolicyEntry;
use super::entry::{PLACEMENT, Registered};
use super::picking::{BACKFILL, ByScore, QUIRKS, Queue};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "fcfs",
        title: "FCFS",
        summary: "First come, first served, never preempted. With backfill it is EASY: jobs that do not delay the reserved start of the head of the line overtake it, by the times that jobs ask for (an oracle where the trace tells none: then by the true ones). Without, it does what FIFO does.",
        source: "Lifka, JSSPP'95; RLScheduler (SC'20)",
        oracle: |params| params.bool(BACKFILL.name),
        takes_whole_gpus: true,
        in_order: true,
        params: &[BACKFILL, QUIRKS, PLACEMENT],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        let pick = ByScore::fixed(|job, _| job.submit, 0.0);
        Box::new(Queue::of(pick, params, context))
    },
};
