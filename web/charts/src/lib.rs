//! Charts, drawn by plotters on one [`Board`]: SVG text for the page, for files and for lessons, or a canvas.
//!
//! What a chart shows is data of [`switchyard_app::figures`]. Here it gets a size, a theme and a place for each thing.
//! plotters draws axes, meshes and marks. What it lacks is ours: dashes that stay dashes, places finer than a pixel,
//! and names beside lines where they cover nothing.

#![forbid(unsafe_code)]

mod axis;
pub mod bars;
mod board;
#[cfg(feature = "canvas")]
mod canvas;
pub mod changes;
pub mod colours;
pub mod curve;
pub mod figure;
mod frame;
mod labels;
pub mod lines;
mod names;
mod polyline;
pub mod space;
mod stroke;
pub mod svg;
mod units;

pub use board::Board;
#[cfg(feature = "canvas")]
pub use canvas::ChartCanvas;
pub use frame::{LEAST_DAY, WEEKEND};
pub use stroke::Stroke;
pub use units::Failed;

/// The typeface of the page.
pub const TYPEFACE: &str = "system-ui, sans-serif";

/// The width of a character on average, heights of the text.
pub const CHARACTER: f64 = 0.55;

/// From one line of text to the next, heights of the text.
const LINE: f64 = 1.42;
