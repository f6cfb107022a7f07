//! A row a job, in order of submission: bars, thin and hollow while it waits, full while it runs, and
//! marks where it changes queues.

use super::jobs::JobRows;
use super::rows::{RowLayout, Rows, RowsView, Target};
use crate::draw::on_stage::{DIMMED, OnStage};
use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::{Ratio, Rect};
use crate::draw::text::TEXT_ROW;
use std::ops::Range;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::RunLog;
use switchyard::job::JobId;

/// Rows of jobs.
#[derive(Default)]
pub(super) struct ByJob {
    rows: JobRows,
    bars: Bars,
}

/// Rectangles, by what they are painted with.
#[derive(Default)]
struct Bars {
    solid: Vec<Vec<Rect>>,
    hollow: Vec<Vec<Rect>>,
    hatched: Vec<Rect>,
    marks: Vec<Rect>,
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

/// How many jobs have been submitted as far as the run has come.
fn known(shown: OnStage<'_>) -> usize {
    let reached = shown.run.reached();
    let jobs = &shown.stage.workload.jobs;
    jobs.partition_point(|job| job.submit.seconds() <= reached)
}

/// The rows of which something is seen.
fn seen(view: &RowsView, shown: OnStage<'_>) -> Range<usize> {
    let first = (view.scroll / view.rows.height) as usize;
    let last = (view.bottom() / view.rows.height).ceil() as usize;
    first..last.min(known(shown))
}

impl Rows for ByJob {
    fn gutter(&self, narrow: bool) -> f64 {
        if narrow { 72.0 } else { 120.0 }
    }

    fn are_of(&self, log: &RunLog) -> bool {
        self.rows.seen() <= log.events()
    }

    fn restart(&mut self, _cluster: &ClusterSpec) {
        self.rows = JobRows::default();
    }

    fn extend(&mut self, shown: OnStage<'_>) {
        let jobs = shown.stage.workload.jobs.len();
        self.rows.extend(&shown.run.log, jobs);
    }

    fn layout(
        &self,
        height: Option<f64>,
        _plot: &Rect,
        ratio: Ratio,
        shown: OnStage<'_>,
    ) -> RowLayout {
        let height = height.unwrap_or_else(|| ratio.px(16.0));
        RowLayout {
            height,
            gap: 0.0,
            total: known(shown) as f64 * height,
        }
    }

    /// As much time as there are rows for the jobs submitted in it.
    fn opening(&self, all: f64, view: &RowsView, shown: OnStage<'_>) -> Option<f64> {
        let jobs = known(shown) as f64;
        let rows = view.plot.h / view.rows.height;
        (jobs > 0.0).then_some(if jobs > 2.0 * rows {
            all * rows / jobs
        } else {
            all
        })
    }

    fn top_of(&self, job: JobId, view: &RowsView, _shown: OnStage<'_>) -> f64 {
        job.index() as f64 * view.rows.height
    }

    /// The first job submitted in the window.
    fn reveal(&self, view: &RowsView, shown: OnStage<'_>) -> Option<f64> {
        let window = view.ruler.window;
        let jobs = &shown.stage.workload.jobs;
        let lives = |index: usize| {
            jobs[index].submit.seconds() < window.to
                && self.rows.over(JobId(index as u32)) > window.from
        };
        let is_empty = known(shown) > 0 && !seen(view, shown).any(lives);
        is_empty.then(|| {
            let first = jobs.partition_point(|job| job.submit.seconds() < window.from);
            first as f64 * view.rows.height
        })
    }

    fn at(&self, time: f64, top: f64, view: &RowsView, shown: OnStage<'_>) -> Target {
        let run = shown.run;
        let index = (top / view.rows.height) as usize;
        let jobs = &shown.stage.workload.jobs[..known(shown)];
        let Some(record) = jobs.get(index) else {
            return Target::Nothing;
        };
        let job = JobId(index as u32);
        let over = self.rows.over(job).min(run.reached());
        let a_pixel = view.ruler.seconds(1.0);
        if time < record.submit.seconds() - a_pixel || time > over + a_pixel {
            return Target::Nothing;
        }
        let segments = run.segments(job);
        let segment = |at: usize| segments.get(at).map(|&i| run.log.segment(i as usize));
        let next =
            segments.partition_point(|&i| run.log.segment(i as usize).start.seconds() <= time);
        let last_end = next.checked_sub(1).and_then(segment);
        let last_end = last_end.map(|last| last.end.seconds());
        match last_end {
            Some(end) if end > time || over <= time => Target::Segment(segments[next - 1] as usize),
            _ => Target::Wait {
                job,
                from: last_end.unwrap_or(record.submit.seconds()),
                to: segment(next).map_or(over, |next| next.start.seconds()),
            },
        }
    }

