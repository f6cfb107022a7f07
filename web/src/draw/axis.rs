//! An axis of time above rows: its marks, the weekends below it, and the clock.

use crate::draw::moments::Moments;
use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::Rect;
use crate::draw::text::SMALL;
use crate::draw::viewport::{Ruler, Window};
use switchyard_charts::{LEAST_DAY, WEEKEND};

/// Paints the marks and what they say, as far as one has room beside the other and beside the clock's `pill`.
pub(crate) fn paint(
    pen: &mut Pen<'_>,
    axis: &Rect,
    ruler: &Ruler,
    pill: Option<Rect>,
    moments: &Moments,
) {
    let chrome = pen.chrome;
    let room = pen.px(84.0);
    let ticks = moments.ticks(ruler.window, axis.w / room);
    let middle = axis.y + axis.h / 2.0 - pen.px(2.0);
    let mut free = axis.x - pen.px(4.0);
    // What the marks leave out stands where the axis begins.
    if let Some(aside) = &ticks.aside {
        let right = axis.x + pen.width(aside, SMALL);
        if pill.is_none_or(|pill| right <= pill.x || axis.x >= pill.right()) {
            pen.fill(chrome.faint);
            pen.label(aside, axis.x, middle, Align::Left, right - axis.x + 1.0);
            free = right + pen.px(6.0);
        }
    }
    for (mark, text) in &ticks.marks {
        let x = ruler.x(*mark).round();
        pen.fill(chrome.line);
        let y = axis.bottom() - pen.px(5.0);
        pen.rect(&Rect::new(x, y, pen.px(1.0), pen.px(4.0)));
        let half = pen.width(text, SMALL) / 2.0;
        let left = begin(x, half, axis);
        let right = left + 2.0 * half;
        let hidden = pill.is_some_and(|pill| right > pill.x && left < pill.right());
        if !hidden && left >= free && right <= pen.area.w {
            pen.fill(chrome.faint);
            pen.label(text, left, middle, Align::Left, room.max(2.0 * half + 1.0));
            free = right + pen.px(6.0);
        }
    }
}

/// Where a mark's words begin: around it, but not beside the axis.
fn begin(mark: f64, half: f64, axis: &Rect) -> f64 {
    (mark - half).max(axis.x)
}

/// Shades Saturdays and Sundays over an area.
pub(crate) fn paint_weekends(pen: &mut Pen<'_>, area: &Rect, ruler: &Ruler, moments: &Moments) {
    pen.fill(pen.chrome.text);
    pen.alpha(WEEKEND);
    for weekend in moments.weekends(ruler.window, area.w, pen.px(LEAST_DAY)) {
        let (left, right) = (ruler.x(weekend.from).round(), ruler.x(weekend.to).round());
        pen.rect(&Rect::new(left, area.y, right - left, area.h));
    }
    pen.alpha(1.0);
}

/// Where the clock's time is written, if it is inside the window.
pub(crate) fn pill(
    pen: &mut Pen<'_>,
    axis: &Rect,
    ruler: &Ruler,
    (now, text): (f64, &str),
) -> Option<Rect> {
    if now < ruler.window.from || now > ruler.window.to {
        return None;
    }
    let w = (pen.width(text, SMALL) + pen.px(10.0)).round();
    let left = (ruler.x(now) - w / 2.0).round();
    let left = left.clamp(axis.x, (axis.right() - w).max(axis.x));
    Some(Rect::new(left, axis.y + pen.px(1.0), w, pen.px(17.0)))
}

/// Paints the clock: its time in the pill, and a line through the plot.
pub(crate) fn paint_clock(
    pen: &mut Pen<'_>,
    plot: &Rect,
    ruler: &Ruler,
    pill: Rect,
    (now, text): (f64, &str),
) {
    let line = pen.px(1.0);
    let x = ruler.x(now).round().min(plot.right() - line);
    pen.fill(pen.chrome.accent);
    pen.rect(&Rect::new(x, pill.y, line, plot.bottom() - pill.y));
    pen.rect(&pill);
    pen.fill(pen.chrome.background);
    let middle = pill.middle();
    pen.label(text, middle.x, middle.y, Align::Centre, pill.w);
}

/// Paints the range that is selected: a bar along the axis with how long it is, and a tint on the rows.
pub(crate) fn paint_range(
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
    pen.fill(palette::range(pen.is_dark));
    pen.alpha(0.12);
    pen.rect(&Rect::new(left, plot.y, w, plot.h));
    pen.alpha(1.0);
    for x in [left, right - line] {
        pen.rect(&Rect::new(x, axis.y, line, plot.bottom() - axis.y));
    }
    let h = pen.px(4.0);
    pen.rect(&Rect::new(left, axis.bottom() - h, w, h));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_marks_words_stand_on_the_axis() {
        let axis = Rect::new(60.0, 0.0, 800.0, 24.0);
        assert_eq!(begin(60.0, 15.0, &axis), 60.0);
        assert_eq!(begin(70.0, 15.0, &axis), 60.0);
        assert_eq!(begin(100.0, 15.0, &axis), 85.0);
    }
}
