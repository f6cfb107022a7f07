//! Samples that the page knows by name, and the schedulers that run them.

/// The sample that the guide walks through.
pub const GUIDED: &str = "three-jobs";

/// The schedulers that the guide compares: their mean completion times are the 9.3, 10 and 11.7 of
/// Tiresias' example (NSDI'19).
pub const GUIDED_SCHEDULERS: [&str; 3] = [
    "srsf",
    "tiresias-gittins[thresholds=4,history=oracle]",
    "las[quantum=1]",
];

/// The sample in which jobs slow their neighbours.
pub const DATA_CENTRE: &str = "data-centre";

/// The schedulers that run it where none are named: the placer that learned, beside the best rule, and
/// last the one that they are compared with, which looks at no neighbours.
pub const DATA_CENTRE_SCHEDULERS: [&str; 3] = [
    "graph-rl",
    "fifo[backfill=true,placement=least-interference-waiting]",
    "fifo[backfill=true,placement=locality]",
];
