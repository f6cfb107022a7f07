//! The yard: one run at the clock's time. Above, the queue; below, every node and its GPUs.
//!
//! A waiting job is a hollow bar, a running one fills its GPUs' cells, a restarting one is
//! hatched, a finished one sinks and fades: no state is told by colour alone.

mod motion;
mod queue;
mod tiles;

use super::format::{count, counted};
use super::pen::{Align, Pen, px};
use super::rect::Rect;
use super::text::{NORMAL, Widths};
use super::viewport::{Glide, KEY_PAN, KEY_ZOOM, Plane, wheel_zoom};
use super::{Painter, Pointer, PointerKind, Response, Surface, describe, palette};
use crate::stage::{Stage, StageRun};
use motion::{FLIGHT_MS, Flight, FlightKind, Motion};
use queue::Queue;
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use tiles::{Detail, Grid, Tiling};

/// How much of the others is seen while a job is chosen.
const DIMMED: f64 = 0.3;

/// Paints one run's yard.
pub struct YardPainter {
    run_id: u32,
    widths: Widths,
    layout: Layout,
    view: Glide<3>,
    queue: Queue,
    motion: Motion,
    drag: Option<Drag>,
    pointer: (f64, f64),
    /// Running jobs by the category of their colour.
    by_colour: Vec<Vec<JobId>>,
    /// Per node, which GPUs are free.
    free: Vec<u64>,
    /// Per node, the job with the most GPUs there, those GPUs, and all that are taken.
    taken: Vec<(JobId, u32, u32)>,
}

/// Where things are on the canvas; made anew when the canvas or the cluster changes.
#[derive(Default)]
struct Layout {
    /// The canvas and its pixel ratio.
    made_for: (f64, f64, f64),
    cluster: Option<ClusterSpec>,
    gpus_per_node: Vec<u32>,
    largest_job: u32,
    jobs: usize,
    title: Rect,
    bars: Rect,
    nodes: Rect,
    tiling: Tiling,
}

/// The plane and the pointer when a drag began.
struct Drag {
    from: Plane,
    x: f64,
    y: f64,
}

impl Layout {
    fn update(&mut self, area: &Rect, ratio: f64, stage: &Stage) {
        let made_for = (area.w, area.h, ratio);
        if self.jobs != stage.workload.jobs.len() {
            self.jobs = stage.workload.jobs.len();
            self.largest_job = stage
                .workload
                .jobs
                .iter()
                .map(|job| job.gpus)
                .max()
                .unwrap_or(1);
        }
        let same_cluster = self.cluster.as_ref() == Some(&stage.cluster);
        if self.made_for == made_for && same_cluster {
            return;
        }
        if !same_cluster {
            self.gpus_per_node.clear();
            self.gpus_per_node.extend(stage.cluster.gpus_per_node());
            self.cluster = Some(stage.cluster.clone());
        }
        self.made_for = made_for;
        let css = |length: f64| px(length, ratio);
        let low = area.h < css(240.0);
        let (side, bars) = (css(8.0), if low { css(20.0) } else { css(36.0) });
        self.title = Rect::new(side, 0.0, area.w - 2.0 * side, css(20.0));
        self.bars = Rect::new(side, self.title.bottom(), self.title.w, bars);
        let top = self.bars.bottom() + css(if low { 8.0 } else { 14.0 });
        self.nodes = Rect::new(side, top, self.title.w, (area.h - top - css(4.0)).max(1.0));
        let nodes = self.gpus_per_node.len() as u32;
        self.tiling = Tiling::new(
            nodes,
            stage.cluster.largest_node(),
            self.nodes.w,
            self.nodes.h,
            ratio,
        );
    }

