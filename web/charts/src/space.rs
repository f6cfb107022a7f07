//! The spaces that places lie in, by name, and the ways from one to another.
//!
//! Pointers, canvases and charts come in [`Css`] pixels. Everything is painted in [`Device`] pixels, so
//! that edges are crisp; a [`Ratio`] leads there. [`World`] is what lies under a view that can be
//! moved, before it is: the page's `Plane` or `Ruler` says where it is seen.
//!
//! By hand, not by a geometry crate: painters cut rectangles along their edges (`Rect { h, ..area }`),
//! which corner-and-size types do not let.

use std::marker::PhantomData;

/// CSS pixels, from the canvas's upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Css;

/// Device pixels, from the canvas's upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Device;

/// Device pixels before a view is moved or enlarged, from the upper left corner of what it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct World;

/// A place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point<S> {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
    /// Where it is.
    pub space: PhantomData<S>,
}

/// A width and a height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size<S> {
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
    /// Where it is.
    pub space: PhantomData<S>,
}

/// A rectangle: its upper left corner and its size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect<S = Device> {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
    /// Where it is.
    pub space: PhantomData<S>,
}

/// Device pixels to a CSS pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ratio(pub f64);

impl<S> Point<S> {
    /// A place.
    pub const fn new(x: f64, y: f64) -> Self {
        Self {
            x,
            y,
            space: PhantomData,
        }
    }

    /// How far another place is.
    pub fn distance(&self, other: &Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// On the way to `other`: 0 is here, 1 is there.
    pub fn towards(&self, other: &Self, part: f64) -> Self {
        Self::new(
            self.x + (other.x - self.x) * part,
            self.y + (other.y - self.y) * part,
        )
    }
}

impl<S> Size<S> {
    /// A size.
    pub const fn new(w: f64, h: f64) -> Self {
        Self {
            w,
            h,
            space: PhantomData,
        }
    }
}

impl<S> Rect<S> {
    /// A rectangle.
    pub const fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self {
            x,
            y,
            w,
            h,
            space: PhantomData,
        }
    }

    /// Its right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Its lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// Its upper left corner.
    pub fn corner(&self) -> Point<S> {
        Point::new(self.x, self.y)
    }

    /// Where a part of its width is, from its left edge.
    pub fn across(&self, part: f64) -> f64 {
        self.x + self.w * part
    }

    /// Where a part of its height is, from its lower edge upwards.
    pub fn upwards(&self, part: f64) -> f64 {
        self.y + self.h * (1.0 - part)
    }

    /// Which part of its width lies to the left of a place.
    pub fn part(&self, x: f64) -> f64 {
        (x - self.x) / self.w
    }

    /// Its middle.
    pub fn middle(&self) -> Point<S> {
        Point::new(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Whether a place is inside.
    pub fn contains(&self, at: Point<S>) -> bool {
        at.x >= self.x && at.x < self.right() && at.y >= self.y && at.y < self.bottom()
    }

    /// Whether any place is inside both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// Larger by `by` on every side.
    pub fn grown(&self, by: f64) -> Self {
        Self::new(
            self.x - by,
            self.y - by,
            self.w + 2.0 * by,
            self.h + 2.0 * by,
        )
    }

    /// The smallest rectangle around both.
    pub fn union(&self, other: &Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self::new(
            x,
            y,
            self.right().max(other.right()) - x,
            self.bottom().max(other.bottom()) - y,
        )
    }

    /// On the way to `other`: 0 is here, 1 is there.
    pub fn towards(&self, other: &Self, part: f64) -> Self {
        let mix = |a: f64, b: f64| a + (b - a) * part;
        Self::new(
            mix(self.x, other.x),
            mix(self.y, other.y),
            mix(self.w, other.w),
            mix(self.h, other.h),
        )
    }
}

impl Ratio {
    /// So many CSS pixels in whole device pixels, at least one.
    pub fn px(self, css: f64) -> f64 {
        (css * self.0).round().max(1.0)
    }

    /// So many CSS pixels in device pixels, whole or not.
    pub fn exact(self, css: f64) -> f64 {
        css * self.0
    }

    /// Where a place is on the canvas.
    pub fn point(self, at: Point<Css>) -> Point<Device> {
        Point::new(at.x * self.0, at.y * self.0)
    }

    /// Where a place of the canvas is for the page.
    pub fn css(self, at: Point<Device>) -> Point<Css> {
        Point::new(at.x / self.0, at.y / self.0)
    }

    /// A canvas's size in whole pixels.
    pub fn size(self, size: Size<Css>) -> Size<Device> {
        Size::new((size.w * self.0).round(), (size.h * self.0).round())
    }
}
