//! Drawing in device pixels on a [`Surface`].

use super::Surface;
use super::palette::{self, Chrome};
use super::space::{Device, Point, Ratio, Rect, Size};
use super::text::{SMALL, TYPEFACE, Widths};
use web_sys::CanvasRenderingContext2d;

/// Draws on a surface for one frame. Everything is in device pixels; changing the colour is what
/// costs, so draw all that has one colour together.
pub(crate) struct Pen<'a> {
    pub(crate) context: &'a CanvasRenderingContext2d,
    /// The whole surface.
    pub(crate) area: Rect,
    pub(crate) ratio: Ratio,
    /// The theme's colours.
    pub(crate) chrome: Chrome,
    pub(crate) is_dark: bool,
    /// The surface's time, for motion.
    pub(crate) real_ms: f64,
    widths: &'a mut Widths,
    font: f64,
}

/// Where text stands relative to the given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Align {
    Left,
    Centre,
    Right,
}

impl<'a> Pen<'a> {
    /// A pen for a surface, which it clears.
    pub(crate) fn new(surface: &Surface<'a>, widths: &'a mut Widths, dark: bool) -> Self {
        let context = surface.context;
        context.save();
        let Size { w, h, .. } = surface.ratio.size(surface.size);
        let pen = Self {
            context,
            area: Rect::new(0.0, 0.0, w, h),
            ratio: surface.ratio,
            chrome: palette::chrome(dark),
            is_dark: dark,
            real_ms: surface.real_ms,
            widths,
            font: 0.0,
        };
        pen.fill(pen.chrome.background);
        pen.rect(&pen.area);
        pen
    }

    /// So many CSS pixels in whole device pixels, at least one.
    pub(crate) fn px(&self, css: f64) -> f64 {
        self.ratio.px(css)
    }

    /// The colour of what is filled from now on.
    pub(crate) fn fill(&self, colour: &str) {
        self.context.set_fill_style_str(colour);
    }

    /// How opaque everything is from now on.
    pub(crate) fn alpha(&self, alpha: f64) {
        self.context.set_global_alpha(alpha);
    }

    /// Fills a rectangle.
    pub(crate) fn rect(&self, rect: &Rect) {
        self.context.fill_rect(rect.x, rect.y, rect.w, rect.h);
    }

    /// Fills the four sides of a rectangle, `thick` inwards.
    pub(crate) fn frame(&self, rect: &Rect, thick: f64) {
        let inner = rect.h - 2.0 * thick;
        self.rect(&Rect { h: thick, ..*rect });
        self.rect(&Rect {
            y: rect.bottom() - thick,
            h: thick,
            ..*rect
        });
        self.rect(&Rect::new(rect.x, rect.y + thick, thick, inner));
        self.rect(&Rect::new(
            rect.right() - thick,
            rect.y + thick,
            thick,
            inner,
        ));
    }

    /// Draws nothing outside of `area` until [`unclip`](Self::unclip).
    pub(crate) fn clip(&self, area: &Rect) {
        self.context.save();
        self.context.begin_path();
        self.context.rect(area.x, area.y, area.w, area.h);
        self.context.clip();
    }

    /// Ends a [`clip`](Self::clip).
    pub(crate) fn unclip(&mut self) {
        self.context.restore();
        self.font = 0.0;
    }

    /// Hatches what `rects` calls its argument with, which restarts; lines are `spacing` apart.
    pub(crate) fn hatch(&self, spacing: f64, rects: impl FnOnce(&mut dyn FnMut(&Rect))) {
        let context = self.context;
        context.begin_path();
        rects(&mut |rect| {
            hatching(rect, spacing, |from, to| {
                context.move_to(from.x, from.y);
                context.line_to(to.x, to.y);
            });
        });
        context.set_stroke_style_str(self.chrome.background);
        context.set_line_width(self.px(1.25));
        context.stroke();
    }

    /// The width of `text`, `size` CSS pixels high.
    pub(crate) fn width(&mut self, text: &str, size: f64) -> f64 {
        let (context, em) = (self.context, size * self.ratio.0);
        self.widths
            .of(em, text, |c| width_of(context, &mut self.font, em, c))
    }

    /// Writes `text`, vertically centred on `y`, cut with an ellipsis to fit into `room`.
    /// Returns the width it has taken.
    pub(crate) fn text(
        &mut self,
        text: &str,
        x: f64,
        y: f64,
        size: f64,
        align: Align,
        room: f64,
    ) -> f64 {
        let em = size * self.ratio.0;
        let context = self.context;
        let Some(end) = self
            .widths
            .fit(em, text, room, |c| width_of(context, &mut self.font, em, c))
        else {
            return 0.0;
        };
        let cut;
        let shown = if end < text.len() {
            cut = format!("{}…", text[..end].trim_end());
            &cut
        } else {
            text
        };
        let width = self.width(shown, size);
        set_font(context, &mut self.font, em);
        let x = match align {
            Align::Left => x,
            Align::Centre => (x - width / 2.0).round(),
            Align::Right => (x - width).round(),
        };
        // A third of an em below the middle puts digits and lower case optically in the middle.
        // Cannot fail: the numbers are finite.
        let _ = context.fill_text(shown, x, (y + 0.35 * em).round());
        width
    }

    /// Writes a small label.
    pub(crate) fn label(&mut self, text: &str, x: f64, y: f64, align: Align, room: f64) -> f64 {
        self.text(text, x, y, SMALL, align, room)
    }
}

impl Drop for Pen<'_> {
    fn drop(&mut self) {
        self.context.restore();
    }
}

/// Sets the context's font, unless it is `font` already.
fn set_font(context: &CanvasRenderingContext2d, font: &mut f64, em: f64) {
    if *font != em {
        *font = em;
        context.set_font(&format!("{em}px {TYPEFACE}"));
    }
}

/// Asks the browser for a character's width.
fn width_of(context: &CanvasRenderingContext2d, font: &mut f64, em: f64, c: char) -> f64 {
    set_font(context, font, em);
    let mut buffer = [0; 4];
    context
        .measure_text(c.encode_utf8(&mut buffer))
        .map_or(0.6 * em, |metrics| metrics.width())
}

/// The diagonals that hatch a rectangle, `spacing` apart along its sides. They lie on lines that
/// do not depend on the rectangle, so that the hatching of neighbours joins up.
fn hatching(rect: &Rect, spacing: f64, mut line: impl FnMut(Point<Device>, Point<Device>)) {
    let last = rect.right() + rect.bottom();
    let mut sum = ((rect.x + rect.y) / spacing).floor() * spacing + spacing;
    while sum < last {
        let x0 = rect.x.max(sum - rect.bottom());
        let x1 = rect.right().min(sum - rect.y);
        line(Point::new(x0, sum - x0), Point::new(x1, sum - x1));
        sum += spacing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatching_stays_inside() {
        for rect in [
            Rect::new(3.0, 7.0, 40.0, 5.0),
            Rect::new(0.0, 0.0, 4.0, 4.0),
            Rect::new(9.0, 1.0, 3.0, 50.0),
        ] {
            let mut lines = 0;
            hatching(&rect, 4.0, |from, to| {
                lines += 1;
                for at in [from, to] {
                    assert!(rect.grown(1e-9).contains(at), "{at:?} of {rect:?}");
                }
            });
            assert!(lines > 0);
        }
    }
}
