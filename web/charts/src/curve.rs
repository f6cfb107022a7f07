//! A curve that a policy or a model decides by: small on the page, and as a picture for a paper.

use crate::board::{Area, Board};
use crate::colours::{self, ink};
use crate::frame::{Frame, text, title};
use crate::names::{self, Swatch, name_width, rows};
use crate::polyline::Polyline;
use crate::space::{Css, Point, Rect, Size};
use crate::stroke::{Stroke, width};
use crate::svg::{Anchor, ChartStyle, Paper, Svg};
use crate::units::{Drawn, place};
use crate::{CHARACTER, LINE};
use plotters::element::Circle;
use plotters::style::Color;
use switchyard_app::figures::{self, Axis};

/// Its size on the page, in CSS pixels at the inspector's usual width, and the height of its text.
const SIZE: Size<Css> = Size::new(350.0, 168.0);
const TEXT: f64 = 11.0;

/// A picture's height to its width.
const ASPECT: f64 = 0.66;

/// From one mark's label to the next, heights of the text.
const MARK: f64 = 1.2;
/// Between a mark and its label, heights of the text.
const ASIDE: f64 = 0.3;
/// Between two names in a row, heights of the text.
const BETWEEN: f64 = 1.0;

/// The dashes of marks, widths of their line on and off.
const DASHES: &[f64] = &[3.0, 3.0];

/// How it looks on the page, which has its names, its title and those of its axes beside it.
pub fn look(dark: bool) -> ChartStyle {
    ChartStyle {
        text: TEXT,
        titled: false,
        backed: false,
        ..ChartStyle::on_page(dark, None)
    }
}

/// The curve on the page, as SVG text.
pub fn on_page(curve: &figures::Curve<'_>, dark: bool) -> String {
    let (size, look) = (SIZE, look(dark));
    Picture { curve, size, look }.svg()
}

/// The curve for a paper, as SVG text.
pub fn on_paper(curve: &figures::Curve<'_>, paper: Paper) -> String {
    let (size, look) = (paper.size(ASPECT), paper.look());
    Picture { curve, size, look }.svg()
}

/// A curve of a size.
struct Picture<'c> {
    curve: &'c figures::Curve<'c>,
    size: Size<Css>,
    look: ChartStyle,
}

/// The label of a mark.
struct Label<'c> {
    /// Where its mark is, a value of the axis.
    at: f64,
    text: &'c str,
    /// The row it stands in.
    row: usize,
    /// Whether it stands to the left of its mark, having no room to the right.
    ends: bool,
}

