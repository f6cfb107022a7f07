//! A figure on a canvas or in an SVG file: what is exported is what is seen.

use super::axis::Axis;
use super::figure::{Figure, Marks, RangeMark, Series};
use super::labels;
use super::paper::{Paper, PaperError};
use crate::draw::palette;
use crate::draw::space::{Css, Point, Ratio, Rect, Size};
use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle};

/// How a figure is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Whether for a dark page.
    pub(super) dark: bool,
    /// Backend's units to a CSS pixel.
    pub(super) ratio: Ratio,
    /// Backend's font size per size asked for.
    pub(super) text: f64,
}

/// Text sizes, CSS pixels.
const TEXT: f64 = 12.0;
const TITLE: f64 = 13.0;
/// Pixels per character, on average.
const CHARACTER: f64 = 6.6;

/// Air around the figure.
const PAD: f64 = 12.0;
/// Room above the plot for title, y axis's title and, where lines cannot carry them, names.
const TOP: f64 = PAD + 46.0;
const BOTTOM: f64 = PAD + 40.0;
const RIGHT: f64 = PAD + 8.0;
/// The stroke in front of a name.
const SWATCH: f64 = 18.0;
const LINE_HEIGHT: f64 = 17.0;

/// Dashes of runs in the order of the list, CSS pixels on and off; then it begins anew.
const DASHES: [Option<(f64, f64)>; 4] =
    [None, Some((9.0, 4.0)), Some((4.0, 3.0)), Some((15.0, 5.0))];
/// Dots of runs that have not ended.
const DOTS: (f64, f64) = (2.0, 3.0);

type Area<'a> = DrawingArea<Paper<'a>, Shift>;
type Painted = Result<(), DrawingAreaErrorKind<PaperError>>;

impl Figure {
    /// Where the plot itself is on a figure of this size.
    pub fn plot(&self, size: Size<Css>) -> Rect<Css> {
        let left = PAD + 10.0 + CHARACTER * self.y.widest_label() as f64;
        let top = TOP + LINE_HEIGHT * self.key(size.w).map_or(0, |rows| rows.len()) as f64;
        let (w, h) = (size.w - left - RIGHT, size.h - top - BOTTOM);
        Rect::new(left, top, w.max(1.0), h.max(1.0))
    }

    /// Where a value is.
    fn place(&self, plot: &Rect<Css>, x: f64, y: f64) -> Point<Css> {
        Point::new(self.x.across(plot, x), self.y.upwards(plot, y))
    }

    /// Names in rows above the plot: series by row, for charts whose marks cannot carry them.
    fn key(&self, width: f64) -> Option<Vec<Vec<usize>>> {
        if !matches!(self.series.first()?.marks, Marks::Ranges(_)) {
            return None;
        }
        let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
        let mut used = 0.0;
        for (i, series) in self.series.iter().enumerate() {
            let needs = label_width(series) + 14.0;
            if used + needs > width - 2.0 * PAD && used > 0.0 {
                rows.push(Vec::new());
                used = 0.0;
            }
            used += needs;
            if let Some(row) = rows.last_mut() {
                row.push(i);
            }
        }
        Some(rows)
    }

