//! What plotters draws on: SVG text, or a canvas.

#[cfg(feature = "canvas")]
use crate::canvas::ChartCanvas;
use crate::space::{Css, Point, Rect};
use crate::stroke::Stroke;
use crate::svg::{Anchor, Svg};
use crate::units::{FINE, Failed, fine, pixels};
use crate::{CHARACTER, LINE};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::RGBAColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle, FontTransform,
};

/// From the top of text, or from its middle, to its foot; and from its foot to its bottom. Heights of the text.
pub(crate) const TOP: f64 = 0.76;
const MIDDLE: f64 = 0.35;
const BOTTOM: f64 = 0.24;

fn point((x, y): BackendCoord) -> Point<Css> {
    Point::new(pixels(x), pixels(y))
}

fn rect((left, top): BackendCoord, (right, bottom): BackendCoord) -> Rect<Css> {
    let [x, y, w, h] = [left, top, right - left, bottom - top].map(pixels);
    Rect::new(x, y, w, h)
}

/// All of a board, in its units.
pub(crate) type Area<'a> = DrawingArea<Board<'a>, Shift>;

/// What plotters draws on.
pub enum Board<'a> {
    /// SVG text.
    Svg(&'a mut Svg),
    /// A canvas of the page.
    #[cfg(feature = "canvas")]
    Canvas(&'a mut ChartCanvas),
}

impl<'a> Board<'a> {
    /// The board as plotters' elements are drawn on it.
    pub(crate) fn area(self) -> Area<'a> {
        self.into_drawing_area()
    }

    /// A line, dashed or not.
    pub(crate) fn stroke(
        &mut self,
        points: impl Iterator<Item = BackendCoord>,
        stroke: &Stroke,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        match self {
            Self::Svg(svg) => {
                let points: Vec<_> = points.map(point).collect();
                svg.path(&points, &stroke.attributes());
                Ok(())
            }
            #[cfg(feature = "canvas")]
            Self::Canvas(canvas) => canvas.stroke(points, stroke),
        }
    }

    /// Draws something that is named when it, or `room`, is pointed at. A canvas has no names.
    pub(crate) fn named(
        &mut self,
        name: &str,
        (corner, end): (BackendCoord, BackendCoord),
        draw: impl FnOnce(&mut Self) -> Result<(), DrawingErrorKind<Failed>>,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        match self {
            Self::Svg(svg) => svg.open_named(name, &rect(corner, end)),
            #[cfg(feature = "canvas")]
            Self::Canvas(_) => return draw(self),
        }
        let drawn = draw(self);
        match self {
            Self::Svg(svg) => svg.close(),
            #[cfg(feature = "canvas")]
            Self::Canvas(_) => {}
        }
        drawn
    }
}