    fn constrained(&self, plane: Plane) -> Plane {
        let largest = self.tiling.largest_scale(self.nodes.w, self.nodes.h);
        let crisp = self.tiling.crisp(plane.scale.clamp(1.0, largest));
        let middle = (self.nodes.w / 2.0, self.nodes.h / 2.0);
        let plane = if crisp == plane.scale {
            plane
        } else {
            plane.zoomed(middle.0, middle.1, crisp)
        };
        let (w, h) = self.tiling.extent();
        plane.within(
            w.max(self.nodes.w * 0.5),
            h.max(self.nodes.h * 0.5),
            largest.max(crisp),
        )
    }

    fn grid(&self, plane: &Plane) -> Grid {
        self.tiling.seen(plane, self.nodes.x, self.nodes.y)
    }
}

impl YardPainter {
    /// A painter of the run with this id.
    pub fn new(run_id: u32) -> Self {
        Self {
            run_id,
            widths: Widths::default(),
            layout: Layout::default(),
            view: Glide::new(numbers(Plane::WHOLE)),
            queue: Queue::default(),
            motion: Motion::default(),
            drag: None,
            pointer: (0.0, 0.0),
            by_colour: vec![Vec::new(); palette::CATEGORIES],
            free: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Shows the whole cluster again.
    fn reset(&mut self) {
        self.view.go(numbers(Plane::WHOLE));
    }

    fn plane(&self) -> Plane {
        plane(self.view.at())
    }

    fn go(&mut self, plane: Plane) {
        self.view.go(numbers(self.layout.constrained(plane)));
    }

    fn zoom(&mut self, x: f64, y: f64, factor: f64) {
        let target = plane(self.view.target());
        let nodes = &self.layout.nodes;
        let largest = self.layout.tiling.largest_scale(nodes.w, nodes.h);
        let wanted = (target.scale * factor).clamp(1.0, largest);
        let mut scale = self.layout.tiling.crisp(wanted);
        // Small steps must not be rounded away.
        if scale == target.scale && wanted != target.scale {
            scale = wanted;
        }
        self.go(target.zoomed(x - nodes.x, y - nodes.y, scale));
    }

    /// What is at a point, in device pixels.
    fn at(&self, x: f64, y: f64, run: &StageRun) -> Target {
        let above_nodes = self.layout.nodes.y;
        if y < above_nodes {
            return match self.queue.at(x) {
                Some(job) if y >= self.layout.title.bottom() => Target::Job(job),
                _ => Target::Nothing,
            };
        }
        let Some((node, gpu)) = self.layout.grid(&self.plane()).at(x, y) else {
            return Target::Nothing;
        };
        let holds = |mask: u64| gpu.map_or(mask != 0, |gpu| mask >> gpu & 1 == 1);
        let part = |job: JobId| {
            let gpus = run.log.segment(run.moment.segment(job)).gpus;
            gpus.iter()
                .find(|part| part.node == node)
                .map_or(0, |part| part.mask)
        };
        let by_gpus = |&job: &JobId| (part(job).count_ones(), std::cmp::Reverse(job));
        match run
            .moment
            .running()
            .iter()
            .copied()
            .filter(|&job| holds(part(job)))
            .max_by_key(by_gpus)
        {
            Some(job) => Target::Job(job),
            None => Target::Node(node),
        }
    }

    fn node_lines(&self, node: u32, run: &StageRun) -> Vec<String> {
        let gpus = self
            .layout
            .gpus_per_node
            .get(node as usize)
            .copied()
            .unwrap_or(0);
        let taken: u32 = run
            .moment
            .running()
            .iter()
            .flat_map(|&job| run.log.segment(run.moment.segment(job)).gpus)
            .filter(|part| part.node == node)
            .map(|part| part.count())
            .sum();
        vec![format!(
            "node {node}: {} of {} free",
            gpus.saturating_sub(taken),
            counted(gpus.into(), "GPU", "GPUs")
        )]
    }
}

/// What the pointer can be on.
enum Target {
    Job(JobId),
    Node(u32),
    Nothing,
}

fn numbers(plane: Plane) -> [f64; 3] {
    [plane.scale, plane.x, plane.y]
}

fn plane([scale, x, y]: [f64; 3]) -> Plane {
    Plane { scale, x, y }
}

impl Painter for YardPainter {
    fn paint(&mut self, surface: &Surface<'_>, stage: &Stage) -> bool {
        let mut widths = std::mem::take(&mut self.widths);
        let mut pen = Pen::new(surface, &mut widths);
        pen.fill(palette::chrome(stage.dark).background);
        pen.rect(&pen.area);
        let mut moving = false;
        if let Some(run) = stage.run(self.run_id) {
            self.layout.update(&pen.area, pen.ratio, stage);
            if self.drag.is_none() {
                let target = self.layout.constrained(plane(self.view.target()));
                self.view.go(numbers(target));
            }
            moving |= self.view.step(surface.real_ms, 0.001, stage.reduced_motion);
            self.motion.note(
                run,
                &stage.clock,
                &self.queue,
                surface.real_ms,
                !stage.reduced_motion,
            );
            let mut frame = Frame {
                pen: &mut pen,
                stage,
                run,
                real_ms: surface.real_ms,
            };
            frame.queue(self);
            frame.nodes(self);
            frame.flights(self);
            moving |= !self.motion.flights().is_empty();
        }
        drop(pen);
        self.widths = widths;
        moving
    }

    fn pointer(&mut self, pointer: &Pointer, stage: &Stage) -> Response {
        let ratio = self.layout.made_for.2.max(0.1);
        let (x, y) = (pointer.x * ratio, pointer.y * ratio);
        self.pointer = (x, y);
        let Some(run) = stage.run(self.run_id) else {
            return Response::default();
        };
        let mut response = Response {
            cursor: "default",
            ..Response::default()
        };
        match pointer.kind {
            PointerKind::Leave => {
                self.drag = None;
                response.hover = Some(None);
                return response;
            }
            PointerKind::Wheel { dy, .. } => {
                self.zoom(x, y, wheel_zoom(dy));
                response.repaint = true;
            }
            PointerKind::Pinch { factor } => {
                self.zoom(x, y, factor);
                response.repaint = true;
            }
            PointerKind::Down => {
                self.drag = Some(Drag {
                    from: self.plane(),
                    x,
                    y,
                })
            }
            PointerKind::Release => self.drag = None,
            PointerKind::Click => {
                self.drag = None;
                response.select = Some(match self.at(x, y, run) {
                    Target::Job(job) => Some(job),
                    _ => None,
                });
            }
            PointerKind::Move => {
                if let (Some(drag), true) = (&self.drag, pointer.down) {
                    let moved = Plane {
                        x: drag.from.x + drag.x - x,
                        y: drag.from.y + drag.y - y,
                        ..drag.from
                    };
                    self.view.jump(numbers(self.layout.constrained(moved)));
                    response.repaint = true;
                    response.cursor = "grabbing";
                    return response;
                }
            }
        }
        match self.at(x, y, run) {
            Target::Job(job) => {
                response.hover = Some(Some(job));
                response.tooltip = Some(describe::job(job, stage, run));
                response.cursor = "pointer";
            }
            Target::Node(node) => {
                response.hover = Some(None);
                response.tooltip = Some(self.node_lines(node, run));
            }
            Target::Nothing => response.hover = Some(None),
        }
        response
    }

    fn key(&mut self, key: &str, stage: &Stage) -> bool {
        let nodes = self.layout.nodes;
        let (x, y) = if nodes.contains(self.pointer.0, self.pointer.1) {
            self.pointer
        } else {
            (nodes.x + nodes.w / 2.0, nodes.y + nodes.h / 2.0)
        };
        let target = plane(self.view.target());
        let sideways = |by: f64| Plane {
            x: target.x + by * nodes.w,
            ..target
        };
        match key.to_ascii_lowercase().as_str() {
            "w" => self.zoom(x, y, KEY_ZOOM),
            "s" => self.zoom(x, y, 1.0 / KEY_ZOOM),
            "a" => self.go(sideways(-KEY_PAN)),
            "d" => self.go(sideways(KEY_PAN)),
            "f" => self.focus(stage),
            _ => return false,
        }
        true
    }
}

impl YardPainter {
    /// Brings the chosen job's nodes to the middle; the whole cluster if there is none, or if it is
    /// there already.
    fn focus(&mut self, stage: &Stage) {
        let job = stage.selected;
        let nodes = self.layout.nodes;
        let found = stage.run(self.run_id).zip(job).and_then(|(run, job)| {
            let running = run.moment.running().contains(&job);
            running.then(|| run.log.segment(run.moment.segment(job)))
        });
        let Some(segment) = found else {
            self.reset();
            return;
        };
        let tiling = &self.layout.tiling;
        let bounds = segment
            .gpus
            .iter()
            .map(|part| tiling.middle(part.node))
            .map(|(x, y)| Rect::new(x, y, 0.0, 0.0))
            .reduce(|all, tile| all.union(&tile))
            .unwrap_or_default();
        let (pitch_x, pitch_y) = tiling.pitch();
        let seen = Rect::new(
            bounds.x - pitch_x,
            bounds.y - pitch_y,
            bounds.w + 2.0 * pitch_x,
            bounds.h + 2.0 * pitch_y,
        );
        let scale = tiling.crisp((nodes.w / seen.w).min(nodes.h / seen.h).max(1.0));
        let focused = self.layout.constrained(Plane {
            scale,
            x: (seen.x + seen.w / 2.0) * scale - nodes.w / 2.0,
            y: (seen.y + seen.h / 2.0) * scale - nodes.h / 2.0,
        });
        if numbers(focused) == self.view.target() {
            self.reset();
        } else {
            self.go(focused);
        }
    }
}

/// One frame in the making.
struct Frame<'a, 'b> {
    pen: &'a mut Pen<'b>,
    stage: &'a Stage,
    run: &'a StageRun,
    real_ms: f64,
}

impl Frame<'_, '_> {
    fn category(&self, job: JobId) -> u32 {
        palette::job_category(job, self.stage.colour_by, &self.stage.workload, self.run)
    }

    fn colour(&self, job: JobId) -> &'static str {
        palette::category(self.category(job), self.stage.dark)
    }

    /// The jobs that are outlined: the chosen one, and the one under the pointer.
    fn outlined(&self) -> impl Iterator<Item = JobId> + use<> {
        let hovered = self
            .stage
            .hovered
            .filter(|&job| Some(job) != self.stage.selected);
        self.stage.selected.into_iter().chain(hovered)
    }

    fn others_alpha(&self) -> f64 {
        if self.stage.selected.is_some() {
            DIMMED
        } else {
            1.0
        }
    }

    fn queue(&mut self, yard: &mut YardPainter) {
        let chrome = palette::chrome(self.stage.dark);
        let layout = &yard.layout;
        let waiting = self.run.moment.waiting().len();
        let pen = &mut *self.pen;
        let gap = pen.px(8.0);

        let for_count = pen.width("+ 000,000 more", super::text::SMALL) + gap;
        let jobs = &self.stage.workload.jobs;
        yard.queue.lay_out(
            self.run,
            jobs,
            layout.largest_job,
            &layout.bars,
            for_count,
            pen.ratio,
        );

        let title = layout.title;
        let y = title.y + title.h / 2.0;
        pen.fill(chrome.text);
        let used = match waiting {
            0 => pen.text("nothing waits", title.x, y, NORMAL, Align::Left, title.w),
            _ => pen.text(
                &format!("{} waiting", count(waiting as u64)),
                title.x,
                y,
                NORMAL,
                Align::Left,
                title.w,
            ),
        };
        let hint = "longest wait first · height: GPUs wanted, log scale";
        let room = title.w - used - 2.0 * gap;
        if waiting > 0 && pen.width(hint, super::text::SMALL) <= room {
            pen.fill(chrome.faint);
            pen.label(hint, title.right(), y, Align::Right, room);
        }
        if yard.queue.more > 0 {
            pen.fill(chrome.faint);
            let text = format!("+ {} more", count(yard.queue.more as u64));
            let bars = layout.bars;
            pen.label(
                &text,
                yard.queue.end() + gap / 2.0,
                bars.bottom() - gap / 2.0,
                Align::Left,
                for_count,
            );
        }

        let line = pen.px(1.0);
        self.pen.alpha(self.others_alpha());
        for category in 0..palette::CATEGORIES as u32 {
            let mut is_set = false;
            for (job, bar) in yard.queue.bars() {
                if self.category(*job) == category {
                    if !is_set {
                        self.pen.fill(palette::category(category, self.stage.dark));
                        is_set = true;
                    }
                    self.pen.rect(bar);
                }
            }
        }
        self.pen.alpha(1.0);
        self.pen.fill(chrome.background);
        for (_, bar) in yard.queue.bars() {
            self.pen.rect(&bar.grown(-line));
        }
        for outlined in self.outlined() {
            if let Some((job, bar)) = yard.queue.bars().iter().find(|bar| bar.0 == outlined) {
                self.pen.fill(chrome.accent);
                self.pen.rect(&bar.grown(line));
                self.pen.fill(self.colour(*job));
                self.pen.rect(bar);
                self.pen.fill(chrome.background);
                self.pen.rect(&bar.grown(-line));
            }
        }
    }

    fn nodes(&mut self, yard: &mut YardPainter) {
        let area = yard.layout.nodes.grown(self.pen.px(4.0));
        let grid = yard.layout.grid(&yard.plane());
        let is_whole = yard.plane() == Plane::WHOLE;
        if !is_whole {
            self.pen.clip(&area);
        }
        for jobs in &mut yard.by_colour {
            jobs.clear();
        }
        for &job in self.run.moment.running() {
            yard.by_colour[self.category(job) as usize].push(job);
        }
        if grid.look.detail == Detail::Density {
            self.density(yard, &grid, &area);
        } else {
            self.free_cells(yard, &grid, &area);
            self.taken_cells(yard, &grid, &area);
        }
        for job in self.outlined() {
            if self.run.moment.running().contains(&job) {
                self.outline(job, &grid, &area);
            }
        }
        if !is_whole {
            self.pen.unclip();
        }
    }

    fn segment(&self, job: JobId) -> switchyard::sim::Segment<'_> {
        self.run.log.segment(self.run.moment.segment(job))
    }

