//! The time axis above the rows: where it is marked, what the marks say, and the clock.

use super::overview::range_colour;
use crate::draw::format;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::Rect;
use crate::draw::text::SMALL;
use crate::draw::viewport::{Ruler, Window};

const DAY: f64 = 86_400.0;

/// Steps that people count time in, up to five days.
#[rustfmt::skip]
const STEPS: [f64; 20] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0,
    60.0, 120.0, 300.0, 600.0, 900.0, 1800.0,
    3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0,
    DAY, 2.0 * DAY, 5.0 * DAY,
];

/// Paints the marks and what they say, but for what the clock's `pill` covers.
pub(super) fn paint(pen: &mut Pen<'_>, axis: &Rect, ruler: &Ruler, pill: Option<Rect>) {
    let chrome = pen.chrome;
    let room = pen.px(84.0);
    let step = step(ruler.window.span(), axis.w / room);
    let middle = axis.y + axis.h / 2.0 - pen.px(2.0);
    for mark in marks(ruler.window, step) {
        let x = ruler.x(mark).round();
        pen.fill(chrome.line);
        let y = axis.bottom() - pen.px(5.0);
        pen.rect(&Rect::new(x, y, pen.px(1.0), pen.px(4.0)));
        let text = label(mark, step);
        let half = pen.width(&text, SMALL) / 2.0;
        let hidden = pill.is_some_and(|pill| x + half > pill.x && x - half < pill.right());
        if !hidden && x - half >= axis.x - pen.px(4.0) && x + half <= pen.area.w {
            pen.fill(chrome.faint);
            pen.label(&text, x, middle, Align::Centre, room);
        }
    }
    if ruler.window.to <= DAY {
        return;
    }
    // The day, where no mark says it.
    pen.fill(chrome.faint);
    let day = label((ruler.window.from / DAY).floor() * DAY, DAY);
    let gutter = axis.x - pen.px(6.0);
    pen.label(&day, gutter, middle, Align::Right, gutter);
}

/// Where the clock's time is written, if it is inside the window.
pub(super) fn pill(pen: &mut Pen<'_>, axis: &Rect, ruler: &Ruler, now: f64) -> Option<Rect> {
    if now < ruler.window.from || now > ruler.window.to {
        return None;
    }
    let text = format::time(now);
    let w = (pen.width(&text, SMALL) + pen.px(10.0)).round();
    let left = (ruler.x(now) - w / 2.0).round();
    let left = left.clamp(axis.x, (axis.right() - w).max(axis.x));
    Some(Rect::new(left, axis.y + pen.px(1.0), w, pen.px(17.0)))
}

/// Paints the clock: its time in the pill, and a line through the plot.
pub(super) fn paint_clock(pen: &mut Pen<'_>, plot: &Rect, ruler: &Ruler, pill: Rect, now: f64) {
    let line = pen.px(1.0);
    let x = ruler.x(now).round().min(plot.right() - line);
    pen.fill(pen.chrome.accent);
    pen.rect(&Rect::new(x, pill.y, line, plot.bottom() - pill.y));
    pen.rect(&pill);
    pen.fill(pen.chrome.background);
    let middle = pill.middle();
    let text = format::time(now);
    pen.label(&text, middle.x, middle.y, Align::Centre, pill.w);
}

/// Paints the range that is selected: a bar along the axis with how long it is, and a tint on the rows.
pub(super) fn paint_range(
    pen: &mut Pen<'_>,
    axis: &Rect,
    plot: &Rect,
    ruler: &Ruler,
    range: Window,
) {
    if range.to < ruler.window.from || range.from > ruler.window.to {
        return;
    }
    let (left, right) = (
        ruler.x_within(range.from).round(),
        ruler.x_within(range.to).round(),
    );
    let (w, line) = ((right - left).max(1.0), pen.px(1.0));
    pen.fill(range_colour(pen.is_dark));
    pen.alpha(0.12);
    pen.rect(&Rect::new(left, plot.y, w, plot.h));
    pen.alpha(1.0);
    for x in [left, right - line] {
        pen.rect(&Rect::new(x, axis.y, line, plot.bottom() - axis.y));
    }
    let h = pen.px(4.0);
    pen.rect(&Rect::new(left, axis.bottom() - h, w, h));
}

/// The smallest step of which at most `most` go into `span` seconds.
pub(in crate::draw) fn step(span: f64, most: f64) -> f64 {
    let least = span / most.max(1.0);
    if let Some(&step) = STEPS.iter().find(|&&step| step >= least) {
        return step;
    }
    let mut step = 10.0 * DAY;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if step >= least || !step.is_finite() {
            break;
        }
        step *= factor;
    }
    step
}

/// The multiples of `step` inside `window`.
pub(in crate::draw) fn marks(window: Window, step: f64) -> impl Iterator<Item = f64> {
    let first = (window.from / step).ceil();
    (0..)
        .map(move |i| (first + f64::from(i)) * step)
        .take_while(move |&time| time <= window.to)
}

/// A mark's text: the day where one begins, else the time of day.
pub(in crate::draw) fn label(time: f64, step: f64) -> String {
    if step >= DAY || (time > 0.0 && time % DAY == 0.0) {
        format!("day {}", format::figures((time / DAY).floor()))
    } else {
        format::time_of_day(time, step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_few_round_and_inside() {
        let mut span = 3.0;
        while span < 1e10 {
            for most in [3.0, 7.0, 12.0] {
                let step = step(span, most);
                let window = Window::new(span * 1.7, span * 2.7);
                let marks: Vec<f64> = marks(window, step).collect();
                assert!(marks.len() <= most as usize + 1, "{span} {step} {marks:?}");
                assert!(
                    span < 5.0 * most * step,
                    "no step is much too wide: {span} {step}"
                );
                assert!(
                    marks
                        .iter()
                        .all(|&mark| mark >= window.from && mark <= window.to && mark % 1.0 == 0.0)
                );
            }
            span *= 1.37;
        }
    }

    #[test]
    fn labels_say_what_changes() {
        assert_eq!(label(0.0, 3600.0), "00:00");
        assert_eq!(label(DAY, 3600.0), "day 1");
        assert_eq!(label(50_400.0, 3600.0), "14:00");
        assert_eq!(label(50_415.0, 15.0), "14:00:15");
        assert_eq!(label(12.0 * DAY, 2.0 * DAY), "day 12");
    }
}
