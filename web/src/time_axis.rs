//! The one axis of time: which part of it every view over time shows, and which part is selected on
//! it. Views draw [`Stage::window`](crate::stage::Stage::window), and say what they want by an [`AxisRequest`]; the
//! animation carries it out and glides there.

use crate::draw::viewport::Glide;
pub use switchyard_app::Window;

/// No window is shorter, seconds.
const LEAST_SPAN: f64 = 1.0;

/// What a view wants of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AxisRequest {
    /// Show this window, gliding there.
    At(Window),
    /// Show it at once: the pointer holds it.
    Held(Window),
    /// Show all of time.
    Whole,
    /// Select this range, or none.
    Select(Option<Window>),
}

/// What is seen and selected of time.
#[derive(Debug)]
pub struct TimeAxis {
    /// `None`: all of time, however long it becomes.
    seen: Option<Window>,
    selected: Option<Window>,
    /// Whether the player stays in the selected range, over and over.
    pub looped: bool,
    glide: Glide<2>,
    glides: bool,
}

impl Default for TimeAxis {
    fn default() -> Self {
        Self::new(None, None)
    }
}

impl TimeAxis {
    /// An axis that shows a window, or all of time, with a range selected on it, or none.
    pub fn new(seen: Option<Window>, selected: Option<Window>) -> Self {
        Self {
            seen,
            selected,
            looped: false,
            glide: Glide::new([0.0, 1.0]),
            glides: false,
        }
    }

    /// The window that is to be seen; `None`: all of time.
    pub fn seen(&self) -> Option<Window> {
        self.seen
    }

    /// The range that is selected.
    pub fn selected(&self) -> Option<Window> {
        self.selected
    }

    /// Where it goes, where there is time up to `end`.
    pub fn target(&self, end: f64) -> Window {
        let whole = Window::new(0.0, end);
        self.seen.map_or(whole, |seen| seen.within(end, LEAST_SPAN))
    }

    /// What is seen now.
    pub fn window(&self, end: f64) -> Window {
        if !self.glides {
            return self.target(end);
        }
        let [from, to] = self.glide.at();
        Window::new(from, to)
    }

    /// Does what a view wants.
    pub fn look(&mut self, look: AxisRequest, end: f64) {
        let now = self.window(end);
        match look {
            AxisRequest::At(window) | AxisRequest::Held(window) => {
                let window = window.within(end, LEAST_SPAN);
                self.seen = (window.span() < end).then(|| window.rounded());
            }
            AxisRequest::Whole => self.seen = None,
            AxisRequest::Select(range) => {
                let range = range.map(|range| {
                    let (from, to) = (range.from.max(0.0), range.to.min(end));
                    Window::new(from, to).rounded()
                });
                self.selected = range.filter(|range| range.span() > 0.0);
                self.looped &= self.selected.is_some();
                return;
            }
        }
        self.glides = !matches!(look, AxisRequest::Held(_));
        self.glide.jump([now.from, now.to]);
    }

    /// Moves on to `real_ms`; `true` if it was on its way. `still`: without gliding.
    pub fn glide(&mut self, real_ms: f64, still: bool, end: f64) -> bool {
        if !self.glides {
            return false;
        }
        let target = self.target(end);
        self.glide.go([target.from, target.to]);
        self.glides = self.glide.step(real_ms, target.span() * 2e-4, still);
        true
    }

    /// The clock has gone by itself from one time to another: the window follows it, and a loop begins
    /// anew. Returns where the clock stands then.
    pub fn follow(&mut self, before: f64, now: f64, end: f64) -> f64 {
        if let Some(range) = self.selected.filter(|_| self.looped)
            && range.holds(before)
            && now >= range.to
        {
            return range.from;
        }
        let seen = self.target(end);
        if seen.holds(before) && now > seen.to {
            let next = seen.moved(now - seen.from - seen.span() * 0.1);
            self.look(AxisRequest::At(next), end);
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_glides_there_and_stays_as_time_grows() {
        let mut axis = TimeAxis::default();
        assert_eq!(axis.window(100.0), Window::new(0.0, 100.0));
        axis.look(AxisRequest::At(Window::new(20.0, 40.0)), 100.0);
        assert_eq!(
            axis.window(100.0),
            Window::new(0.0, 100.0),
            "it begins where it was"
        );
        for frame in 0..60 {
            axis.glide(f64::from(frame) * 16.0, false, 100.0);
        }
        assert_eq!(axis.window(100.0), Window::new(20.0, 40.0));
        assert_eq!(axis.window(200.0), Window::new(20.0, 40.0));
        axis.look(AxisRequest::Held(Window::new(-5.0, 900.0)), 100.0);
        assert_eq!(
            (axis.seen(), axis.window(300.0)),
            (None, Window::new(0.0, 300.0))
        );
    }

    #[test]
    fn the_window_follows_the_clock_out_of_it_and_no_further() {
        let mut axis = TimeAxis::default();
        axis.look(AxisRequest::Held(Window::new(20.0, 40.0)), 100.0);
        assert_eq!(axis.follow(39.0, 41.0, 100.0), 41.0);
        assert_eq!(axis.seen(), Some(Window::new(39.0, 59.0)));
        axis.follow(70.0, 71.0, 100.0);
        assert_eq!(axis.seen(), Some(Window::new(39.0, 59.0)));
    }

    #[test]
    fn a_loop_begins_anew_at_its_end() {
        let mut axis = TimeAxis::default();
        axis.look(AxisRequest::Select(Some(Window::new(-3.0, 40.0))), 100.0);
        assert_eq!(axis.selected(), Some(Window::new(0.0, 40.0)));
        assert_eq!(axis.follow(39.0, 41.0, 100.0), 41.0);
        axis.looped = true;
        assert_eq!(axis.follow(39.0, 41.0, 100.0), 0.0);
        assert_eq!(
            axis.follow(50.0, 51.0, 100.0),
            51.0,
            "the clock was put elsewhere"
        );
        axis.look(AxisRequest::Select(Some(Window::new(5.0, 5.0))), 100.0);
        assert_eq!((axis.selected(), axis.looped), (None, false));
    }
}
