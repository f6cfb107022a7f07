//! The charts that compare runs, drawn with plotters: one [`Figure`] per chart, worked out when
//! data changes and painted alike on a canvas and into an SVG file.

mod axis;
mod figure;
mod labels;
mod names;
mod paint;
mod paper;
mod series;
mod ticks;

pub use axis::Axis;
pub use figure::{Figure, Marks, RangeMark, Series, outcomes, summary, types};
pub use names::{short_specs, type_title};
pub use series::{Band, Points, at as height_at};

use super::space::{Css, Ratio, Size};
use crate::stage::Stage;
use paint::Look;
use paper::Paper;
use plotters::drawing::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use plotters_svg::SVGBackend;
use switchyard::cluster::ClusterSpec;
use web_sys::HtmlCanvasElement;

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
    pub fn title(self) -> &'static str {
        match self {
            Self::JctCdf => "Completion times of jobs",
            Self::JctByGang => "Completion times by gang size",
            Self::Queue => "Queue length",
            Self::Allocation => "GPU allocation",
            Self::WaitCdf => "Queueing delay of jobs",
            Self::RhoCdf => "Finish-time fairness",
            Self::JctByType => "Completion times by GPU type",
            Self::Lost => "Work lost to failures",
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

/// SVG files count in eighths of a pixel, since plotters rounds to whole units.
const SVG_SCALE: Ratio = Ratio(8.0);
/// plotters' SVG backend makes text this much smaller than asked for.
const SVG_TEXT: f64 = 1.24;

impl Figure {
    /// Paints on a canvas of this size. `None`: the canvas has no context.
    pub fn paint_canvas(
        &self,
        canvas: &HtmlCanvasElement,
        size: Size<Css>,
        ratio: Ratio,
        dark: bool,
    ) -> Option<()> {
        let Size { w, h, .. } = ratio.size(size);
        canvas.set_width(w as u32);
        canvas.set_height(h as u32);
        let backend = CanvasBackend::with_canvas_object(canvas.clone())?;
        let root = Paper::Canvas(backend).into_drawing_area();
        self.paint(
            &root,
            Look {
                dark,
                ratio,
                text: 1.0,
            },
        )
        .ok()
    }

    /// The figure as an SVG file of this size.
    pub fn svg(&self, size: Size<Css>, dark: bool) -> String {
        let mut file = String::new();
        let units = SVG_SCALE.size(size);
        let (across, down) = (units.w as u32, units.h as u32);
        {
            let backend = SVGBackend::with_string(&mut file, (across, down));
            let root = Paper::Svg(backend).into_drawing_area();
            // Writing to a string does not fail.
            let _ = self.paint(
                &root,
                Look {
                    dark,
                    ratio: SVG_SCALE,
                    text: SVG_TEXT,
                },
            );
            let _ = root.present();
        }
        let large = format!("width=\"{across}\" height=\"{down}\"");
        let Size { w, h, .. } = size;
        file.replacen(&large, &format!("width=\"{w}\" height=\"{h}\""), 1)
    }
}
