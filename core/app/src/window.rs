//! A window onto the time of a trace.

/// A span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// Its beginning, seconds.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

impl Window {
    /// From one time to another.
    pub fn new(from: f64, to: f64) -> Self {
        Self { from, to }
    }

    /// How long it is.
    pub fn span(&self) -> f64 {
        self.to - self.from
    }

    /// Where `time` is: 0 at the left edge, 1 at the right one.
    pub fn part(&self, time: f64) -> f64 {
        (time - self.from) / self.span()
    }

    /// The time at a [`part`](Self::part).
    pub fn time(&self, part: f64) -> f64 {
        self.from + part * self.span()
    }

    /// Enlarged by `factor`; `about` stays where it is.
    pub fn zoomed(&self, about: f64, factor: f64) -> Self {
        Self::new(
            about - (about - self.from) / factor,
            about + (self.to - about) / factor,
        )
    }

    /// Later by `seconds`.
    pub fn moved(&self, seconds: f64) -> Self {
        Self::new(self.from + seconds, self.to + seconds)
    }

    /// The closest window inside `0..end` that spans at least `least` seconds (or all of it).
    pub fn within(&self, end: f64, least: f64) -> Self {
        let span = self.span().max(least).min(end.max(least));
        let middle = (self.from + self.to) / 2.0;
        let from = if self.span() >= least {
            self.from
        } else {
            middle - span / 2.0
        };
        let from = from.min(end - span).max(0.0);
        Self::new(from, from + span)
    }

    /// Later by `seconds`, or by as much as there is up to `end`.
    pub fn slid(&self, seconds: f64, end: f64) -> Self {
        let last = (end - self.span()).max(0.0);
        let from = (self.from + seconds).clamp(0.0, last);
        Self::new(from, from + self.span())
    }

    /// Whether a time is inside.
    pub fn holds(&self, time: f64) -> bool {
        time >= self.from && time <= self.to
    }

    /// To a hundredth of a second: as precise as links are.
    pub fn rounded(&self) -> Self {
        let round = |time: f64| (time * 100.0).round() / 100.0;
        Self::new(round(self.from), round(self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_keeps_the_time_under_the_pointer() {
        let window = Window::new(100.0, 300.0);
        let about = window.time(0.3);
        let zoomed = window.zoomed(about, 2.0);
        assert!((zoomed.part(about) - 0.3).abs() < 1e-12);
        assert_eq!(zoomed.span(), 100.0);
    }

    #[test]
    fn windows_stay_within_the_run() {
        for (from, to) in [
            (-50.0, 20.0),
            (90.0, 130.0),
            (-10.0, 500.0),
            (50.0, 50.1),
            (99.9, 100.0),
        ] {
            let window = Window::new(from, to).within(100.0, 1.0);
            assert!(
                window.from >= 0.0 && window.to <= 100.0 + 1e-9,
                "{window:?}"
            );
            assert!(window.span() >= 1.0 - 1e-9 && window.span() <= 100.0);
        }
        assert_eq!(
            Window::new(20.0, 40.0).within(100.0, 1.0),
            Window::new(20.0, 40.0)
        );
        assert_eq!(
            Window::new(0.0, 0.0).within(0.0, 1.0),
            Window::new(0.0, 1.0)
        );
    }
}
