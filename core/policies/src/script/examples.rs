//! Scripts to start from, a few lines each. One with a sibling among the built-in policies does what
//! that does (`core/tests/scripts.rs`: the same log, bit for bit).

/// A script to start from.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// A word for it.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The spec of the built-in policy that it equals.
    pub equals: Option<&'static str>,
}

/// All, the simplest first.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "fifo",
        title: "FIFO",
        about: "First in, first out; the head of the line blocks everything behind it.",
        text: include_str!("examples/fifo.rhai"),
        equals: Some("fifo"),
    },
    Example {
        name: "backfill",
        title: "FIFO with backfilling",
        about: "Jobs that fit overtake jobs that do not.",
        text: include_str!("examples/backfill.rhai"),
        equals: Some("fifo[backfill=true]"),
    },
    Example {
        name: "fewest-gpus",
        title: "Fewest GPUs first",
        about: "The job with the fewest GPUs first, preempting larger ones.",
        text: include_str!("examples/fewest-gpus.rhai"),
        equals: Some("fewest-gpus"),
    },
    Example {
        name: "srtf",
        title: "SRTF (oracle)",
        about: "The shortest true remaining time first.",
        text: include_str!("examples/srtf.rhai"),
        equals: Some("srtf"),
    },
    Example {
        name: "las",
        title: "LAS",
        about: "Least attained service first, compared anew every minute.",
        text: include_str!("examples/las.rhai"),
        equals: Some("las"),
    },
    Example {
        name: "tiresias",
        title: "2D-LAS with queues",
        about: "Tiresias: queues by attained service, with alarms at which jobs sink.",
        text: include_str!("examples/tiresias.rhai"),
        equals: Some("tiresias-las"),
    },
    Example {
        name: "max-min",
        title: "Max-min over tenants",
        about: "The tenant whose jobs hold the fewest GPUs goes first.",
        text: include_str!("examples/max-min.rhai"),
        equals: Some("yarn-cs[placement=default]"),
    },
    Example {
        name: "adaptive",
        title: "Adaptive jobs",
        about: "A skeleton: GPUs one by one to the job whose goodput grows most by its next.",
        text: include_str!("examples/adaptive.rhai"),
        equals: None,
    },
];
