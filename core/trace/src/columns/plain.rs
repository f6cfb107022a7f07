//! What a format says of its columns: which holds what, in which unit.

use crate::timestamp::TimeUnit;

/// A format's columns by name, in lower case; "" where it has none for a role.
pub(crate) struct Plain {
    pub(crate) id: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) clock: Clock,
    pub(crate) duration: &'static str,
    pub(crate) duration_unit: TimeUnit,
    /// With an end, in place of a duration; else when it began.
    pub(crate) start: &'static str,
    pub(crate) end: &'static str,
    /// Seconds that it waited, where no column tells when it began.
    pub(crate) wait: &'static str,
    pub(crate) gpus: &'static str,
    /// Multiplies the GPUs.
    pub(crate) workers: &'static str,
    /// Thousandths of a GPU, where a single one is shared.
    pub(crate) milli: &'static str,
    pub(crate) tenant: &'static str,
    pub(crate) model: &'static str,
    pub(crate) status: &'static str,
    /// GPU types, joined by `|`.
    pub(crate) types: &'static str,
    /// Cores of a worker, and how much of one a unit is.
    pub(crate) cores: (&'static str, f64),
    /// Memory of a worker, and how many GiB a unit is.
    pub(crate) memory: (&'static str, f64),
    /// GiB of each GPU.
    pub(crate) gpu_memory: &'static str,
    /// How many times the memory is asked for, where that is not `workers`.
    pub(crate) memory_times: &'static str,
    /// The time that is asked for, and its unit.
    pub(crate) requested_time: (&'static str, TimeUnit),
    /// Whether of priorities the least goes first, so that they are read as what is below 0 by as much.
    pub(crate) least_priority_first: bool,
    /// How times are read: a sentence for the report.
    pub(crate) units: &'static str,
}

impl Plain {
    /// No columns at all; times in seconds.
    pub(crate) const NONE: Self = Self {
        id: "",
        submit: "",
        clock: Clock::Relative(TimeUnit::Seconds),
        duration: "",
        duration_unit: TimeUnit::Seconds,
        start: "",
        end: "",
        wait: "",
        gpus: "",
        workers: "",
        milli: "",
        tenant: "",
        model: "",
        status: "",
        types: "",
        cores: ("", 1.0),
        memory: ("", 1.0),
        gpu_memory: "",
        memory_times: "",
        requested_time: ("", TimeUnit::Seconds),
        least_priority_first: false,
        units: "",
    };
}

/// How a column tells the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Numbers since some start of the trace.
    Relative(TimeUnit),
    /// Unix seconds.
    Unix,
    /// Dates.
    Dates,
    /// Numbers or dates, whichever comes first; numbers are left as they are, for
    /// [`Importer::finish`] to find their unit.
    Unknown,
}