    /// Paints the figure over the whole of `root`.
    pub(super) fn paint(&self, root: &Area<'_>, look: Look) -> Painted {
        let pen = Pen::new(look);
        let (width, height) = root.dim_in_pixel();
        let size = look.ratio.css(width, height);
        let plot = self.plot(size);
        root.fill(&pen.background)?;
        pen.write_bold(root, self.chart.title(), Point::new(PAD, PAD))?;
        let below = Point::new(PAD, PAD + 20.0);
        pen.write(root, self.y.title, TEXT, pen.faint, below)?;

        let mut x = self.x.clone();
        let widest = x.widest_label().max(4) as f64;
        x.thin_out((plot.w / (widest * CHARACTER + 14.0)) as usize);
        x.fit_names(plot.w / CHARACTER);
        let mut y = self.y.clone();
        y.thin_out((plot.h / 24.0) as usize);
        let (x_title, x_labels, y_labels) = (x.title, x.clone(), y.clone());
        let mut chart = ChartBuilder::on(root)
            .margin_top(pen.px(plot.y))
            .margin_right(pen.px(RIGHT))
            .set_label_area_size(LabelAreaPosition::Left, pen.px(plot.x))
            .margin_bottom(pen.px(PAD))
            .set_label_area_size(LabelAreaPosition::Bottom, pen.px(BOTTOM - PAD))
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .bold_line_style(pen.stroke(pen.grid, 1.0))
            .light_line_style(pen.grid.mix(0.0))
            .axis_style(pen.stroke(pen.axis, 1.0))
            .set_all_tick_mark_size(pen.px(3.0))
            .x_label_formatter(&|value| x_labels.tick_label(*value))
            .y_label_formatter(&|value| y_labels.tick_label(*value))
            .label_style(pen.font(TEXT, pen.faint))
            .axis_desc_style(pen.font(TEXT, pen.faint))
            .x_desc(x_title)
            .draw()?;

        for (i, series) in self.series.iter().enumerate() {
            match &series.marks {
                Marks::Line(points, band) => {
                    let most = band.iter().map(|&(x, _, most)| (x, most));
                    let least = band.iter().rev().map(|&(x, least, _)| (x, least));
                    let outline: Vec<_> = most.chain(least).collect();
                    chart.draw_series(
                        (!outline.is_empty()).then(|| Polygon::new(outline, pen.run(i).mix(0.13))),
                    )?;
                    pen.line(&mut chart, points, i, series.complete)?;
                }
                Marks::Ranges(ranges) => self.paint_ranges(&pen, root, plot, i, ranges)?,
            }
        }
        self.paint_names(&pen, root, plot, size.w)
    }

    /// Boxes and dots; runs stand side by side within a category.
    fn paint_ranges(
        &self,
        pen: &Pen,
        root: &Area<'_>,
        plot: Rect<Css>,
        run: usize,
        ranges: &[RangeMark],
    ) -> Painted {
        // The axis reaches half a category beyond the last one.
        let room = plot.w / (self.x.high() + 0.5) * 0.8;
        let step = (room / self.series.len() as f64).min(22.0);
        let half = (step * 0.36).max(2.0);
        let shift = (run as f64 - (self.series.len() - 1) as f64 / 2.0) * step;
        let colour = pen.run(run);
        for range in ranges {
            let at = |value: f64, aside: f64| {
                let place = self.place(&plot, range.x, value);
                pen.at(Point::new(place.x + shift + aside, place.y))
            };
            let whisker = vec![at(range.p75, 0.0), at(range.p95, 0.0)];
            let corners = [at(range.p75, -half), at(range.p25, half)];
            root.draw(&PathElement::new(whisker, pen.stroke(colour, 1.5)))?;
            root.draw(&Rectangle::new(corners, colour.mix(0.28).filled()))?;
            root.draw(&Rectangle::new(corners, pen.stroke(colour, 1.0)))?;
            let median = at(range.median, 0.0);
            root.draw(&Circle::new(median, pen.px(5.0), pen.background.filled()))?;
            root.draw(&Circle::new(median, pen.px(3.5), colour.filled()))?;
        }
        Ok(())
    }

    /// Each run's name: beside its line, or in rows above the plot.
    fn paint_names(&self, pen: &Pen, root: &Area<'_>, plot: Rect<Css>, width: f64) -> Painted {
        if let Some(rows) = self.key(width) {
            for (row, members) in rows.iter().enumerate() {
                let mut x = PAD;
                for &i in members {
                    let y = TOP - 7.0 + LINE_HEIGHT * row as f64;
                    pen.name(root, &self.series[i], i, Point::new(x, y))?;
                    x += label_width(&self.series[i]) + 14.0;
                }
            }
            return Ok(());
        }
        let pixels = |series: &Series| {
            let points = series.marks.points().iter();
            points.map(|&(x, y)| self.place(&plot, x, y)).collect()
        };
        let lines: Vec<_> = self.series.iter().map(pixels).collect();
        let sizes: Vec<_> = self
            .series
            .iter()
            .map(|series| Size::new(label_width(series), LINE_HEIGHT - 1.0))
            .collect();
        for (i, place) in labels::place(&lines, &sizes, plot).into_iter().enumerate() {
            if let Some(at) = place {
                let corners = [
                    pen.at(Point::new(at.x - 2.0, at.y)),
                    pen.at(Point::new(at.right(), at.bottom())),
                ];
                root.draw(&Rectangle::new(corners, pen.background.mix(0.8).filled()))?;
                pen.name(root, &self.series[i], i, at.corner())?;
            }
        }
        Ok(())
    }
}

/// A name and the stroke in front of it, CSS pixels.
fn label_width(series: &Series) -> f64 {
    SWATCH + 5.0 + CHARACTER * label(series).chars().count() as f64
}

