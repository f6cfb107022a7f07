//! The queues of a policy as lanes, at the clock's time: the highest on top, each job a chip that
//! drifts to the right as its service grows and sinks into the next lane at the threshold.
//!
//! Across a lane, service grows from its lower threshold to its upper one; the last lane, which has
//! no end, is logarithmic. A chip's width goes with the logarithm of its gang, as the bars of the
//! yard's queue do. A running job is filled, a waiting one hollow, a restarting one hatched.

mod shelf;

use super::format::{self, count};
use super::pen::{Align, Pen, px};
use super::rect::Rect;
use super::text::{NORMAL, SMALL, Widths};
use super::{Painter, Pointer, PointerKind, Response, Surface, describe, palette};
use crate::queues::{Crowd, Queues};
use crate::stage::{ColourBy, Stage, StageRun};
use shelf::{Chip, Column};
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::policy::PolicySpec;

/// How long a chip takes from one lane, or row, to another.
const GLIDE_MS: f64 = 250.0;

/// More chips than these setting off at once are a jump in time, which is not acted out.
const JUMP: usize = 48;

/// How much of the others is seen while a job is chosen.
const DIMMED: f64 = 0.3;

/// CSS pixels: the least height of a chip and the room between two; below, they are only counted.
const LEAST: f64 = 2.0;
const GAP: f64 = 1.0;
/// CSS pixels from one counting column to the next.
const PITCH: f64 = 5.0;

/// Paints one run's queues.
pub struct LanesPainter {
    run_id: u32,
    widths: Widths,
    /// The spec and the jobs (where they are, and how many) that `queues` are made for.
    made_for: (String, usize, usize),
    queues: Option<Queues>,
    lanes: Vec<Lane>,
    chips: Vec<Shown>,
    /// By job: its position in `chips`, plus one.
    positions: Vec<u32>,
    ratio: f64,
}

/// One queue as last laid out.
#[derive(Default)]
struct Lane {
    /// The whole lane, and the part where chips stand.
    area: Rect,
    body: Rect,
    crowd: Crowd,
    chips: Vec<Chip>,
    /// If there are too many chips: how many stand where.
    columns: Vec<Column>,
}

/// A chip as it was last painted.
struct Shown {
    job: JobId,
    lane: usize,
    row: usize,
    rect: Rect,
    /// Where it set off from, and when.
    from: Option<(Rect, f64)>,
    category: u32,
    running: bool,
}

impl Shown {
    /// Where it is on its way to `to`.
    fn at(&self, to: &Rect, real_ms: f64) -> Rect {
        self.from.map_or(*to, |(from, began)| {
            let t = ((real_ms - began) / GLIDE_MS).clamp(0.0, 1.0);
            from.towards(to, t * t * (3.0 - 2.0 * t))
        })
    }
}

/// How a job was last shown, if it was.
fn shown_of<'a>(chips: &'a [Shown], positions: &[u32], job: JobId) -> Option<&'a Shown> {
    chips.get(positions.get(job.index())?.checked_sub(1)? as usize)
}

impl LanesPainter {
    /// A painter of the run with this id.
    pub fn new(run_id: u32) -> Self {
        Self {
            run_id,
            widths: Widths::default(),
            made_for: (String::new(), 0, 0),
            queues: None,
            lanes: Vec::new(),
            chips: Vec::new(),
            positions: Vec::new(),
            ratio: 1.0,
        }
    }

