//! The frame of a chart: its axes with their mesh, ticks and titles, and the weekends behind it.

use crate::axis::Scale;
use crate::board::{Area, Board, TOP};
use crate::colours::{self, Chrome, ink};
use crate::space::{Css, Point, Rect, Size};
use crate::stroke::width;
use crate::svg::{Anchor, ChartStyle};
use crate::units::{Drawn, Failed, fine, place};
use crate::{CHARACTER, TYPEFACE};
use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor, TRANSPARENT, TextStyle};
use switchyard_app::figures::Axis;

/// Days are not told apart where they have fewer pixels than these.
pub const LEAST_DAY: f64 = 4.0;

/// How much weekends differ from what is behind them.
pub const WEEKEND: f64 = 0.07;

/// Between a picture's edge and the titles of its axes: at its foot and at its side, heights of the text.
const FOOT: f64 = 0.25;
const SIDE: f64 = 0.4;

/// The lengths of ticks across and upwards, heights of the text.
const TICK: f64 = 0.3;
const NOTCH: f64 = 0.25;

/// A chart within its axes.
pub(crate) type Chart<'a, 'b> = ChartContext<'a, Board<'b>, Cartesian2d<Scale, Scale>>;

/// What stands around a plot.
pub(crate) struct Frame<'a> {
    /// Where the plot is.
    pub(crate) plot: Rect<Css>,
    /// How large the whole picture is.
    pub(crate) size: Size<Css>,
    /// How it looks.
    pub(crate) look: ChartStyle,
    /// Across and upwards.
    pub(crate) axes: [&'a Axis; 2],
    /// What is across and upwards, where the picture says it.
    pub(crate) titles: [&'a str; 2],
}

impl Frame<'_> {
    /// So many heights of the text.
    fn em(&self, heights: f64) -> f64 {
        heights * self.look.text
    }

    /// Draws it, and hands on the chart within. What has no room has no axes.
    pub(crate) fn draw<'c, 'b>(
        &self,
        area: &Area<'b>,
    ) -> Result<Chart<'c, 'b>, DrawingAreaErrorKind<Failed>> {
        let (plot, size, chrome) = (self.plot, self.size, colours::chrome(self.look.dark));
        let thin = width((self.look.text / 12.0).max(0.5));
        let (mut x, mut y) = (self.axes[0].clone(), self.axes[1].clone());
        let widest = CHARACTER * x.widest_label().max(4) as f64 + 1.2;
        x.thin_out((plot.w / self.em(widest)) as usize);
        x.fit_names(plot.w / self.em(CHARACTER));
        y.thin_out((plot.h / self.em(2.0)) as usize);

        let units = |pixels: f64| fine(pixels.max(0.0));
        let below = size.h - plot.bottom();
        let (foot, side) = (self.em(FOOT).min(below), self.em(SIDE).min(plot.x));
        let mut chart = ChartBuilder::on(area)
            .margin_top(units(plot.y))
            .margin_right(units(size.w - plot.right()))
            .margin_bottom(units(foot))
            .margin_left(units(side))
            .x_label_area_size(units(below - foot))
            .y_label_area_size(units(plot.x - side))
            .build_cartesian_2d(Scale(x.clone()), Scale(y.clone()))?;

        let (low, high) = (y.value(0.0), y.value(1.0));
        let weekends = x.weekends(plot.w, LEAST_DAY);
        let shade = ink(chrome.text).mix(WEEKEND).filled();
        let weekends = weekends.iter();
        let weekends = weekends.map(|of| Rectangle::new([(of.from, high), (of.to, low)], shade));
        chart.draw_series(weekends)?;

        let label = |tick: &f64| {
            let label = x.tick_label(*tick);
            let half = self.em(CHARACTER * label.chars().count() as f64 / 2.0);
            let end = plot.across(x.position(*tick)) + half;
            // The last date may stand at the edge.
            match x.is_dates() && end > plot.right() + self.em(1.2) {
                true => String::new(),
                false => label,
            }
        };
        let mut mesh = chart.configure_mesh();
        if x.is_names() {
            mesh.disable_x_mesh();
        }
        for (title, at) in self.titles.into_iter().zip(0..) {
            match (title, at) {
                ("", _) => continue,
                (title, 0) => mesh.x_desc(title),
                (title, _) => mesh.y_desc(title),
            };
        }
        mesh.max_light_lines(0)
            .light_line_style(TRANSPARENT)
            .bold_line_style(ink(chrome.free).stroke_width(thin))
            .axis_style(ink(chrome.line).stroke_width(thin))
            .x_label_formatter(&label)
            .label_style(style(self.look, &ink(chrome.faint)))
            .axis_desc_style(style(self.look, &ink(chrome.text)))
            .set_tick_mark_size(LabelAreaPosition::Bottom, fine(self.em(TICK)))
            .set_tick_mark_size(LabelAreaPosition::Left, fine(self.em(NOTCH)))
            .draw()?;
        if let Some(gap) = x.gap() {
            self.gap(area, &chrome, plot.across(gap))?;
        }
        Ok(chart)
    }

    /// Where the axis is broken: 0 has no place on a logarithm.
    fn gap(&self, area: &Area<'_>, chrome: &Chrome, middle: f64) -> Drawn {
        let (em, foot) = (|heights| self.em(heights), self.plot.bottom());
        let (left, right) = (middle - em(0.15), middle + em(0.15));
        let corners = [(left, foot - em(0.3)), (right, foot + em(0.25))];
        let corners = corners.map(|(x, y)| place(Point::new(x, y)));
        area.draw(&Rectangle::new(corners, ink(chrome.background).filled()))?;
        let stroke = ink(chrome.faint).stroke_width(width((self.look.text / 12.0).max(0.5)));
        for side in [left, right] {
            let ends = [
                (side - em(0.15), foot + em(0.35)),
                (side + em(0.15), foot - em(0.35)),
            ];
            let ends = ends.map(|(x, y)| place(Point::new(x, y)));
            area.draw(&PathElement::new(ends, stroke))?;
        }
        Ok(())
    }
}

/// The style of text of a colour.
pub(crate) fn style<'a>(look: ChartStyle, colour: &RGBColor) -> TextStyle<'a> {
    of_font(look, colour, FontStyle::Normal)
}

fn of_font<'a>(look: ChartStyle, colour: &RGBColor, style: FontStyle) -> TextStyle<'a> {
    let size = f64::from(fine(look.text));
    let font = FontDesc::new(FontFamily::Name(TYPEFACE), size, style);
    TextStyle {
        color: colour.to_backend_color(),
        ..font.into()
    }
}

/// Text with its foot at a place.
pub(crate) fn text(
    area: &Area<'_>,
    look: ChartStyle,
    (text, colour): (&str, &str),
    foot: Point<Css>,
    anchor: Anchor,
) -> Drawn {
    let side = match anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let style = style(look, &ink(colour)).pos(Pos::new(side, VPos::Top));
    let at = place(Point::new(foot.x, foot.y - TOP * look.text));
    area.draw(&Text::new(text, at, style))
}

/// The title of a picture, at its head.
pub(crate) fn title(area: &Area<'_>, look: ChartStyle, title: &str) -> Drawn {
    let colour = ink(colours::chrome(look.dark).text);
    let style = of_font(look, &colour, FontStyle::Bold);
    let at = place(Point::new(look.text, (1.7 - TOP) * look.text));
    area.draw(&Text::new(title, at, style))
}