fn hex(colour: BackendColor) -> String {
    let (r, g, b) = colour.rgb;
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn stroke_of(style: &impl BackendStyle) -> Stroke {
    let BackendColor {
        alpha,
        rgb: (r, g, b),
    } = style.color();
    let width = f64::from(style.stroke_width()) / FINE;
    Stroke::plain(RGBAColor(r, g, b, alpha), width)
}

fn filled(colour: BackendColor) -> String {
    let mut text = format!("fill='{}'", hex(colour));
    if colour.alpha < 1.0 {
        text += &format!(" fill-opacity='{}'", colour.alpha);
    }
    text
}

impl DrawingBackend for Board<'_> {
    type ErrorType = Failed;

    fn get_size(&self) -> (u32, u32) {
        let size = match self {
            Self::Svg(svg) => svg.size,
            #[cfg(feature = "canvas")]
            Self::Canvas(canvas) => canvas.size,
        };
        [size.w, size.h]
            .map(|pixels| fine(pixels).max(0).unsigned_abs())
            .into()
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Failed>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Failed>> {
        Ok(())
    }

    fn draw_pixel(
        &mut self,
        at: BackendCoord,
        colour: BackendColor,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        self.draw_rect(at, (at.0 + 1, at.1 + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        self.stroke(path.into_iter(), &stroke_of(style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        corner: BackendCoord,
        end: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        let colour = style.color();
        match self {
            Self::Svg(svg) if fill => svg.rect(&rect(corner, end), &hex(colour), colour.alpha),
            Self::Svg(_) => {
                let outline = [corner, (end.0, corner.1), end, (corner.0, end.1), corner];
                return self.draw_path(outline, style);
            }
            #[cfg(feature = "canvas")]
            Self::Canvas(canvas) => {
                return canvas.draw(|backend| backend.draw_rect(corner, end, style, fill));
            }
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        middle: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        match self {
            Self::Svg(svg) => {
                let attributes = match fill {
                    true => filled(style.color()),
                    false => format!("fill='none' {}", stroke_of(style).attributes()),
                };
                svg.dot(point(middle), f64::from(radius) / FINE, &attributes);
                Ok(())
            }
            #[cfg(feature = "canvas")]
            Self::Canvas(canvas) => {
                canvas.draw(|backend| backend.draw_circle(middle, radius, style, fill))
            }
        }
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        match self {
            Self::Svg(svg) => {
                let corners: Vec<_> = corners.into_iter().map(point).collect();
                svg.shape(&corners, &filled(style.color()));
                Ok(())
            }
            #[cfg(feature = "canvas")]
            Self::Canvas(canvas) => canvas.draw(|backend| backend.fill_polygon(corners, style)),
        }
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        if text.is_empty() {
            return Ok(());
        }
        match self {
            Self::Svg(svg) => {
                write(svg, text, style, point(at));
                Ok(())
            }
            #[cfg(feature = "canvas")]
            Self::Canvas(canvas) => canvas.draw(|backend| backend.draw_text(text, style, at)),
        }
    }

    /// As a guess: plotters would put an element into the page to measure it, which workers do not have.
    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Failed>> {
        let width = style.size() * CHARACTER * text.chars().count() as f64;
        Ok((width.round() as u32, (style.size() * LINE).round() as u32))
    }
}

/// Text, as plotters wants it to stand.
fn write(svg: &mut Svg, text: &str, style: &impl BackendTextStyle, at: Point<Css>) {
    let size = style.size() / FINE;
    let anchor = match style.anchor().h_pos {
        HPos::Left => Anchor::Start,
        HPos::Center => Anchor::Middle,
        HPos::Right => Anchor::End,
    };
    let down = match style.anchor().v_pos {
        VPos::Top => TOP,
        VPos::Center => MIDDLE,
        VPos::Bottom => -BOTTOM,
    };
    let mut attributes = String::new();
    if (size - svg.look.text).abs() > 0.05 {
        attributes += &format!("font-size='{size:.1}' ");
    }
    if matches!(style.style(), FontStyle::Bold) {
        attributes += "font-weight='600'";
    }
    let turn = match style.transform() {
        FontTransform::None => 0,
        FontTransform::Rotate90 => 90,
        FontTransform::Rotate180 => 180,
        FontTransform::Rotate270 => -90,
    };
    if turn != 0 {
        attributes += &format!("transform='rotate({turn} {:.1} {:.1})'", at.x, at.y);
    }
    let foot = Point::new(at.x, at.y + down * size);
    svg.text(text, foot, anchor, &hex(style.color()), &attributes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Size;
    use crate::svg::ChartStyle;
    use crate::units::Drawn;
    use plotters::prelude::{Circle, IntoFont, PathElement, Rectangle, Text};
    use plotters::style::{BLUE, Color, RED, TextStyle};

    fn drawn(draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
        let mut svg = Svg::new(
            Size::new(100.0, 50.0),
            ChartStyle::on_page(false, None),
            "a < b",
        );
        draw(&Board::Svg(&mut svg).area()).expect("text takes everything");
        svg.finish()
    }

    #[test]
    fn places_are_finer_than_a_pixel_and_colours_see_through() {
        let svg = drawn(|area| {
            assert_eq!(area.dim_in_pixel(), (1000, 500));
            area.draw(&Rectangle::new([(5, 12), (20, 30)], RED.mix(0.07).filled()))?;
            area.draw(&Circle::new((255, 100), 13, BLUE.filled()))?;
            area.draw(&PathElement::new(
                [(0, 0), (11, 22)],
                Color::stroke_width(&BLUE, 8),
            ))
        });
        for part in [
            "<rect x='0.5' y='1.2' width='1.5' height='1.8' fill='#ff0000' fill-opacity='0.07'/>",
            "<circle cx='25.5' cy='10' r='1.3' fill='#0000ff'/>",
            "<polyline points='0,0 1.1,2.2 ' fill='none' stroke-linejoin='round' stroke='#0000ff' stroke-width='0.8'/>",
            "aria-label='a &lt; b'",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
    }

    #[test]
    fn text_stays_text_of_the_size_that_is_asked_for() {
        let svg = drawn(|area| {
            let style = TextStyle::from(("system-ui", 120.0).into_font()).color(&RED);
            area.draw(&Text::new("a & b", (100, 100), style.clone()))?;
            let turned = style.transform(FontTransform::Rotate270);
            area.draw(&Text::new("up", (100, 100), turned))?;
            let larger = TextStyle::from(("system-ui", 200.0).into_font());
            area.draw(&Text::new("", (100, 100), larger.clone()))?;
            area.draw(&Text::new("large", (100, 100), larger))
        });
        assert!(
            svg.contains(
                "<text x='10' y='19.1' text-anchor='start' fill='#ff0000' >a &amp; b</text>"
            ),
            "{svg}"
        );
        assert!(svg.contains("rotate(-90 10.0 10.0)"), "{svg}");
        assert!(svg.contains("font-size='20.0'"), "{svg}");
        assert_eq!(svg.matches("<text").count(), 3, "nothing is no text");
    }
}