    fn update(&mut self, area: &Rect, ratio: f64, stage: &Stage, run: &StageRun) {
        let jobs = stage.workload.jobs.len();
        let place = Rc::as_ptr(&stage.workload) as usize;
        if self.made_for.0 != run.label || (self.made_for.1, self.made_for.2) != (place, jobs) {
            self.made_for = (run.label.clone(), place, jobs);
            let policy = run.label.parse::<PolicySpec>().ok();
            self.queues = policy.and_then(|policy| Queues::of(&policy, &stage.workload));
            self.chips.clear();
            self.positions.clear();
            self.positions.resize(jobs, 0);
        }
        self.ratio = ratio;
        let Some(queues) = &self.queues else {
            self.lanes.clear();
            return;
        };
        let css = |length: f64| px(length, ratio);
        let side = css(8.0);
        let height = area.h / queues.count() as f64;
        self.lanes.resize_with(queues.count(), Lane::default);
        let head = css(20.0).min(height * 0.5);
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            let top = (i as f64 * height).round();
            let bottom = ((i + 1) as f64 * height).round();
            lane.area = Rect::new(0.0, top, area.w, bottom - top);
            let (y, low) = (top + head, bottom - css(4.0));
            lane.body = Rect::new(side, y, area.w - 2.0 * side, (low - y).max(1.0));
            lane.chips.clear();
            lane.columns.clear();
        }
        for (lane, crowd) in self.lanes.iter_mut().zip(queues.crowds(run)) {
            lane.crowd = crowd;
        }
        let active = run.moment.running().len() + run.moment.waiting().len();
        let size = match active {
            0..=16 => 3.0,
            17..=60 => 2.0,
            _ => 1.0,
        };
        let jobs = run.moment.running().iter().map(|&job| (job, true));
        for (job, running) in jobs.chain(run.moment.waiting().iter().map(|&job| (job, false))) {
            let (queue, service) = queues.place(job, stage, run);
            let Some(lane) = self.lanes.get_mut(queue) else {
                continue;
            };
            let gpus = stage
                .workload
                .jobs
                .get(job.index())
                .map_or(1, |job| job.gpus);
            let w = css(size * (5.0 + 3.0 * f64::from(gpus).log2())).min(lane.body.w);
            let part = queues.part(queue, service);
            let row = shown_of(&self.chips, &self.positions, job)
                .filter(|shown| shown.lane == queue)
                .map(|shown| shown.row);
            lane.chips.push(Chip {
                job,
                x: lane.body.x + (lane.body.w - w) * part,
                w,
                running,
                row,
            });
        }
    }

    /// Gives every chip its row and notes which set off for another place. Returns whether any is
    /// on its way.
    fn lay_out(&mut self, stage: &Stage, run: &StageRun, real_ms: f64) -> bool {
        let ratio = self.ratio;
        let css = |length: f64| px(length, ratio);
        let mut set_off = 0;
        let mut chips: Vec<Shown> = Vec::with_capacity(self.chips.len());
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            let most = (lane.body.h / css(LEAST + GAP)) as usize;
            let Some(rows) = shelf::rows(&mut lane.chips, css(GAP), most) else {
                let pitch = css(PITCH);
                let count = (lane.body.w / pitch) as usize;
                lane.columns = shelf::columns(&lane.chips, lane.body.x, pitch, count);
                continue;
            };
            let pitch = (lane.body.h / rows as f64).min(css(26.0));
            for chip in &lane.chips {
                let row = chip.row.unwrap_or(0);
                let rect = Rect::new(
                    chip.x,
                    (lane.body.y + row as f64 * pitch).round(),
                    chip.w,
                    (pitch - css(GAP)).floor().max(css(LEAST)),
                );
                let before = shown_of(&self.chips, &self.positions, chip.job);
                let from = before.and_then(|before| {
                    if (before.lane, before.row) != (i, row) {
                        set_off += 1;
                        return Some((before.at(&before.rect, real_ms), real_ms));
                    }
                    before.from.filter(|(_, began)| real_ms - began < GLIDE_MS)
                });
                chips.push(Shown {
                    job: chip.job,
                    lane: i,
                    row,
                    rect,
                    from,
                    category: palette::job_category(
                        chip.job,
                        stage.colour_by,
                        &stage.workload,
                        run,
                    ),
                    running: chip.running,
                });
            }
        }
        if stage.reduced_motion || set_off > JUMP {
            for shown in &mut chips {
                shown.from = None;
            }
        }
        for shown in &self.chips {
            self.positions[shown.job.index()] = 0;
        }
        for (position, shown) in (1..).zip(&chips) {
            self.positions[shown.job.index()] = position;
        }
        self.chips = chips;
        self.chips.iter().any(|shown| shown.from.is_some())
    }

    fn lane_at(&self, y: f64) -> Option<usize> {
        self.lanes
            .iter()
            .position(|lane| y >= lane.area.y && y < lane.area.bottom())
    }

    fn job_at(&self, x: f64, y: f64) -> Option<JobId> {
        let near = px(2.0, self.ratio);
        let off = |shown: &Shown| (shown.rect.x + shown.rect.w / 2.0 - x).abs();
        self.chips
            .iter()
            .filter(|shown| shown.rect.grown(near).contains(x, y))
            .min_by(|a, b| off(a).total_cmp(&off(b)))
            .map(|shown| shown.job)
    }

    /// What is to be said about a place where no chip stands.
    fn place_lines(&self, x: f64, y: f64) -> Option<Vec<String>> {
        let (i, queues) = (self.lane_at(y)?, self.queues.as_ref()?);
        let lane = self.lanes.get(i)?;
        let mut lines = vec![describe::queue(queues, i)];
        if lane.body.contains(x, y) {
            let pitch = px(PITCH, self.ratio);
            let column = lane.columns.get(((x - lane.body.x) / pitch) as usize);
            if let Some(column) = column {
                lines.push(describe::crowd(column.running, column.waiting));
            }
            let service = queues.service(i, (x - lane.body.x) / lane.body.w);
            let here = format::attained(service, queues.measure());
            lines.push(format!("here: {here}"));
        }
        Some(lines)
    }
}

