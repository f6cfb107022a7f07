//! What a way of cutting a run into rows has to say: the timeline knows rows by this alone.

use crate::draw::on_stage::OnStage;
use crate::draw::pen::Pen;
use crate::draw::space::{Ratio, Rect};
use crate::draw::viewport::Ruler;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::RunLog;
use switchyard::job::JobId;

/// A way of cutting a run into rows. A row's `top` is in pixels from the first one's.
pub(super) trait Rows {
    /// CSS pixels left of the rows, for their names.
    fn gutter(&self, narrow: bool) -> f64;

    /// Whether all that has been taken in may be of this log.
    fn are_of(&self, log: &RunLog) -> bool;

    /// Forgets what has been taken in.
    fn restart(&mut self, cluster: &ClusterSpec);

    /// Takes in what the log has gained, or a part of it.
    fn extend(&mut self, shown: OnStage<'_>);

    /// How the rows lie, with this height or else with the one that suits them.
    fn layout(
        &self,
        height: Option<f64>,
        plot: &Rect,
        ratio: Ratio,
        shown: OnStage<'_>,
    ) -> RowLayout;

    /// The span of time to begin with, of all there is; `None` while that cannot be said.
    fn opening(&self, _all: f64, _view: &RowsView, _shown: OnStage<'_>) -> Option<f64> {
        None
    }

    /// The top of a row that shows something of a job.
    fn top_of(&self, job: JobId, view: &RowsView, shown: OnStage<'_>) -> f64;

    /// The top of a node's rows, if it has rows.
    fn top_of_node(&self, _node: u32, _view: &RowsView) -> Option<f64> {
        None
    }

    /// The top to scroll to if no row shows anything that lives in the window.
    fn reveal(&self, _view: &RowsView, _shown: OnStage<'_>) -> Option<f64> {
        None
    }

    /// What is at a time, so far below the first row's top.
    fn at(&self, time: f64, top: f64, view: &RowsView, shown: OnStage<'_>) -> Target;

    /// Paints the rows that are seen, and their names. `true`: more is to come at the next frame.
    fn paint(&mut self, pen: &mut Pen<'_>, view: &RowsView, shown: OnStage<'_>) -> bool;
}

/// How rows lie above each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLayout {
    pub(super) height: f64,
    /// Between nodes.
    pub(super) gap: f64,
    pub(super) total: f64,
}

/// What is seen of the rows, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowsView {
    pub(super) plot: Rect,
    /// Time across the plot.
    pub(super) ruler: Ruler,
    pub(super) rows: RowLayout,
    /// The top that is seen at the plot's upper edge.
    pub(super) scroll: f64,
    /// Whether all of time is seen.
    pub(super) fitted: bool,
}

impl RowsView {
    /// Where a top is seen.
    pub(super) fn y(&self, top: f64) -> f64 {
        self.plot.y + top - self.scroll
    }

    /// The top that is seen at a place.
    pub(super) fn top(&self, y: f64) -> f64 {
        y - self.plot.y + self.scroll
    }

    /// The top at the plot's lower edge.
    pub(super) fn bottom(&self) -> f64 {
        self.scroll + self.plot.h
    }
}

/// What the pointer can be on.
pub(super) enum Target {
    Segment(usize),
    Wait { job: JobId, from: f64, to: f64 },
    Gpu { node: u32, gpu: u32 },
    Nothing,
}
