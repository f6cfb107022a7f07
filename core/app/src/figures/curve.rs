//! A curve that a policy or a model decides by, over its axes.

use super::axis::Axis;
use super::series::{self, Points};
use crate::format::{quoted, significant};
use switchyard::explain::{Mark, Plot, PlotLine};

/// A [`Plot`] with its axes.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    /// What it is of.
    pub plot: &'a Plot,
    /// The points of each line that can be drawn.
    pub lines: Vec<Points>,
    /// Across, with room for the points, the marks and the job.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
}

impl<'a> Curve<'a> {
    /// Of a plot.
    pub fn of(plot: &'a Plot) -> Self {
        let finite = |line: &PlotLine| {
            let points = line.points.iter().copied();
            points
                .filter(|(x, y)| x.is_finite() && y.is_finite())
                .collect()
        };
        let lines: Vec<Points> = plot.lines.iter().map(finite).collect();
        let points = || lines.iter().flatten();
        let places = plot.marks.iter().map(|mark| mark.x).chain(plot.job_at);
        let xs = points().map(|point| point.0);
        let xs: Vec<f64> = xs.chain(places.filter(|x| x.is_finite())).collect();
        let ys: Vec<f64> = points().map(|point| point.1).collect();
        let (x, y) = (Axis::numbers(&xs), Axis::numbers(&ys));
        Self { plot, lines, x, y }
    }

    /// The marks that have a place on the axis.
    pub fn marks(&self) -> impl Iterator<Item = &'a Mark> + use<'a> {
        self.plot.marks.iter().filter(|mark| mark.x.is_finite())
    }

    /// Where the job stands: across, and on the first line that reaches there.
    pub fn job(&self) -> Option<(f64, Option<f64>)> {
        let x = self.plot.job_at.filter(|x| x.is_finite())?;
        let y = self.lines.iter().find_map(|line| series::at(line, x));
        Some((x, y))
    }

    /// The curve in words, for those who cannot see it.
    pub fn describe(&self) -> String {
        let Plot {
            title, x, y, marks, ..
        } = self.plot;
        let mut text = format!("{title}. Across: {x}; up: {y}.");
        for (line, points) in self.plot.lines.iter().zip(&self.lines) {
            let (Some(first), Some(last)) = (points.first(), points.last()) else {
                continue;
            };
            let most = points
                .iter()
                .copied()
                .fold(*first, |most, p| if p.1 > most.1 { p } else { most });
            let name = if line.name.is_empty() {
                "The line"
            } else {
                &line.name
            };
            let [from, from_y, to, to_y, at, peak] =
                [first.0, first.1, last.0, last.1, most.0, most.1].map(significant);
            text.push_str(&format!(
                " {name}: from {from_y} at {from} to {to_y} at {to}, at most {peak} at {at}."
            ));
        }
        for mark in marks {
            text.push_str(&format!(" {} at {}.", mark.label, significant(mark.x)));
        }
        if let Some(place) = self.plot.job_at {
            text.push_str(&format!(" The job is at {}", significant(place)));
            match self.job() {
                Some((_, Some(height))) => {
                    text.push_str(&format!(", {} there.", significant(height)));
                }
                _ => text.push('.'),
            }
        }
        text
    }

    /// The numbers that are drawn: a row a point.
    pub fn csv(&self) -> String {
        let mut csv = format!("line,{},{}\n", quoted(&self.plot.x), quoted(&self.plot.y));
        for (line, points) in self.plot.lines.iter().zip(&self.lines) {
            for (x, y) in points {
                csv += &format!("{},{x},{y}\n", quoted(&line.name));
            }
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        let points = vec![(0.0, 0.125), (4.0, 0.25), (f64::NAN, 1.0), (12.0, 0.05)];
        Plot {
            marks: vec![Mark {
                x: 4.0,
                label: "threshold".into(),
            }],
            job_at: Some(2.0),
            ..Plot::new(
                "Gittins index",
                "attained service, GPU·s",
                "index, 1 ∕ GPU·s",
                vec![PlotLine::new("", points)],
            )
        }
    }

    #[test]
    fn the_job_stands_on_the_line() {
        let plot = plot();
        assert_eq!(Curve::of(&plot).job(), Some((2.0, Some(0.1875))));
        let nowhere = Plot {
            lines: Vec::new(),
            marks: Vec::new(),
            job_at: None,
            ..plot
        };
        assert_eq!(Curve::of(&nowhere).job(), None);
    }

    #[test]
    fn it_says_in_words_what_it_shows() {
        let plot = plot();
        let words = Curve::of(&plot).describe();
        assert!(
            words.contains("from 0.125 at 0 to 0.05 at 12, at most 0.25 at 4"),
            "{words}"
        );
        assert!(words.ends_with("The job is at 2, 0.188 there."), "{words}");
    }

    #[test]
    fn every_point_that_can_be_drawn_is_in_the_table() {
        let csv = Curve::of(&plot()).csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 4, "NaN is not drawn");
        assert_eq!(lines[1], "\"\",0,0.125");
        let nothing = Plot::new("", "x", "y", Vec::new());
        assert_eq!(Curve::of(&nothing).csv(), "line,\"x\",\"y\"\n");
    }
}