fn label(series: &Series) -> String {
    if series.complete {
        series.name.clone()
    } else {
        format!("{}, so far", series.name)
    }
}

/// Colours, widths and fonts of one look.
struct Pen {
    look: Look,
    background: RGBColor,
    grid: RGBColor,
    axis: RGBColor,
    faint: RGBColor,
    strong: RGBColor,
}

impl Pen {
    fn new(look: Look) -> Self {
        let chrome = palette::chrome(look.dark);
        Self {
            look,
            background: colour(chrome.background),
            grid: colour(chrome.free),
            axis: colour(chrome.line),
            faint: colour(chrome.faint),
            strong: colour(chrome.text),
        }
    }

    fn px(&self, css: f64) -> u32 {
        self.look.ratio.exact(css).round().max(0.0) as u32
    }

    fn at(&self, at: Point<Css>) -> (i32, i32) {
        let at = self.look.ratio.point(at);
        (at.x.round() as i32, at.y.round() as i32)
    }

    fn run(&self, position: usize) -> RGBColor {
        colour(palette::run_colour(position, self.look.dark))
    }

    fn stroke(&self, colour: RGBColor, width: f64) -> ShapeStyle {
        colour.stroke_width(self.px(width).max(1))
    }

    fn font(&self, size: f64, colour: RGBColor) -> TextStyle<'static> {
        let size = self.look.ratio.exact(size) * self.look.text;
        (FontFamily::Name("system-ui, sans-serif"), size)
            .into_font()
            .color(&colour)
    }

    fn write(
        &self,
        root: &Area<'_>,
        text: &str,
        size: f64,
        colour: RGBColor,
        at: Point<Css>,
    ) -> Painted {
        root.draw_text(
            text,
            &self.font(size, colour).pos(Pos::new(HPos::Left, VPos::Top)),
            self.at(at),
        )
    }

    fn write_bold(&self, root: &Area<'_>, text: &str, at: Point<Css>) -> Painted {
        let font = self.font(TITLE, self.strong);
        let bold = TextStyle {
            font: font.font.style(FontStyle::Bold),
            ..font
        };
        root.draw_text(
            text,
            &bold.pos(Pos::new(HPos::Left, VPos::Top)),
            self.at(at),
        )
    }

    /// A run's name behind a piece of its line; text keeps the text's colour to be readable.
    fn name(&self, root: &Area<'_>, series: &Series, run: usize, at: Point<Css>) -> Painted {
        let middle = |x: f64| self.at(Point::new(at.x + x, at.y + LINE_HEIGHT / 2.0));
        if matches!(series.marks, Marks::Ranges(_)) {
            root.draw(&Circle::new(
                middle(SWATCH / 2.0),
                self.px(4.0),
                self.run(run).filled(),
            ))?;
        } else {
            let ends = [middle(0.0), middle(SWATCH)];
            let style = self.stroke(self.run(run), 2.0);
            match self.dashes(run, series.complete) {
                Some((on, off)) => root.draw(&DashedPathElement::new(ends, on, off, style))?,
                None => root.draw(&PathElement::new(ends, style))?,
            }
        }
        self.write(
            root,
            &label(series),
            TEXT,
            self.strong,
            Point::new(at.x + SWATCH + 5.0, at.y + 2.0),
        )
    }

    fn line(
        &self,
        chart: &mut ChartContext<'_, Paper<'_>, Cartesian2d<Axis, Axis>>,
        points: &[(f64, f64)],
        run: usize,
        complete: bool,
    ) -> Painted {
        let style = self.stroke(self.run(run), 2.0);
        match self.dashes(run, complete) {
            Some((on, off)) => {
                chart.draw_series([DashedPathElement::new(points.to_vec(), on, off, style)])?;
            }
            None => {
                chart.draw_series([PathElement::new(points.to_vec(), style)])?;
            }
        }
        Ok(())
    }

    /// Backend units on and off; none for a solid line.
    fn dashes(&self, run: usize, complete: bool) -> Option<(u32, u32)> {
        let dashes = if complete {
            DASHES[run % DASHES.len()]
        } else {
            Some(DOTS)
        };
        dashes.map(|(on, off)| (self.px(on), self.px(off)))
    }
}

/// From `#rrggbb`.
fn colour(hex: &str) -> RGBColor {
    let channel = |from: usize| {
        hex.get(from..from + 2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .unwrap_or(0)
    };
    RGBColor(channel(1), channel(3), channel(5))
}
