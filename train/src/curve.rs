//! The learning curve, as a table and as a picture.

use anyhow::Result;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Figures of which less is better, by round.
pub struct Curve {
    names: Vec<&'static str>,
    points: Vec<(u32, Vec<f64>)>,
}

/// What a picture's lines are drawn in, one after the other.
const COLOURS: [&str; 4] = ["#2563eb", "#d97706", "#059669", "#7c3aed"];

/// Its width and height, in its own units.
const SIZE: (f64, f64) = (640.0, 320.0);

impl Curve {
    /// Empty, with the names of its figures.
    pub fn new(names: &[&'static str]) -> Self {
        Self {
            names: names.to_vec(),
            points: Vec::new(),
        }
    }

    /// One more round; a figure that is not known is not a number.
    pub fn push(&mut self, round: u32, figures: &[f64]) {
        self.points.push((round, figures.to_vec()));
    }

    /// As a table that was written, up to a round; nothing, if there is none.
    pub fn go_on(&mut self, table: &Path, round: u32) -> Result<()> {
        let Ok(text) = fs::read_to_string(table) else {
            return Ok(());
        };
        for row in text.lines().skip(1) {
            let mut cells = row.split(',');
            let at: u32 = cells.next().unwrap_or_default().parse()?;
            let figures = cells.map(|cell| cell.parse().unwrap_or(f64::NAN));
            if at < round {
                self.points.push((at, figures.collect()));
            }
        }
        Ok(())
    }

    /// The figures of each round.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.points.iter().map(|(_, figures)| &figures[..])
    }

    /// The least that a figure was; infinite before it is known.
    pub fn least(&self, figure: usize) -> f64 {
        let known = self.points.iter().filter_map(|(_, of)| of.get(figure));
        known.copied().fold(f64::INFINITY, f64::min)
    }

    /// A row for each round.
    pub fn csv(&self) -> String {
        let mut csv = format!("round,{}\n", self.names.join(","));
        for (round, figures) in &self.points {
            let _ = write!(csv, "{round}");
            for figure in figures {
                let _ = match figure.is_finite() {
                    true => write!(csv, ",{figure:.4}"),
                    false => write!(csv, ","),
                };
            }
            csv.push('\n');
        }
        csv
    }

    /// All figures as parts of what they were at first, from none to one and a half.
    pub fn svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n",
            SIZE.0, SIZE.1
        );
        let last = self.points.last().map_or(1, |(round, _)| (*round).max(1));
        for (at, (name, colour)) in self.names.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let known = self.points.iter().filter_map(|(round, figures)| {
                let figure = figures.get(at).filter(|figure| figure.is_finite());
                figure.map(|figure| (*round, *figure))
            });
            let known: Vec<(u32, f64)> = known.collect();
            let Some(&(_, first)) = known.first() else {
                continue;
            };
            let points = known.iter().map(|(round, figure)| {
                let x = f64::from(*round) / f64::from(last) * SIZE.0;
                let y = SIZE.1 - (figure / first / 1.5).clamp(0.0, 1.0) * SIZE.1;
                format!("{x:.1},{y:.1}")
            });
            let points: Vec<String> = points.collect();
            let _ = writeln!(
                svg,
                "<polyline fill=\"none\" stroke=\"{colour}\" points=\"{}\"/><text x=\"8\" y=\"{}\" fill=\"{colour}\">{name}, at first {first:.2}</text>",
                points.join(" "),
                20 + 18 * at
            );
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_out() {
        let mut curve = Curve::new(&["training", "validation"]);
        curve.push(0, &[f64::NAN, 8.0]);
        curve.push(5, &[3.0, 4.0]);
        let expected = "round,training,validation\n0,,8.0000\n5,3.0000,4.0000\n";
        assert_eq!(curve.csv(), expected);
        // Half of what it was at first is a third of the picture's height.
        assert!(curve.svg().contains("640.0,213.3"), "{}", curve.svg());
    }
}