    fn free_cells(&mut self, yard: &mut YardPainter, grid: &Grid, area: &Rect) {
        let chrome = palette::chrome(self.stage.dark);
        yard.free.clear();
        yard.free.extend(
            yard.layout
                .gpus_per_node
                .iter()
                .map(|&gpus| u64::MAX >> (64 - gpus)),
        );
        for &job in self.run.moment.running() {
            for part in self.segment(job).gpus {
                if let Some(free) = yard.free.get_mut(part.node as usize) {
                    *free &= !part.mask;
                }
            }
        }
        self.pen.fill(chrome.free);
        // Small cells are drawn on one slab a node: there are many of them.
        let on_slabs = grid.look.detail == Detail::Cells;
        for ((node, &free), &gpus) in (0..).zip(&yard.free).zip(&yard.layout.gpus_per_node) {
            if free != 0 && grid.is_seen(node, area) {
                match grid.slab(node, gpus).filter(|_| on_slabs) {
                    Some(slab) => self.pen.rect(&slab),
                    None => grid.cells(node, free, |cell| self.pen.rect(cell)),
                }
            }
        }
        if grid.look.detail == Detail::Labelled {
            self.pen.fill(chrome.faint);
            for node in (0..yard.free.len() as u32).filter(|&node| grid.is_seen(node, area)) {
                let tile = grid.tile(node);
                let middle = tile.y + (grid.look.label - self.pen.px(3.0)) / 2.0;
                self.pen.label(
                    &node.to_string(),
                    tile.x,
                    middle,
                    Align::Left,
                    f64::INFINITY,
                );
            }
        }
    }

