//! Names of lines, each behind a piece of its line.

use crate::CHARACTER;
use crate::board::Area;
use crate::colours;
use crate::frame::text;
use crate::polyline::Polyline;
use crate::space::{Css, Point};
use crate::stroke::Stroke;
use crate::svg::{Anchor, ChartStyle};
use crate::units::{Drawn, fine, place};
use plotters::element::Circle;
use plotters::style::Color;
use switchyard_app::format;

/// The stroke in front of a name, heights of the text.
const SWATCH: f64 = 1.7;
/// The gaps before and behind a name together, heights of the text.
const GAPS: f64 = 0.6;

/// What stands in front of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Swatch {
    /// A piece of its line.
    Line(Stroke),
    /// A dot of its colour.
    Dot(Stroke),
}

/// The width of a name and of what stands in front of it, heights of the text.
pub(crate) fn name_width(name: &str) -> f64 {
    SWATCH + GAPS + CHARACTER * name.chars().count() as f64
}

/// A name, cut to so many heights of the text.
pub(crate) fn cut(name: &str, room: f64) -> String {
    let letters = (room - SWATCH - GAPS) / CHARACTER;
    format::cut(name, letters.max(3.0) as usize)
}

/// Names of these widths in rows of so much room: the positions of those in each.
pub(crate) fn rows(widths: impl Iterator<Item = f64>, room: f64) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = f64::INFINITY;
    for (i, width) in widths.enumerate() {
        if used + width > room {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += width;
        if let Some(row) = rows.last_mut() {
            row.push(i);
        }
    }
    rows
}

/// A name whose box begins at a corner. Text keeps the text's colour to be readable.
pub(crate) fn draw(
    area: &Area<'_>,
    look: ChartStyle,
    (swatch, name): (Swatch, &str),
    corner: Point<Css>,
) -> Drawn {
    let em = |heights: f64| heights * look.text;
    let middle = |x: f64| {
        place(Point::new(
            corner.x + em(x),
            corner.y + em(crate::LINE / 2.0),
        ))
    };
    match swatch {
        Swatch::Line(stroke) => {
            area.draw(&Polyline::new([middle(0.0), middle(SWATCH)], stroke))?;
        }
        Swatch::Dot(stroke) => {
            let radius = fine(em(0.33)).max(1);
            area.draw(&Circle::new(
                middle(SWATCH / 2.0),
                radius,
                stroke.colour.filled(),
            ))?;
        }
    }
    let foot = Point::new(corner.x + em(SWATCH + 0.4), corner.y + em(1.05));
    let colour = colours::chrome(look.dark).text;
    text(area, look, (name, colour), foot, Anchor::Start)
}
