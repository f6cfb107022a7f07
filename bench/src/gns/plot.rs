//! Bandwidths as an SVG: a group of bars for each report, its ceilings first.

use super::report::{Figure, Report};
use anyhow::Context as _;
use plotters::prelude::*;

/// Pixels: of the whole width, the names' column, the longest bar, a bar's height with its gap, and
/// a group's heading.
const WIDTH: i32 = 860;
const NAMES: i32 = 190;
const LONGEST: f64 = 480.0;
const BAR: i32 = 22;
const HEADING: i32 = 44;

const FONT: (&str, i32) = ("system-ui, sans-serif", 13);
const CEILING: RGBColor = RGBColor(0x9c, 0xa3, 0xaf);
const MEASURED: RGBColor = RGBColor(0x25, 0x63, 0xeb);

/// Draws the figures that have a bandwidth; for the rest their times stand in the text.
pub(crate) fn svg(reports: &[Report]) -> anyhow::Result<String> {
    let mut svg = String::new();
    draw(&mut svg, reports).context("the plot could not be drawn")?;
    Ok(svg)
}

fn draw(svg: &mut String, reports: &[Report]) -> anyhow::Result<()> {
    let speed = |figure: &Figure| figure.bytes_per_second.unwrap_or(0.0);
    let bars = |report: &Report| (report.ceilings.len() + report.figures.len()) as i32;
    let all = reports
        .iter()
        .flat_map(|report| report.ceilings.iter().chain(&report.figures));
    let fastest = all
        .map(speed)
        .fold(1.0, |best, x| if x > best { x } else { best });
    let groups = reports.iter().map(|report| HEADING + BAR * bars(report));
    let height = groups.sum::<i32>() + 16;
    let root = SVGBackend::with_string(svg, (WIDTH as u32, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let write = |x: i32, y: i32, text: String| root.draw(&Text::new(text, (x, y), FONT));
    let mut y = 0;
    for report in reports {
        y += HEADING;
        let preconditioned = if report.preconditioned {
            ", preconditioned"
        } else {
            ""
        };
        let heading = format!(
            "{}, {} replicas, {}{preconditioned}, on {}",
            report.model,
            report.replicas,
            report.dtype.name(),
            report.device
        );
        let bold = FONT.into_font().style(FontStyle::Bold);
        root.draw(&Text::new(heading, (12, y - 24), bold))?;
        let ceilings = report.ceilings.iter().map(|figure| (figure, CEILING));
        let figures = report.figures.iter().map(|figure| (figure, MEASURED));
        for (figure, colour) in ceilings.chain(figures) {
            let end = NAMES + (LONGEST * speed(figure) / fastest) as i32;
            write(12, y + 4, figure.kernel.to_owned())?;
            let bar = [(NAMES, y + 1), (end, y + BAR - 5)];
            root.draw(&Rectangle::new(bar, colour.filled()))?;
            let label = match (figure.bytes_per_second, figure.of_ceiling) {
                (Some(speed), Some(share)) => {
                    format!("{:.1} GB/s, {:.0} %", speed / 1e9, 100.0 * share)
                }
                (Some(speed), None) => format!("{:.1} GB/s", speed / 1e9),
                (None, _) => format!("{:.3} ms", 1e3 * figure.seconds.median),
            };
            write(end + 6, y + 4, label)?;
            y += BAR;
        }
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Spread;
    use crate::gns::data::{Dtype, Recipe};
    use crate::gns::models::Layout;

    #[test]
    fn bars_are_as_long_as_their_figures() {
        let layout = Layout::new(&[1]).expect("sound");
        let recipe = Recipe {
            layout: &layout,
            replicas: 1,
            dtype: Dtype::F32,
            preconditioned: false,
            seed: 0,
        };
        let seconds = |median| Spread {
            min: median,
            median,
            max: median,
        };
        let mut report = Report::new("cuda", "A <GPU> & more".into(), String::new(), "m", &recipe);
        report
            .ceilings
            .push(Figure::moving("copy", 1000, seconds(1e-9)));
        report
            .figures
            .push(Figure::moving("fused", 500, seconds(1e-9)));
        report
            .figures
            .push(Figure::taking("baseline", seconds(2e-3)));
        report.relate();
        let svg = svg(&[report]).expect("drawn");
        let widths: Vec<&str> = svg
            .lines()
            .filter(|line| line.starts_with("<rect x=\"190\""))
            .filter_map(|line| line.split(" width=\"").nth(1)?.split('"').next())
            .collect();
        assert_eq!(widths, ["480", "240", "0"]);
        for text in [
            "1000.0 GB/s",
            "500.0 GB/s, 50 %",
            "2.000 ms",
            "A &lt;GPU&gt; &amp; more",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }
}
