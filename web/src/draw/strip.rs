//! The player's strip: all of time, how long the queues were, how far each run has come, the window
//! that the views show, the range that is selected, and the clock's place, to be dragged. The wheel
//! zooms the window; dragging with Shift selects.

use super::canvas::Painter;
use super::format::count;
use super::palette;
use super::pen::Pen;
use super::series::Columns;
use super::space::{Device, Rect};
use super::viewport::{Ruler, Window, wheel_zoom};
use super::{Pointer, PointerKind, Response};
use crate::stage::Stage;
use crate::time_axis::AxisRequest;

/// CSS pixels.
const KNOB_RADIUS: f64 = 6.0;

/// Paints the player's strip.
#[derive(Default)]
pub(crate) struct Strip {
    columns: Vec<Columns>,
    /// Time from left to right.
    track: Rect,
    dragging: bool,
    /// Where the range begins that is being selected.
    selects: Option<f64>,
    wants: Option<AxisRequest>,
    hover_x: Option<f64>,
}

impl Strip {
    fn ruler(&self, stage: &Stage) -> Ruler {
        Ruler::across(&self.track, Window::new(0.0, stage.whole()))
    }
}

impl Painter for Strip {
    fn paint(&mut self, pen: &mut Pen<'_>, stage: &Stage) -> bool {
        let chrome = pen.chrome;
        let end = stage.whole();
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
        self.track = track;

        self.columns.resize_with(stage.runs.len(), Columns::default);
        let width = track.w as usize;
        for (run, columns) in stage.runs.iter().zip(&mut self.columns) {
            columns.update(run, width, end);
        }
        let most = stage.most_waiting();
        let top = pen.px(3.0);
        let base = track.y - pen.px(KNOB_RADIUS);
        pen.context.set_line_width(pen.px(1.25));
        for (run, columns) in stage.runs.iter().zip(&self.columns) {
            spark(
                pen,
                columns,
                &track,
                top,
                base,
                most,
                palette::run_colour(run.hue(), stage.dark),
            );
        }

        pen.fill(chrome.line);
        pen.rect(&track);
        let line_h = (track_h / runs).floor();
        for (position, run) in stage.runs.iter().enumerate() {
            pen.fill(palette::run_colour(run.hue(), stage.dark));
            let y = track.y + position as f64 * line_h;
            pen.rect(&Rect {
                y,
                h: line_h,
                w: (track.w * (run.reached() / end).min(1.0)).round(),
                ..track
            });
        }

        let whole = Rect::new(track.x, top, track.w, track.bottom() - top);
        paint_window(pen, &whole, &self.ruler(stage), stage);

        if let Some(x) = self.hover_x {
            pen.fill(chrome.faint);
            pen.rect(&Rect::new(
                x.floor(),
                top,
                pen.px(1.0),
                track.bottom() - top,
            ));
        }
        knob(
            pen,
            &track,
            top,
            self.ruler(stage).x_within(stage.clock.now),
        );
        false
    }

    fn pointer(&mut self, pointer: &Pointer<Device>, stage: &Stage) -> Response {
        let mut response = Response {
            repaint: true,
            cursor: "pointer",
            ..Response::default()
        };
        let ruler = self.ruler(stage);
        let x = pointer.at.x;
        match pointer.kind {
            PointerKind::Leave => {
                self.hover_x = None;
                return response;
            }
            PointerKind::Down if pointer.shift => self.selects = Some(ruler.time_within(x)),
            PointerKind::Down => self.dragging = true,
            PointerKind::Click | PointerKind::Release => {
                self.dragging = false;
                if self.selects.take().is_some() {
                    return response;
                }
            }
            PointerKind::Move => self.dragging &= pointer.down,
            PointerKind::Double => {
                self.wants = Some(AxisRequest::Whole);
                return response;
            }
            PointerKind::Wheel { dx, dy } => {
                let window = stage.axis.target(stage.whole());
                let sideways = if pointer.shift { dx + dy } else { dx };
                let seconds = ruler.seconds(sideways);
                self.wants = Some(AxisRequest::At(if sideways != 0.0 {
                    window.slid(seconds, stage.whole())
                } else {
                    window.zoomed(ruler.time_within(x), wheel_zoom(dy))
                }));
                return response;
            }
            PointerKind::Pinch { factor } => {
                let window = stage.axis.target(stage.whole());
                self.wants = Some(AxisRequest::At(window.zoomed(ruler.time_within(x), factor)));
                return response;
            }
        }
        if let Some(from) = self.selects.filter(|_| pointer.down) {
            let to = ruler.time_within(x);
            self.wants = Some(AxisRequest::Select(Some(Window::new(
                from.min(to),
                from.max(to),
            ))));
        }
        let at = ruler.time_within(x).min(stage.clock.end);
        if self.dragging || pointer.kind == PointerKind::Click {
            response.seek = Some(at);
        }
        self.hover_x = Some(x);
        let mut lines = vec![stage.moments().exact(at)];
        for run in &stage.runs {
            let next = run
                .log
                .sample_times()
                .partition_point(|&sample| sample <= at);
            if let Some(sample) = next.checked_sub(1).filter(|_| at <= run.reached()) {
                let waiting = run.log.sample_waiting()[sample];
                lines.push(format!("{}: {} waiting", run.name(), count(waiting.into())));
            }
        }
        response.tooltip = Some(lines);
        response
    }

    fn wants(&mut self) -> Option<AxisRequest> {
        self.wants.take()
    }
}

/// The window between two brackets, what is not in it paler; the range that is selected as a bar on top.
fn paint_window(pen: &Pen<'_>, area: &Rect, ruler: &Ruler, stage: &Stage) {
    let line = pen.px(1.0);
    if stage.axis.seen().is_some() {
        let window = stage.window();
        let left = ruler.x_within(window.from).round();
        let right = ruler.x_within(window.to).round().max(left + pen.px(3.0));
        pen.fill(pen.chrome.background);
        pen.alpha(0.6);
        let (h, y) = (area.h - pen.px(KNOB_RADIUS), area.y);
        pen.rect(&Rect::new(area.x, y, left - area.x, h));
        pen.rect(&Rect::new(right, y, area.right() - right, h));
        pen.alpha(1.0);
        pen.fill(pen.chrome.faint);
        let w = right - left;
        pen.frame(&Rect::new(left, y, w, h), line);
    }
    if let Some(range) = stage.axis.selected() {
        let (left, right) = (
            ruler.x_within(range.from).round(),
            ruler.x_within(range.to).round(),
        );
        let w = (right - left).max(line);
        pen.fill(palette::range(stage.dark));
        pen.rect(&Rect::new(left, area.y, w, pen.px(3.0)));
        pen.alpha(0.12);
        pen.rect(&Rect::new(left, area.y, w, area.h));
        pen.alpha(1.0);
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

fn knob(pen: &Pen<'_>, track: &Rect, top: f64, x: f64) {
    let y = track.middle().y;
    pen.fill(pen.chrome.text);
    let left = (x - pen.ratio.exact(0.5)).round();
    pen.rect(&Rect::new(left, top, pen.px(1.0), y - top));
    for (radius, colour) in [
        (pen.px(KNOB_RADIUS), pen.chrome.background),
        (pen.px(KNOB_RADIUS - 1.5), pen.chrome.text),
    ] {
        pen.context.begin_path();
        // Cannot fail: the radius is positive.
        let _ = pen.context.arc(x, y, radius, 0.0, std::f64::consts::TAU);
        pen.fill(colour);
        pen.context.fill();
    }
}
