//! The player's strip: all of time, how long the queues were, how far each run has come, and the
//! clock's place, to be dragged.

use super::format::{count, time};
use super::pen::{Pen, px};
use super::rect::Rect;
use super::series::Columns;
use super::text::Widths;
use super::{Painter, Pointer, PointerKind, Response, Surface, palette};
use crate::stage::Stage;

/// CSS pixels.
const KNOB_RADIUS: f64 = 6.0;

/// Paints the player's strip.
#[derive(Default)]
pub struct PlayerStrip {
    widths: Widths,
    columns: Vec<Columns>,
    /// Time from left to right, in device pixels.
    track: Rect,
    ratio: f64,
    dragging: bool,
    hover_x: Option<f64>,
}

/// The end of what there is to see: a run still under way will get at least as far as the last
/// submission.
pub(super) fn full_range(stage: &Stage) -> f64 {
    let last = stage
        .workload
        .jobs
        .last()
        .map_or(0.0, |job| job.submit.seconds());
    stage.clock.end.max(last).max(1.0)
}

impl PlayerStrip {
    /// A strip for the runs on stage.
    pub fn new() -> Self {
        Self::default()
    }

    fn time_at(&self, x: f64, stage: &Stage) -> f64 {
        let part = (x * self.ratio - self.track.x) / self.track.w.max(1.0);
        (part.clamp(0.0, 1.0) * full_range(stage)).min(stage.clock.end)
    }
}

impl Painter for PlayerStrip {
    fn paint(&mut self, surface: &Surface<'_>, stage: &Stage) -> bool {
        let chrome = palette::chrome(stage.dark);
        let pen = Pen::new(surface, &mut self.widths);
        pen.fill(chrome.background);
        pen.rect(&pen.area);

        let end = full_range(stage);
        let side = pen.px(KNOB_RADIUS + 2.0);
        let thick = pen.px(2.0);
        let runs = stage.runs.len().max(1) as f64;
        // One line a run shows how far it has come; together they are the track.
        let track_h = (thick * runs).max(pen.px(4.0));
        let bottom = pen.area.h - pen.px(KNOB_RADIUS) + (track_h / 2.0).floor();
        let track = Rect::new(
            side,
            bottom - track_h,
            (pen.area.w - 2.0 * side).max(1.0),
            track_h,
        );
        (self.track, self.ratio) = (track, pen.ratio);

        self.columns.resize_with(stage.runs.len(), Columns::default);
        let width = track.w as usize;
        for (run, columns) in stage.runs.iter().zip(&mut self.columns) {
            columns.update(run, width, end);
        }
        let most = self
            .columns
            .iter()
            .map(|columns| columns.most_waiting)
            .fold(1.0, f64::max);
        let top = pen.px(3.0);
        let base = track.y - pen.px(KNOB_RADIUS);
        pen.context.set_line_width(pen.px(1.25));
        for (position, columns) in self.columns.iter().enumerate() {
            spark(
                &pen,
                columns,
                &track,
                top,
                base,
                most,
                palette::run_colour(position, stage.dark),
            );
        }

        pen.fill(chrome.line);
        pen.rect(&track);
        let line_h = (track_h / runs).floor();
        for (position, run) in stage.runs.iter().enumerate() {
            pen.fill(palette::run_colour(position, stage.dark));
            let y = track.y + position as f64 * line_h;
            pen.rect(&Rect {
                y,
                h: line_h,
                w: (track.w * (run.reached() / end).min(1.0)).round(),
                ..track
            });
        }

        if let Some(x) = self.hover_x {
            pen.fill(chrome.faint);
            pen.rect(&Rect::new(
                (x * pen.ratio).floor(),
                top,
                pen.px(1.0),
                track.bottom() - top,
            ));
        }
        knob(
            &pen,
            &track,
            top,
            (stage.clock.now / end).clamp(0.0, 1.0),
            &chrome,
        );
        false
    }

    fn pointer(&mut self, pointer: &Pointer, stage: &Stage) -> Response {
        let mut response = Response {
            repaint: true,
            cursor: "pointer",
            ..Response::default()
        };
        match pointer.kind {
            PointerKind::Leave => {
                self.hover_x = None;
                return response;
            }
            PointerKind::Down => self.dragging = true,
            PointerKind::Click | PointerKind::Release => self.dragging = false,
            PointerKind::Move => self.dragging &= pointer.down,
            PointerKind::Wheel { .. } | PointerKind::Pinch { .. } => return Response::default(),
        }
        let at = self.time_at(pointer.x, stage);
        if self.dragging || pointer.kind == PointerKind::Click {
            response.seek = Some(at);
        }
        self.hover_x = Some(pointer.x);
        let mut lines = vec![time(at)];
        for run in &stage.runs {
            let next = run
                .log
                .sample_times()
                .partition_point(|&sample| sample <= at);
            if let Some(sample) = next.checked_sub(1).filter(|_| at <= run.reached()) {
                let waiting = run.log.sample_waiting()[sample];
                lines.push(format!("{}: {} waiting", run.label, count(waiting.into())));
            }
        }
        response.tooltip = Some(lines);
        response
    }
}

/// The queue's length as a line over a pale area.
fn spark(
    pen: &Pen<'_>,
    columns: &Columns,
    track: &Rect,
    top: f64,
    base: f64,
    most: f64,
    colour: &str,
) {
    if columns.waiting.is_empty() {
        return;
    }
    let context = pen.context;
    let outline = || {
        for (column, &waiting) in columns.waiting.iter().enumerate() {
            context.line_to(
                track.x + column as f64 + 0.5,
                base - (base - top) * waiting / most,
            );
        }
    };
    let last = track.x + columns.waiting.len() as f64 - 0.5;
    context.begin_path();
    context.move_to(track.x + 0.5, base);
    outline();
    context.line_to(last, base);
    pen.alpha(0.15);
    pen.fill(colour);
    context.fill();
    pen.alpha(0.9);
    context.begin_path();
    outline();
    context.set_stroke_style_str(colour);
    context.stroke();
    pen.alpha(1.0);
}

fn knob(pen: &Pen<'_>, track: &Rect, top: f64, part: f64, chrome: &palette::Chrome) {
    let x = track.x + track.w * part;
    let y = track.y + track.h / 2.0;
    pen.fill(chrome.text);
    pen.rect(&Rect::new(
        (x - pen.ratio / 2.0).round(),
        top,
        pen.px(1.0),
        y - top,
    ));
    for (radius, colour) in [
        (px(KNOB_RADIUS, pen.ratio), chrome.background),
        (px(KNOB_RADIUS - 1.5, pen.ratio), chrome.text),
    ] {
        pen.context.begin_path();
        // Cannot fail: the radius is positive.
        let _ = pen.context.arc(x, y, radius, 0.0, std::f64::consts::TAU);
        pen.fill(colour);
        pen.context.fill();
    }
}
