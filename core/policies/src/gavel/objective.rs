//! What Gavel's linear programs make best.

use crate::parameters::words;

/// What an allocation is to be best in (§4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objective {
    /// The least normalised throughput.
    MaxMin,
    /// When the last job is done.
    Makespan,
    /// The greatest ρ of finish-time fairness.
    FinishTime,
    /// The sum of normalised throughputs.
    Throughput,
}

words! {
    Objective {
        MaxMin = "max-min",
        Makespan = "makespan",
        FinishTime = "ftf",
        Throughput = "throughput",
    }
}

impl Objective {
    /// Whether it asks how much work jobs have left.
    pub(super) fn is_oracle(self) -> bool {
        matches!(self, Self::Makespan | Self::FinishTime)
    }
}
