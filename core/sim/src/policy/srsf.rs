//! Shortest remaining service first: true remaining time × GPUs, preemptive: an oracle.
//! (Tiresias' simulator: `shortest-gpu`.)

use super::PolicyEntry;
use super::entry::{PLACEMENT, Registered};
use super::srtf::ShortestRemaining;
use crate::sim::Measure;

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "srsf",
        title: "SRSF (oracle)",
        summary: "The shortest true remaining service (time × GPUs) first, preemptive. Oracle: no real scheduler knows remaining times.",
        source: "Baseline of Tiresias (NSDI'19) as shortest-gpu",
        oracle: |_| true,
        params: &[PLACEMENT],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| Box::new(ShortestRemaining::new(params, context, Measure::Service)),
};
