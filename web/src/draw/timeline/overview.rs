//! The overview above the rows: GPUs allocated and jobs waiting over all time, and on it the
//! window that is seen, to be dragged by its middle or its edges.

use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::series::Columns;
use crate::draw::space::Rect;
use crate::draw::viewport::{Ruler, Window};

/// What a press on the overview takes hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grip {
    /// The window, so many seconds from its start.
    Middle { offset: f64 },
    /// The window's start; its end stays.
    Start,
    /// The window's end; its start stays.
    End,
    /// Nothing: a new window begins here.
    New { from: f64 },
}

/// The overview's place, and the time it spans from left to right.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Overview {
    pub(super) area: Rect,
    pub(super) end: f64,
}

impl Overview {
    fn ruler(&self) -> Ruler {
        Ruler::across(&self.area, Window::new(0.0, self.end))
    }

    pub(super) fn time_at(&self, x: f64) -> f64 {
        self.ruler().time_within(x)
    }

    fn x_of(&self, time: f64) -> f64 {
        self.ruler().x_within(time)
    }

    /// A window later by `seconds`, or by as much as there is.
    pub(super) fn moved(&self, window: Window, seconds: f64) -> Window {
        let last = (self.end - window.span()).max(0.0);
        let from = (window.from + seconds).clamp(0.0, last);
        Window::new(from, from + window.span())
    }

    /// What is at `x`; `reach`: how near an edge must be, in pixels.
    pub(super) fn grip(&self, x: f64, window: Window, reach: f64) -> Grip {
        let (start, end) = (self.x_of(window.from), self.x_of(window.to));
        let time = self.time_at(x);
        let narrow = end - start < 4.0 * reach;
        let is_whole = window.span() >= self.end * 0.999;
        // The edges of a narrow window are taken from outside, so that its middle can be held.
        if (start - reach..=start + if narrow { 0.0 } else { reach }).contains(&x) {
            Grip::Start
        } else if (end - if narrow { 0.0 } else { reach }..=end + reach).contains(&x) {
            Grip::End
        } else if x > start && x < end && !is_whole {
            Grip::Middle {
                offset: time - window.from,
            }
        } else {
            Grip::New { from: time }
        }
    }

    /// The window after a grip has been dragged to `x`.
    pub(super) fn dragged(&self, grip: Grip, x: f64, window: Window) -> Window {
        let time = self.time_at(x);
        match grip {
            Grip::Middle { offset } => self.moved(window, time - offset - window.from),
            Grip::Start => Window::new(time.min(window.to), window.to),
            Grip::End => Window::new(window.from, time.max(window.from)),
            Grip::New { from } => Window::new(from.min(time), from.max(time)),
        }
    }

    pub(super) fn paint(
        &self,
        pen: &mut Pen<'_>,
        columns: &Columns,
        gpus: u32,
        window: Window,
        now: f64,
        dark: bool,
    ) {
        let chrome = pen.chrome;
        let area = &self.area;
        let height = area.h - pen.px(2.0);
        pen.fill(chrome.free);
        pen.rect(area);
        pen.fill(chrome.busy);
        pen.alpha(0.55);
        for (column, &allocated) in columns.gpus.iter().enumerate() {
            let h = (height * allocated / f64::from(gpus.max(1))).round();
            pen.rect(&Rect::new(
                area.x + column as f64,
                area.bottom() - h,
                1.0,
                h,
            ));
        }
        pen.alpha(1.0);
        let waiting = palette::category(5, dark);
        let context = pen.context;
        context.begin_path();
        for (column, &jobs) in columns.waiting.iter().enumerate() {
            let y = area.bottom()
                - pen.ratio.0
                - (height - pen.ratio.0) * jobs / columns.most_waiting.max(1.0);
            context.line_to(area.x + column as f64 + 0.5, y);
        }
        context.set_stroke_style_str(waiting);
        context.set_line_width(1.25 * pen.ratio.0);
        context.stroke();

        let gutter = area.x - pen.px(6.0);
        pen.fill(waiting);
        pen.label(
            "waiting",
            gutter,
            area.y + pen.px(9.0),
            Align::Right,
            gutter,
        );
        pen.fill(chrome.faint);
        pen.label(
            "GPUs",
            gutter,
            area.bottom() - pen.px(9.0),
            Align::Right,
            gutter,
        );

        let (start, end) = (
            self.x_of(window.from).round(),
            self.x_of(window.to)
                .round()
                .max(self.x_of(window.from).round() + 2.0),
        );
        pen.fill(chrome.background);
        pen.alpha(0.65);
        pen.rect(&Rect {
            w: start - area.x,
            ..*area
        });
        pen.rect(&Rect {
            x: end,
            w: area.right() - end,
            ..*area
        });
        pen.alpha(1.0);
        pen.fill(chrome.faint);
        let line = pen.px(1.0);
        pen.frame(
            &Rect {
                x: start,
                w: end - start,
                ..*area
            },
            line,
        );
        let handle = pen.px(14.0);
        for edge in [start - line, end - 2.0 * line] {
            pen.rect(&Rect::new(
                edge,
                area.y + (area.h - handle) / 2.0,
                3.0 * line,
                handle,
            ));
        }
        pen.fill(chrome.accent);
        pen.rect(&Rect {
            x: self.x_of(now).round(),
            w: line,
            ..*area
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERVIEW: Overview = Overview {
        area: Rect::new(100.0, 0.0, 1000.0, 40.0),
        end: 500.0,
    };

    #[test]
    fn a_window_is_held_by_its_middle_and_edges() {
        let window = Window::new(100.0, 200.0);
        assert_eq!(OVERVIEW.grip(302.0, window, 5.0), Grip::Start);
        assert_eq!(OVERVIEW.grip(498.0, window, 5.0), Grip::End);
        assert_eq!(
            OVERVIEW.grip(400.0, window, 5.0),
            Grip::Middle { offset: 50.0 }
        );
        assert_eq!(OVERVIEW.grip(700.0, window, 5.0), Grip::New { from: 300.0 });
        let narrow = Window::new(100.0, 102.0);
        assert_eq!(
            OVERVIEW.grip(302.0, narrow, 5.0),
            Grip::Middle { offset: 1.0 }
        );
        assert_eq!(
            OVERVIEW.grip(400.0, Window::new(0.0, 500.0), 5.0),
            Grip::New { from: 150.0 }
        );
    }

    #[test]
    fn dragging_keeps_what_is_not_dragged() {
        let window = Window::new(100.0, 200.0);
        let dragged = |grip, x| OVERVIEW.dragged(grip, x, window);
        assert_eq!(
            dragged(Grip::Middle { offset: 50.0 }, 500.0),
            Window::new(150.0, 250.0)
        );
        assert_eq!(
            dragged(Grip::Middle { offset: 50.0 }, 9e9),
            Window::new(400.0, 500.0)
        );
        assert_eq!(dragged(Grip::Start, 200.0), Window::new(50.0, 200.0));
        assert_eq!(dragged(Grip::Start, 900.0), Window::new(200.0, 200.0));
        assert_eq!(dragged(Grip::End, 900.0), Window::new(100.0, 400.0));
        assert_eq!(
            dragged(Grip::New { from: 300.0 }, 300.0),
            Window::new(100.0, 300.0)
        );
    }
}
