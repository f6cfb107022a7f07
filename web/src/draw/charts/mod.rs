//! The charts that compare runs: one [`Figure`] per chart, worked out when data changes, and drawn as
//! one SVG text for the page and for files.
//!
//! By hand, not by a library of charts: what is drawn is few shapes, dashes and text must stay what they
//! are in files, and axes speak of time as the page does.

mod axis;
mod figure;
mod labels;
mod names;
mod paint;
mod series;
mod ticks;

pub use axis::Axis;
pub use figure::{Figure, Marks, RangeMark, Series, outcomes, summary, types};
pub use names::type_title;
pub use paint::stroke;
pub(in crate::draw) use paint::{CHARACTER, LINE, SWATCH, dashed, rows};
pub use series::{Band, Points, at as height_at, axes_of, drawn};

use crate::draw::format;
use crate::stage::Stage;
use std::borrow::Cow;
use switchyard::cluster::ClusterSpec;

/// How high saved charts are for their width, without rows of names.
const ASPECT: f64 = 0.62;

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
    const ALL: [Chart; 8] = [
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
    pub fn of(stage: &Stage) -> impl Iterator<Item = Self> {
        let types = has_types(&stage.cluster);
        let lost = stage.runs.iter().any(|run| run.log.evictions() > 0);
        Self::ALL.into_iter().filter(move |chart| match chart {
            Self::JctByType => types,
            Self::Lost => lost,
            _ => true,
        })
    }

    /// What it shows.
    pub fn title(self) -> Cow<'static, str> {
        format::units(match self {
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

    /// Whether its x axis is the clock's time.
    pub fn is_over_time(self) -> bool {
        matches!(self, Self::Queue | Self::Allocation | Self::Lost)
    }
}

/// Whether there are GPUs of several types, so that they can be told apart.
fn has_types(cluster: &ClusterSpec) -> bool {
    cluster.types().len() + usize::from(cluster.gpus_of(None) > 0) > 1
}
