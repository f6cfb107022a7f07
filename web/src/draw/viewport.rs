//! What part of a picture is seen: a window onto time, a window onto a plane, and gliding from
//! one view to the next.

/// How much one press of W enlarges.
pub(super) const KEY_ZOOM: f64 = 1.5;

/// How much of the view one press of A or D goes through.
pub(super) const KEY_PAN: f64 = 0.15;

/// How much the wheel enlarges, turned by `dy` pixels.
pub(super) fn wheel_zoom(dy: f64) -> f64 {
    (-dy * 0.002).clamp(-1.0, 1.0).exp()
}

/// A span of time that is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Window {
    pub(super) fn new(from: f64, to: f64) -> Self {
        Self { from, to }
    }

    pub(super) fn span(&self) -> f64 {
        self.to - self.from
    }

    /// Where `time` is: 0 at the left edge, 1 at the right one.
    pub(super) fn part(&self, time: f64) -> f64 {
        (time - self.from) / self.span()
    }

    /// The time at a [`part`](Self::part).
    pub(super) fn time(&self, part: f64) -> f64 {
        self.from + part * self.span()
    }

    /// Enlarged by `factor`; `about` stays where it is.
    pub(super) fn zoomed(&self, about: f64, factor: f64) -> Self {
        Self::new(
            about - (about - self.from) / factor,
            about + (self.to - about) / factor,
        )
    }

    /// Later by `seconds`.
    pub(super) fn moved(&self, seconds: f64) -> Self {
        Self::new(self.from + seconds, self.to + seconds)
    }

    /// The closest window inside `0..end` that spans at least `least` seconds (or all of it).
    pub(super) fn within(&self, end: f64, least: f64) -> Self {
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
}

/// A window onto a plane: enlarged about its upper left corner, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plane {
    pub(super) scale: f64,
    /// Pixels of the enlarged plane to the left of the window.
    pub(super) x: f64,
    /// Pixels of the enlarged plane above the window.
    pub(super) y: f64,
}

impl Plane {
    /// The whole plane.
    pub(super) const WHOLE: Plane = Plane {
        scale: 1.0,
        x: 0.0,
        y: 0.0,
    };

    /// Enlarged to `scale`; what is seen at `(x, y)` stays there.
    pub(super) fn zoomed(&self, x: f64, y: f64, scale: f64) -> Self {
        let factor = scale / self.scale;
        Self {
            scale,
            x: (self.x + x) * factor - x,
            y: (self.y + y) * factor - y,
        }
    }

    /// The closest window that shows nothing beyond a plane of `width` × `height`.
    pub(super) fn within(&self, width: f64, height: f64, largest: f64) -> Self {
        let scale = self.scale.clamp(1.0, largest.max(1.0));
        Self {
            scale,
            x: self.x.clamp(0.0, width * (scale - 1.0)),
            y: self.y.clamp(0.0, height * (scale - 1.0)),
        }
    }
}

/// Numbers on their way to others: what is seen follows what is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glide<const N: usize> {
    at: [f64; N],
    to: [f64; N],
    last_ms: Option<f64>,
}

/// After so many milliseconds two thirds of the way are done.
const GLIDE_MS: f64 = 45.0;

impl<const N: usize> Glide<N> {
    pub(super) fn new(at: [f64; N]) -> Self {
        Self {
            at,
            to: at,
            last_ms: None,
        }
    }

    /// Where it is.
    pub(super) fn at(&self) -> [f64; N] {
        self.at
    }

    /// Where it will be.
    pub(super) fn target(&self) -> [f64; N] {
        self.to
    }

    /// Goes there from now on.
    pub(super) fn go(&mut self, to: [f64; N]) {
        self.to = to;
    }

    /// Is there at once.
    pub(super) fn jump(&mut self, to: [f64; N]) {
        (self.at, self.to) = (to, to);
    }

    /// Moves on to `real_ms`; `true` while it is on its way. `precision`: the distance that no
    /// longer counts.
    pub(super) fn step(&mut self, real_ms: f64, precision: f64, still: bool) -> bool {
        let passed = self
            .last_ms
            .replace(real_ms)
            .map_or(16.0, |last| (real_ms - last).clamp(1.0, 50.0));
        let left = if still {
            0.0
        } else {
            (-passed / GLIDE_MS).exp()
        };
        let mut moving = false;
        for (at, &to) in self.at.iter_mut().zip(&self.to) {
            let distance = (*at - to) * left;
            if distance.abs() > precision {
                *at = to + distance;
                moving = true;
            } else {
                *at = to;
            }
        }
        if !moving {
            self.last_ms = None;
        }
        moving
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

    #[test]
    fn planes_zoom_about_a_point_and_stay_covered() {
        let seen = |plane: &Plane, x: f64| (x + plane.x) / plane.scale;
        let plane = Plane::WHOLE.zoomed(30.0, 40.0, 4.0);
        assert!((seen(&plane, 30.0) - 30.0).abs() < 1e-12);
        let far = Plane {
            x: 1e6,
            y: -5.0,
            ..plane
        }
        .within(200.0, 100.0, 8.0);
        assert_eq!((far.x, far.y), (600.0, 0.0));
        assert_eq!(
            plane.zoomed(0.0, 0.0, 0.1).within(200.0, 100.0, 8.0),
            Plane::WHOLE
        );
    }

    #[test]
    fn glides_arrive() {
        let mut glide = Glide::new([0.0, 10.0]);
        glide.go([100.0, 10.0]);
        let mut frames = 0;
        while glide.step(f64::from(frames) * 16.0, 0.01, false) {
            frames += 1;
            assert!(frames < 60);
        }
        assert_eq!(glide.at(), [100.0, 10.0]);
        glide.go([0.0, 0.0]);
        assert!(!glide.step(0.0, 0.01, true));
        assert_eq!(glide.at(), [0.0, 0.0]);
    }
}
