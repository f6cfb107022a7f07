//! Pixels on their way to the canvas, through a canvas that is not on the page.

use super::gpus::Pixel;
use crate::draw::space::Rect;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Pixels, line by line.
#[derive(Default)]
pub(super) struct Image {
    pub(super) pixels: Vec<Pixel>,
    canvas: Option<(HtmlCanvasElement, CanvasRenderingContext2d)>,
}

impl Image {
    /// Hands the pixels to the browser. What fails leaves the rows empty, for a frame.
    pub(super) fn upload(&mut self, beside: &CanvasRenderingContext2d, width: usize, lines: usize) {
        if width == 0 || lines == 0 {
            return;
        }
        if self.canvas.is_none() {
            self.canvas = off_screen(beside);
        }
        let Some((canvas, context)) = &self.canvas else {
            return;
        };
        let (w, h) = (width as u32, lines as u32);
        // Growing or shrinking costs: only ever grow.
        if canvas.width() < w || canvas.height() < h {
            canvas.set_width(canvas.width().max(w));
            canvas.set_height(canvas.height().max(h));
        }
        let bytes = self.pixels.as_flattened();
        if let Ok(data) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(bytes), w, h) {
            let _ = context.put_image_data(&data, 0.0, 0.0);
        }
    }

    /// Puts a part of the image on the canvas.
    pub(super) fn put(&self, context: &CanvasRenderingContext2d, from: &Rect, to: &Rect) {
        if let Some((canvas, _)) = &self.canvas {
            let _ = context
                .draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                    canvas, from.x, from.y, from.w, from.h, to.x, to.y, to.w, to.h,
                );
        }
    }
}

fn off_screen(
    beside: &CanvasRenderingContext2d,
) -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
    let document = beside.canvas()?.owner_document()?;
    let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
    let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    Some((canvas, context))
}
