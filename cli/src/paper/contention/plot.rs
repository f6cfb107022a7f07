//! The contention law's ratios beside the measured ones, as an SVG: a dot for each pair of jobs, on the
//! diagonal where the law has it right.

use anyhow::Context as _;
use plotters::prelude::*;
use switchyard::contention::{Measured, Report};

/// Pixels.
const SIDE: u32 = 720;
const FONT: (&str, i32) = ("system-ui, sans-serif", 14);

/// Okabe & Ito's, which the colour-blind can tell apart.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x55, 0x55, 0x55),
];

pub(super) fn svg(measured: &Measured, report: &Report) -> anyhow::Result<String> {
    let mut svg = String::new();
    draw(&mut svg, measured, report).context("the plot could not be drawn")?;
    Ok(svg)
}

fn draw(svg: &mut String, measured: &Measured, report: &Report) -> anyhow::Result<()> {
    let root = SVGBackend::with_string(svg, (SIDE, SIDE)).into_drawing_area();
    root.fill(&WHITE)?;
    let unseen = &report.unseen;
    let caption = format!(
        "Pairs of jobs on shared links. Models held out of the fit: R² {:.2}, median error {:.3} (a constant: {:.3})",
        unseen.r2, unseen.errors[0], unseen.constant[0]
    );
    let mut chart = ChartBuilder::on(&root)
        .caption(caption, FONT)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..1.0f64, 0.0..1.0f64)?;
    chart
        .configure_mesh()
        .x_desc("measured: rate beside the other ÷ alone")
        .y_desc("fitted")
        .axis_desc_style(FONT)
        .label_style(FONT)
        .light_line_style(WHITE)
        .draw()?;
    let diagonal = PathElement::new(vec![(0.0, 0.0), (1.0, 1.0)], BLACK.mix(0.5));
    chart.plotting_area().draw(&diagonal)?;
    for (number, model) in measured.models().into_iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        for (row, shape) in measured.shapes.iter().enumerate() {
            for column in (0..measured.shapes.len()).filter(|_| shape.model == model) {
                let at = (measured.ratios[row][column], report.fitted[row][column]);
                let dot = Circle::new(at, 3, colour.mix(0.6).filled());
                chart.plotting_area().draw(&dot)?;
            }
        }
        // The key: in the corner that no law and no job reaches.
        let y = 0.05 + 0.045 * number as f64;
        let key = EmptyElement::at((0.72, y))
            + Circle::new((0, 0), 4, colour.filled())
            + Text::new(model.to_owned(), (10, -8), FONT);
        chart.plotting_area().draw(&key)?;
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_a_dot() {
        let names = ["\"a,2,1\"", "\"b,2,1\"", "\"c,4,2\""];
        let rates = names.iter().map(|name| format!("{name},2.0\n"));
        let rates = format!(",rate\n{}", rates.collect::<String>());
        let rows = names
            .iter()
            .zip([0.5, 0.7, 0.9])
            .map(|(name, ratio)| format!("{name},{ratio},{ratio},{ratio}\n"));
        let ratios = format!(",{}\n{}", names.join(","), rows.collect::<String>());
        let measured = Measured::read(&ratios, &rates).expect("tables");
        let svg = svg(&measured, &measured.fit()).expect("drawn");
        // Nine pairs, and a key of three.
        assert_eq!(svg.matches("<circle").count(), 12, "{svg}");
        assert!(svg.contains("R²") && svg.contains("measured: rate beside"));
    }
}