    fn taken_cells(&mut self, yard: &YardPainter, grid: &Grid, area: &Rect) {
        let chrome = palette::chrome(self.stage.dark);
        let now = self.stage.clock.now;
        // At high speed a job that has only just come is shown as any busy GPU: a steady picture
        // instead of flicker.
        let steady = yard.motion.is_steady();
        let grown_up = now - self.stage.clock.speed * FLIGHT_MS / 1000.0;
        let is_young = |job: JobId| steady && self.segment(job).start.seconds() > grown_up;
        let draw = |job: JobId| {
            for part in self.segment(job).gpus {
                if grid.is_seen(part.node, area) {
                    grid.cells(part.node, part.mask, |cell| self.pen.rect(cell));
                }
            }
        };
        self.pen.alpha(self.others_alpha());
        for (category, jobs) in (0..).zip(&yard.by_colour) {
            if !jobs.is_empty() {
                self.pen.fill(palette::category(category, self.stage.dark));
                jobs.iter()
                    .copied()
                    .filter(|&job| !is_young(job))
                    .for_each(draw);
            }
        }
        if steady {
            self.pen.fill(chrome.busy);
            self.run
                .moment
                .running()
                .iter()
                .copied()
                .filter(|&job| is_young(job))
                .for_each(draw);
        }
        self.pen.alpha(1.0);

        let context = self.pen.context;
        let spacing = self.pen.px(4.0).min(grid.look.cell.0);
        let mut hatched = false;
        for &job in self.run.moment.running() {
            if self.segment(job).ready.seconds() > now {
                if !hatched {
                    context.begin_path();
                    hatched = true;
                }
                for part in self
                    .segment(job)
                    .gpus
                    .iter()
                    .filter(|part| grid.is_seen(part.node, area))
                {
                    grid.cells(part.node, part.mask, |cell| self.pen.hatch(cell, spacing));
                }
            }
        }
        if hatched {
            context.set_stroke_style_str(chrome.background);
            context.set_line_width(self.pen.px(1.25));
            context.stroke();
        }
    }

