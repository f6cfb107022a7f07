//! A row a GPU, beside the others of its node: an image of the rows, and on it names and frames.

use super::gpus::{self, GpuRows, Pixel, PixelLine};
use super::image::Image;
use super::rows::{RowLayout, Rows, RowsView, Target};
use crate::bands::Band;
use crate::draw::on_stage::{DIMMED, OnStage};
use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::{Ratio, Rect};
use crate::draw::text::{SMALL, TEXT_ROW};
use crate::draw::viewport::Window;
use crate::machine;
use crate::named::Named;
use crate::stage::Stage;
use crate::state::ColourBy;
use std::ops::Range;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::{Absence, NodeState, RunLog, Segment};
use switchyard::job::JobId;

/// Stays on single GPUs that all timelines together take in per frame: a long log that is opened late must not hold the
/// page up.
const STAYS_PER_FRAME: usize = 40_000;

/// What stands in the place of rows that do not fit.
const NO_MEMORY: &str =
    "No memory is left for all of it: remove schedulers, or let a row be a job.";

/// An image with more hard pixels is made coarser while the view moves, and is refined when it has
/// rested for so many milliseconds.
const HARD: usize = 60_000;
const COARSE: usize = 4;
const REST_MS: f64 = 120.0;

/// Rows of GPUs.
#[derive(Default)]
pub(super) struct ByGpu {
    rows: GpuRows,
    image: Image,
    /// What the pixels show: while it stays the same, they do.
    shows: Option<Shows>,
    /// Pixels of the canvas to one of the image.
    coarse: usize,
    /// When the pixels were made, in real time, and how many canvas pixels took time.
    made_ms: f64,
    hard: usize,
    names: Vec<Name>,
    /// There is no memory for more.
    is_full: bool,
}

/// All that pixels depend on.
#[derive(Clone, Debug, PartialEq)]
struct Shows {
    window: Window,
    nodes: Range<usize>,
    width: usize,
    row_height: f64,
    events: usize,
    segments: usize,
    selected: Option<JobId>,
    colour_by: ColourBy,
    lit: Option<u32>,
    named: Option<Named>,
    selection: u32,
    /// The moment, where colours depend on it.
    moment: Option<usize>,
    dark: bool,
}

impl Shows {
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
    /// Rows from the node's first one to the name's middle.
    row: f64,
    /// Pixels from the left edge of the plot.
    from: usize,
    to: usize,
}

impl Rows for ByGpu {
    fn gutter(&self, _narrow: bool) -> f64 {
        56.0
    }

    fn are_of(&self, log: &RunLog) -> bool {
        self.rows.seen() <= log.segments()
    }

    fn restart(&mut self, cluster: &ClusterSpec) {
        self.rows = GpuRows::new(cluster);
        self.is_full = false;
    }

    fn extend(&mut self, shown: OnStage<'_>) {
        let (run, runs) = (shown.run, shown.stage.runs.len().max(1));
        self.is_full |= self.rows.seen() < run.log.segments() && machine::is_full();
        if self.is_full {
            return;
        }
        self.rows
            .extend(&run.log, &run.bands, STAYS_PER_FRAME / runs);
    }

    fn layout(
        &self,
        height: Option<f64>,
        plot: &Rect,
        ratio: Ratio,
        shown: OnStage<'_>,
    ) -> RowLayout {
        let cluster = &shown.stage.cluster;
        let (gpus, nodes) = (f64::from(cluster.gpus()), f64::from(cluster.nodes()));
        let fitting = || ((plot.h / gpus).floor() - 1.0).clamp(ratio.px(4.0), ratio.px(18.0));
        let height = height.unwrap_or_else(fitting);
        let gap = ratio.px(if height >= ratio.px(3.0) { 4.0 } else { 1.0 });
        RowLayout {
            height,
            gap,
            total: gpus * height + nodes * gap,
        }
    }

    fn top_of(&self, job: JobId, view: &RowsView, shown: OnStage<'_>) -> f64 {
        let log = &shown.run.log;
        let last = shown.run.segments(job).last();
        let part = last.and_then(|&i| log.segment(i as usize).gpus.first());
        self.node_top(part.map_or(0, |part| part.node) as usize, view)
    }

