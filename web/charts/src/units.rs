//! What a board counts in, and how drawing on it may fail.

use crate::space::{Css, Point};
use plotters::drawing::DrawingAreaErrorKind;
use plotters_backend::BackendCoord;

/// plotters counts in whole units: so many are a CSS pixel, or curves would be staircases.
pub(crate) const FINE: f64 = 10.0;

/// CSS pixels in the board's units.
pub(crate) fn fine(pixels: f64) -> i32 {
    (pixels * FINE).round() as i32
}

/// The board's units in CSS pixels.
pub(crate) fn pixels(units: i32) -> f64 {
    f64::from(units) / FINE
}

/// A place in the board's units.
pub(crate) fn place(at: Point<Css>) -> BackendCoord {
    (fine(at.x), fine(at.y))
}

/// Why something could not be drawn. Text in memory takes everything.
#[derive(Debug, thiserror::Error)]
#[error("the canvas refuses to be drawn on: {0}")]
pub struct Failed(pub(crate) String);

/// Whether something was drawn.
pub(crate) type Drawn = Result<(), DrawingAreaErrorKind<Failed>>;
