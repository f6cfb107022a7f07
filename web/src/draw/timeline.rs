//! The timeline: who ran when, in rows of GPUs or of jobs, over a window of time.
//!
//! It moves as Perfetto does: W and S zoom about the pointer, A and D pan, the wheel scrolls rows
//! (with Ctrl it zooms time, with Ctrl and Shift rows, with Shift it pans), dragging pans, F focuses
//! the chosen job. Dragging on the axis moves the clock; above it lies all of time with the window
//! on it.
//!
//! Rows of GPUs are painted pixel by pixel into an image and put on the canvas in one piece a
//! node: the cost depends on the size of the canvas, not on the length of the log. Rows of jobs
//! are few enough to be rectangles.

mod axis;
mod gpus;
mod jobs;
mod overview;

use super::format;
use super::pen::{Align, Pen, px};
use super::rect::Rect;
use super::series::Columns;
use super::strip::full_range;
use super::text::{SMALL, Widths};
use super::viewport::{Glide, KEY_PAN, KEY_ZOOM, Window, wheel_zoom};
use super::{Painter, Pointer, PointerKind, Response, Surface, describe, palette};
use crate::stage::{ColourBy, Stage, StageRun};
use gpus::{GpuRows, Line, Pixel};
use jobs::JobRows;
use overview::{Grip, Overview};
use std::ops::Range;
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::sim::Segment;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// What a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// A GPU, beside the others of its node.
    #[default]
    Gpu,
    /// A job, in order of submission.
    Job,
}

/// Seconds that a window spans at least.
const LEAST_SPAN: f64 = 1.0;

/// How much of the others is seen while a job is chosen.
const DIMMED: f64 = 0.3;

/// CSS pixels: the heights that rows can have.
const ROW_HEIGHTS: (f64, f64) = (1.0, 28.0);
/// CSS pixels: what text needs.
const TEXT_ROW: f64 = 13.0;

/// Paints one run's timeline.
pub struct TimelinePainter {
    run_id: u32,
    by: By,
    widths: Widths,
    place: Place,
    /// What is seen of time, from and to.
    view: Glide<2>,
    /// Whether the window is all of time, and grows with it.
    fitted: bool,
    /// Rows' height if chosen, and how far they are scrolled.
    rows: RowView,
    columns: Columns,
    cluster: Option<ClusterSpec>,
    gpu_rows: GpuRows,
    job_rows: JobRows,
    image: Image,
    bars: Bars,
    drag: Option<Drag>,
    pointer: (f64, f64),
    /// Whether the clock was inside the window, which then follows it.
    clock_seen: bool,
    /// Whether rows of jobs have been shown where the clock is.
    placed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct RowView {
    height: Option<f64>,
    scroll: f64,
}

/// Where things are on the canvas, in device pixels.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    ratio: f64,
    overview: Overview,
    axis: Rect,
    plot: Rect,
}

/// What a drag does.
#[derive(Clone, Copy, Debug)]
enum Drag {
    Pan {
        window: Window,
        scroll: f64,
        x: f64,
        y: f64,
    },
    Clock,
    Overview(Grip),
}

/// How rows lie above each other.
#[derive(Clone, Copy, Debug)]
struct RowLayout {
    height: f64,
    /// Between nodes.
    gap: f64,
    total: f64,
}

/// What the pointer can be on.
enum Target {
    Segment(usize),
    Wait { job: JobId, from: f64, to: f64 },
    Gpu { node: u32, gpu: u32 },
    Nothing,
}

/// Rectangles of job rows, by what they are painted with.
#[derive(Default)]
struct Bars {
    solid: Vec<Vec<Rect>>,
    hollow: Vec<Vec<Rect>>,
    hatched: Vec<Rect>,
    marks: Vec<Rect>,
}

/// Pixels on their way to the canvas.
#[derive(Default)]
struct Image {
    pixels: Vec<Pixel>,
    canvas: Option<(HtmlCanvasElement, CanvasRenderingContext2d)>,
    /// What the pixels show: while it stays the same, they do.
    shows: Option<Shown>,
    /// Pixels of the canvas to one of the image.
    coarse: usize,
    /// When the pixels were made, in real time, and how many canvas pixels took time.
    made_ms: f64,
    hard: usize,
    names: Vec<Name>,
}

/// Segments taken in per frame: a long log that is opened late must not hold the page up.
const SEGMENTS_PER_FRAME: usize = 50_000;

/// An image with more hard pixels is made coarser while the view moves, and is refined when it has
/// rested for so many milliseconds.
const HARD: usize = 60_000;
const COARSE: usize = 4;
const REST_MS: f64 = 120.0;

/// All that pixels depend on.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    window: Window,
    nodes: Range<usize>,
    width: usize,
    row_height: f64,
    events: usize,
    segments: usize,
    selected: Option<JobId>,
    colour_by: ColourBy,
    /// The moment, where colours depend on it.
    moment: Option<usize>,
    dark: bool,
}

impl Shown {
    /// Whether `other` is another part of the picture, or another size.
    fn is_moved(&self, other: &Self) -> bool {
        self.window != other.window
            || self.nodes != other.nodes
            || self.row_height != other.row_height
    }
}

/// A name to be written on a segment.
#[derive(Clone, Copy, Debug)]
struct Name {
    segment: usize,
    node: usize,
    gpu: u32,
    /// Pixels from the left edge of the plot.
    from: usize,
    to: usize,
}

impl TimelinePainter {
    /// A painter of the run with this id, in rows of GPUs or of jobs.
    pub fn new(run_id: u32, by: By) -> Self {
        Self {
            run_id,
            by,
            widths: Widths::default(),
            place: Place::default(),
            view: Glide::new([0.0, 1.0]),
            fitted: true,
            rows: RowView::default(),
            columns: Columns::default(),
            cluster: None,
            gpu_rows: GpuRows::default(),
            job_rows: JobRows::default(),
            image: Image::default(),
            bars: Bars::default(),
            drag: None,
            pointer: (0.0, 0.0),
            clock_seen: false,
            placed: false,
        }
    }

