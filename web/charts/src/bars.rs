//! A trace's distributions, as small bar charts. The style sheet colours what is pointed at. Each bar says on hover
//! what it counts.

use crate::board::{Area, Board};
use crate::colours::{self, ink};
use crate::frame::style;
use crate::space::Size;
use crate::svg::{ChartStyle, Svg};
use crate::units::{Drawn, Failed, fine};
use plotters::chart::ChartBuilder;
use plotters::element::{Drawable, PointCollection, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};
use switchyard_app::figures::Bars;

/// Sizes in CSS pixels, as wide as the rail.
const WIDTH: f64 = 246.0;
const HEIGHT: f64 = 64.0;
/// Below the bars, for the labels.
const FOOT: f64 = 14.0;
/// The height of the labels.
const TEXT: f64 = 10.0;
/// Labels are at least this far from each other, and so far from an edge if they stand in the middle.
const APART: f64 = 30.0;
const EDGE: f64 = 12.0;

/// The chart, as SVG text.
pub fn svg(bars: &Bars, dark: bool) -> String {
    let look = ChartStyle {
        text: TEXT,
        titled: false,
        backed: false,
        ..ChartStyle::on_page(dark, None)
    };
    let mut svg = Svg::new(Size::new(WIDTH, HEIGHT), look, &bars.describe());
    let drawn = draw(&Board::Svg(&mut svg).area(), bars, look);
    debug_assert!(drawn.is_ok(), "text takes everything: {drawn:?}");
    svg.finish()
}

fn draw(area: &Area<'_>, bars: &Bars, look: ChartStyle) -> Drawn {
    let chrome = colours::chrome(look.dark);
    let count = bars.bars.len().max(1) as f64;
    let mut chart = ChartBuilder::on(area)
        .x_label_area_size(fine(FOOT))
        .build_cartesian_2d(0.0..count, 0.0..f64::from(bars.most().max(1)))?;
    let bar = |(at, of): (usize, &(String, u32))| {
        let left = at as f64;
        Bar {
            places: [(left, 0.0), (left + 1.0, f64::from(of.1))],
            name: Bars::of_bar(of),
            colour: ink(chrome.accent),
        }
    };
    chart.draw_series(bars.bars.iter().enumerate().map(bar))?;
    let style = style(look, &ink(chrome.faint));
    let mut last = f64::NEG_INFINITY;
    for (at, label) in &bars.labels {
        let x = at * WIDTH / count;
        if x - last < APART {
            continue;
        }
        last = x;
        let side = match x {
            x if x < EDGE => HPos::Left,
            x if x > WIDTH - EDGE => HPos::Right,
            _ => HPos::Center,
        };
        let style = style.pos(Pos::new(side, VPos::Bottom));
        let foot = (fine(x), fine(HEIGHT));
        area.draw(&Text::new(label.as_str(), foot, style))?;
    }
    Ok(())
}

/// A bar, which is named when it, or the room above it, is pointed at.
struct Bar {
    /// Its lower left corner and its upper right one.
    places: [(f64, f64); 2],
    name: String,
    colour: RGBColor,
}

impl<'a> PointCollection<'a, (f64, f64)> for &'a Bar {
    type Point = &'a (f64, f64);
    type IntoIter = &'a [(f64, f64)];

    fn point_iter(self) -> Self::IntoIter {
        &self.places
    }
}

impl Drawable<Board<'_>> for Bar {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        places: I,
        board: &mut Board<'_>,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<Failed>> {
        let places: Vec<_> = places.collect();
        let &[(left, foot), (right, top)] = places.as_slice() else {
            return Ok(());
        };
        // What is there is to be seen, however little.
        let top = match self.places[1].1 > 0.0 {
            true => top.min(foot - fine(1.0)),
            false => foot,
        };
        board.named(&self.name, ((left, 0), (right, foot)), |board| {
            let (corner, end) = ((left + fine(0.5), top), (right - fine(0.5), foot));
            board.draw_rect(corner, end, &self.colour.filled(), true)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(counts: &[u32]) -> Bars {
        Bars {
            title: "Duration".into(),
            bars: counts
                .iter()
                .map(|&jobs| (format!("bin < {jobs}"), jobs))
                .collect(),
            labels: vec![
                (0.0, "0".into()),
                (0.1, "crowded".into()),
                (1.0, "1 min".into()),
            ],
            ..Bars::default()
        }
    }

    #[test]
    fn a_bar_for_each_bin_names_what_it_counts_and_labels_stand_apart() {
        let svg = svg(&bars(&[3, 6, 1]), false);
        assert_eq!(svg.matches("<g><title>bin &lt; ").count(), 3, "{svg}");
        assert!(svg.contains("<title>bin &lt; 6: 6 jobs</title>"), "{svg}");
        assert!(
            svg.contains(">1 min</text>") && !svg.contains("crowded"),
            "{svg}"
        );
    }

    #[test]
    fn the_smallest_bar_is_seen_and_none_is_higher_than_the_chart() {
        let svg = svg(&bars(&[1, 1_000_000, 0]), false);
        let heights: Vec<f64> = svg
            .split("<rect x=")
            .filter(|rect| rect.contains("fill="))
            .filter_map(|rect| {
                rect.split("height='")
                    .nth(1)?
                    .split('\'')
                    .next()?
                    .parse()
                    .ok()
            })
            .collect();
        assert_eq!(heights[0], 1.0, "{svg}");
        assert!((49.0..=50.0).contains(&heights[1]), "{svg}");
        assert_eq!(heights[2], 0.0, "{svg}");
        assert!(!super::svg(&bars(&[]), true).contains("NaN"));
    }
}