    fn paint(&mut self, pen: &mut Pen<'_>, view: &RowsView, shown: OnStage<'_>) -> bool {
        let rows = seen(view, shown);
        let (plot, height) = (view.plot, view.rows.height);
        let y_of = |row: usize| view.y(row as f64 * height);

        for outlined in shown.outlined().filter(|job| rows.contains(&job.index())) {
            pen.fill(pen.chrome.free);
            let row = Rect::new(0.0, y_of(outlined.index()), pen.area.w, height);
            pen.rect(&row);
        }
        self.bars.clear();
        for row in rows.clone() {
            self.lay_out(pen, row, y_of(row), view, shown);
        }
        pen.clip(&plot);
        self.paint_bars(pen, shown);
        pen.unclip();

        if height >= pen.px(TEXT_ROW) {
            let (x, room) = (pen.px(8.0), plot.x - pen.px(16.0));
            for row in rows {
                let job = JobId(row as u32);
                pen.fill(if shown.is_outlined(job) {
                    pen.chrome.text
                } else {
                    pen.chrome.faint
                });
                let name = shown.name(job).unwrap_or_default();
                pen.label(name, x, y_of(row) + height / 2.0, Align::Left, room);
            }
        }
        false
    }
}

impl ByJob {
    fn paint_bars(&self, pen: &Pen<'_>, shown: OnStage<'_>) {
        let bars = &self.bars;
        let line = pen.px(1.0);
        for dimmed in [true, false] {
            pen.alpha(if dimmed { DIMMED } else { 1.0 });
            for category in 0..palette::CATEGORIES as u32 {
                let at = Bars::at(category, dimmed);
                let (solid, hollow) = (&bars.solid[at], &bars.hollow[at]);
                if solid.is_empty() && hollow.is_empty() {
                    continue;
                }
                pen.fill(shown.colour_of(category));
                solid.iter().for_each(|bar| pen.rect(bar));
                hollow.iter().for_each(|bar| pen.frame(bar, line));
            }
        }
        if !bars.hatched.is_empty() {
            pen.hatch(pen.px(4.0), |hatch| bars.hatched.iter().for_each(hatch));
        }
        pen.fill(pen.chrome.text);
        bars.marks.iter().for_each(|mark| pen.rect(mark));
    }

    /// One job's bars. Segments narrower than a pixel share one.
    fn lay_out(&mut self, pen: &Pen<'_>, row: usize, y: f64, view: &RowsView, shown: OnStage<'_>) {
        let run = shown.run;
        let (plot, ruler, height) = (view.plot, view.ruler, view.rows.height);
        let window = ruler.window;
        let job = JobId(row as u32);
        let over = self.rows.over(job).min(run.reached());
        let submit = shown.stage.workload.jobs[row].submit.seconds();
        if submit >= window.to || over <= window.from {
            return;
        }
        let at = Bars::at(shown.category(job), shown.is_dimmed(job));
        let is_tall = height >= pen.px(6.0);
        let inset = if is_tall { pen.px(1.0) } else { 0.0 };
        let thin = (height * 0.36).round().max(pen.px(1.0));
        let middle = y + ((height - thin) / 2.0).floor();
        let (least, most) = (plot.x - 2.0, plot.right() + 2.0);
        let snapped = |time: f64| ruler.x(time).clamp(least, most).round();
        let bars = &mut self.bars;
        let mut wait = |from: f64, to: f64| {
            let (from, to) = (snapped(from), snapped(to));
            if to > from {
                bars.hollow[at].push(Rect::new(from, middle, to - from, thin));
            }
        };
        let segments = run.segments(job);
        let segment = |&i: &u32| run.log.segment(i as usize);
        let mut i = segments.partition_point(|i| segment(i).end.seconds() <= window.from);
        let last = i.checked_sub(1).map(|last| segment(&segments[last]));
        let mut waits_from = last.map_or(submit, |last| last.end.seconds());
        let a_pixel = ruler.seconds(1.0);
        while i < segments.len() {
            let stay = segment(&segments[i]);
            let (start, end) = (stay.start.seconds(), stay.end.seconds().min(run.reached()));
            if start >= window.to {
                break;
            }
            wait(waits_from, start);
            let (from, to) = (snapped(start), snapped(end));
            let (w, h) = ((to - from).max(1.0), (height - 2.0 * inset).max(1.0));
            let bar = Rect::new(from, y + inset, w, h);
            bars.solid[at].push(bar);
            let w = snapped(stay.ready.seconds()).min(to) - from;
            if w >= pen.px(3.0) {
                bars.hatched.push(Rect { w, ..bar });
            }
            waits_from = end;
            i += 1;
            if end - start < a_pixel {
                // What else begins within this pixel is not to be told apart.
                let next_pixel = start + a_pixel;
                let begins = |i: &u32| segment(i).start.seconds() < next_pixel;
                i += segments[i..].partition_point(begins).saturating_sub(1);
            }
        }
        wait(waits_from, over);

        let levels = self.rows.levels(job);
        let from = levels.partition_point(|change| change.time < window.from);
        let inside = levels[from..].iter();
        let mut last = f64::NEG_INFINITY;
        for change in inside.take_while(|change| change.time <= window.to) {
            let x = snapped(change.time);
            if is_tall && x - last >= pen.px(3.0) {
                let half = (height / 2.0).round();
                let y = if change.up { y } else { y + height - half };
                self.bars.marks.push(Rect::new(x, y, pen.px(1.5), half));
                last = x;
            }
        }
    }
}