    fn top_of_node(&self, node: u32, view: &RowsView) -> Option<f64> {
        Some(self.node_top(node as usize, view))
    }

    fn at(&self, time: f64, top: f64, view: &RowsView, shown: OnStage<'_>) -> Target {
        let run = shown.run;
        let mut nodes = self.nodes_seen(view).rev();
        let Some(node) = nodes.find(|&node| self.node_top(node, view) <= top) else {
            return Target::Nothing;
        };
        let place = (top - self.node_top(node, view)) / view.rows.height;
        let gpu = place as u32;
        if gpu >= self.gpus_of(node) {
            return Target::Nothing;
        }
        let node = node as u32;
        let lane = (1.0 - place.fract()) * f64::from(self.rows.lanes());
        let lane = (lane.ceil() as u32).clamp(1, self.rows.lanes()) - 1;
        let row = self.rows.row(node, gpu, lane);
        match row.and_then(|row| row.at(&run.log, time)) {
            Some(segment) if time <= run.reached() => Target::Segment(segment),
            _ => Target::Gpu { node, gpu },
        }
    }

    fn paint(&mut self, pen: &mut Pen<'_>, view: &RowsView, shown: OnStage<'_>) -> bool {
        let nodes = self.nodes_seen(view);
        self.renew(pen, view, shown, &nodes);
        self.put(pen, view, &nodes);
        self.paint_absences(pen, view, shown, &nodes);
        self.paint_names(pen, view, shown);
        for job in shown.outlined() {
            self.outline(pen, job, view, shown, &nodes);
        }
        self.label_nodes(pen, view, shown.stage, nodes);
        if self.is_full {
            let plot = view.plot;
            let row = Rect::new(plot.x, plot.y, plot.w, pen.px(TEXT_ROW));
            pen.fill(pen.chrome.background);
            pen.rect(&row);
            pen.fill(pen.chrome.text);
            let (x, y) = (row.x + pen.px(6.0), row.y + row.h / 2.0);
            pen.label(NO_MEMORY, x, y, Align::Left, plot.w);
        }
        self.coarse > 1 || (!self.is_full && self.rows.seen() < shown.run.log.segments())
    }
}

impl ByGpu {
    fn gpus_of(&self, node: usize) -> u32 {
        let first = self.rows.first();
        first[node + 1] - first[node]
    }

    /// The top of a node's rows.
    fn node_top(&self, node: usize, view: &RowsView) -> f64 {
        let first = self.rows.first().get(node).copied().unwrap_or(0);
        f64::from(first) * view.rows.height + node as f64 * view.rows.gap
    }

    /// The top of a node's rows on the canvas.
    fn node_y(&self, node: usize, view: &RowsView) -> f64 {
        view.y(self.node_top(node, view))
    }

