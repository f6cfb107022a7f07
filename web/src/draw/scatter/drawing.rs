//! The dots as a picture for a paper, and as the numbers that are drawn.

use super::{MANY, Scatter};
use crate::draw::format::quoted;
use crate::draw::palette;
use crate::draw::space::{Point, Rect};
use crate::draw::svg::{Anchor, Paper, Svg};
use switchyard::job::JobId;

/// A dot's radius and the room for labels beside the axes, in heights of the text.
const RADIUS: f64 = 0.16;
const LEFT: f64 = 6.0;
const BELOW: f64 = 3.0;
const EDGE: f64 = 0.8;

impl Scatter {
    /// The picture, as SVG. `titles`: of the axis across and of the one upwards.
    pub(crate) fn svg(&self, paper: &Paper, titles: &[String; 2]) -> String {
        let size = paper.size(1.0);
        let [across, up] = titles;
        let mut svg = Svg::new(size, paper.look(), &format!("{up} against {across}"));
        let (left, below, edge) = (svg.em(LEFT), svg.em(BELOW), svg.em(EDGE));
        let head = if paper.titled { svg.em(1.6) } else { 0.0 };
        let plot = Rect::new(
            left,
            edge + head,
            (size.w - left - edge).max(1.0),
            (size.h - below - edge - head).max(1.0),
        );
        let chrome = svg.chrome;
        if paper.titled {
            let at = Point::new(plot.x, svg.em(1.2));
            svg.text(
                "What changed, job by job",
                at,
                Anchor::Start,
                chrome.text,
                "font-weight='600'",
            );
        }
        for (at, label) in self.ticks(plot.w) {
            let x = plot.x + at * plot.w;
            svg.line(
                Point::new(x, plot.y),
                Point::new(x, plot.bottom()),
                chrome.line,
                0.5,
            );
            let foot = Point::new(x, plot.bottom() + svg.em(1.2));
            svg.text(&label, foot, Anchor::Middle, chrome.faint, "");
        }
        for (at, label) in self.ticks(plot.h) {
            let y = plot.bottom() - at * plot.h;
            svg.line(
                Point::new(plot.x, y),
                Point::new(plot.right(), y),
                chrome.line,
                0.5,
            );
            let foot = Point::new(plot.x - svg.em(0.4), y + svg.em(0.35));
            svg.text(&label, foot, Anchor::End, chrome.faint, "");
        }
        let corners = [
            Point::new(plot.x, plot.bottom()),
            Point::new(plot.right(), plot.y),
        ];
        svg.line(corners[0], corners[1], chrome.faint, 1.0);
        let radius = svg.em(RADIUS);
        if self.dots.len() > MANY {
            for cell in self.cells(&plot, 1.8 * radius, &mut self.dots.iter()) {
                let colour = palette::category(cell.category, paper.dark);
                svg.rect(&cell.at, colour, (cell.alpha * 20.0).round() / 20.0);
            }
        } else {
            for dot in &self.dots {
                let colour = palette::category(palette::class_category(dot.class), paper.dark);
                svg.dot(
                    self.place(&plot, dot),
                    radius,
                    &format!("fill='{colour}' fill-opacity='0.8'"),
                );
            }
        }
        let foot = Point::new(plot.x + plot.w / 2.0, size.h - svg.em(0.5));
        svg.text(across, foot, Anchor::Middle, chrome.text, "");
        let side = Point::new(svg.em(1.0), plot.y + plot.h / 2.0);
        svg.upright(up, side, chrome.text);
        svg.finish()
    }

    /// A row a dot: its job and both times, seconds.
    pub(crate) fn csv(&self, titles: &[String; 2], name: &dyn Fn(JobId) -> String) -> String {
        let [across, up] = titles
            .each_ref()
            .map(|title| quoted(&format!("{title} (s)")));
        let mut csv = format!("job,{across},{up}\n");
        for dot in &self.dots {
            csv += &format!("{},{},{}\n", quoted(&name(dot.job)), dot.there, dot.here);
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_dots_are_few_cells_in_the_picture_and_all_in_the_table() {
        let times: Vec<f64> = (0..50_000).map(|job| 60.0 + f64::from(job % 100)).collect();
        let scatter = Scatter::of(&times, &times, &|_| 0).expect("all have finished");
        let titles = ["A".to_owned(), "B".to_owned()];
        let svg = scatter.svg(&Paper::COLUMN, &titles);
        assert_eq!(svg.matches("<circle").count(), 0);
        assert!((10..=200).contains(&svg.matches("<rect").count()), "{svg}");
        assert_eq!(
            scatter.csv(&titles, &|_| String::new()).lines().count(),
            50_001
        );
    }

    #[test]
    fn every_dot_is_in_the_picture_and_in_the_table() {
        let scatter = Scatter::of(&[60.0, 3600.0, 0.0], &[120.0, 1800.0, 5.0], &|_| 0);
        let scatter = scatter.expect("two jobs have finished in both");
        let titles = ["JCT under A".to_owned(), "JCT under <B>".to_owned()];
        let svg = scatter.svg(&Paper::COLUMN, &titles);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("JCT under &lt;B>") && svg.contains("width='3.5in'"));
        let csv = scatter.csv(&titles, &|job| format!("j{}", job.0));
        assert_eq!(
            csv,
            "job,\"JCT under A (s)\",\"JCT under <B> (s)\"\n\"j0\",60,120\n\"j1\",3600,1800\n"
        );
    }
}