impl Picture<'_> {
    fn em(&self, heights: f64) -> f64 {
        heights * self.look.text
    }

    /// Where the plot is, whatever stands above it: its left edge, its width, and its foot.
    fn sides(&self) -> (f64, f64, f64) {
        let (side, foot) = match self.look.keyed {
            true => (2.3, 3.4),
            false => (1.0, 1.9),
        };
        let left = self.em(side + CHARACTER * self.curve.y.widest_label() as f64);
        let wide = (self.size.w - left - self.em(1.2)).max(1.0);
        (left, wide, self.size.h - self.em(foot))
    }

    /// The labels of marks, in rows in which none covers another.
    fn labels(&self) -> Vec<Label<'_>> {
        let (left, wide, _) = self.sides();
        // Each row's taken stretches.
        let mut rows: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut labels = Vec::new();
        for mark in self.curve.marks() {
            let x = left + wide * self.curve.x.position(mark.x);
            let room = self.em(ASIDE + CHARACTER * mark.label.chars().count() as f64);
            let ends = x + room > self.size.w;
            let (from, to) = if ends { (x - room, x) } else { (x, x + room) };
            let is_free = |row: &Vec<(f64, f64)>| row.iter().all(|&(a, b)| to < a || b < from);
            let row = rows.iter().position(is_free).unwrap_or(rows.len());
            if row == rows.len() {
                rows.push(Vec::new());
            }
            rows[row].push((from, to));
            labels.push(Label {
                at: mark.x,
                text: &mark.label,
                row,
                ends,
            });
        }
        labels
    }

    /// The names of lines, cut to the room of a row, and their rows above the plot, where there are several and the
    /// page does not have them.
    fn names(&self) -> (Vec<String>, Vec<Vec<usize>>) {
        let lines = &self.curve.plot.lines;
        let room = self.size.w / self.look.text - 2.0;
        let names = lines.iter().filter(|_| self.look.keyed && lines.len() > 1);
        let names: Vec<String> = names.map(|line| names::cut(&line.name, room)).collect();
        let widths = names.iter().map(|name| name_width(name) + BETWEEN);
        let rows = rows(widths, room + BETWEEN);
        (names, rows)
    }

    fn svg(&self) -> String {
        let mut svg = Svg::new(self.size, self.look, &self.curve.describe());
        let drawn = self.draw(&Board::Svg(&mut svg).area());
        debug_assert!(drawn.is_ok(), "text takes everything: {drawn:?}");
        svg.finish()
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        let (curve, look) = (self.curve, self.look);
        let chrome = colours::chrome(look.dark);
        let (labels, (names, rows)) = (self.labels(), self.names());
        let head = 0.8 + if look.titled { 2.0 } else { 0.0 };
        let marks = head + LINE * rows.len() as f64;
        let above = labels.iter().map(|label| label.row + 1).max().unwrap_or(0);
        let top = self.em(marks + MARK * above as f64);
        let (left, wide, foot) = self.sides();
        let plot = Rect::new(left, top, wide, (foot - top).max(1.0));
        if look.titled {
            title(area, look, &curve.plot.title)?;
        }
        for (row, members) in rows.iter().enumerate() {
            let mut x = self.em(1.0);
            for &i in members {
                let y = self.em(head - 0.4 + LINE * row as f64);
                let stroke = Stroke::of_curve(i, look);
                let swatch = match curve.plot.lines[i].dots {
                    true => Swatch::Dot(stroke),
                    false => Swatch::Line(stroke),
                };
                names::draw(area, look, (swatch, &names[i]), Point::new(x, y))?;
                x += self.em(name_width(&names[i]) + BETWEEN);
            }
        }
        let titles = match look.keyed {
            true => [curve.plot.x.as_str(), &curve.plot.y],
            false => [""; 2],
        };
        let axes: [&Axis; 2] = [&curve.x, &curve.y];
        let frame = Frame {
            plot,
            size: self.size,
            look,
            axes,
            titles,
        };
        let mut chart = frame.draw(area)?;
        let thin = (look.text / 13.0).max(0.5);
        for label in &labels {
            let x = plot.across(curve.x.position(label.at));
            let y = self.em(marks + 0.8 + MARK * label.row as f64);
            let stroke = Stroke {
                dashes: DASHES,
                ..Stroke::plain(ink(chrome.faint), thin)
            };
            let ends = [y - self.em(0.7), foot].map(|y| place(Point::new(x, y)));
            area.draw(&Polyline::new(ends, stroke))?;
            let (anchor, aside) = match label.ends {
                false => (Anchor::Start, self.em(ASIDE)),
                true => (Anchor::End, -self.em(ASIDE)),
            };
            let at = Point::new(x + aside, y);
            text(area, look, (label.text, chrome.faint), at, anchor)?;
        }
        let radius = |heights: f64| width(self.em(heights));
        for (i, (line, points)) in curve.plot.lines.iter().zip(&curve.lines).enumerate() {
            let stroke = Stroke::of_curve(i, look);
            if line.dots {
                let dot =
                    |&point: &(f64, f64)| Circle::new(point, radius(0.25), stroke.colour.filled());
                chart.draw_series(points.iter().map(dot))?;
            } else {
                chart.draw_series([Polyline::new(points.clone(), stroke)])?;
            }
        }
        if let Some((x, y)) = curve.job() {
            let at = plot.across(curve.x.position(x));
            let ends = [plot.y, foot].map(|y| place(Point::new(at, y)));
            area.draw(&Polyline::new(ends, Stroke::plain(ink(chrome.text), thin)))?;
            let dot = |colour, size| {
                Circle::new((x, y.unwrap_or(0.0)), radius(size), ink(colour).filled())
            };
            if y.is_some() {
                chart.draw_series([dot(chrome.background, 0.42), dot(chrome.text, 0.32)])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::explain::{Mark, Plot, PlotLine as Told};
    use switchyard_app::figures::Curve;

    fn plot() -> Plot {
        let line = |name: &str| Told::new(name, vec![(0.0, 1.0), (8.0, f64::NAN), (16.0, 3.0)]);
        let mark = |x: f64, label: &str| Mark {
            x,
            label: label.to_owned(),
        };
        Plot {
            marks: vec![mark(8.0, "M0 < M"), mark(8.5, "M1"), mark(15.9, "largest")],
            job_at: Some(4.0),
            ..Plot::new("A < B", "batch", "goodput", vec![line("one"), line("two")])
        }
    }

    fn on_column(plot: &Plot) -> String {
        on_paper(&Curve::of(plot), Paper::COLUMN)
    }

    #[test]
    fn a_picture_says_what_is_drawn() {
        let svg = on_column(&plot());
        for part in [
            "width='3.5in'",
            ">batch<",
            ">goodput<",
            ">one<",
            ">two<",
            ">M0 &lt; M<",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains(">A &lt; B<"), "{svg}");
        // The job stands on the first line, in a ring.
        assert_eq!(svg.matches("<circle").count(), 2);
        // Three marks, the second line and its name.
        assert_eq!(svg.matches("stroke-dasharray").count(), 5);
        let titled = Paper {
            titled: true,
            ..Paper::COLUMN
        };
        assert!(on_paper(&Curve::of(&plot()), titled).contains(">A &lt; B<"));
    }

    #[test]
    fn the_page_has_names_and_titles_beside_it() {
        let svg = on_page(&Curve::of(&plot()), true);
        assert!(!svg.contains(">batch<") && !svg.contains(">one<"), "{svg}");
        assert!(svg.contains("viewBox='0 0 350 168'") && svg.contains(">M1<"));
    }

    #[test]
    fn labels_of_marks_do_not_cover_each_other() {
        let plot = plot();
        let curve = Curve::of(&plot);
        let (curve, size, look) = (&curve, SIZE, look(false));
        let picture = Picture { curve, size, look };
        let labels = picture.labels();
        let rows: Vec<usize> = labels.iter().map(|label| label.row).collect();
        assert_ne!(rows[0], rows[1]);
        assert!(labels[2].ends && !labels[0].ends);
    }

    #[test]
    fn observations_are_not_joined() {
        let mut plot = plot();
        let lines = |plot: &Plot| on_column(plot).matches("<polyline").count();
        let joined = lines(&plot);
        plot.lines[0].dots = true;
        // Neither the line nor the piece of it before its name.
        assert_eq!(lines(&plot), joined - 2);
        // Two points, one before the name, and the job in its ring.
        assert_eq!(on_column(&plot).matches("<circle").count(), 5);
    }

    #[test]
    fn a_long_name_is_cut() {
        let mut plot = plot();
        plot.lines[0].name = "a name that no column has room for ".repeat(4);
        let svg = on_column(&plot);
        let room = Paper::COLUMN.size(ASPECT).w / Paper::COLUMN.look().text;
        let cut = svg.split("…</text>").next();
        let cut = cut.and_then(|part| part.rsplit('>').next());
        let cut = cut.expect("it is a text").chars().count() + 1;
        assert!(name_width(&"m".repeat(cut)) <= room, "{cut} letters");
    }

    #[test]
    fn a_plot_without_points_is_a_picture_too() {
        let nothing = Plot::new("", "x", "y", Vec::new());
        assert!(on_column(&nothing).ends_with("</svg>"));
        assert!(on_page(&Curve::of(&nothing), false).ends_with("</svg>"));
    }
}