    /// A cell a node, filled from below as far as its GPUs are taken, in the colour of the job that
    /// has most of them.
    fn density(&mut self, yard: &mut YardPainter, grid: &Grid, area: &Rect) {
        let chrome = palette::chrome(self.stage.dark);
        yard.taken.clear();
        yard.taken
            .resize(yard.layout.gpus_per_node.len(), (JobId(0), 0, 0));
        for &job in self.run.moment.running() {
            for part in self.segment(job).gpus {
                if let Some((most, its, all)) = yard.taken.get_mut(part.node as usize) {
                    *all += part.count();
                    if part.count() > *its {
                        (*most, *its) = (job, part.count());
                    }
                }
            }
        }
        self.pen.fill(chrome.free);
        for node in (0..yard.taken.len() as u32).filter(|&node| grid.is_seen(node, area)) {
            self.pen.rect(&grid.tile(node));
        }
        for jobs in &mut yard.by_colour {
            jobs.clear();
        }
        // From here on, nodes by the colour of their job.
        for (node, &(job, its, _)) in (0..).zip(&yard.taken) {
            if its > 0 && grid.is_seen(node, area) {
                yard.by_colour[self.category(job) as usize].push(JobId(node));
            }
        }
        self.pen.alpha(self.others_alpha());
        for (category, nodes) in (0..).zip(&yard.by_colour) {
            if nodes.is_empty() {
                continue;
            }
            self.pen.fill(palette::category(category, self.stage.dark));
            for &JobId(node) in nodes {
                let tile = grid.tile(node);
                let part = f64::from(yard.taken[node as usize].2)
                    / f64::from(yard.layout.gpus_per_node[node as usize]);
                let h = (tile.h * part).round().max(1.0);
                self.pen.rect(&Rect {
                    y: tile.bottom() - h,
                    h,
                    ..tile
                });
            }
        }
        self.pen.alpha(1.0);
    }

