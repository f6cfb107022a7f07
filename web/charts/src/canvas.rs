//! A canvas of the page, drawn on by plotters' backend for canvases.

use crate::space::{Css, Ratio, Size};
use crate::stroke::{Stroke, width};
use crate::svg::ChartStyle;
use crate::units::{Failed, pixels};
use plotters::style::Color;
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A canvas, its pixels so fine that plotters' whole numbers are enough.
pub struct ChartCanvas {
    backend: CanvasBackend,
    /// The backend's own, for what it lacks.
    context: CanvasRenderingContext2d,
    /// How large it is.
    pub(crate) size: Size<Css>,
    /// How it looks.
    pub(crate) look: ChartStyle,
}

impl ChartCanvas {
    /// A canvas with nothing on it; `None` where a browser gives no context.
    pub fn cleared(
        element: HtmlCanvasElement,
        (size, ratio): (Size<Css>, Ratio),
        look: ChartStyle,
    ) -> Option<Self> {
        let device = ratio.size(size);
        element.set_width(device.w as u32);
        element.set_height(device.h as u32);
        let context = element.get_context("2d").ok().flatten()?;
        let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
        let unit = ratio.0 * pixels(1);
        // Cannot fail: the numbers are finite.
        let _ = context.set_transform(unit, 0.0, 0.0, unit, 0.0, 0.0);
        context.set_line_join("round");
        Some(Self {
            backend: CanvasBackend::with_canvas_object(element)?,
            context,
            size,
            look,
        })
    }

    /// Lets plotters draw.
    pub(crate) fn draw<E: std::error::Error + Send + Sync>(
        &mut self,
        draw: impl FnOnce(&mut CanvasBackend) -> Result<(), DrawingErrorKind<E>>,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        let failed =
            |why: DrawingErrorKind<E>| DrawingErrorKind::DrawingError(Failed(why.to_string()));
        draw(&mut self.backend).map_err(failed)
    }

    /// A line, dashed or not.
    pub(crate) fn stroke(
        &mut self,
        points: impl Iterator<Item = BackendCoord>,
        stroke: &Stroke,
    ) -> Result<(), DrawingErrorKind<Failed>> {
        let width = width(stroke.width);
        let dashes = stroke
            .dashes
            .iter()
            .map(|on| JsValue::from(on * f64::from(width)));
        let dashes: js_sys::Array = dashes.collect();
        // Cannot fail: these are numbers.
        let _ = self.context.set_line_dash(&dashes);
        let style = stroke.colour.stroke_width(width);
        let drawn = self.draw(|backend| backend.draw_path(points, &style));
        let _ = self.context.set_line_dash(&js_sys::Array::new());
        drawn
    }
}
