//! The timeline: who ran when, in rows of GPUs or of jobs, over a window of time.
//!
//! It moves as Perfetto does: W and S zoom about the pointer, A and D pan, the wheel scrolls rows
//! (with Ctrl it zooms time, with Ctrl and Shift rows, with Shift it pans), dragging pans, F focuses
//! the chosen job ([`hand`]). Dragging on the [`axis`] moves the clock; above it lies all of time with
//! the window on it ([`overview`]).
//!
//! What a row is, is said once, by [`Rows`]: those of GPUs ([`by_gpu`]) are painted pixel by pixel into
//! an image and put on the canvas in one piece a node, so that the cost depends on the size of the
//! canvas, not on the length of the log; those of jobs ([`by_job`]) are few enough to be rectangles.

mod axis;
mod by_gpu;
mod by_job;
mod gpus;
mod hand;
mod image;
mod jobs;
mod overview;
mod rows;

use super::canvas::{OfRun, RunPainter};
use super::on_stage::OnStage;
use super::pen::Pen;
use super::series::Columns;
use super::space::{Device, Point, Ratio, Rect};
use super::strip::full_range;
use super::viewport::{Glide, Ruler, Window};
use super::{Pointer, Response};
use by_gpu::ByGpu;
use by_job::ByJob;
use hand::Drag;
use overview::Overview;
use rows::{Rows, View};
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

/// Seconds that a window spans at least.
const LEAST_SPAN: f64 = 1.0;

/// Paints one run's timeline.
pub(crate) struct Timeline {
    rows: Box<dyn Rows>,
    place: Place,
    /// What is seen of time, from and to.
    view: Glide<2>,
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
    /// Whether the clock was inside the window, which then follows it.
    clock_seen: bool,
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
            view: Glide::new([0.0, 1.0]),
            fitted: true,
            height: None,
            scroll: 0.0,
            columns: Columns::default(),
            cluster: None,
            drag: None,
            pointer: None,
            clock_seen: false,
            opened: false,
        }
    }

    fn target(&self) -> Window {
        let [from, to] = self.view.target();
        Window::new(from, to)
    }

    /// The rows through `window`.
    fn view_of(&self, window: Window, shown: OnStage<'_>) -> View {
        let Place { plot, ratio, .. } = self.place;
        View {
            plot,
            ruler: Ruler::across(&plot, window),
            rows: self.rows.layout(self.height, &plot, ratio, shown),
            scroll: self.scroll,
            fitted: self.fitted,
        }
    }

    /// The rows as they are seen.
    fn seen(&self, shown: OnStage<'_>) -> View {
        self.view_of(self.window(), shown)
    }

    fn window(&self) -> Window {
        let [from, to] = self.view.at();
        Window::new(from, to)
    }

    fn go(&mut self, window: Window, at_once: bool) {
        let end = self.place.overview.end;
        let window = window.within(end, LEAST_SPAN);
        self.fitted = window.span() >= end;
        if at_once {
            self.view.jump([window.from, window.to]);
        } else {
            self.view.go([window.from, window.to]);
        }
    }

    /// Scrolls there, or as far as there are rows.
    fn scroll_to(&mut self, top: f64, shown: OnStage<'_>) {
        let total = self.seen(shown).rows.total;
        let most = (total - self.place.plot.h).max(0.0);
        self.scroll = top.clamp(0.0, most).round();
    }

    /// Scrolls to something that lives in the window, if nothing there does.
    fn reveal(&mut self, shown: OnStage<'_>) {
        let view = self.view_of(self.target(), shown);
        if let Some(top) = self.rows.reveal(&view, shown) {
            self.scroll_to(top, shown);
        }
    }

    fn update(&mut self, pen: &Pen<'_>, shown: OnStage<'_>) {
        let OnStage { stage, run } = shown;
        let end = full_range(stage);
        let narrow = pen.area.w < pen.px(560.0);
        let gutter = pen.px(self.rows.gutter(narrow));
        self.place = Place::new(&pen.area, gutter, end, pen.ratio);

        if !self.rows.are_of(&run.log) || self.cluster.as_ref() != Some(&stage.cluster) {
            self.cluster = Some(stage.cluster.clone());
            self.rows.restart(&stage.cluster);
        }
        self.rows.extend(shown);
        self.columns.update(run, self.place.plot.w as usize, end);

        self.open(shown);
        if self.fitted {
            self.view.jump([0.0, end]);
        }
        let seen = self.window();
        let now = stage.clock.now;
        if stage.clock.playing && self.clock_seen && now > seen.to && self.drag.is_none() {
            let next = seen.moved(now - seen.from - seen.span() * 0.1);
            self.go(next, stage.reduced_motion);
        }
        self.clock_seen = now >= seen.from && now <= seen.to;
        self.scroll_to(self.scroll, shown);
    }

    /// Begins with the window that the rows want to begin with.
    fn open(&mut self, shown: OnStage<'_>) {
        if self.opened {
            return;
        }
        let view = self.seen(shown);
        let Some(span) = self.rows.opening(self.place.overview.end, &view, shown) else {
            return;
        };
        self.opened = true;
        if self.fitted && span < self.place.overview.end {
            let now = shown.stage.clock.now;
            self.go(Window::new(0.0, span).moved(now - 0.4 * span), true);
            self.reveal(shown);
        }
    }
}

impl RunPainter for Timeline {
    fn paint(&mut self, pen: &mut Pen<'_>, shown: OnStage<'_>) -> bool {
        self.update(pen, shown);
        let precision = self.target().span() * 2e-4;
        let still = shown.stage.reduced_motion;
        let mut moving = self.view.step(pen.real_ms, precision, still);
        let view = self.seen(shown);
        let Place {
            axis,
            plot,
            overview,
            ..
        } = self.place;
        let now = shown.stage.clock.now;

        let pill = axis::pill(pen, &axis, &view.ruler, now);
        axis::paint(pen, &axis, &view.ruler, pill);
        let (x, w) = (0.0, pen.area.w);
        pen.clip(&Rect { x, w, ..plot });
        moving |= self.rows.paint(pen, &view, shown);
        pen.unclip();
        if let Some(pill) = pill {
            axis::paint_clock(pen, &plot, &view.ruler, pill, now);
        }
        let gpus = shown.stage.cluster.gpus();
        let dark = shown.stage.dark;
        overview.paint(pen, &self.columns, gpus, view.ruler.window, now, dark);
        moving
    }

    fn pointer(&mut self, pointer: &Pointer<Device>, shown: OnStage<'_>) -> Response {
        self.take_pointer(pointer, shown)
    }

    fn leave(&mut self) {
        self.drag = None;
        self.pointer = None;
    }

    fn key(&mut self, key: &str, shown: OnStage<'_>) -> bool {
        self.take_key(key, shown)
    }
}
