//! Files from the page to the person's disk; nothing goes over the network.

use crate::draw::charts::Figure;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

/// Picture formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picture {
    /// Pixels, two per CSS pixel.
    Png,
    /// Shapes, for papers and further editing.
    Svg,
}

/// Pixels of a PNG file per CSS pixel.
const PNG_SCALE: f64 = 2.0;

/// How long a browser may take to begin reading a file it was given.
const KEEP_MS: i32 = 30_000;

/// Saves text under a name.
pub(super) fn text(name: &str, mime: &str, text: &str) {
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    if let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &options) {
        save(name, &blob);
    }
}

/// Saves a figure as it is seen, at this size in CSS pixels.
pub(super) fn picture(figure: &Figure, kind: Picture, size: (f64, f64), dark: bool) {
    let slug = figure.chart.slug();
    match kind {
        Picture::Svg => text(
            &format!("switchyard-{slug}.svg"),
            "image/svg+xml",
            &figure.svg(size, dark),
        ),
        Picture::Png => {
            let Some(canvas) = new_element::<HtmlCanvasElement>("canvas") else {
                return;
            };
            if figure
                .paint_canvas(&canvas, size, PNG_SCALE, dark)
                .is_none()
            {
                return;
            }
            let name = format!("switchyard-{slug}.png");
            let write = Closure::once_into_js(move |blob: Option<Blob>| {
                if let Some(blob) = blob {
                    save(&name, &blob);
                }
            });
            // Fails only for canvases that hold others' pictures.
            let _ = canvas.to_blob(write.unchecked_ref());
        }
    }
}

fn save(name: &str, blob: &Blob) {
    let (Ok(address), Some(link)) = (
        Url::create_object_url_with_blob(blob),
        new_element::<HtmlAnchorElement>("a"),
    ) else {
        return;
    };
    link.set_href(&address);
    link.set_download(name);
    link.click();
    let forget = Closure::once_into_js(move || {
        // An address of ours can always be taken back.
        let _ = Url::revoke_object_url(&address);
    });
    if let Some(window) = web_sys::window() {
        // Without the timer the file merely stays in memory.
        let _ = window
            .set_timeout_with_callback_and_timeout_and_arguments_0(forget.unchecked_ref(), KEEP_MS);
    }
}

fn new_element<T: JsCast>(tag: &str) -> Option<T> {
    web_sys::window()?
        .document()?
        .create_element(tag)
        .ok()?
        .dyn_into()
        .ok()
}
