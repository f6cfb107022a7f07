//! The seven schedulers of the comparison.

use crate::allocations::allox::Allox;
use crate::allocations::themis::Themis;
use crate::allocations::{self, gandiva_fair, gavel, mst, ossp};
use crate::shockwave;

/// Who schedules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheduler {
    /// Equal shares of time.
    GandivaFair,
    /// Max-min fairness.
    Gavel,
    /// Max sum throughput.
    Mst,
    /// Least total duration.
    Ossp,
    /// AlloX.
    Allox,
    /// Finish-time fairness.
    Themis,
    /// Shockwave, with its settings.
    Shockwave(shockwave::Settings),
}

impl Scheduler {
    /// All of them, with Shockwave's settings for so many GPUs.
    pub fn all(gpus: u32) -> [Self; 7] {
        [
            Self::GandivaFair,
            Self::Gavel,
            Self::Mst,
            Self::Ossp,
            Self::Allox,
            Self::Themis,
            Self::Shockwave(shockwave::Settings::of(gpus)),
        ]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::GandivaFair => "gandiva-fair",
            Self::Gavel => "gavel",
            Self::Mst => "mst",
            Self::Ossp => "ossp",
            Self::Allox => "allox",
            Self::Themis => "themis",
            Self::Shockwave(_) => "shockwave",
        }
    }
}

/// What a scheduler of shares remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    allox: Allox,
    themis: Themis,
}

impl Memory {
    /// The share of each job. Shockwave decides on rounds and has none.
    pub(super) fn shares(
        &mut self,
        by: Scheduler,
        jobs: &[allocations::Job],
        gpus: u32,
    ) -> Vec<f64> {
        match by {
            Scheduler::GandivaFair => gandiva_fair::allocate(jobs.len(), gpus),
            Scheduler::Gavel => gavel::allocate(jobs, gpus),
            Scheduler::Mst => mst::allocate(jobs, gpus),
            Scheduler::Ossp => ossp::allocate(jobs, gpus),
            Scheduler::Allox => self.allox.allocate(jobs, gpus),
            Scheduler::Themis => self.themis.allocate(jobs, gpus),
            Scheduler::Shockwave(_) => Vec::new(),
        }
    }
}
