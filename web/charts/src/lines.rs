//! Named lines over the same axis, in documents that follow the reader's theme by themselves: mesh, ticks and labels
//! are plotters' own. Names stand at their lines' ends, which its legend cannot do.

use crate::board::{Area, Board};
use crate::colours::{self, ink};
use crate::frame::style;
use crate::polyline::Polyline;
use crate::space::Size;
use crate::stroke::{Stroke, width};
use crate::svg::{ChartStyle, Svg};
use crate::units::{Drawn, fine};
use plotters::chart::ChartBuilder;
use plotters::element::{Rectangle, Text};
use plotters::style::{Color, TRANSPARENT};

/// CSS pixels.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 218.0;
const TITLE: f64 = 28.0;
const BELOW: f64 = 36.0;
const EDGE: f64 = 10.0;
const LEFT: f64 = 32.0;
const NAMES: f64 = 122.0;
/// From one name to the next.
const ROW: f64 = 13.0;

/// The height of text.
const FONT: f64 = 12.5;

/// The mesh by day and by night.
const GRID: [&str; 2] = ["#b9c0c8", "#4a515b"];

/// What a chart shows.
pub struct Lines {
    /// What is upwards.
    pub title: &'static str,
    /// What is across.
    pub x: &'static str,
    /// Names and points by ascending x.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

/// The charts below one another, as a file; `colours`: of lines, in their order.
pub fn svg(charts: &[Lines], colours: &[&str]) -> String {
    let look = ChartStyle {
        text: FONT,
        titled: true,
        backed: false,
        ..ChartStyle::on_page(false, None)
    };
    let titles: Vec<&str> = charts.iter().map(|chart| chart.title).collect();
    let size = Size::new(WIDTH, HEIGHT * charts.len() as f64);
    let mut svg = Svg::new(size, look, &titles.join("; "));
    svg.style(&night());
    let drawn = draw_all(&Board::Svg(&mut svg).area(), charts, colours, look);
    debug_assert!(drawn.is_ok(), "text takes everything: {drawn:?}");
    svg.finish()
}

/// The colours by night, by those of day.
fn night() -> String {
    let [day, night] = [false, true].map(colours::chrome);
    format!(
        "@media(prefers-color-scheme:dark){{text{{fill:{}}}text[fill=\"{}\"]{{fill:{}}}\
         polyline[stroke=\"{}\"]{{stroke:{}}}}}",
        night.text, day.faint, night.faint, GRID[0], GRID[1]
    )
}

fn draw_all(area: &Area<'_>, charts: &[Lines], colours: &[&str], look: ChartStyle) -> Drawn {
    let areas = area.split_evenly((charts.len(), 1));
    let mut charts = charts.iter().zip(&areas);
    charts.try_for_each(|(chart, area)| draw(area, chart, colours, look))
}

fn draw(area: &Area<'_>, chart: &Lines, colours: &[&str], look: ChartStyle) -> Drawn {
    let chrome = colours::chrome(look.dark);
    let colour = |at: usize| ink(colours[at % colours.len()]);
    let text = style(look, &ink(chrome.text));
    let points = || chart.lines.iter().flat_map(|(_, points)| points);
    let (first, last) = points().fold((f64::INFINITY, 0.0_f64), |(low, high), (x, _)| {
        (low.min(*x), high.max(*x))
    });
    let most = points().fold(1.0_f64, |most, (_, y)| most.max(*y));
    let most = (most / 2.0).ceil() * 2.0;
    area.draw(&Text::new(
        chart.title,
        (fine(8.0), fine(4.0)),
        text.clone(),
    ))?;
    let mut context = ChartBuilder::on(area)
        .margin_top(fine(TITLE))
        .margin_right(fine(NAMES))
        .margin_bottom(fine(EDGE))
        .x_label_area_size(fine(BELOW))
        .y_label_area_size(fine(LEFT))
        .build_cartesian_2d(first..last, 0.0..most)?;
    context
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(8)
        .y_labels(5)
        .x_label_formatter(&tick)
        .y_label_formatter(&tick)
        .x_desc(chart.x)
        .label_style(style(look, &ink(chrome.faint)))
        .axis_desc_style(text.clone())
        .bold_line_style(ink(GRID[0]).stroke_width(width(1.0)))
        .light_line_style(TRANSPARENT)
        .axis_style(TRANSPARENT)
        .set_all_tick_mark_size(fine(3.0))
        .draw()?;
    for (at, (_, points)) in chart.lines.iter().enumerate() {
        let stroke = Stroke::plain(colour(at), 2.0);
        context.draw_series([Polyline::new(points.clone(), stroke)])?;
    }
    // From the highest line's name down, none on another and none below the plot.
    let plot = context.plotting_area();
    let base = area.get_base_pixel().1;
    let end = |at: usize| {
        let point = chart.lines[at].1.last().copied().unwrap_or((last, 0.0));
        plot.map_coordinate(&point).1 - base
    };
    let mut order: Vec<usize> = (0..chart.lines.len()).collect();
    order.sort_by_key(|&at| end(at));
    let (row, half) = (fine(ROW), fine(5.0));
    let lowest = fine(HEIGHT - BELOW - EDGE);
    let mut above = i32::MIN / 2;
    for (rank, at) in order.into_iter().enumerate() {
        let below = (chart.lines.len() - rank - 1) as i32 * row;
        above = end(at).max(above + row).min(lowest - below);
        let x = fine(WIDTH - NAMES + 8.0);
        let swatch = [(x, above - half), (x + 2 * half, above + half)];
        area.draw(&Rectangle::new(swatch, colour(at).filled()))?;
        let name = chart.lines[at].0.as_str();
        let foot = (x + fine(14.0), above - half);
        area.draw(&Text::new(name, foot, text.clone()))?;
    }
    Ok(())
}

/// Multiples of a step drift: 0.30000000000000004 is nobody's tick.
fn tick(at: &f64) -> String {
    ((at * 100.0).round() / 100.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLOURS: [&str; 2] = ["#e69f00", "#56b4e9"];

    fn chart(lines: usize) -> Lines {
        let line = |at: usize| (format!("line <{at}>"), vec![(1.0, 0.0), (16.0, 4.0)]);
        Lines {
            title: "upwards",
            x: "GPUs",
            lines: (0..lines).map(line).collect(),
        }
    }

    #[test]
    fn every_line_is_drawn_and_names_of_lines_that_end_together_stand_apart() {
        let svg = svg(&[chart(3), chart(7)], &COLOURS);
        assert_eq!(svg.matches("stroke-width='2.0'").count(), 10, "{svg}");
        assert_eq!(svg.matches(">line &lt;2>").count(), 2, "{svg}");
        let heights: Vec<f64> = svg
            .split("<text ")
            .filter(|text| text.contains(">line &lt;"))
            .filter_map(|text| text.split(" y='").nth(1)?.split('\'').next()?.parse().ok())
            .collect();
        for names in [&heights[..3], &heights[3..]] {
            let is_apart = |pair: &[f64]| pair[1] - pair[0] >= ROW - 0.11;
            assert!(names.windows(2).all(is_apart), "{names:?}");
        }
        assert!(heights.last().is_some_and(|last| *last < 2.0 * HEIGHT));
    }

    #[test]
    fn it_has_no_size_of_its_own_and_its_ticks_are_few_whole_numbers() {
        let svg = svg(&[chart(1)], &COLOURS);
        let head = svg.split('>').next().expect("a head");
        assert!(
            head.contains("viewBox") && !head.contains(" width="),
            "{head}"
        );
        assert!(svg.contains(">GPUs<") && svg.contains(">4<"), "{svg}");
        assert!(
            svg.contains("font-size='12.5'") && !svg.contains("0000"),
            "{svg}"
        );
        assert!(svg.contains("stroke='#e69f00'"), "{svg}");
        assert_eq!(tick(&(0.1 + 0.2)), "0.3");
    }

    #[test]
    fn it_is_dark_for_readers_of_the_night() {
        let svg = svg(&[chart(1)], &COLOURS);
        let rules = svg.split("</style>").next().expect("a style");
        for colour in [colours::chrome(false).faint, GRID[0]] {
            assert!(rules.contains(&format!("=\"{colour}\"]")), "{rules}");
            assert!(svg.contains(&format!("='{colour}'")), "{colour}");
        }
    }
}
