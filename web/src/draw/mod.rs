//! Painting: canvases that take a [`Stage`] and a [`Surface`] and know no virtual DOM.
//!
//! Four of them move: the yard ([`yard`]: what runs where, now), the lanes ([`lanes`]: who stands in
//! which queue, now), the timeline ([`timeline`]: what ran where, when) and the player's strip
//! ([`strip`]: where the clock stands). They share ways to write numbers and times ([`format`]),
//! what to say about a job ([`describe`]), colours ([`palette`]), and all that is not public here.
//! Their coordinates are CSS pixels outside and device pixels inside, so that edges are crisp.

pub mod charts;
pub mod describe;
pub mod format;
pub mod histogram;
pub mod lanes;
pub mod palette;
mod pen;
mod rect;
mod series;
pub mod strip;
mod text;
pub mod timeline;
mod viewport;
pub mod yard;

use crate::stage::Stage;
use switchyard::job::JobId;
use web_sys::CanvasRenderingContext2d;

/// Where to paint: a context scaled to CSS pixels, and its size.
pub struct Surface<'a> {
    /// The context.
    pub context: &'a CanvasRenderingContext2d,
    /// CSS pixels.
    pub width: f64,
    /// CSS pixels.
    pub height: f64,
    /// Device pixels per CSS pixel: edges are snapped to device pixels.
    pub pixel_ratio: f64,
    /// Milliseconds of real time since the page was opened, for motion.
    pub real_ms: f64,
}

/// A canvas that repaints itself. One per canvas element; it keeps its viewport and whatever is
/// on its way from one place to another.
pub trait Painter {
    /// Paints the stage. `true`: something is still moving, paint again at the next frame even
    /// if the stage does not change.
    fn paint(&mut self, surface: &Surface<'_>, stage: &Stage) -> bool;

    /// Takes a pointer event; says what the stage should do about it.
    fn pointer(&mut self, pointer: &Pointer, stage: &Stage) -> Response;

    /// Takes a key (as in Perfetto: W/S zoom, A/D pan, F focus). `true`: it was for this canvas.
    fn key(&mut self, key: &str, stage: &Stage) -> bool {
        let _ = (key, stage);
        false
    }
}

/// What the pointer does, in the canvas's CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer {
    /// What happened.
    pub kind: PointerKind,
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
    /// Whether the primary button (or a finger) is down.
    pub down: bool,
    /// Whether Ctrl or Cmd is held (wheel: zoom).
    pub ctrl: bool,
    /// Whether Shift is held.
    pub shift: bool,
}

/// What the pointer did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerKind {
    /// Moved.
    Move,
    /// Went down.
    Down,
    /// Came up where it went down: a click.
    Click,
    /// Came up elsewhere, after a drag.
    Release,
    /// Left the canvas.
    Leave,
    /// Two fingers moved apart or together around the pointer's place.
    Pinch {
        /// How much larger things should become.
        factor: f64,
    },
    /// The wheel, in pixels.
    Wheel {
        /// To the right.
        dx: f64,
        /// Downwards.
        dy: f64,
    },
}

/// What the stage should do about a pointer event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The job under the pointer, if the event says anything about it.
    pub hover: Option<Option<JobId>>,
    /// The job to choose (or none), if a job or empty space was clicked.
    pub select: Option<Option<JobId>>,
    /// Move the clock there, seconds.
    pub seek: Option<f64>,
    /// The canvas must be painted again.
    pub repaint: bool,
    /// Lines of a tooltip to show beside the pointer.
    pub tooltip: Option<Vec<String>>,
    /// The CSS cursor to show.
    pub cursor: &'static str,
}