    fn outline(&mut self, job: JobId, grid: &Grid, area: &Rect) {
        let thick = self.pen.px(2.0).min((grid.look.cell.0 / 2.0).ceil());
        let segment = self.segment(job);
        let cells = |each: &mut dyn FnMut(&Rect)| {
            for part in segment
                .gpus
                .iter()
                .filter(|part| grid.is_seen(part.node, area))
            {
                grid.cells(part.node, part.mask, &mut *each);
            }
        };
        self.pen.fill(palette::chrome(self.stage.dark).accent);
        cells(&mut |cell| self.pen.rect(&cell.grown(thick)));
        self.pen.fill(self.colour(job));
        cells(&mut |cell| self.pen.rect(cell));
        if segment.ready > switchyard::Time(self.stage.clock.now) {
            let context = self.pen.context;
            context.begin_path();
            cells(&mut |cell| self.pen.hatch(cell, self.pen.px(4.0)));
            context.set_stroke_style_str(palette::chrome(self.stage.dark).background);
            context.set_line_width(self.pen.px(1.25));
            context.stroke();
        }
    }

    fn flights(&mut self, yard: &YardPainter) {
        let grid = yard.layout.grid(&yard.plane());
        let area = &yard.layout.nodes.grown(self.pen.px(4.0));
        let chrome = palette::chrome(self.stage.dark);
        // What is still on its way has not arrived.
        for flight in yard.motion.flights() {
            match flight.kind {
                FlightKind::Placed { .. } | FlightKind::Moved { .. } => {
                    self.pen.fill(chrome.free);
                    for part in self.run.log.segment(flight.segment).gpus {
                        if grid.is_seen(part.node, area) {
                            grid.cells(part.node, part.mask, |cell| self.pen.rect(cell));
                        }
                    }
                }
                FlightKind::Preempted => {
                    if let Some((_, bar)) = yard.queue.bars().iter().find(|bar| bar.0 == flight.job)
                    {
                        self.pen.fill(chrome.background);
                        self.pen.rect(bar);
                    }
                }
                FlightKind::Finished => {}
            }
        }
        for flight in yard.motion.flights() {
            self.flight(flight, yard, &grid);
        }
        self.pen.alpha(1.0);
    }

