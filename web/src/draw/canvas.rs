//! A canvas: what it shows, and what its painters share: how painting begins, how pointers come in.

use super::on_stage::OnStage;
use super::pen::Pen;
use super::space::{Css, Device, Point, Ratio};
use super::text::Widths;
use super::{Pointer, PointerKind, Response, Surface};
use crate::stage::Stage;
use crate::time_axis::AxisRequest;

/// A canvas that repaints itself. One per canvas element; its painter keeps its viewport and whatever
/// is on its way from one place to another.
pub struct Canvas {
    painter: Box<dyn Painter>,
    widths: Widths,
    ratio: Ratio,
}

/// What paints a canvas and answers its pointer, in device pixels.
pub(crate) trait Painter {
    /// Paints on the cleared canvas. `true`: something is still moving, paint again at the next
    /// frame even if the stage does not change.
    fn paint(&mut self, pen: &mut Pen<'_>, stage: &Stage) -> bool;

    /// Takes a pointer event; says what the stage should do about it.
    fn pointer(&mut self, pointer: &Pointer<Device>, stage: &Stage) -> Response;

    /// Takes a key. `true`: it was for this canvas.
    fn key(&mut self, _key: &str, _stage: &Stage) -> bool {
        false
    }

    /// Takes an arrow, Home, End or Enter while the canvas has the focus, as a pointer that goes from
    /// one thing to the next and clicks; says what the stage should do about it, and where the
    /// tooltip belongs. `None`: such keys mean nothing here.
    fn walk(&mut self, _key: &str, _stage: &Stage) -> Option<(Response, Point<Device>)> {
        None
    }

    /// What it wants of the axis of time since it was last asked.
    fn wants(&mut self) -> Option<AxisRequest> {
        None
    }
}

/// A [`Painter`] of one run.
pub(crate) trait RunPainter {
    /// As [`Painter::paint`].
    fn paint(&mut self, pen: &mut Pen<'_>, shown: OnStage<'_>) -> bool;

    /// As [`Painter::pointer`], but for a pointer that leaves.
    fn pointer(&mut self, pointer: &Pointer<Device>, shown: OnStage<'_>) -> Response;

    /// The pointer has left.
    fn leave(&mut self) {}

    /// As [`Painter::key`].
    fn key(&mut self, _key: &str, _shown: OnStage<'_>) -> bool {
        false
    }

    /// As [`Painter::walk`].
    fn walk(&mut self, _key: &str, _shown: OnStage<'_>) -> Option<(Response, Point<Device>)> {
        None
    }

    /// As [`Painter::wants`].
    fn wants(&mut self) -> Option<AxisRequest> {
        None
    }
}

/// The run with an id, painted while it is on stage.
pub(crate) struct OfRun<P>(pub(crate) u32, pub(crate) P);

impl<P> OfRun<P> {
    fn on<'a>(&self, stage: &'a Stage) -> Option<OnStage<'a>> {
        let run = stage.run(self.0)?;
        Some(OnStage { stage, run })
    }
}

impl<P: RunPainter> Painter for OfRun<P> {
    fn paint(&mut self, pen: &mut Pen<'_>, stage: &Stage) -> bool {
        self.on(stage).is_some_and(|shown| self.1.paint(pen, shown))
    }

    fn pointer(&mut self, pointer: &Pointer<Device>, stage: &Stage) -> Response {
        match self.on(stage) {
            Some(shown) if pointer.kind != PointerKind::Leave => self.1.pointer(pointer, shown),
            _ => {
                self.1.leave();
                Response {
                    repaint: true,
                    ..Response::over_nothing()
                }
            }
        }
    }

    fn key(&mut self, key: &str, stage: &Stage) -> bool {
        self.on(stage).is_some_and(|shown| self.1.key(key, shown))
    }

    fn walk(&mut self, key: &str, stage: &Stage) -> Option<(Response, Point<Device>)> {
        self.1.walk(key, self.on(stage)?)
    }

    fn wants(&mut self) -> Option<AxisRequest> {
        self.1.wants()
    }
}

impl Canvas {
    /// A canvas for what a painter paints.
    pub(crate) fn new(painter: impl Painter + 'static) -> Self {
        Self {
            painter: Box::new(painter),
            widths: Widths::default(),
            ratio: Ratio(1.0),
        }
    }

    /// Paints the stage. `true`: something is still moving, paint again at the next frame even if
    /// the stage does not change.
    pub fn paint(&mut self, surface: &Surface<'_>, stage: &Stage) -> bool {
        self.ratio = surface.ratio;
        let mut pen = Pen::new(surface, &mut self.widths, stage.dark);
        self.painter.paint(&mut pen, stage)
    }

    /// Takes a pointer event; says what the stage should do about it.
    pub fn pointer(&mut self, pointer: &Pointer<Css>, stage: &Stage) -> Response {
        let pointer = Pointer {
            at: self.ratio.point(pointer.at),
            kind: pointer.kind,
            down: pointer.down,
            ctrl: pointer.ctrl,
            shift: pointer.shift,
        };
        self.painter.pointer(&pointer, stage)
    }

    /// Takes a key (as in Perfetto: W/S zoom, A/D pan, F focus). `true`: it was for this canvas.
    pub fn key(&mut self, key: &str, stage: &Stage) -> bool {
        self.painter.key(key, stage)
    }

    /// Takes an arrow, Home, End or Enter while the canvas has the focus; says what the stage should
    /// do about it, and where the tooltip belongs. `None`: such keys mean nothing here.
    pub fn walk(&mut self, key: &str, stage: &Stage) -> Option<(Response, Point<Css>)> {
        let (response, at) = self.painter.walk(key, stage)?;
        Some((response, self.ratio.css(at)))
    }

    /// What it wants of the axis of time since it was last asked: ask after each of the above.
    pub fn wants(&mut self) -> Option<AxisRequest> {
        self.painter.wants()
    }
}