    fn seen(&self) -> Window {
        let [from, to] = self.view.at();
        Window::new(from, to)
    }

    fn target(&self) -> Window {
        let [from, to] = self.view.target();
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

    fn zoom(&mut self, x: f64, factor: f64) {
        let part = ((x - self.place.plot.x) / self.place.plot.w).clamp(0.0, 1.0);
        let target = self.target();
        self.go(target.zoomed(target.time(part), factor), false);
    }

    fn scroll(&mut self, by: f64, layout: &RowLayout) {
        let most = (layout.total - self.place.plot.h).max(0.0);
        let view = &mut self.rows;
        view.scroll = (view.scroll + by).clamp(0.0, most).round();
    }

    fn layout(&self, stage: &Stage) -> RowLayout {
        let ratio = self.place.ratio;
        let chosen = self.rows.height;
        match self.by {
            By::Gpu => {
                let (gpus, nodes) = (
                    f64::from(stage.cluster.gpus()),
                    f64::from(stage.cluster.nodes()),
                );
                let height = chosen.unwrap_or_else(|| {
                    ((self.place.plot.h / gpus).floor() - 1.0)
                        .clamp(px(4.0, ratio), px(18.0, ratio))
                });
                let gap = if height >= px(3.0, ratio) {
                    px(4.0, ratio)
                } else {
                    px(1.0, ratio)
                };
                RowLayout {
                    height,
                    gap,
                    total: gpus * height + nodes * gap,
                }
            }
            By::Job => {
                let height = chosen.unwrap_or_else(|| px(16.0, ratio));
                RowLayout {
                    height,
                    gap: 0.0,
                    total: self.jobs_known(stage) as f64 * height,
                }
            }
        }
    }

    fn jobs_known(&self, stage: &Stage) -> usize {
        let reached = stage.run(self.run_id).map_or(0.0, StageRun::reached);
        stage
            .workload
            .jobs
            .partition_point(|job| job.submit.seconds() <= reached)
    }

    /// The top of a node's rows, before scrolling.
    fn node_top(&self, node: usize, layout: &RowLayout) -> f64 {
        let first = self.gpu_rows.first().get(node).copied().unwrap_or(0);
        f64::from(first) * layout.height + node as f64 * layout.gap
    }

    /// The top of a node's rows on the canvas.
    fn node_y(&self, node: usize, layout: &RowLayout) -> f64 {
        self.place.plot.y + self.node_top(node, layout) - self.rows.scroll
    }

    /// The nodes of which something is seen.
    fn nodes_seen(&self, layout: &RowLayout) -> Range<usize> {
        let nodes = self.gpu_rows.first().len().saturating_sub(1);
        let scroll = self.rows.scroll;
        let after = |y: f64| {
            let (mut low, mut high) = (0, nodes);
            while low < high {
                let middle = (low + high) / 2;
                if self.node_top(middle, layout) <= y {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            low
        };
        after(scroll).saturating_sub(1)..after(scroll + self.place.plot.h)
    }

    fn jobs_seen(&self, stage: &Stage, layout: &RowLayout) -> Range<usize> {
        let scroll = self.rows.scroll;
        let first = (scroll / layout.height) as usize;
        let last = ((scroll + self.place.plot.h) / layout.height).ceil() as usize;
        first..last.min(self.jobs_known(stage))
    }

    fn update(&mut self, pen: &Pen<'_>, stage: &Stage, run: &StageRun) {
        let ratio = pen.ratio;
        let css = |length: f64| px(length, ratio);
        let narrow = pen.area.w < css(560.0);
        let gutter = css(match (self.by, narrow) {
            (By::Gpu, _) => 56.0,
            (By::Job, true) => 72.0,
            (By::Job, false) => 120.0,
        });
        let width = (pen.area.w - gutter - css(8.0)).max(1.0);
        let end = full_range(stage);
        let overview = Rect::new(gutter, css(4.0), width, css(40.0));
        let axis = Rect::new(gutter, overview.bottom() + css(4.0), width, css(24.0));
        let plot = Rect::new(
            gutter,
            axis.bottom(),
            width,
            (pen.area.h - axis.bottom()).max(1.0),
        );
        self.place = Place {
            ratio,
            overview: Overview {
                area: overview,
                end,
            },
            axis,
            plot,
        };

        let is_another_log =
            self.gpu_rows.seen() > run.log.segments() || self.job_rows.seen() > run.log.events();
        if is_another_log || self.cluster.as_ref() != Some(&stage.cluster) {
            self.cluster = Some(stage.cluster.clone());
            self.gpu_rows = GpuRows::new(&stage.cluster);
            self.job_rows = JobRows::default();
        }
        match self.by {
            By::Gpu => self.gpu_rows.extend(&run.log, SEGMENTS_PER_FRAME),
            By::Job => self.job_rows.extend(&run.log, stage.workload.jobs.len()),
        }
        self.columns.update(run, width as usize, end);

        if !self.placed {
            self.place_jobs(stage);
        }
        if self.fitted {
            self.view.jump([0.0, end]);
        }
        let seen = self.seen();
        let now = stage.clock.now;
        if stage.clock.playing && self.clock_seen && now > seen.to && self.drag.is_none() {
            self.go(
                seen.moved(now - seen.from - seen.span() * 0.1),
                stage.reduced_motion,
            );
        }
        self.clock_seen = now >= seen.from && now <= seen.to;
        let layout = self.layout(stage);
        self.scroll(0.0, &layout);
    }

    /// Begins with as much time around the clock as there are rows for the jobs submitted in it.
    fn place_jobs(&mut self, stage: &Stage) {
        let jobs = self.jobs_known(stage) as f64;
        if self.by != By::Job || jobs == 0.0 {
            return;
        }
        self.placed = true;
        let rows = self.place.plot.h / self.layout(stage).height;
        if self.fitted && jobs > 2.0 * rows {
            let span = self.place.overview.end * rows / jobs;
            self.go(
                Window::new(0.0, span).moved(stage.clock.now - 0.4 * span),
                true,
            );
            self.reveal(stage);
        }
    }

    fn time_at(&self, x: f64) -> f64 {
        self.seen()
            .time((x - self.place.plot.x) / self.place.plot.w)
    }

    fn at(&self, x: f64, y: f64, stage: &Stage, run: &StageRun) -> Target {
        if !self.place.plot.contains(x, y) {
            return Target::Nothing;
        }
        let layout = self.layout(stage);
        let time = self.time_at(x);
        let y = y - self.place.plot.y + self.rows.scroll;
        match self.by {
            By::Gpu => {
                let found = self
                    .nodes_seen(&layout)
                    .rev()
                    .find(|&node| self.node_top(node, &layout) <= y);
                let Some(node) = found else {
                    return Target::Nothing;
                };
                let gpu = ((y - self.node_top(node, &layout)) / layout.height) as u32;
                let first = self.gpu_rows.first();
                if gpu >= first[node + 1] - first[node] {
                    return Target::Nothing;
                }
                let node = node as u32;
                match self
                    .gpu_rows
                    .row(node, gpu)
                    .and_then(|row| row.at(&run.log, time))
                {
                    Some(segment) if time <= run.reached() => Target::Segment(segment),
                    _ => Target::Gpu { node, gpu },
                }
            }
            By::Job => {
                let index = (y / layout.height) as usize;
                let Some(record) = stage
                    .workload
                    .jobs
                    .get(index)
                    .filter(|_| index < self.jobs_known(stage))
                else {
                    return Target::Nothing;
                };
                let job = JobId(index as u32);
                let over = self.job_rows.over(job).min(run.reached());
                let a_pixel = self.seen().span() / self.place.plot.w;
                if time < record.submit.seconds() - a_pixel || time > over + a_pixel {
                    return Target::Nothing;
                }
                let segments = &run.segments_of[index];
                let next = segments
                    .partition_point(|&i| run.log.segment(i as usize).start.seconds() <= time);
                let start_of_next = segments
                    .get(next)
                    .map(|&i| run.log.segment(i as usize).start.seconds());
                match next.checked_sub(1).map(|last| segments[last] as usize) {
                    Some(last) if run.log.segment(last).end.seconds() > time || over <= time => {
                        Target::Segment(last)
                    }
                    last => Target::Wait {
                        job,
                        from: last
                            .map_or(record.submit, |last| run.log.segment(last).end)
                            .seconds(),
                        to: start_of_next.unwrap_or(over),
                    },
                }
            }
        }
    }

    /// Shows the whole life of the chosen job and its rows; all of time if there is none, or if it
    /// is shown already.
    fn focus(&mut self, stage: &Stage) {
        let end = self.place.overview.end;
        let whole = Window::new(0.0, end);
        let Some((run, job)) = stage.run(self.run_id).zip(stage.selected) else {
            return self.go(whole, false);
        };
        let Some(record) = stage.workload.jobs.get(job.index()) else {
            return self.go(whole, false);
        };
        let from = record.submit.seconds();
        let last = run.segments_of[job.index()]
            .last()
            .map(|&i| run.log.segment(i as usize).end.seconds());
        let to = last.unwrap_or(f64::INFINITY).min(run.reached()).max(from);
        let margin = ((to - from) * 0.08).max(LEAST_SPAN);
        let life = Window::new(from - margin, to + margin).within(end, LEAST_SPAN);
        if life == self.target() {
            return self.go(whole, false);
        }
        self.go(life, false);
        let layout = self.layout(stage);
        let top = match self.by {
            By::Job => job.index() as f64 * layout.height,
            By::Gpu => {
                let last = run.segments_of[job.index()].last();
                let node = last.and_then(|&i| {
                    run.log
                        .segment(i as usize)
                        .gpus
                        .first()
                        .map(|part| part.node)
                });
                self.node_top(node.unwrap_or(0) as usize, &layout)
            }
        };
        let scroll = self.rows.scroll;
        if top < scroll || top + layout.height > scroll + self.place.plot.h {
            self.scroll(top - self.place.plot.h / 3.0 - scroll, &layout);
        }
    }

    /// In rows of jobs, scrolls to the first job submitted in the window if no row shows any job
    /// that lives in it.
    fn reveal(&mut self, stage: &Stage) {
        let layout = self.layout(stage);
        let window = self.target();
        let jobs = &stage.workload.jobs;
        if self.by != By::Job || self.jobs_known(stage) == 0 {
            return;
        }
        let lives = |index: usize| {
            jobs[index].submit.seconds() < window.to
                && self.job_rows.over(JobId(index as u32)) > window.from
        };
        if !self.jobs_seen(stage, &layout).any(lives) {
            let first = jobs.partition_point(|job| job.submit.seconds() < window.from);
            let scroll = self.rows.scroll;
            self.scroll(first as f64 * layout.height - scroll, &layout);
        }
    }

    fn drag_to(&mut self, x: f64, y: f64, stage: &Stage, response: &mut Response) {
        match self.drag {
            Some(Drag::Pan {
                window,
                scroll,
                x: from_x,
                y: from_y,
            }) => {
                let seconds = (from_x - x) / self.place.plot.w * window.span();
                let end = self.place.overview.end;
                let from = (window.from + seconds).clamp(0.0, (end - window.span()).max(0.0));
                self.go(Window::new(from, from + window.span()), true);
                let layout = self.layout(stage);
                let now = self.rows.scroll;
                self.scroll(scroll + from_y - y - now, &layout);
                response.cursor = "grabbing";
            }
            Some(Drag::Clock) => response.seek = Some(self.time_at(x).clamp(0.0, stage.clock.end)),
            Some(Drag::Overview(grip)) => {
                let window = self.place.overview.dragged(grip, x, self.target());
                if window.span() > 0.0 {
                    self.go(window, true);
                    self.reveal(stage);
                }
            }
            None => {}
        }
        response.repaint = true;
    }

    fn wheel(&mut self, pointer: &Pointer, dx: f64, dy: f64, stage: &Stage) {
        let x = pointer.x * self.place.ratio;
        if pointer.ctrl && pointer.shift {
            let layout = self.layout(stage);
            let (least, most) = ROW_HEIGHTS;
            let wanted = layout.height * wheel_zoom(dy);
            // At least a pixel, or slow wheels would do nothing.
            let step = if dy < 0.0 {
                wanted.max(layout.height + 1.0)
            } else {
                wanted.min(layout.height - 1.0)
            };
            let height = step
                .round()
                .clamp(px(least, self.place.ratio), px(most, self.place.ratio));
            let y = pointer.y * self.place.ratio - self.place.plot.y;
            let view = &mut self.rows;
            view.height = Some(height);
            view.scroll = (view.scroll + y) * height / layout.height - y;
            let layout = self.layout(stage);
            self.scroll(0.0, &layout);
        } else if pointer.ctrl {
            self.zoom(x, wheel_zoom(dy));
        } else {
            let sideways = if pointer.shift { dx + dy } else { dx };
            if sideways != 0.0 {
                let target = self.target();
                self.pan(
                    sideways * self.place.ratio / self.place.plot.w * target.span(),
                    true,
                );
            }
            if !pointer.shift {
                let layout = self.layout(stage);
                self.scroll(dy * self.place.ratio, &layout);
            }
        }
    }

    fn pan(&mut self, seconds: f64, at_once: bool) {
        let target = self.target();
        let from =
            (target.from + seconds).clamp(0.0, (self.place.overview.end - target.span()).max(0.0));
        self.go(Window::new(from, from + target.span()), at_once);
    }

    fn press(&mut self, x: f64, y: f64) {
        let place = &self.place;
        let window = self.target();
        self.drag = if place
            .overview
            .area
            .grown(px(4.0, place.ratio))
            .contains(x, y)
        {
            Some(Drag::Overview(place.overview.grip(
                x,
                window,
                px(6.0, place.ratio),
            )))
        } else if place.axis.contains(x, y) {
            Some(Drag::Clock)
        } else if place.plot.contains(x, y) {
            Some(Drag::Pan {
                window,
                scroll: self.rows.scroll,
                x,
                y,
            })
        } else {
            None
        };
    }

    fn hover(&self, x: f64, y: f64, stage: &Stage, run: &StageRun, response: &mut Response) {
        let place = &self.place;
        if place.overview.area.contains(x, y) {
            response.cursor = match place.overview.grip(x, self.target(), px(6.0, place.ratio)) {
                Grip::Middle { .. } => "grab",
                Grip::Start | Grip::End => "ew-resize",
                Grip::New { .. } => "crosshair",
            };
            response.tooltip = Some(vec![format::time(place.overview.time_at(x))]);
            return;
        }
        if place.axis.contains(x, y) {
            response.cursor = "col-resize";
            response.tooltip = Some(vec![format::time(self.time_at(x))]);
            return;
        }
        response.tooltip = match self.at(x, y, stage, run) {
            Target::Segment(segment) => {
                response.hover = Some(Some(run.log.segment(segment).job));
                response.cursor = "pointer";
                Some(describe::segment(segment, stage, run))
            }
            Target::Wait { job, from, to } => {
                response.hover = Some(Some(job));
                response.cursor = "pointer";
                Some(describe::wait(job, from, to, stage))
            }
            Target::Gpu { node, gpu } => Some(vec![
                format!("node {node}, GPU {gpu}"),
                format::time(self.time_at(x)),
            ]),
            Target::Nothing => None,
        };
    }
}

impl Painter for TimelinePainter {
    fn paint(&mut self, surface: &Surface<'_>, stage: &Stage) -> bool {
        let chrome = palette::chrome(stage.dark);
        let mut widths = std::mem::take(&mut self.widths);
        let mut pen = Pen::new(surface, &mut widths);
        pen.fill(chrome.background);
        pen.rect(&pen.area);
        let mut moving = false;
        if let Some(run) = stage.run(self.run_id) {
            self.update(&pen, stage, run);
            moving = self.view.step(
                surface.real_ms,
                self.target().span() * 2e-4,
                stage.reduced_motion,
            );
            let layout = self.layout(stage);
            let mut frame = Frame {
                pen: &mut pen,
                stage,
                run,
                layout,
                window: self.seen(),
                chrome,
                real_ms: surface.real_ms,
            };
            frame.axis(self);
            frame.pen.clip(&Rect {
                x: 0.0,
                w: frame.pen.area.w,
                ..self.place.plot
            });
            match self.by {
                By::Gpu => {
                    frame.gpus(self);
                    moving |= self.image.coarse > 1 || self.gpu_rows.seen() < run.log.segments();
                }
                By::Job => frame.jobs(self),
            }
            frame.pen.unclip();
            frame.clock(self);
            let gpus = stage.cluster.gpus();
            let (window, now) = (frame.window, stage.clock.now);
            self.place
                .overview
                .paint(&mut pen, &self.columns, gpus, window, now, stage.dark);
        }
        drop(pen);
        self.widths = widths;
        moving
    }

    fn pointer(&mut self, pointer: &Pointer, stage: &Stage) -> Response {
        let (x, y) = (pointer.x * self.place.ratio, pointer.y * self.place.ratio);
        self.pointer = (x, y);
        let mut response = Response {
            cursor: "default",
            hover: Some(None),
            ..Response::default()
        };
        let Some(run) = stage.run(self.run_id) else {
            return response;
        };
        match pointer.kind {
            PointerKind::Leave => {
                self.drag = None;
                return response;
            }
            PointerKind::Down => {
                self.press(x, y);
                if matches!(self.drag, Some(Drag::Clock)) {
                    self.drag_to(x, y, stage, &mut response);
                }
            }
            PointerKind::Move if pointer.down && self.drag.is_some() => {
                self.drag_to(x, y, stage, &mut response);
                return response;
            }
            PointerKind::Move => {}
            PointerKind::Release => self.drag = None,
            PointerKind::Click => match self.drag.take() {
                Some(Drag::Overview(Grip::New { from })) => {
                    let target = self.target();
                    self.go(
                        target.moved(from - (target.from + target.to) / 2.0),
                        stage.reduced_motion,
                    );
                    self.reveal(stage);
                    response.repaint = true;
                }
                Some(Drag::Pan { .. }) | None if self.place.plot.contains(x, y) => {
                    response.select = Some(match self.at(x, y, stage, run) {
                        Target::Segment(segment) => Some(run.log.segment(segment).job),
                        Target::Wait { job, .. } => Some(job),
                        _ => None,
                    });
                }
                _ => {}
            },
            PointerKind::Wheel { dx, dy } => {
                self.wheel(pointer, dx, dy, stage);
                if pointer.ctrl || dx != 0.0 {
                    self.reveal(stage);
                }
                response.repaint = true;
            }
            PointerKind::Pinch { factor } => {
                self.zoom(x, factor);
                self.reveal(stage);
                response.repaint = true;
            }
        }
        self.hover(x, y, stage, run, &mut response);
        response
    }

    fn key(&mut self, key: &str, stage: &Stage) -> bool {
        let plot = self.place.plot;
        let x = if plot.contains(self.pointer.0, plot.y) {
            self.pointer.0
        } else {
            plot.x + plot.w / 2.0
        };
        match key.to_ascii_lowercase().as_str() {
            "w" => self.zoom(x, KEY_ZOOM),
            "s" => self.zoom(x, 1.0 / KEY_ZOOM),
            "a" => self.pan(-KEY_PAN * self.target().span(), false),
            "d" => self.pan(KEY_PAN * self.target().span(), false),
            "f" => {
                self.focus(stage);
                return true;
            }
            _ => return false,
        }
        self.reveal(stage);
        true
    }
}

/// One frame in the making.
struct Frame<'a, 'b> {
    pen: &'a mut Pen<'b>,
    stage: &'a Stage,
    run: &'a StageRun,
    layout: RowLayout,
    window: Window,
    chrome: palette::Chrome,
    real_ms: f64,
}

impl Frame<'_, '_> {
    fn category(&self, job: JobId) -> u32 {
        palette::job_category(job, self.stage.colour_by, &self.stage.workload, self.run)
    }

    fn x_of(&self, time: f64, plot: &Rect) -> f64 {
        plot.x + self.window.part(time) * plot.w
    }

    fn is_dimmed(&self, job: JobId) -> bool {
        self.stage.selected.is_some_and(|selected| selected != job)
    }

    fn outlined(&self) -> impl Iterator<Item = JobId> + use<> {
        let hovered = self
            .stage
            .hovered
            .filter(|&job| Some(job) != self.stage.selected);
        self.stage.selected.into_iter().chain(hovered)
    }

    fn axis(&mut self, timeline: &TimelinePainter) {
        let Place { axis, plot, .. } = timeline.place;
        let room = self.pen.px(84.0);
        let step = axis::step(self.window.span(), plot.w / room);
        let middle = axis.y + axis.h / 2.0 - self.pen.px(2.0);
        let pill = self.clock_pill(timeline);
        for mark in axis::marks(self.window, step) {
            let x = self.x_of(mark, &plot).round();
            self.pen.fill(self.chrome.line);
            self.pen.rect(&Rect::new(
                x,
                axis.bottom() - self.pen.px(5.0),
                self.pen.px(1.0),
                self.pen.px(4.0),
            ));
            let text = axis::label(mark, step);
            let half = self.pen.width(&text, SMALL) / 2.0;
            let hidden = pill.is_some_and(|pill| x + half > pill.x && x - half < pill.right());
            if !hidden && x - half >= plot.x - self.pen.px(4.0) && x + half <= self.pen.area.w {
                self.pen.fill(self.chrome.faint);
                self.pen.label(&text, x, middle, Align::Centre, room);
            }
        }
        // The day, where no mark says it.
        self.pen.fill(self.chrome.faint);
        let day = axis::label((self.window.from / 86_400.0).floor() * 86_400.0, 86_400.0);
        let gutter = axis.x - self.pen.px(6.0);
        self.pen.label(&day, gutter, middle, Align::Right, gutter);
    }

    /// Where the clock's time is written, if it is inside the window.
    fn clock_pill(&mut self, timeline: &TimelinePainter) -> Option<Rect> {
        let Place { axis, plot, .. } = timeline.place;
        let now = self.stage.clock.now;
        if now < self.window.from || now > self.window.to {
            return None;
        }
        let text = format::time_of_day(now, 1.0);
        let w = (self.pen.width(&text, SMALL) + self.pen.px(10.0)).round();
        let left = (self.x_of(now, &plot) - w / 2.0)
            .round()
            .clamp(plot.x, (plot.right() - w).max(plot.x));
        Some(Rect::new(
            left,
            axis.y + self.pen.px(1.0),
            w,
            self.pen.px(17.0),
        ))
    }

    fn clock(&mut self, timeline: &TimelinePainter) {
        let Some(pill) = self.clock_pill(timeline) else {
            return;
        };
        let plot = timeline.place.plot;
        let now = self.stage.clock.now;
        let x = self
            .x_of(now, &plot)
            .round()
            .min(plot.right() - self.pen.px(1.0));
        self.pen.fill(self.chrome.accent);
        self.pen.rect(&Rect::new(
            x,
            pill.y,
            self.pen.px(1.0),
            plot.bottom() - pill.y,
        ));
        self.pen.rect(&pill);
        self.pen.fill(self.chrome.background);
        let text = format::time_of_day(now, 1.0);
        self.pen.label(
            &text,
            pill.x + pill.w / 2.0,
            pill.y + pill.h / 2.0,
            Align::Centre,
            pill.w,
        );
    }

    /// Rows of GPUs.
    fn gpus(&mut self, timeline: &mut TimelinePainter) {
        let plot = timeline.place.plot;
        let height = self.layout.height;
        let nodes = timeline.nodes_seen(&self.layout);
        let shown = Shown {
            window: self.window,
            nodes: nodes.clone(),
            width: plot.w as usize,
            row_height: height,
            events: self.run.log.events(),
            segments: timeline.gpu_rows.seen(),
            selected: self.stage.selected,
            colour_by: self.stage.colour_by,
            moment: (self.stage.colour_by == ColourBy::Queue).then(|| self.run.moment.next_event()),
            dark: self.stage.dark,
        };
        let image = &mut timeline.image;
        let is_new = image.shows.as_ref() != Some(&shown);
        let has_rested = self.real_ms - image.made_ms > REST_MS;
        if is_new || (image.coarse > 1 && has_rested) {
            let moves = image
                .shows
                .as_ref()
                .is_some_and(|last| last.is_moved(&shown));
            let hurry = moves && !timeline.fitted && image.hard > HARD;
            image.coarse = if hurry { COARSE } else { 1 };
            image.made_ms = self.real_ms;
            self.gpu_pixels(&shown, timeline);
            timeline.image.shows = Some(shown);
        }
        self.pen.context.set_image_smoothing_enabled(false);
        let first = timeline.gpu_rows.first();
        let columns = plot.w as usize / timeline.image.coarse;
        let rows_of = |node: usize| f64::from(first[node + 1] - first[node]);
        for node in nodes.clone() {
            let line = f64::from(first[node] - first[nodes.start]);
            let from = Rect::new(0.0, line, columns as f64, rows_of(node));
            let to = Rect::new(
                plot.x,
                timeline.node_y(node, &self.layout),
                plot.w,
                rows_of(node) * height,
            );
            timeline.image.put(self.pen.context, &from, &to);
        }
        // Thinner rows would be more gap than row.
        if height >= self.pen.px(6.0) {
            self.pen.fill(self.chrome.background);
            for node in nodes.clone() {
                let y = timeline.node_y(node, &self.layout);
                for gpu in 1..=first[node + 1] - first[node] {
                    self.pen.rect(&Rect::new(
                        plot.x,
                        y + f64::from(gpu) * height - 1.0,
                        plot.w,
                        1.0,
                    ));
                }
            }
        }
        self.names(timeline);
        for job in self.outlined() {
            self.outline_on_gpus(job, timeline, &nodes);
        }
        self.node_labels(timeline, nodes);
    }

    /// Paints the rows' pixels anew, and notes where there is room for a name.
    fn gpu_pixels(&self, shown: &Shown, timeline: &mut TimelinePainter) {
        let pixel = |hex: &str| {
            let [r, g, b] = palette::rgb(hex);
            [r, g, b, 255]
        };
        let background = pixel(self.chrome.background);
        let bright: [Pixel; palette::CATEGORIES] =
            std::array::from_fn(|i| pixel(palette::category(i as u32, self.stage.dark)));
        let dim = bright.map(|colour| gpus::mix(background, colour, DIMMED));
        let line = Line {
            log: &self.run.log,
            window: self.window,
            reached: self.run.reached(),
            free: pixel(self.chrome.free),
            unknown: background,
            stripe: self.pen.px(2.0) as usize,
        };
        let colour = |job: JobId| {
            let palette = if self.is_dimmed(job) { &dim } else { &bright };
            palette[self.category(job) as usize]
        };
        let least = self.pen.px(40.0) as usize;
        let is_tall = shown.row_height >= self.pen.px(TEXT_ROW);

        let first = timeline.gpu_rows.first();
        let lines = (first[shown.nodes.end] - first[shown.nodes.start]) as usize;
        let image = &mut timeline.image;
        let width = shown.width / image.coarse;
        image.pixels.resize(width * lines, background);
        image.names.clear();
        image.hard = 0;
        let gpus = shown
            .nodes
            .clone()
            .flat_map(|node| (0..first[node + 1] - first[node]).map(move |gpu| (node, gpu)));
        for ((node, gpu), pixels) in gpus.zip(image.pixels.chunks_exact_mut(width.max(1))) {
            let Some(row) = timeline.gpu_rows.row(node as u32, gpu) else {
                continue;
            };
            let hard = row.paint(&line, colour, pixels, |segment, from, to| {
                let (from, to) = (from * image.coarse, to * image.coarse);
                if is_tall
                    && to - from >= least
                    && is_first_on_node(&self.run.log.segment(segment), node, gpu)
                {
                    image.names.push(Name {
                        segment,
                        node,
                        gpu,
                        from,
                        to,
                    });
                }
            });
            image.hard += hard * image.coarse;
        }
        image.upload(self.pen.context, width, lines);
    }

    fn names(&mut self, timeline: &TimelinePainter) {
        let plot = timeline.place.plot;
        let inset = self.pen.px(5.0);
        for &Name {
            segment,
            node,
            gpu,
            from,
            to,
        } in &timeline.image.names
        {
            let job = self.run.log.segment(segment).job;
            let Some(record) = self
                .stage
                .workload
                .jobs
                .get(job.index())
                .filter(|_| !self.is_dimmed(job))
            else {
                continue;
            };
            self.pen.fill(palette::ink_on(palette::category(
                self.category(job),
                self.stage.dark,
            )));
            let y = timeline.node_y(node, &self.layout)
                + (f64::from(gpu) + 0.5) * self.layout.height
                - 0.5;
            let room = (to - from) as f64 - 2.0 * inset;
            self.pen.label(
                &record.name,
                plot.x + from as f64 + inset,
                y,
                Align::Left,
                room,
            );
        }
    }

    fn outline_on_gpus(&mut self, job: JobId, timeline: &TimelinePainter, nodes: &Range<usize>) {
        let plot = timeline.place.plot;
        let thick = self.pen.px(1.5);
        self.pen.fill(self.chrome.accent);
        let segments = self
            .run
            .segments_of
            .get(job.index())
            .map_or(&[][..], Vec::as_slice);
        let ends_before =
            |&i: &u32| self.run.log.segment(i as usize).end.seconds() <= self.window.from;
        let skip = segments.partition_point(ends_before);
        for segment in segments[skip..]
            .iter()
            .map(|&i| self.run.log.segment(i as usize))
        {
            if segment.start.seconds() >= self.window.to {
                break;
            }
            let from = self
                .x_of(segment.start.seconds(), &plot)
                .max(plot.x - thick)
                .round();
            let end = segment.end.seconds().min(self.run.reached());
            let to = self.x_of(end, &plot).min(plot.right() + thick).round();
            for part in segment
                .gpus
                .iter()
                .filter(|part| nodes.contains(&(part.node as usize)))
            {
                let top = timeline.node_y(part.node as usize, &self.layout);
                // Runs of neighbouring GPUs share one frame.
                let mut rest = part.mask;
                while rest != 0 {
                    let first = rest.trailing_zeros();
                    let run = (rest >> first).trailing_ones();
                    let y = top + f64::from(first) * self.layout.height;
                    let h = f64::from(run) * self.layout.height;
                    self.pen.frame(
                        &Rect::new(from, y, (to - from).max(thick), h).grown(thick / 2.0),
                        thick,
                    );
                    rest &= if first + run < 64 {
                        u64::MAX << (first + run)
                    } else {
                        0
                    };
                }
            }
        }
    }

    fn node_labels(&mut self, timeline: &TimelinePainter, nodes: Range<usize>) {
        let plot = timeline.place.plot;
        let gutter = plot.x - self.pen.px(6.0);
        self.pen.fill(self.chrome.background);
        self.pen.rect(&Rect {
            x: 0.0,
            w: plot.x,
            ..plot
        });
        self.pen.fill(self.chrome.faint);
        let first = timeline.gpu_rows.first();
        let text_h = self.pen.px(TEXT_ROW);
        let mut free_from = f64::NEG_INFINITY;
        for node in nodes {
            let top = timeline.node_y(node, &self.layout);
            let h = f64::from(first[node + 1] - first[node]) * self.layout.height;
            let y = top + h.min(self.pen.px(18.0).max(self.layout.height)) / 2.0;
            if y - text_h / 2.0 >= free_from && y + text_h / 2.0 <= plot.bottom() {
                self.pen
                    .label(&format!("node {node}"), gutter, y, Align::Right, gutter);
                free_from = y + text_h / 2.0;
            }
        }
    }

    /// Rows of jobs.
    fn jobs(&mut self, timeline: &mut TimelinePainter) {
        let plot = timeline.place.plot;
        let rows = timeline.jobs_seen(self.stage, &self.layout);
        let scroll = timeline.rows.scroll;
        let height = self.layout.height;
        let top_of = |row: usize| plot.y + row as f64 * height - scroll;

        for outlined in self.outlined().filter(|job| rows.contains(&job.index())) {
            self.pen.fill(self.chrome.free);
            let row = Rect::new(0.0, top_of(outlined.index()), self.pen.area.w, height);
            self.pen.rect(&row);
        }
        let mut bars = std::mem::take(&mut timeline.bars);
        bars.clear();
        for row in rows.clone() {
            self.job_row(row, top_of(row), timeline, &mut bars);
        }
        self.pen.clip(&plot);
        let line = self.pen.px(1.0);
        for dimmed in [true, false] {
            self.pen.alpha(if dimmed { DIMMED } else { 1.0 });
            for category in 0..palette::CATEGORIES {
                let at = Bars::at(category as u32, dimmed);
                let (solid, hollow) = (&bars.solid[at], &bars.hollow[at]);
                if solid.is_empty() && hollow.is_empty() {
                    continue;
                }
                self.pen
                    .fill(palette::category(category as u32, self.stage.dark));
                solid.iter().for_each(|bar| self.pen.rect(bar));
                hollow
                    .iter()
                    .filter(|bar| bar.w > 0.0)
                    .for_each(|bar| self.pen.frame(bar, line));
            }
        }
        if !bars.hatched.is_empty() {
            let context = self.pen.context;
            context.begin_path();
            bars.hatched
                .iter()
                .for_each(|bar| self.pen.hatch(bar, self.pen.px(4.0)));
            context.set_stroke_style_str(self.chrome.background);
            context.set_line_width(self.pen.px(1.25));
            context.stroke();
        }
        self.pen.fill(self.chrome.text);
        bars.marks.iter().for_each(|mark| self.pen.rect(mark));
        self.pen.unclip();
        timeline.bars = bars;

        if height >= self.pen.px(TEXT_ROW) {
            let (x, room) = (self.pen.px(8.0), plot.x - self.pen.px(16.0));
            for row in rows {
                let is_outlined = self.outlined().any(|job| job.index() == row);
                self.pen.fill(if is_outlined {
                    self.chrome.text
                } else {
                    self.chrome.faint
                });
                let name = &self.stage.workload.jobs[row].name;
                self.pen
                    .label(name, x, top_of(row) + height / 2.0, Align::Left, room);
            }
        }
    }

    /// One job's bars: thin and hollow while it waits, full while it runs. Segments narrower than a
    /// pixel share one.
    fn job_row(&self, row: usize, top: f64, timeline: &TimelinePainter, bars: &mut Bars) {
        let plot = timeline.place.plot;
        let job = JobId(row as u32);
        let over = timeline.job_rows.over(job).min(self.run.reached());
        let submit = self.stage.workload.jobs[row].submit.seconds();
        if submit >= self.window.to || over <= self.window.from {
            return;
        }
        let at = Bars::at(self.category(job), self.is_dimmed(job));
        let height = self.layout.height;
        let inset = if height >= self.pen.px(6.0) {
            self.pen.px(1.0)
        } else {
            0.0
        };
        let thin = (height * 0.36).round().max(self.pen.px(1.0));
        let middle = top + ((height - thin) / 2.0).floor();
        let snapped = |time: f64| {
            self.x_of(time, &plot)
                .clamp(plot.x - 2.0, plot.right() + 2.0)
                .round()
        };
        let mut wait = |from: f64, to: f64| {
            let (from, to) = (snapped(from), snapped(to));
            if to > from {
                bars.hollow[at].push(Rect::new(from, middle, to - from, thin));
            }
        };
        let segments = &self.run.segments_of[row];
        let ends_before =
            |&i: &u32| self.run.log.segment(i as usize).end.seconds() <= self.window.from;
        let mut i = segments.partition_point(ends_before);
        let mut waits_from = match i.checked_sub(1) {
            Some(last) => self.run.log.segment(segments[last] as usize).end.seconds(),
            None => submit,
        };
        let a_pixel = self.window.span() / plot.w;
        while i < segments.len() {
            let segment = self.run.log.segment(segments[i] as usize);
            let (start, end) = (
                segment.start.seconds(),
                segment.end.seconds().min(self.run.reached()),
            );
            if start >= self.window.to {
                break;
            }
            wait(waits_from, start);
            let (from, to) = (snapped(start), snapped(end));
            let bar = Rect::new(
                from,
                top + inset,
                (to - from).max(1.0),
                (height - 2.0 * inset).max(1.0),
            );
            bars.solid[at].push(bar);
            let ready = snapped(segment.ready.seconds()).min(to);
            if ready - from >= self.pen.px(3.0) {
                bars.hatched.push(Rect {
                    w: ready - from,
                    ..bar
                });
            }
            waits_from = end;
            i += 1;
            if end - start < a_pixel {
                // What else begins within this pixel is not to be told apart.
                let next_pixel = start + a_pixel;
                let begins =
                    |&i: &u32| self.run.log.segment(i as usize).start.seconds() < next_pixel;
                let skipped = segments[i..].partition_point(begins);
                if let Some(last) = skipped.checked_sub(1) {
                    i += last;
                }
            }
        }
        wait(waits_from, over);

        let levels = timeline.job_rows.levels(job);
        let from = levels.partition_point(|change| change.time < self.window.from);
        let mut last = f64::NEG_INFINITY;
        for change in levels[from..]
            .iter()
            .take_while(|change| change.time <= self.window.to)
        {
            let x = snapped(change.time);
            if x - last >= self.pen.px(3.0) && height >= self.pen.px(6.0) {
                let half = (height / 2.0).round();
                let y = if change.up { top } else { top + height - half };
                bars.marks.push(Rect::new(x, y, self.pen.px(1.5), half));
                last = x;
            }
        }
    }
}

impl Bars {
    fn at(category: u32, dimmed: bool) -> usize {
        category as usize + if dimmed { 0 } else { palette::CATEGORIES }
    }

    fn clear(&mut self) {
        for list in [&mut self.solid, &mut self.hollow] {
            list.resize_with(2 * palette::CATEGORIES, Vec::new);
            list.iter_mut().for_each(Vec::clear);
        }
        self.hatched.clear();
        self.marks.clear();
    }
}

impl Image {
    /// Hands the pixels to the browser. What fails leaves the rows empty, for a frame.
    fn upload(&mut self, beside: &CanvasRenderingContext2d, width: usize, lines: usize) {
        if width == 0 || lines == 0 {
            return;
        }
        if self.canvas.is_none() {
            self.canvas = off_screen(beside);
        }
        let Some((canvas, context)) = &self.canvas else {
            return;
        };
        let (w, h) = (width as u32, lines as u32);
        // Growing or shrinking costs: only ever grow.
        if canvas.width() < w || canvas.height() < h {
            canvas.set_width(canvas.width().max(w));
            canvas.set_height(canvas.height().max(h));
        }
        let bytes = self.pixels.as_flattened();
        if let Ok(data) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(bytes), w, h) {
            let _ = context.put_image_data(&data, 0.0, 0.0);
        }
    }

    /// Puts a part of the image on the canvas.
    fn put(&self, context: &CanvasRenderingContext2d, from: &Rect, to: &Rect) {
        if let Some((canvas, _)) = &self.canvas {
            let _ = context
                .draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                    canvas, from.x, from.y, from.w, from.h, to.x, to.y, to.w, to.h,
                );
        }
    }
}

/// Whether a GPU is the lowest of the segment's on its node: names are written once.
fn is_first_on_node(segment: &Segment<'_>, node: usize, gpu: u32) -> bool {
    segment
        .gpus
        .iter()
        .any(|part| part.node as usize == node && part.mask.trailing_zeros() == gpu)
}

/// A canvas that is not on the page.
fn off_screen(
    beside: &CanvasRenderingContext2d,
) -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
    let document = beside.canvas()?.owner_document()?;
    let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
    let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    Some((canvas, context))
}
