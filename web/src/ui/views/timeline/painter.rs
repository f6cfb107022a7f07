//! The timeline: which job ran when, in rows of GPUs or of jobs, over a window of time.
//!
//! It moves as Perfetto does: W and S zoom about the pointer, A and D pan, the wheel scrolls rows
//! (with Ctrl it zooms time, with Ctrl and Shift rows, with Shift it pans), dragging pans, F focuses
//! the chosen job, two clicks show all of time ([`input`]). Dragging on the [`axis`] selects a range, as
//! dragging with Shift does everywhere; a click there moves the clock. Above it lies all of time with
//! the window on it ([`overview`]). The window is that of all views ([`TimeAxis`](crate::time_axis)).
//!
//! What a row is, is said once, by [`Rows`]: those of GPUs ([`by_gpu`]) are painted pixel by pixel into
//! an image and put on the canvas in one piece a node, so that the cost depends on the size of the
//! canvas, not on the length of the log; those of jobs ([`by_job`]) are few enough to be rectangles.

mod by_gpu;
mod by_job;
mod drag;
mod gpus;
mod image;
mod input;
mod jobs;
mod overview;
pub(crate) mod picture;
mod rows;

use crate::draw::canvas::{OfRun, RunPainter};
use crate::draw::on_stage::OnStage;
use crate::draw::pen::Pen;
use crate::draw::series::Columns;
use crate::draw::space::{Device, Point, Ratio, Rect};
use crate::draw::viewport::{Ruler, Window};
use crate::draw::{Pointer, Response, axis};
use crate::stage::Stage;
use crate::time_axis::AxisRequest;
use by_gpu::ByGpu;
use by_job::ByJob;
use drag::Drag;
use overview::Overview;
use rows::{Rows, RowsView};
use switchyard::cluster::ClusterSpec;

/// What a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum By {
    /// A GPU, beside the others of its node.
    #[default]
    Gpu,
    /// A job, in order of submission.
    Job,
}

/// Paints one run's timeline.
pub(crate) struct Timeline {
    rows: Box<dyn Rows>,
    place: Place,
    /// What is seen of time, and what will be.
    window: Window,
    target: Window,
    /// What has become of the window by the hand on this canvas.
    wants: Option<AxisRequest>,
    /// Whether the window is all of time, and grows with it.
    fitted: bool,
    /// The rows' height if chosen, and how far they are scrolled.
    height: Option<f64>,
    scroll: f64,
    columns: Columns,
    /// Whose nodes the rows are made for.
    cluster: Option<ClusterSpec>,
    drag: Option<Drag>,
    pointer: Option<Point<Device>>,
    /// The node that was looked for last, as far as it has been scrolled to.
    node: Option<u32>,
    /// Whether the first window has been looked for.
    opened: bool,
}

/// Where things are on the canvas.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    ratio: Ratio,
    overview: Overview,
    axis: Rect,
    plot: Rect,
}

impl Place {
    fn new(area: &Rect, gutter: f64, end: f64, ratio: Ratio) -> Self {
        let css = |length: f64| ratio.px(length);
        let width = (area.w - gutter - css(8.0)).max(1.0);
        let overview = Rect::new(gutter, css(4.0), width, css(40.0));
        let axis = Rect::new(gutter, overview.bottom() + css(4.0), width, css(24.0));
        let height = (area.h - axis.bottom()).max(1.0);
        Self {
            ratio,
            overview: Overview {
                area: overview,
                end,
            },
            axis,
            plot: Rect::new(gutter, axis.bottom(), width, height),
        }
    }
}

impl Timeline {
    /// A painter of the run with this id, in rows of GPUs or of jobs.
    pub(crate) fn of_run(run: u32, by: By) -> OfRun<Self> {
        OfRun(run, Self::new(by))
    }

    fn new(by: By) -> Self {
        Self {
            rows: match by {
                By::Gpu => Box::new(ByGpu::default()),
                By::Job => Box::new(ByJob::default()),
            },
            place: Place::default(),
            window: Window::new(0.0, 1.0),
            target: Window::new(0.0, 1.0),
            wants: None,
            fitted: true,
            height: None,
            scroll: 0.0,
            columns: Columns::default(),
            cluster: None,
            drag: None,
            pointer: None,
            node: None,
            opened: false,
        }
    }

    /// The rows through `window`.
    fn view_of(&self, window: Window, shown: OnStage<'_>) -> RowsView {
        let Place { plot, ratio, .. } = self.place;
        RowsView {
            plot,
            ruler: Ruler::across(&plot, window),
            rows: self.rows.layout(self.height, &plot, ratio, shown),
            scroll: self.scroll,
            fitted: self.fitted,
        }
    }

    /// The rows as they are seen.
    fn seen(&self, shown: OnStage<'_>) -> RowsView {
        self.view_of(self.window, shown)
    }

