//! What charts show: series and axes as data, free of any size, theme or library.
//!
//! [`Figure`] compares runs: in go their logs and results as a [`Comparison`], out come a few hundred points over two
//! axes, the words for whoever cannot see them, and a table. [`Curve`] is one that a policy or a
//! model decides by, [`Changes`] what became of each job under two schedulers, [`Bars`] how a trace's jobs are distributed.

mod axis;
mod bars;
mod changes;
mod comparison;
mod curve;
mod figure;
mod names;
mod series;
mod stretches;
mod ticks;

pub use axis::Axis;
pub use bars::Bars;
pub use changes::{Changes, Dot};
pub use comparison::{Compared, Comparison};
pub use curve::Curve;
pub use figure::{Figure, Marks, RangeMark, Series, gang_class};
pub use names::type_title;
pub use series::{Band, Points};
pub use stretches::{Stretch, stretches};

use std::borrow::Cow;
use switchyard::Resource;

/// The charts there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// Distribution of job completion times.
    JctCdf,
    /// Completion times by size of gang.
    JctByGang,
    /// Completion times by the GPU type that jobs ran on.
    JctByType,
    /// Jobs waiting over time.
    Queue,
    /// GPUs held over time.
    Allocation,
    /// Distribution of queueing delays.
    WaitCdf,
    /// Distribution of finish-time fairness.
    RhoCdf,
    /// Work that failures have undone over time.
    Lost,
}

impl Chart {
    /// Every chart, in the order of the page.
    const ALL: &'static [Chart] = &[
        Self::JctCdf,
        Self::JctByGang,
        Self::JctByType,
        Self::WaitCdf,
        Self::Queue,
        Self::Allocation,
        Self::RhoCdf,
        Self::Lost,
    ];

    /// Those that have something to show, in the order of the page.
    pub fn of(comparison: &Comparison<'_>) -> impl Iterator<Item = Self> + use<> {
        let types = comparison.has_types();
        let lost = comparison.runs.iter().any(|run| run.log.evictions() > 0);
        Self::ALL.iter().copied().filter(move |chart| match chart {
            Self::JctByType => types,
            Self::Lost => lost,
            _ => true,
        })
    }

    /// What it shows, where jobs occupy this.
    pub fn title(self, unit: Resource) -> Cow<'static, str> {
        unit.words(match self {
            Self::JctCdf => "Completion times of jobs",
            Self::JctByGang => "Completion times by gang size",
            Self::Queue => "Queue length",
            Self::Allocation => "GPU allocation",
            Self::WaitCdf => "Queueing delay of jobs",
            Self::RhoCdf => "Finish-time fairness",
            Self::JctByType => "Completion times by GPU type",
            Self::Lost => "Work lost to failures",
        })
    }

    /// What its marks are, where that is not plain to see.
    pub fn marks(self) -> &'static str {
        match self {
            Self::JctByGang | Self::JctByType => "dot: median, box: p25 to p75, line: to p95",
            Self::Queue | Self::Allocation => {
                "line: mean, band: least to most, where much happens at once"
            }
            _ => "",
        }
    }

    /// Its name in file names.
    pub fn slug(self) -> &'static str {
        match self {
            Self::JctCdf => "jct-cdf",
            Self::JctByGang => "jct-by-gang",
            Self::Queue => "queue",
            Self::Allocation => "allocation",
            Self::WaitCdf => "wait-cdf",
            Self::RhoCdf => "fairness-cdf",
            Self::JctByType => "jct-by-type",
            Self::Lost => "lost-work",
        }
    }

    /// What its x axis is of each job, by the name that it has in filters.
    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::JctCdf => Some("jct"),
            Self::WaitCdf => Some("wait"),
            Self::RhoCdf => Some("rho"),
            _ => None,
        }
    }

    /// Whether its x axis is the clock's time.
    pub fn is_over_time(self) -> bool {
        matches!(self, Self::Queue | Self::Allocation | Self::Lost)
    }
}
