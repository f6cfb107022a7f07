//! The queues of a policy as lanes, at the clock's time: the highest on top, each job a chip that
//! drifts to the right as its service grows and sinks into the next lane at the threshold.
//!
//! Across a lane, service grows from its lower threshold to its upper one; the last lane, which has
//! no end, is logarithmic. A chip's width goes with the logarithm of its gang, as the bars of the
//! yard's queue do. A running job is filled, a waiting one hollow, a restarting one hatched.

mod chip;
mod chips;
mod shelf;

use crate::draw::canvas::{OfRun, RunPainter};
use crate::draw::format::{self, count};
use crate::draw::on_stage::OnStage;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::{Device, Point, Ratio, Rect};
use crate::draw::text::{NORMAL, SMALL};
use crate::draw::{Pointer, PointerKind, Response, describe};
use crate::queues::{Crowd, Queues};
use crate::state::ColourBy;
use chip::{GLIDE_MS, Shown};
use shelf::{Chip, ChipCount};
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::policies::PolicySpec;

/// More chips than these setting off at once are a jump in time, which is not acted out.
const JUMP: usize = 48;

/// CSS pixels: the least height of a chip and the room between two; below, they are only counted.
const LEAST: f64 = 2.0;
const GAP: f64 = 1.0;
/// CSS pixels from one counting column to the next.
const PITCH: f64 = 5.0;

/// Paints one run's queues.
#[derive(Default)]
pub(crate) struct Lanes {
    /// The spec and the jobs (where they are, and how many) that `queues` are made for.
    made_for: (Option<PolicySpec>, usize, usize),
    queues: Option<Queues>,
    lanes: Vec<Lane>,
    chips: Vec<Shown>,
    /// By job: its position in `chips`, plus one.
    positions: Vec<u32>,
    ratio: Ratio,
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
    columns: Vec<ChipCount>,
}

/// How a job was last shown, if it was.
fn shown_of<'a>(chips: &'a [Shown], positions: &[u32], job: JobId) -> Option<&'a Shown> {
    chips.get(positions.get(job.index())?.checked_sub(1)? as usize)
}

impl Lanes {
    /// A painter of the run with this id.
    pub(crate) fn of_run(run: u32) -> OfRun<Self> {
        OfRun(run, Self::default())
    }

    fn update(&mut self, area: &Rect, ratio: Ratio, shown: OnStage<'_>) {
        let OnStage { stage, run } = shown;
        let jobs = stage.workload.jobs.len();
        let place = Rc::as_ptr(&stage.workload) as usize;
        if self.made_for.0.as_ref() != Some(&run.policy)
            || (self.made_for.1, self.made_for.2) != (place, jobs)
        {
            self.made_for = (Some(run.policy.clone()), place, jobs);
            let policy = Some(&run.policy);
            self.queues = policy.and_then(|policy| Queues::of(policy, &stage.workload));
            self.chips.clear();
            self.positions.clear();
            self.positions.resize(jobs, 0);
        }
        self.ratio = ratio;
        let Some(queues) = &self.queues else {
            self.lanes.clear();
            return;
        };
        let css = |length: f64| ratio.px(length);
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
                .map_or(1, |job| job.gpus)
                .max(1);
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
    fn lay_out(&mut self, shown: OnStage<'_>, real_ms: f64) -> bool {
        let ratio = self.ratio;
        let css = |length: f64| ratio.px(length);
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
                    category: shown.category(chip.job),
                    running: chip.running,
                });
            }
        }
        if shown.stage.reduced_motion || set_off > JUMP {
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

    fn job_at(&self, at: Point<Device>) -> Option<JobId> {
        let near = self.ratio.px(2.0);
        let off = |shown: &Shown| (shown.rect.middle().x - at.x).abs();
        self.chips
            .iter()
            .filter(|shown| shown.rect.grown(near).contains(at))
            .min_by(|a, b| off(a).total_cmp(&off(b)))
            .map(|shown| shown.job)
    }

    /// What is to be said about a place where no chip stands.
    fn place_lines(&self, at: Point<Device>) -> Option<Vec<String>> {
        let (i, queues) = (self.lane_at(at.y)?, self.queues.as_ref()?);
        let lane = self.lanes.get(i)?;
        let mut lines = vec![describe::queue(queues, i)];
        if lane.body.contains(at) {
            let across = at.x - lane.body.x;
            let column = lane.columns.get((across / self.ratio.px(PITCH)) as usize);
            if let Some(column) = column {
                lines.push(describe::crowd(column.running, column.waiting));
            }
            let service = queues.service(i, across / lane.body.w);
            let here = format::attained(service, queues.measure());
            lines.push(format!("here: {here}"));
        }
        Some(lines)
    }
}