    fn flight(&self, flight: &Flight, yard: &YardPainter, grid: &Grid) {
        let at = flight.part(self.real_ms);
        let gpus = self.run.log.segment(flight.segment).gpus;
        self.pen.fill(self.colour(flight.job));
        self.pen.alpha(1.0);
        match flight.kind {
            FlightKind::Placed { from } => {
                for part in gpus {
                    self.flying(&from.towards(&grid.bounds(part.node, part.mask), at));
                }
            }
            FlightKind::Moved { from } => {
                let sources = self.run.log.segment(from).gpus;
                for (i, part) in gpus.iter().enumerate() {
                    let source = sources[i % sources.len()];
                    let from = grid.bounds(source.node, source.mask);
                    self.flying(&from.towards(&grid.bounds(part.node, part.mask), at));
                }
            }
            FlightKind::Preempted => {
                let to = yard.queue.place(flight.job);
                for part in gpus {
                    self.flying(&grid.bounds(part.node, part.mask).towards(&to, at));
                }
            }
            FlightKind::Finished => {
                self.pen.alpha(1.0 - at);
                for part in gpus {
                    let cells = grid.bounds(part.node, part.mask);
                    let sunk = self.pen.px(10.0) * at;
                    self.pen.rect(&Rect {
                        y: (cells.y + sunk).round(),
                        h: (cells.h - sunk).max(1.0),
                        ..cells
                    });
                }
            }
        }
    }

    /// A job between two places: a plain block, with a rim that keeps it apart from what it passes.
    fn flying(&self, block: &Rect) {
        self.pen.rect(block);
        self.pen
            .context
            .set_stroke_style_str(palette::chrome(self.stage.dark).background);
        self.pen.context.set_line_width(self.pen.ratio);
        self.pen
            .context
            .stroke_rect(block.x, block.y, block.w, block.h);
    }
}