impl Painter for LanesPainter {
    fn paint(&mut self, surface: &Surface<'_>, stage: &Stage) -> bool {
        let mut widths = std::mem::take(&mut self.widths);
        let mut pen = Pen::new(surface, &mut widths);
        pen.fill(palette::chrome(stage.dark).background);
        pen.rect(&pen.area);
        let mut moving = false;
        if let Some(run) = stage.run(self.run_id) {
            self.update(&pen.area, pen.ratio, stage, run);
            moving = self.lay_out(stage, run, surface.real_ms);
            let mut frame = Frame {
                pen: &mut pen,
                stage,
                run,
                real_ms: surface.real_ms,
            };
            frame.lanes(self);
            frame.chips(self);
        }
        drop(pen);
        self.widths = widths;
        moving
    }

    fn pointer(&mut self, pointer: &Pointer, stage: &Stage) -> Response {
        let (x, y) = (pointer.x * self.ratio, pointer.y * self.ratio);
        let mut response = Response {
            cursor: "default",
            ..Response::default()
        };
        let (Some(run), false) = (
            stage.run(self.run_id),
            matches!(pointer.kind, PointerKind::Leave),
        ) else {
            response.hover = Some(None);
            return response;
        };
        let job = self.job_at(x, y);
        if matches!(pointer.kind, PointerKind::Click) {
            response.select = Some(job);
        }
        response.hover = Some(job);
        response.tooltip = match (job, &self.queues) {
            (Some(job), Some(queues)) => {
                response.cursor = "pointer";
                let mut lines = describe::job(job, stage, run);
                lines.push(describe::in_queue(job, queues, stage, run));
                Some(lines)
            }
            _ => self.place_lines(x, y),
        };
        response
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
    /// Heads, lines between lanes, and columns where chips are only counted.
    fn lanes(&mut self, painter: &LanesPainter) {
        let chrome = palette::chrome(self.stage.dark);
        let Some(queues) = &painter.queues else {
            return;
        };
        let (line, gap) = (self.pen.px(1.0), self.pen.px(12.0));
        for (i, lane) in painter.lanes.iter().enumerate() {
            let Rect { x, y, .. } = lane.body;
            if i > 0 {
                self.pen.fill(chrome.line);
                self.pen.rect(&Rect {
                    h: line,
                    ..lane.area
                });
            }
            let middle = (lane.area.y + y) / 2.0;
            let room = lane.body.w;
            self.pen.fill(chrome.text);
            let name = format!("Q{}", i + 1);
            let mut used = self.pen.text(&name, x, middle, NORMAL, Align::Left, room) + gap;
            self.pen.fill(chrome.faint);
            let crowd = describe::crowd(lane.crowd.running, lane.crowd.waiting);
            let right = self.pen.width(&crowd, SMALL);
            let range = describe::range(queues, i);
            used += self.pen.label(
                &range,
                x + used,
                middle,
                Align::Left,
                (room - used).max(0.0),
            );
            if used + gap + right <= room {
                self.pen
                    .label(&crowd, lane.body.right(), middle, Align::Right, right);
            }
            self.columns(i, lane);
        }
    }

    fn columns(&mut self, queue: usize, lane: &Lane) {
        let chrome = palette::chrome(self.stage.dark);
        let most = lane
            .columns
            .iter()
            .map(|column| column.running + column.waiting)
            .max()
            .unwrap_or(0);
        if most == 0 {
            return;
        }
        let colour = if self.stage.colour_by == ColourBy::Queue {
            palette::category(queue as u32, self.stage.dark)
        } else {
            chrome.busy
        };
        let (pitch, line) = (self.pen.px(PITCH), self.pen.px(1.0));
        let head = self.pen.px(12.0).min(lane.body.h / 3.0);
        let height = |jobs: usize| {
            let part = ((jobs + 1) as f64).ln() / ((most + 1) as f64).ln();
            ((lane.body.h - head) * part).ceil()
        };
        for (i, column) in lane.columns.iter().enumerate() {
            let jobs = column.running + column.waiting;
            if jobs == 0 {
                continue;
            }
            let all = height(jobs);
            let bar = Rect::new(
                lane.body.x + i as f64 * pitch,
                lane.body.bottom() - all,
                pitch - line,
                all,
            );
            self.pen.fill(colour);
            self.pen.frame(&bar, line);
            let filled = (all * column.running as f64 / jobs as f64).ceil();
            self.pen.rect(&Rect {
                y: bar.bottom() - filled,
                h: filled,
                ..bar
            });
        }
        self.pen.fill(chrome.faint);
        let scale = format!(
            "too many to draw: columns count jobs, log scale up to {}",
            count(most as u64)
        );
        let middle = lane.body.y + head / 2.0;
        self.pen
            .label(&scale, lane.body.right(), middle, Align::Right, lane.body.w);
    }

    fn chips(&mut self, painter: &LanesPainter) {
        let chrome = palette::chrome(self.stage.dark);
        let dim = if self.stage.selected.is_some() {
            DIMMED
        } else {
            1.0
        };
        let chips: Vec<(&Shown, Rect)> = painter
            .chips
            .iter()
            .map(|shown| (shown, shown.at(&shown.rect, self.real_ms)))
            .collect();
        self.pen.alpha(dim);
        for category in 0..palette::CATEGORIES as u32 {
            self.pen.fill(palette::category(category, self.stage.dark));
            for (shown, rect) in &chips {
                if shown.category == category {
                    self.pen.rect(rect);
                }
            }
        }
        self.pen.alpha(1.0);
        self.pen.fill(chrome.background);
        for (shown, rect) in &chips {
            if !shown.running {
                self.pen.rect(&self.inside(rect));
            }
        }
        self.hatch(&chips);
        for (shown, rect) in chips
            .iter()
            .filter(|(shown, _)| self.is_outlined(shown.job))
        {
            let line = self.pen.px(1.0);
            self.pen.fill(chrome.accent);
            self.pen.rect(&rect.grown(line));
            self.pen
                .fill(palette::category(shown.category, self.stage.dark));
            self.pen.rect(rect);
            if !shown.running {
                self.pen.fill(chrome.background);
                self.pen.rect(&self.inside(rect));
            }
        }
        self.names(&chips);
        self.counted_marks(painter);
    }

    fn is_outlined(&self, job: JobId) -> bool {
        Some(job) == self.stage.selected || Some(job) == self.stage.hovered
    }

    /// What a hollow chip's rim leaves.
    fn inside(&self, rect: &Rect) -> Rect {
        let rim = if rect.h > self.pen.px(8.0) { 1.5 } else { 1.0 };
        let rim = self.pen.px(rim).min(rect.h / 3.0);
        rect.grown(-rim)
    }

    fn hatch(&self, chips: &[(&Shown, Rect)]) {
        let now = self.stage.clock.now;
        let restarts = |job: JobId| {
            let segment = self.run.log.segment(self.run.moment.segment(job));
            segment.ready.seconds() > now
        };
        let context = self.pen.context;
        context.begin_path();
        for (shown, rect) in chips {
            if shown.running && restarts(shown.job) {
                self.pen.hatch(rect, self.pen.px(4.0));
            }
        }
        context.set_stroke_style_str(palette::chrome(self.stage.dark).background);
        context.set_line_width(self.pen.px(1.25));
        context.stroke();
    }

    /// Names in the chips that have room for them.
    fn names(&mut self, chips: &[(&Shown, Rect)]) {
        let chrome = palette::chrome(self.stage.dark);
        let (room, least) = (self.pen.px(4.0), self.pen.px(13.0));
        for (shown, rect) in chips {
            if rect.h < least {
                continue;
            }
            let Some(record) = self.stage.workload.jobs.get(shown.job.index()) else {
                continue;
            };
            if self.pen.width(&record.name, SMALL) > rect.w - room {
                continue;
            }
            let dimmed = self.stage.selected.is_some() && !self.is_outlined(shown.job);
            let ink = if dimmed {
                chrome.faint
            } else if shown.running {
                palette::ink_on(palette::category(shown.category, self.stage.dark))
            } else {
                chrome.text
            };
            self.pen.fill(ink);
            let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
            self.pen.label(&record.name, x, y, Align::Centre, rect.w);
        }
    }

    /// Where outlined jobs stand in lanes whose chips are only counted.
    fn counted_marks(&mut self, painter: &LanesPainter) {
        self.pen.fill(palette::chrome(self.stage.dark).accent);
        let counted = painter.lanes.iter().filter(|lane| !lane.columns.is_empty());
        for lane in counted {
            for chip in lane.chips.iter().filter(|chip| self.is_outlined(chip.job)) {
                self.pen.rect(&Rect {
                    x: chip.x.round(),
                    w: self.pen.px(2.0),
                    ..lane.body
                });
            }
        }
    }
}
