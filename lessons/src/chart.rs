//! Named lines over the same axis as SVG, drawn by plotters: mesh, ticks and labels are its own. Names stand at
//! their lines' ends, which its legend cannot do.

use crate::colours::COLOURS;
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use std::io;

/// plotters counts in whole units: so many are a pixel, or curves would be staircases.
const FINE: i32 = 10;

/// Pixels.
const WIDTH: i32 = 720;
const HEIGHT: i32 = 218;
const TITLE: i32 = 28;
const BELOW: i32 = 36;
const EDGE: i32 = 10;
const LEFT: i32 = 32;
const NAMES: i32 = 122;
/// From one name to the next.
const ROW: i32 = 13;

/// plotters divides the size of text in SVG by 1.24: 12.5 pixels.
const FONT: (&str, f64) = ("system-ui, sans-serif", 155.0);

/// The page's colours by day; its style has those by night.
const TEXT: RGBColor = RGBColor(0x1a, 0x1d, 0x21);
const FAINT: RGBColor = RGBColor(0x5c, 0x65, 0x70);
const GRID: RGBColor = RGBColor(0xb9, 0xc0, 0xc8);

/// What a chart shows.
pub(crate) struct Chart {
    /// What is upwards.
    pub(crate) title: &'static str,
    /// What is across.
    pub(crate) x: &'static str,
    /// Names and points by ascending x.
    pub(crate) lines: Vec<(String, Vec<(f64, f64)>)>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// The charts below one another, as a file.
pub(crate) fn svg(charts: &[Chart]) -> Option<String> {
    let size = (WIDTH, HEIGHT * charts.len() as i32);
    let mut drawn = String::new();
    {
        let size = ((size.0 * FINE) as u32, (size.1 * FINE) as u32);
        let root = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
        let areas = root.split_evenly((charts.len(), 1));
        for (chart, area) in charts.iter().zip(&areas) {
            draw(area, chart).ok()?;
        }
        root.present().ok()?;
    }
    // Its own head says a size in pixels; a still is as wide as its column.
    let (_, body) = drawn.split_once('>')?;
    let (w, h) = (WIDTH * FINE, size.1 * FINE);
    let night = "<style>@media(prefers-color-scheme:dark){text{fill:#e6e8eb}\
         text[fill=\"#5C6570\"]{fill:#9aa3af}line{stroke:#4a515b}}</style>";
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\">{night}{body}"
    ))
}

fn draw(area: &Area<'_>, chart: &Chart) -> Drawn {
    let style = FONT.into_font().color(&TEXT);
    let points = || chart.lines.iter().flat_map(|(_, points)| points);
    let (first, last) = points().fold((f64::INFINITY, 0.0_f64), |(low, high), (x, _)| {
        (low.min(*x), high.max(*x))
    });
    let most = points().fold(1.0_f64, |most, (_, y)| most.max(*y));
    let most = (most / 2.0).ceil() * 2.0;
    area.draw(&Text::new(chart.title, (8 * FINE, 4 * FINE), style.clone()))?;
    let mut context = ChartBuilder::on(area)
        .margin_top(TITLE * FINE)
        .margin_right(NAMES * FINE)
        .margin_bottom(EDGE * FINE)
        .x_label_area_size(BELOW * FINE)
        .y_label_area_size(LEFT * FINE)
        .build_cartesian_2d(first..last, 0.0..most)?;
    context
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(8)
        .y_labels(5)
        .x_label_formatter(&tick)
        .y_label_formatter(&tick)
        .x_desc(chart.x)
        .label_style(FONT.into_font().color(&FAINT))
        .axis_desc_style(style.clone())
        .bold_line_style(GRID.stroke_width(FINE as u32))
        .light_line_style(TRANSPARENT)
        .axis_style(TRANSPARENT)
        .set_all_tick_mark_size(3 * FINE)
        .draw()?;
    for (at, (_, points)) in chart.lines.iter().enumerate() {
        let stroke = colour(at).stroke_width(2 * FINE as u32);
        context.draw_series(LineSeries::new(points.iter().copied(), stroke))?;
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
    let lowest = (HEIGHT - BELOW - EDGE) * FINE;
    let mut above = i32::MIN / 2;
    for (rank, at) in order.into_iter().enumerate() {
        let below = (chart.lines.len() - rank - 1) as i32 * ROW * FINE;
        above = end(at).max(above + ROW * FINE).min(lowest - below);
        let (x, half) = ((WIDTH - NAMES + 8) * FINE, 5 * FINE);
        let swatch = [(x, above - half), (x + 2 * half, above + half)];
        area.draw(&Rectangle::new(swatch, colour(at).filled()))?;
        let name = chart.lines[at].0.clone();
        let foot = (x + 14 * FINE, above - half);
        area.draw(&Text::new(name, foot, style.clone()))?;
    }
    Ok(())
}

/// The colour of a line by its place.
fn colour(at: usize) -> RGBColor {
    let hex = COLOURS[at % COLOURS.len()].trim_start_matches('#');
    let [_, r, g, b] = u32::from_str_radix(hex, 16).unwrap_or(0).to_be_bytes();
    RGBColor(r, g, b)
}

/// Multiples of a step drift: 0.30000000000000004 is nobody's tick.
fn tick(at: &f64) -> String {
    ((at * 100.0).round() / 100.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(lines: usize) -> Chart {
        let line = |at: usize| (format!("line <{at}>"), vec![(1.0, 0.0), (16.0, 4.0)]);
        Chart {
            title: "upwards",
            x: "GPUs",
            lines: (0..lines).map(line).collect(),
        }
    }

    #[test]
    fn every_line_is_drawn_and_names_of_lines_that_end_together_stand_apart() {
        let svg = svg(&[chart(3), chart(7)]).expect("drawn");
        assert_eq!(svg.matches("<polyline").count(), 10, "{svg}");
        assert_eq!(svg.matches("line &lt;2&gt;").count(), 2, "{svg}");
        let lines: Vec<&str> = svg.lines().collect();
        let heights: Vec<i32> = lines
            .windows(2)
            .filter(|pair| pair[1].starts_with("line &lt;"))
            .filter_map(|pair| {
                pair[0]
                    .split(" y=\"")
                    .nth(1)?
                    .split('"')
                    .next()?
                    .parse()
                    .ok()
            })
            .collect();
        for names in [&heights[..3], &heights[3..]] {
            assert!(names.windows(2).all(|pair| pair[1] - pair[0] >= ROW * FINE));
        }
        assert!(heights.last().is_some_and(|last| *last < 2 * HEIGHT * FINE));
    }

    #[test]
    fn it_has_no_size_of_its_own_and_its_ticks_are_few_whole_numbers() {
        let svg = svg(&[chart(1)]).expect("drawn");
        let head = svg.split('>').next().expect("a head");
        assert!(
            head.contains("viewBox") && !head.contains("width"),
            "{head}"
        );
        assert!(svg.contains("\nGPUs\n") && svg.contains("\n4\n"), "{svg}");
        assert!(
            svg.contains("font-size=\"125\"") && !svg.contains("0000"),
            "{svg}"
        );
        assert!(svg.contains("stroke=\"#E69F00\""), "{svg}");
        assert_eq!(tick(&(0.1 + 0.2)), "0.3");
    }
}
