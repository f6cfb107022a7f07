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

/// The sample in which jobs take turns on the same GPUs.
pub const IN_TURNS: &str = "in-turns";

/// The sample with jobs that adapt on GPUs of several types.
pub const THREE_TYPES: &str = "three-types";

/// The sample in which two teams share a cluster.
pub const TWO_TEAMS: &str = "two-teams";

/// What a sample comes with, where a link names nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// The sample.
    pub sample: &'static str,
    /// The schedulers that run it.
    pub schedulers: &'static [&'static str],
    /// The one that they are compared with.
    pub baseline: usize,
    /// Settings as in a link: key and value.
    pub settings: &'static [(&'static str, &'static str)],
}

/// The placer that learned, beside the best rule, and last one that looks at no neighbours.
const PLACEMENTS: &[&str] = &[
    "graph-rl",
    "fifo[backfill=true,placement=least-interference-waiting]",
    "fifo[backfill=true,placement=locality]",
];

/// Samples that come with more than their jobs.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        sample: DATA_CENTRE,
        schedulers: PLACEMENTS,
        baseline: 2,
        settings: &[("contention", "true")],
    },
    Scene {
        sample: "like-helios",
        schedulers: PLACEMENTS,
        baseline: 2,
        settings: &[("contention", "true")],
    },
    // Borrowing, evictions and waiting in queues with quotas, beside one line for all.
    Scene {
        sample: TWO_TEAMS,
        schedulers: &["kueue", "fifo[backfill=true]"],
        baseline: 1,
        settings: &[(
            "queues",
            "lab;vision,parent=lab,gpus=8,reclaims=any;speech,parent=lab,gpus=8,reclaims=any",
        )],
    },
    // The one that tells types apart, one that does not, and one that leaves jobs as they are.
    Scene {
        sample: THREE_TYPES,
        schedulers: &["sia", "pollux", "gavel[types=true]"],
        baseline: 1,
        settings: &[],
    },
    // Fair and soon done; and those that are only the one or the other.
    Scene {
        sample: "batches",
        schedulers: &["shockwave", "ossp", "mst"],
        baseline: 1,
        settings: &[],
    },
    // The shortest remaining service first, with and without turns.
    Scene {
        sample: IN_TURNS,
        schedulers: &["muri-s[interval=60]", "srsf"],
        baseline: 1,
        settings: &[],
    },
];

impl Scene {
    /// Of a sample.
    pub fn of(sample: &str) -> Option<&'static Self> {
        SCENES.iter().find(|scene| scene.sample == sample)
    }
}