impl RunPainter for Lanes {
    fn paint(&mut self, pen: &mut Pen<'_>, shown: OnStage<'_>) -> bool {
        self.update(&pen.area, pen.ratio, shown);
        let moving = self.lay_out(shown, pen.real_ms);
        self.paint_lanes(pen, shown);
        chips::paint(pen, &self.chips, shown);
        self.paint_counted(pen, shown);
        moving
    }

    fn pointer(&mut self, pointer: &Pointer<Device>, shown: OnStage<'_>) -> Response {
        let OnStage { stage, run } = shown;
        let mut response = Response::over_nothing();
        response.passes = matches!(pointer.kind, PointerKind::Wheel { .. });
        let job = self.job_at(pointer.at);
        if pointer.kind == PointerKind::Click {
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
            _ => self.place_lines(pointer.at),
        };
        response
    }
}

impl Lanes {
    /// Heads, lines between lanes, and columns where chips are only counted.
    fn paint_lanes(&self, pen: &mut Pen<'_>, shown: OnStage<'_>) {
        let Some(queues) = &self.queues else {
            return;
        };
        let (h, gap) = (pen.px(1.0), pen.px(12.0));
        for (i, lane) in self.lanes.iter().enumerate() {
            let Rect { x, y, .. } = lane.body;
            if i > 0 {
                pen.fill(pen.chrome.line);
                pen.rect(&Rect { h, ..lane.area });
            }
            let middle = (lane.area.y + y) / 2.0;
            let room = lane.body.w;
            pen.fill(pen.chrome.text);
            let name = format!("Q{}", i + 1);
            let mut used = pen.text(&name, x, middle, NORMAL, Align::Left, room) + gap;
            pen.fill(pen.chrome.faint);
            let crowd = describe::crowd(lane.crowd.running, lane.crowd.waiting);
            let right = pen.width(&crowd, SMALL);
            let range = describe::range(queues, i);
            let left = (room - used).max(0.0);
            used += pen.label(&range, x + used, middle, Align::Left, left);
            if used + gap + right <= room {
                pen.label(&crowd, lane.body.right(), middle, Align::Right, right);
            }
            lane.paint_columns(pen, i, shown);
        }
    }

    /// Where outlined jobs stand in lanes whose chips are only counted.
    fn paint_counted(&self, pen: &Pen<'_>, shown: OnStage<'_>) {
        pen.fill(pen.chrome.accent);
        let counted = self.lanes.iter().filter(|lane| !lane.columns.is_empty());
        for lane in counted {
            for chip in lane.chips.iter().filter(|chip| shown.is_outlined(chip.job)) {
                let (x, w) = (chip.x.round(), pen.px(2.0));
                pen.rect(&Rect { x, w, ..lane.body });
            }
        }
    }
}

impl Lane {
    fn paint_columns(&self, pen: &mut Pen<'_>, queue: usize, shown: OnStage<'_>) {
        let jobs = |column: &ChipCount| column.running + column.waiting;
        let most = self.columns.iter().map(jobs).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        let colour = if shown.stage.state.view.colour_by == ColourBy::Queue {
            shown.colour_of(queue as u32)
        } else {
            pen.chrome.busy
        };
        pen.fill(colour);
        let body = self.body;
        let (pitch, line) = (pen.px(PITCH), pen.px(1.0));
        let head = pen.px(12.0).min(body.h / 3.0);
        for (i, column) in self.columns.iter().enumerate() {
            let jobs = jobs(column);
            if jobs == 0 {
                continue;
            }
            let part = ((jobs + 1) as f64).ln() / ((most + 1) as f64).ln();
            let all = ((body.h - head) * part).ceil();
            let x = body.x + i as f64 * pitch;
            let bar = Rect::new(x, body.bottom() - all, pitch - line, all);
            pen.frame(&bar, line);
            let h = (all * column.running as f64 / jobs as f64).ceil();
            let y = bar.bottom() - h;
            pen.rect(&Rect { y, h, ..bar });
        }
        pen.fill(pen.chrome.faint);
        let scale = format!(
            "too many to draw: columns count jobs, log scale up to {}",
            count(most as u64)
        );
        let middle = body.y + head / 2.0;
        pen.label(&scale, body.right(), middle, Align::Right, body.w);
    }
}
