//! What part of a picture is seen: a window onto time laid along a canvas, a window onto a plane, and
//! gliding from one view to the next.

use super::space::{Device, Point, Rect, Size, World};
pub(crate) use crate::time_axis::Window;

/// How much one press of W enlarges.
pub(crate) const KEY_ZOOM: f64 = 1.5;

/// How much of the view one press of A or D goes through.
pub(crate) const KEY_PAN: f64 = 0.15;

/// How much the wheel enlarges, turned by `dy` pixels.
pub(crate) fn wheel_zoom(dy: f64) -> f64 {
    (-dy * 0.002).clamp(-1.0, 1.0).exp()
}

/// A window along a stretch of the canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ruler {
    /// Its left end, device pixels.
    pub(crate) left: f64,
    /// Its length, device pixels.
    pub(crate) length: f64,
    pub(crate) window: Window,
}

impl Ruler {
    /// `window` across an area.
    pub(crate) fn across(area: &Rect, window: Window) -> Self {
        Self {
            left: area.x,
            length: area.w,
            window,
        }
    }

    /// Where `time` is.
    pub(crate) fn x(&self, time: f64) -> f64 {
        self.left + self.window.part(time) * self.length
    }

    /// The time at a place.
    pub(crate) fn time(&self, x: f64) -> f64 {
        self.window.time((x - self.left) / self.length)
    }

    /// [`x`](Self::x), no further than the ends.
    pub(crate) fn x_within(&self, time: f64) -> f64 {
        self.left + self.window.part(time).clamp(0.0, 1.0) * self.length
    }

    /// [`time`](Self::time), no further than the ends.
    pub(crate) fn time_within(&self, x: f64) -> f64 {
        let part = (x - self.left) / self.length;
        self.window.time(part.clamp(0.0, 1.0))
    }

    /// The span of so many pixels.
    pub(crate) fn seconds(&self, pixels: f64) -> f64 {
        pixels / self.length * self.window.span()
    }
}

/// A window onto a plane: enlarged about its upper left corner, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub(crate) scale: f64,
    /// Pixels of the enlarged plane to the left of the window.
    pub(crate) x: f64,
    /// Pixels of the enlarged plane above the window.
    pub(crate) y: f64,
}

impl Plane {
    /// The whole plane.
    pub(crate) const WHOLE: Plane = Plane {
        scale: 1.0,
        x: 0.0,
        y: 0.0,
    };

    /// The plane seen through `area` so that `at` is in its middle.
    pub(crate) fn centred(at: Point<World>, scale: f64, area: &Rect) -> Self {
        Self {
            scale,
            x: at.x * scale - area.w / 2.0,
            y: at.y * scale - area.h / 2.0,
        }
    }

    /// Enlarged to `scale`; what is seen at `about` stays there. `corner`: the window's upper left
    /// one.
    pub(crate) fn zoomed(&self, about: Point<Device>, corner: Point<Device>, scale: f64) -> Self {
        let factor = scale / self.scale;
        let (x, y) = (about.x - corner.x, about.y - corner.y);
        Self {
            scale,
            x: (self.x + x) * factor - x,
            y: (self.y + y) * factor - y,
        }
    }

    /// After the pointer has drawn what it held `from` one place `to` another.
    pub(crate) fn dragged(&self, from: Point<Device>, to: Point<Device>) -> Self {
        Self {
            x: self.x + from.x - to.x,
            y: self.y + from.y - to.y,
            ..*self
        }
    }

    /// How large something of the plane is seen.
    pub(crate) fn size(&self, size: Size<World>) -> Size<Device> {
        Size::new(size.w * self.scale, size.h * self.scale)
    }

    /// Where the plane's upper left corner is seen through a window with this one.
    pub(crate) fn origin(&self, corner: Point<Device>) -> Point<Device> {
        Point::new(corner.x - self.x, corner.y - self.y)
    }

    /// The closest window that shows nothing beyond a plane of this size.
    pub(crate) fn within(&self, size: Size<World>, largest: f64) -> Self {
        let scale = self.scale.clamp(1.0, largest.max(1.0));
        Self {
            scale,
            x: self.x.clamp(0.0, size.w * (scale - 1.0)),
            y: self.y.clamp(0.0, size.h * (scale - 1.0)),
        }
    }
}

impl From<Plane> for [f64; 3] {
    fn from(plane: Plane) -> Self {
        [plane.scale, plane.x, plane.y]
    }
}

impl From<[f64; 3]> for Plane {
    fn from([scale, x, y]: [f64; 3]) -> Self {
        Self { scale, x, y }
    }
}

/// Numbers on their way to others: what is seen follows what is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glide<const N: usize> {
    at: [f64; N],
    to: [f64; N],
    last_ms: Option<f64>,
}

/// After so many milliseconds two thirds of the way are done.
const GLIDE_MS: f64 = 45.0;

impl<const N: usize> Glide<N> {
    pub(crate) fn new(at: [f64; N]) -> Self {
        Self {
            at,
            to: at,
            last_ms: None,
        }
    }

    /// Where it is.
    pub(crate) fn at(&self) -> [f64; N] {
        self.at
    }

    /// Where it will be.
    pub(crate) fn target(&self) -> [f64; N] {
        self.to
    }

    /// Goes there from now on.
    pub(crate) fn go(&mut self, to: [f64; N]) {
        self.to = to;
    }

    /// Is there at once.
    pub(crate) fn jump(&mut self, to: [f64; N]) {
        (self.at, self.to) = (to, to);
    }

    /// Moves on to `real_ms`; `true` while it is on its way. `precision`: the distance that no
    /// longer counts.
    pub(crate) fn step(&mut self, real_ms: f64, precision: f64, still: bool) -> bool {
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
    fn places_on_a_ruler_are_times() {
        let area = Rect::new(10.0, 0.0, 400.0, 1.0);
        let ruler = Ruler::across(&area, Window::new(100.0, 300.0));
        assert_eq!((ruler.x(150.0), ruler.time(110.0)), (110.0, 150.0));
        assert_eq!((ruler.x(0.0), ruler.time(0.0)), (-190.0, 95.0));
        assert_eq!((ruler.x_within(0.0), ruler.time_within(0.0)), (10.0, 100.0));
        assert_eq!(ruler.seconds(40.0), 20.0);
    }

    #[test]
    fn planes_zoom_about_a_point_and_stay_covered() {
        let seen = |plane: &Plane, x: f64| (x + plane.x) / plane.scale;
        let corner = Point::new(0.0, 0.0);
        let plane = Plane::WHOLE.zoomed(Point::new(30.0, 40.0), corner, 4.0);
        assert!((seen(&plane, 30.0) - 30.0).abs() < 1e-12);
        let far = Plane {
            x: 1e6,
            y: -5.0,
            ..plane
        }
        .within(Size::new(200.0, 100.0), 8.0);
        assert_eq!((far.x, far.y), (600.0, 0.0));
        assert_eq!(
            plane
                .zoomed(corner, corner, 0.1)
                .within(Size::new(200.0, 100.0), 8.0),
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
