//! Files from the page to the person's disk; nothing goes over the network.

use crate::draw::charts::Figure;
use crate::draw::space::{Css, Ratio, Size};
use gloo_file::{Blob, ObjectUrl};
use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlAnchorElement, HtmlCanvasElement};

/// Picture formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picture {
    /// Pixels, two per CSS pixel.
    Png,
    /// Shapes, for papers and further editing.
    Svg,
}

/// Pixels of a PNG file per CSS pixel.
const PNG_SCALE: Ratio = Ratio(2.0);

/// How long a browser may take to begin reading a file it was given.
const KEEP_MS: u32 = 30_000;

/// Saves text under a name.
pub(super) fn text(name: &str, mime: &str, text: &str) {
    save(name, Blob::new_with_options(text, Some(mime)));
}

/// Saves a figure as it is seen, at this size.
pub(super) fn picture(figure: &Figure, kind: Picture, size: Size<Css>, dark: bool) {
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
            let write = Closure::once_into_js(move |blob: Option<web_sys::Blob>| {
                if let Some(blob) = blob {
                    save(&name, blob.into());
                }
            });
            // Fails only for canvases that hold others' pictures.
            let _ = canvas.to_blob(write.unchecked_ref());
        }
    }
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
