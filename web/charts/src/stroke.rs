//! Lines with their dashes, which runs are told apart by, too.

use crate::colours::{self, ink};
use crate::svg::ChartStyle;
use crate::units::fine;
use plotters::style::{Color, RGBAColor};

/// Dashes of runs by their hues, widths of the stroke on and off; then it begins anew.
const DASHES: [&[f64]; 8] = [
    &[],
    &[4.5, 2.0],
    &[2.0, 1.5],
    &[7.5, 2.5],
    &[6.0, 1.5, 1.0, 1.5],
    &[1.0, 1.0],
    &[6.0, 1.5, 1.0, 1.5, 1.0, 1.5],
    &[3.0, 1.0],
];
/// Dots of runs that have not ended.
const DOTS: &[f64] = &[1.0, 1.5];

/// Dashes of a curve's lines in their order.
const CURVES: [&[f64]; 3] = [&[], &[4.5, 2.5], &[1.2, 1.8]];

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub(crate) colour: RGBAColor,
    /// Its width, CSS pixels.
    pub(crate) width: f64,
    /// Widths of it on and off.
    pub(crate) dashes: &'static [f64],
}

impl Stroke {
    /// A line of this colour.
    pub(crate) fn plain(colour: impl Color, width: f64) -> Self {
        Self {
            colour: colour.to_rgba(),
            width,
            dashes: &[],
        }
    }

    /// The line of a run with this hue.
    pub fn of_run(hue: usize, complete: bool, look: ChartStyle) -> Self {
        let dashes = match complete {
            true => DASHES[hue % DASHES.len()],
            false => DOTS,
        };
        Self {
            dashes,
            ..Self::with_hue(hue, look)
        }
    }

    /// A curve's line with this position.
    pub fn of_curve(position: usize, look: ChartStyle) -> Self {
        Self {
            dashes: CURVES[position % CURVES.len()],
            ..Self::with_hue(position, look)
        }
    }

    fn with_hue(hue: usize, look: ChartStyle) -> Self {
        let colour = ink(colours::run_colour(hue, look.dark));
        Self::plain(colour, look.text / 6.5)
    }

    /// So much of it is seen.
    pub(crate) fn faded(self, part: f64) -> Self {
        Self {
            colour: self.colour.mix(part),
            ..self
        }
    }

    /// As attributes of SVG.
    pub fn attributes(&self) -> String {
        let RGBAColor(r, g, b, alpha) = self.colour;
        let mut text = format!(
            "stroke='#{r:02x}{g:02x}{b:02x}' stroke-width='{:.1}'",
            self.width
        );
        if alpha < 1.0 {
            text += &format!(" stroke-opacity='{alpha}'");
        }
        if !self.dashes.is_empty() {
            let dashes = self
                .dashes
                .iter()
                .map(|on| format!("{:.1}", on * self.width));
            let dashes: Vec<String> = dashes.collect();
            text += &format!(" stroke-dasharray='{}'", dashes.join(" "));
        }
        text
    }
}

/// The width of a stroke in the board's units, of which it has at least one.
pub(crate) fn width(pixels: f64) -> u32 {
    fine(pixels).max(1).unsigned_abs()
}