    /// Has all views show this window, at once if the pointer `holds` it.
    fn go(&mut self, window: Window, holds: bool) {
        self.target = window;
        self.wants = Some(if holds {
            AxisRequest::Held(window)
        } else {
            AxisRequest::At(window)
        });
    }

    /// Takes the window from the stage.
    fn look(&mut self, stage: &Stage) {
        self.window = stage.window();
        self.target = stage.axis.target(stage.whole());
        self.fitted = stage.axis.seen().is_none();
    }

    /// Scrolls there, or as far as there are rows.
    fn scroll_to(&mut self, top: f64, shown: OnStage<'_>) {
        let total = self.seen(shown).rows.total;
        let most = (total - self.place.plot.h).max(0.0);
        self.scroll = top.clamp(0.0, most).round();
    }

    /// Scrolls to something that lives in the window, if nothing there does.
    fn reveal(&mut self, shown: OnStage<'_>) {
        let view = self.view_of(self.target, shown);
        if let Some(top) = self.rows.reveal(&view, shown) {
            self.scroll_to(top, shown);
        }
    }

    fn update(&mut self, pen: &Pen<'_>, shown: OnStage<'_>) {
        let OnStage { stage, run } = shown;
        let end = stage.whole();
        let narrow = pen.area.w < pen.px(560.0);
        let gutter = pen.px(self.rows.gutter(narrow));
        self.place = Place::new(&pen.area, gutter, end, pen.ratio);

        if !self.is_of(shown) {
            self.cluster = Some(stage.cluster.clone());
            self.rows.restart(&stage.cluster);
        }
        self.rows.extend(shown);
        self.columns.update(run, self.place.plot.w as usize, end);

        let before = self.target;
        self.look(stage);
        self.open(shown);
        if self.target != before && self.drag.is_none() {
            // Another view has moved it.
            self.reveal(shown);
        }
        if self.node != stage.node {
            self.node = stage.node;
            let top = stage
                .node
                .and_then(|node| self.rows.top_of_node(node, &self.seen(shown)));
            if let Some(top) = top {
                self.scroll_to(top, shown);
            }
        }
        self.scroll_to(self.scroll, shown);
    }

    /// Begins with the window that the rows want to begin with.
    fn open(&mut self, shown: OnStage<'_>) {
        // How many jobs there are to show is known in the end.
        if self.opened || shown.run.is_under_way() {
            return;
        }
        let view = self.seen(shown);
        let Some(span) = self.rows.opening(self.place.overview.end, &view, shown) else {
            return;
        };
        self.opened = true;
        if self.fitted && span < self.place.overview.end {
            let now = shown.stage.clock.now;
            let window = Window::new(0.0, span).moved(now - 0.4 * span);
            self.go(window.within(self.place.overview.end, 1.0), true);
            self.window = self.target;
            self.reveal(shown);
        }
    }
}

impl RunPainter for Timeline {
    fn paint(&mut self, pen: &mut Pen<'_>, shown: OnStage<'_>) -> bool {
        self.update(pen, shown);
        let view = self.seen(shown);
        let Place {
            axis,
            plot,
            overview,
            ..
        } = self.place;
        let now = shown.stage.clock.now;

        let moments = shown.stage.moments();
        let clock = moments.within(self.window.span(), now);
        let clock = (now, clock.as_str());
        let pill = axis::pill(pen, &axis, &view.ruler, clock);
        axis::paint(pen, &axis, &view.ruler, pill, moments);
        let (x, w) = (0.0, pen.area.w);
        pen.clip(&Rect { x, w, ..plot });
        let moving = self.rows.paint(pen, &view, shown);
        pen.unclip();
        let (y, h) = (axis.y, plot.bottom() - axis.y);
        axis::paint_weekends(pen, &Rect { y, h, ..plot }, &view.ruler, moments);
        let range = shown.stage.axis.selected();
        if let Some(range) = range {
            axis::paint_range(pen, &axis, &plot, &view.ruler, range);
        }
        if let Some(pill) = pill {
            axis::paint_clock(pen, &plot, &view.ruler, pill, clock);
        }
        overview.paint(pen, &self.columns, shown.stage);
        moving
    }

    fn pointer(&mut self, pointer: &Pointer<Device>, shown: OnStage<'_>) -> Response {
        self.look(shown.stage);
        self.take_pointer(pointer, shown)
    }

    fn leave(&mut self) {
        self.drag = None;
        self.pointer = None;
    }

    fn key(&mut self, key: &str, shown: OnStage<'_>) -> bool {
        self.look(shown.stage);
        self.take_key(key, shown)
    }

    fn wants(&mut self) -> Option<AxisRequest> {
        self.wants.take()
    }
}
