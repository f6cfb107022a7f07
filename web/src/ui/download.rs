//! Files from the page to the person's disk; nothing goes over the network.

use crate::draw::svg::INCH;
use gloo_file::{Blob, ObjectUrl};
use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement};

/// Picture formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picture {
    /// Pixels.
    Png,
    /// Shapes, for papers and further editing.
    Svg,
}

/// Pixels of a PNG file to a CSS pixel: 300 to an inch, as papers ask for.
pub(super) const PNG_SCALE: f64 = 300.0 / INCH;

/// How long a browser may take to begin reading a file it was given.
const KEEP_MS: u32 = 30_000;

/// Saves text under a name.
pub(super) fn text(name: &str, mime: &str, text: &str) {
    save(name, Blob::new_with_options(text, Some(mime)));
}

/// Saves an SVG drawing under a name without its end; as pixels, so many to each of its own.
pub(super) fn picture(name: &str, svg: &str, kind: Picture, scale: f64) {
    match kind {
        Picture::Svg => text(&format!("{name}.svg"), "image/svg+xml", svg),
        Picture::Png => pixels(format!("{name}.png"), svg, scale),
    }
}

/// Has the browser draw an SVG drawing, and saves its pixels. A browser that cannot saves nothing.
fn pixels(name: String, svg: &str, scale: f64) {
    let (Some(image), Some(canvas)) = (
        new_element::<HtmlImageElement>("img"),
        new_element::<HtmlCanvasElement>("canvas"),
    ) else {
        return;
    };
    let address = ObjectUrl::from(Blob::new_with_options(svg, Some("image/svg+xml")));
    let drawn = image.clone();
    image.set_src(&address);
    let draw = Closure::once_into_js(move || {
        let (w, h) = (
            f64::from(drawn.width()) * scale,
            f64::from(drawn.height()) * scale,
        );
        canvas.set_width(w.round() as u32);
        canvas.set_height(h.round() as u32);
        let context = canvas.get_context("2d").ok().flatten();
        if let Some(context) = context.and_then(|of| of.dyn_into::<CanvasRenderingContext2d>().ok())
        {
            // Fails for broken images alone.
            let _ =
                context.draw_image_with_html_image_element_and_dw_and_dh(&drawn, 0.0, 0.0, w, h);
        }
        drop(address);
        let write = Closure::once_into_js(move |blob: Option<web_sys::Blob>| {
            if let Some(blob) = blob {
                save(&name, blob.into());
            }
        });
        // Fails only for canvases that hold others' pictures.
        let _ = canvas.to_blob(write.unchecked_ref());
    });
    image.set_onload(Some(draw.unchecked_ref()));
}

fn save(name: &str, blob: Blob) {
    let Some(link) = new_element::<HtmlAnchorElement>("a") else {
        return;
    };
    let address = ObjectUrl::from(blob);
    link.set_href(&address);
    link.set_download(name);
    link.click();
    Timeout::new(KEEP_MS, move || drop(address)).forget();
}

fn new_element<T: JsCast>(tag: &str) -> Option<T> {
    web_sys::window()?
        .document()?
        .create_element(tag)
        .ok()?
        .dyn_into()
        .ok()
}
