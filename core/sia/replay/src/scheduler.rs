//! Who decides in a replay, with its parameters.

use switchyard_sia::program::Effort;
use switchyard_sia::rows::Objective;

/// Up to which total batch Sia weighs configurations. Jobs that run go up to the application's in either case. Which
/// of them the paper's figures were made with we do not know: those of Philly and Saturn are closer to the first,
/// newTrace's to neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LargestBatch {
    /// The largest that the application allows.
    #[default]
    Application,
    /// The batch that the trace has for the job, as the released artifact does.
    Trace,
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheduler {
    /// Sia, with its objective, how hard it looks for the best plan, and the batches that it looks at.
    Sia(Objective, Effort, LargestBatch),
    /// Pollux, which does not tell types apart, with the seed of its search.
    Pollux(u64),
    /// Gavel with the GPUs and batches of the trace.
    Gavel,
}

impl Scheduler {
    /// Sia with the paper's parameters.
    pub fn sia() -> Self {
        Self::Sia(
            Objective::default(),
            Effort::default(),
            LargestBatch::default(),
        )
    }

    /// Sia as its artifact was released.
    pub fn sia_as_released() -> Self {
        Self::Sia(Objective::default(), Effort::default(), LargestBatch::Trace)
    }

    /// Seconds of a round in the paper's runs.
    pub fn interval(&self) -> u32 {
        match self {
            Self::Sia(..) | Self::Pollux(_) => 60,
            Self::Gavel => 360,
        }
    }
}
