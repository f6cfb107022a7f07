//! Bandwidths as an SVG: a group of bars for each report, its ceilings first.

use super::report::{Figure, Report};
use std::fmt::Write as _;

/// Pixels: of the whole width, the names' column, the longest bar, a bar's height with its gap, and
/// a group's heading.
const WIDTH: f64 = 860.0;
const NAMES: f64 = 190.0;
const LONGEST: f64 = 480.0;
const BAR: f64 = 22.0;
const HEADING: f64 = 44.0;

/// Draws the figures that have a bandwidth; for the rest their times stand in the text.
pub(crate) fn svg(reports: &[Report]) -> String {
    let speed = |figure: &Figure| figure.bytes_per_second.unwrap_or(0.0);
    let bars = |report: &Report| report.ceilings.len() + report.figures.len();
    let all = reports
        .iter()
        .flat_map(|report| report.ceilings.iter().chain(&report.figures));
    let fastest = all
        .map(speed)
        .fold(1.0, |best, x| if x > best { x } else { best });
    let height: f64 = reports
        .iter()
        .map(|report| HEADING + BAR * bars(report) as f64)
        .sum::<f64>()
        + 16.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <title>Gradient noise scale: bandwidth of each kernel</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let mut y = 0.0;
    for report in reports {
        y += HEADING;
        let heading = format!(
            "{}, {} replicas, {}{}, on {}",
            report.model,
            report.replicas,
            report.dtype.name(),
            if report.preconditioned {
                ", preconditioned"
            } else {
                ""
            },
            report.device
        );
        text(&mut svg, 12.0, y - 14.0, "font-weight=\"600\"", &heading);
        let ceilings = report.ceilings.iter().map(|figure| (figure, "#9ca3af"));
        let figures = report.figures.iter().map(|figure| (figure, "#2563eb"));
        for (figure, colour) in ceilings.chain(figures) {
            let length = LONGEST * speed(figure) / fastest;
            text(&mut svg, 12.0, y + 14.0, "", figure.kernel);
            rectangle(&mut svg, y, length, colour);
            let milliseconds = 1e3 * figure.seconds.median;
            let label = match (figure.bytes_per_second, figure.of_ceiling) {
                (Some(speed), Some(share)) => {
                    format!("{:.1} GB/s, {:.0} %", speed / 1e9, 100.0 * share)
                }
                (Some(speed), None) => format!("{:.1} GB/s", speed / 1e9),
                (None, _) => format!("{milliseconds:.3} ms"),
            };
            text(
                &mut svg,
                NAMES + length + 6.0,
                y + 14.0,
                "fill=\"#374151\"",
                &label,
            );
            y += BAR;
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn rectangle(svg: &mut String, y: f64, length: f64, colour: &str) {
    let height = BAR - 6.0;
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<rect x=\"{NAMES}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{height}\" fill=\"{colour}\"/>",
        y + 1.0
    );
}

fn text(svg: &mut String, x: f64, y: f64, attributes: &str, text: &str) {
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{escaped}</text>"
    );
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
        let svg = svg(&[report]);
        let widths: Vec<&str> = svg
            .lines()
            .filter(|line| line.starts_with("<rect x="))
            .filter_map(|line| line.split(" width=\"").nth(1)?.split('"').next())
            .collect();
        assert_eq!(widths, ["480.0", "240.0", "0.0"]);
        for text in [
            "1000.0 GB/s<",
            "500.0 GB/s, 50 %<",
            "2.000 ms<",
            "A &lt;GPU&gt; &amp; more<",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }
}
