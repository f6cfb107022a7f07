//! The overview above the rows: GPUs allocated and jobs waiting over all time, and on it the
//! window that is seen, to be dragged by its middle or its edges.

use crate::draw::axis::paint_weekends;
use crate::draw::pen::{Align, Pen};
use crate::draw::series::Columns;
use crate::draw::space::Rect;
use crate::draw::viewport::{Ruler, Window};
use crate::draw::{format, palette};
use crate::stage::Stage;

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
            Grip::Middle { offset } => window.slid(time - offset - window.from, self.end),
            Grip::Start => Window::new(time.min(window.to), window.to),
            Grip::End => Window::new(window.from, time.max(window.from)),
            Grip::New { from } => Window::new(from.min(time), from.max(time)),
        }
    }

    /// GPUs held as an area and jobs waiting as a line, which all runs have on one scale.
    pub(super) fn paint(&self, pen: &mut Pen<'_>, columns: &Columns, stage: &Stage) {
        let (chrome, area) = (pen.chrome, &self.area);
        let height = area.h - pen.px(2.0);
        let gpus = f64::from(stage.cluster.gpus().max(1));
        pen.fill(chrome.free);
        pen.rect(area);
        paint_weekends(pen, area, &self.ruler(), stage.moments());
        pen.fill(chrome.busy);
        pen.alpha(0.55);
        for (column, &allocated) in columns.gpus.iter().enumerate() {
            let h = (height * allocated / gpus).round();
            let x = area.x + column as f64;
            pen.rect(&Rect::new(x, area.bottom() - h, 1.0, h));
        }
        pen.alpha(1.0);
        let waiting = palette::category(5, stage.dark);
        let most = top_of_scale(stage.most_waiting());
        let line = pen.px(1.0);
        let y_of = |jobs: f64| area.bottom() - line - (height - line) * jobs / most;
        let context = pen.context;
        context.begin_path();
        for (column, &jobs) in columns.waiting.iter().enumerate() {
            context.line_to(area.x + column as f64 + 0.5, y_of(jobs));
        }
        context.set_stroke_style_str(waiting);
        context.set_line_width(1.25 * pen.ratio.0);
        context.stroke();
        self.paint_scale(pen, waiting, most, &y_of);
        let (window, now) = (stage.window(), stage.clock.now);

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
        if let Some(range) = stage.axis.selected() {
            let (from, to) = (self.x_of(range.from).round(), self.x_of(range.to).round());
            let (w, h) = ((to - from).max(line), pen.px(3.0));
            pen.fill(palette::range(stage.dark));
            pen.rect(&Rect::new(from, area.bottom() - h, w, h));
        }
        pen.fill(chrome.accent);
        pen.rect(&Rect {
            x: self.x_of(now).round(),
            w: line,
            ..*area
        });
    }

    /// The axis of jobs waiting, in the gutter.
    fn paint_scale(&self, pen: &mut Pen<'_>, colour: &str, most: f64, y_of: &dyn Fn(f64) -> f64) {
        let area = &self.area;
        let (gutter, tick) = (area.x - pen.px(8.0), pen.px(4.0));
        pen.fill(colour);
        for (jobs, off) in [(most, 6.0), (0.0, -5.0)] {
            let y = y_of(jobs);
            pen.rect(&Rect::new(area.x - tick, y.round(), tick, pen.px(1.0)));
            let text = format::count(jobs as u64);
            pen.label(
                &text,
                gutter,
                y + pen.ratio.exact(off),
                Align::Right,
                gutter,
            );
        }
        let middle = area.middle().y + pen.px(1.0);
        pen.label("waiting", gutter, middle, Align::Right, gutter);
    }
}

/// Where a scale from 0 ends that goes up to `most`: at a number with one digit.
fn top_of_scale(most: f64) -> f64 {
    let decade = 10f64.powf(most.max(1.0).log10().floor());
    (most.max(1.0) / decade).ceil() * decade
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
    fn scales_end_at_one_digit() {
        let tops = [0.0, 1.0, 9.0, 11.0, 24.0, 1_830.0].map(top_of_scale);
        assert_eq!(tops, [1.0, 1.0, 9.0, 20.0, 30.0, 2_000.0]);
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
