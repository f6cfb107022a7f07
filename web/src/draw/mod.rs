//! Painting: what canvases of views share. It takes a [`Stage`](crate::stage::Stage) and a [`Surface`] and knows no
//! virtual DOM.
//!
//! A [`Painter`] paints a [`Canvas`]; it gets a cleared [`pen`](pen::Pen) and what is [on stage](on_stage::OnStage). The
//! painters of views lie in their folders (`web/src/ui/views`); the player's [`strip`] belongs to no view, so it lies
//! here. There are ways to write numbers and times ([`format`]), what to say about a job ([`describe`]), and colours
//! ([`palette`]). Places are in a [`space`] of their own: CSS pixels outside and device pixels inside, so that edges
//! are crisp.

pub(crate) mod axis;
pub(crate) mod canvas;
pub mod describe;
pub mod format;
pub(crate) mod on_stage;
pub mod palette;
pub(crate) mod pen;
pub mod ranks;
pub(crate) mod series;
pub(crate) mod strip;
pub(crate) mod text;
pub(crate) mod viewport;

pub use canvas::Canvas;
pub(crate) use canvas::Painter;
pub use switchyard_app::moments;
pub use switchyard_charts::{space, svg};

use space::{Point, Ratio, Size};
use switchyard::job::JobId;
use web_sys::CanvasRenderingContext2d;

/// Where to paint.
pub struct Surface<'a> {
    /// The context.
    pub context: &'a CanvasRenderingContext2d,
    /// How large it is.
    pub size: Size<space::Css>,
    /// Edges are snapped to device pixels.
    pub ratio: Ratio,
    /// Milliseconds of real time since the page was opened, for motion.
    pub real_ms: f64,
}

/// What the pointer does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer<S> {
    /// What happened.
    pub kind: PointerKind,
    /// Where.
    pub at: Point<S>,
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
    /// Clicked twice, fast.
    Double,
    /// Left the canvas.
    Leave,
    /// Two fingers moved apart or together around the pointer's place.
    Pinch {
        /// How much larger things should become.
        factor: f64,
    },
    /// The wheel, in CSS pixels.
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
    /// The run's node to ask about, if one was clicked that no job was seen on.
    pub node: Option<(u32, u32)>,
    /// Move the clock there, seconds.
    pub seek: Option<f64>,
    /// The canvas must be painted again.
    pub repaint: bool,
    /// Lines of a tooltip to show beside the pointer.
    pub tooltip: Option<Vec<String>>,
    /// The wheel was not for this canvas: what holds it scrolls.
    pub passes: bool,
    /// The CSS cursor to show.
    pub cursor: &'static str,
}

impl Response {
    /// What to do where there is nothing.
    pub(crate) fn over_nothing() -> Self {
        Self {
            cursor: "default",
            hover: Some(None),
            ..Self::default()
        }
    }
}