    /// The nodes of which something is seen.
    fn nodes_seen(&self, view: &RowsView) -> Range<usize> {
        let nodes = self.rows.first().len().saturating_sub(1);
        let after = |top: f64| {
            let (mut low, mut high) = (0, nodes);
            while low < high {
                let middle = (low + high) / 2;
                if self.node_top(middle, view) <= top {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            low
        };
        after(view.scroll).saturating_sub(1)..after(view.bottom())
    }

    /// Makes the pixels anew if they show something else, or more coarsely.
    fn renew(&mut self, pen: &Pen<'_>, view: &RowsView, shown: OnStage<'_>, nodes: &Range<usize>) {
        let OnStage { stage, run } = shown;
        let colour_by = stage.state.view.colour_by;
        let shows = Shows {
            window: view.ruler.window,
            nodes: nodes.clone(),
            width: view.plot.w as usize,
            row_height: view.rows.height,
            events: run.log.events(),
            segments: self.rows.seen(),
            selected: stage.marked(),
            colour_by,
            lit: stage.state.view.lit,
            // Nodes are marked beside the picture.
            named: stage
                .named()
                .filter(|named| !matches!(named, Named::Nodes(..))),
            selection: stage.selection.version(),
            moment: (matches!(colour_by, ColourBy::Queue | ColourBy::Type)
                || matches!(stage.named(), Some(Named::Level(_))))
            .then(|| run.moment.next_event()),
            dark: stage.dark,
        };
        let is_new = self.shows.as_ref() != Some(&shows);
        let has_rested = pen.real_ms - self.made_ms > REST_MS;
        if is_new || (self.coarse > 1 && has_rested) {
            let moves = self
                .shows
                .as_ref()
                .is_some_and(|last| last.is_moved(&shows));
            let hurry = moves && !view.fitted && self.hard > HARD;
            self.coarse = if hurry { COARSE } else { 1 };
            self.made_ms = pen.real_ms;
            self.make_pixels(pen, &shows, shown);
            self.shows = Some(shows);
        }
    }

    /// Paints the rows' pixels, and notes where there is room for a name.
    fn make_pixels(&mut self, pen: &Pen<'_>, shows: &Shows, shown: OnStage<'_>) {
        let pixel = |hex: &str| {
            let [r, g, b] = palette::rgb(hex);
            [r, g, b, 255]
        };
        let background = pixel(pen.chrome.background);
        let bright: [Pixel; palette::CATEGORIES] =
            std::array::from_fn(|i| pixel(shown.colour_of(i as u32)));
        let dim = bright.map(|colour| gpus::mix(background, colour, DIMMED));
        let log = &shown.run.log;
        let line = PixelLine {
            log,
            window: shows.window,
            reached: shown.run.reached(),
            free: pixel(pen.chrome.free),
            unknown: background,
            stripe: pen.px(2.0) as usize,
        };
        let colour = |job: JobId| {
            let palette = if shown.is_dimmed(job) { &dim } else { &bright };
            palette[shown.category(job) as usize]
        };
        let least = pen.px(40.0) as usize;
        let is_tall = shows.row_height >= pen.px(TEXT_ROW);

        let Self {
            rows,
            image,
            names,
            hard,
            coarse,
            ..
        } = self;
        let (first, coarse) = (rows.first(), *coarse);
        let (lanes, per_gpu) = (rows.lanes(), lines_per_gpu(rows, shows.row_height));
        let gpus = first[shows.nodes.end] - first[shows.nodes.start];
        let lines = (gpus * per_gpu) as usize;
        let width = shows.width / coarse;
        image.pixels.resize(width * lines, background);
        names.clear();
        *hard = 0;
        let gpus = shows
            .nodes
            .clone()
            .flat_map(|node| (0..first[node + 1] - first[node]).map(move |gpu| (node, gpu)))
            .flat_map(|gpu| (0..per_gpu).map(move |line| (gpu, line)));
        for (((node, gpu), at), pixels) in gpus.zip(image.pixels.chunks_exact_mut(width.max(1))) {
            let lane = lanes - 1 - at * lanes / per_gpu;
            let Some(row) = rows.row(node as u32, gpu, lane) else {
                continue;
            };
            let mixed = row.paint(&line, colour, pixels, |segment, from, to| {
                let (from, to) = (from * coarse, to * coarse);
                if !is_tall || to - from < least {
                    return;
                }
                let middle = match shown.run.bands.of(segment) {
                    None => (at == 0 && is_first_on_node(&log.segment(segment), node, gpu))
                        .then_some(0.5),
                    Some(bands) => middle_of(bands, shows.row_height, pen.px(TEXT_ROW))
                        .filter(|middle| ((1.0 - middle) * f64::from(lanes)) as u32 == lane),
                };
                if let Some(middle) = middle {
                    let row = f64::from(gpu) + middle;
                    names.push(Name {
                        segment,
                        node,
                        row,
                        from,
                        to,
                    });
                }
            });
            *hard += mixed * coarse;
        }
        image.upload(pen.context, width, lines);
    }

    /// Puts each node's part of the image in its place, with lines between the GPUs.
    fn put(&self, pen: &Pen<'_>, view: &RowsView, nodes: &Range<usize>) {
        let (plot, height) = (view.plot, view.rows.height);
        pen.context.set_image_smoothing_enabled(false);
        let first = self.rows.first();
        let columns = (plot.w as usize / self.coarse) as f64;
        for node in nodes.clone() {
            let per_gpu = f64::from(lines_per_gpu(&self.rows, height));
            let line = per_gpu * f64::from(first[node] - first[nodes.start]);
            let rows = f64::from(self.gpus_of(node));
            let from = Rect::new(0.0, line, columns, per_gpu * rows);
            let (y, h) = (self.node_y(node, view), rows * height);
            self.image.put(pen.context, &from, &Rect { y, h, ..plot });
        }
        // Thinner rows would be more gap than row.
        if height >= pen.px(6.0) {
            pen.fill(pen.chrome.background);
            for node in nodes.clone() {
                let top = self.node_y(node, view);
                for gpu in 1..=self.gpus_of(node) {
                    let y = top + f64::from(gpu) * height - 1.0;
                    pen.rect(&Rect { y, h: 1.0, ..plot });
                }
            }
        }
    }

    /// Where a node was down, and when it took nobody new: hatched, with the reason where there is
    /// room. What a drained node still ran stays to be seen: it has a line along it.
    fn paint_absences(
        &self,
        pen: &mut Pen<'_>,
        view: &RowsView,
        shown: OnStage<'_>,
        nodes: &Range<usize>,
    ) {
        let run = shown.run;
        if run.log.node_changes() == 0 {
            return;
        }
        let (plot, ruler) = (view.plot, view.ruler);
        let place = |of: &Absence| {
            let node = of.node as usize;
            let to = of.to.seconds().min(run.reached());
            let (from, to) = (of.from.seconds(), to.max(of.from.seconds()));
            let is_seen = from < ruler.window.to && to > ruler.window.from && nodes.contains(&node);
            is_seen.then(|| {
                let (left, right) = (ruler.x_within(from).floor(), ruler.x_within(to).ceil());
                let rows = f64::from(self.gpus_of(node)) * view.rows.height;
                let h = match of.state {
                    NodeState::Drained => pen.px(2.0).min(rows),
                    _ => rows,
                };
                let y = self.node_y(node, view);
                (*of, Rect::new(left, y, (right - left).max(1.0), h))
            })
        };
        let seen: Vec<(Absence, Rect)> = run.log.absences().iter().filter_map(place).collect();
        pen.fill(pen.chrome.busy);
        seen.iter().for_each(|(_, at)| pen.rect(at));
        let least = pen.px(3.0);
        pen.hatch(pen.px(5.0), |hatch| {
            let wide = seen.iter().filter(|(_, at)| at.w >= least && at.h >= least);
            wide.for_each(|(_, at)| hatch(at));
        });
        let (room, row) = (pen.px(12.0), pen.px(TEXT_ROW));
        for (of, at) in seen.iter().filter(|(_, at)| at.h >= row) {
            let reason = if at.w < pen.px(90.0) {
                "down"
            } else {
                "down: the node failed"
            };
            let w = pen.width(reason, SMALL) + room;
            if of.state == NodeState::Down && w <= at.w.min(plot.w) {
                let y = at.y + at.h.min(pen.px(18.0)) / 2.0;
                let label = Rect::new(at.x, at.y, w, at.h.min(pen.px(18.0)));
                pen.fill(pen.chrome.background);
                pen.rect(&label);
                pen.fill(pen.chrome.text);
                pen.label(reason, at.x + room / 2.0, y, Align::Left, w);
            }
        }
    }

    fn paint_names(&self, pen: &mut Pen<'_>, view: &RowsView, shown: OnStage<'_>) {
        let inset = pen.px(5.0);
        for name in &self.names {
            let job = shown.run.log.segment(name.segment).job;
            let Some(text) = shown.name(job).filter(|_| !shown.is_dimmed(job)) else {
                continue;
            };
            pen.fill(shown.ink(job));
            let row = name.row * view.rows.height;
            let y = self.node_y(name.node, view) + row - 0.5;
            let x = view.plot.x + name.from as f64 + inset;
            let room = (name.to - name.from) as f64 - 2.0 * inset;
            pen.label(text, x, y, Align::Left, room);
        }
    }

    fn outline(
        &self,
        pen: &Pen<'_>,
        job: JobId,
        view: &RowsView,
        shown: OnStage<'_>,
        nodes: &Range<usize>,
    ) {
        let run = shown.run;
        let (plot, ruler, height) = (view.plot, view.ruler, view.rows.height);
        let thick = pen.px(1.5);
        pen.fill(pen.chrome.accent);
        let segment = |&i: &u32| run.log.segment(i as usize);
        let segments = run.segments(job);
        let skip = segments.partition_point(|i| segment(i).end.seconds() <= ruler.window.from);
        for (at, segment) in segments[skip..].iter().map(|i| (*i as usize, segment(i))) {
            if segment.start.seconds() >= ruler.window.to {
                break;
            }
            let from = ruler.x(segment.start.seconds());
            let from = from.max(plot.x - thick).round();
            let end = segment.end.seconds().min(run.reached());
            let to = ruler.x(end).min(plot.right() + thick).round();
            let parts = segment.gpus.iter();
            for part in parts.filter(|part| nodes.contains(&(part.node as usize))) {
                let top = self.node_y(part.node as usize, view);
                // Runs of neighbouring GPUs share one frame.
                let mut rest = part.mask;
                while rest != 0 {
                    let first = rest.trailing_zeros();
                    let run = (rest >> first).trailing_ones();
                    let (w, h) = ((to - from).max(thick), f64::from(run) * height);
                    let frame = Rect::new(from, top + f64::from(first) * height, w, h);
                    match shown.run.bands.of(at) {
                        None => pen.frame(&frame.grown(thick / 2.0), thick),
                        Some(bands) => {
                            for band in bands {
                                let (from, to) = (f64::from(band.from), f64::from(band.to));
                                let y = frame.bottom() - h * to / 1000.0;
                                let h = h * (to - from) / 1000.0;
                                pen.frame(&Rect { y, h, ..frame }.grown(thick / 2.0), thick);
                            }
                        }
                    }
                    rest &= u64::MAX.checked_shl(first + run).unwrap_or(0);
                }
            }
        }
    }

    fn label_nodes(&self, pen: &mut Pen<'_>, view: &RowsView, stage: &Stage, nodes: Range<usize>) {
        let plot = view.plot;
        let gutter = plot.x - pen.px(6.0);
        pen.fill(pen.chrome.background);
        let (x, w) = (0.0, plot.x);
        pen.rect(&Rect { x, w, ..plot });
        let text_h = pen.px(TEXT_ROW);
        let mut free_from = f64::NEG_INFINITY;
        for node in nodes {
            let h = f64::from(self.gpus_of(node)) * view.rows.height;
            let label_h = h.min(pen.px(18.0).max(view.rows.height));
            let y = self.node_y(node, view) + label_h / 2.0;
            let is_sought = stage.node == Some(node as u32) || stage.names_node(node as u32);
            if is_sought {
                pen.fill(pen.chrome.accent);
                let (w, y) = (pen.px(2.0), self.node_y(node, view));
                pen.rect(&Rect::new(plot.x - w, y, w, h));
                pen.frame(&Rect { y, h, ..plot }, pen.px(1.0));
            } else {
                pen.fill(pen.chrome.faint);
            }
            if y - text_h / 2.0 >= free_from && y + text_h / 2.0 <= plot.bottom() {
                pen.label(&format!("node {node}"), gutter, y, Align::Right, gutter);
                free_from = y + text_h / 2.0;
            }
        }
    }
}

/// Lines of the image that a GPU has, in rows of this height.
fn lines_per_gpu(rows: &GpuRows, height: f64) -> u32 {
    rows.lanes().min(height as u32).max(1)
}

/// Where in its GPU's row the name of a job on a share stands, if the band has room for it.
fn middle_of(bands: &[Band], height: f64, least: f64) -> Option<f64> {
    let largest = bands.iter().max_by_key(|band| band.to - band.from)?;
    let has_room = f64::from(largest.to - largest.from) / 1000.0 * height >= least;
    has_room.then(|| 1.0 - f64::from(largest.from + largest.to) / 2000.0)
}

/// Whether a GPU is the lowest of the segment's on its node: names are written once.
fn is_first_on_node(segment: &Segment<'_>, node: usize, gpu: u32) -> bool {
    segment
        .gpus
        .iter()
        .any(|part| part.node as usize == node && part.mask.trailing_zeros() == gpu)
}
