//! The clipboard, where the browser gives the page one.

use wasm_bindgen_futures::JsFuture;

/// Copies a text; whether the browser lets the page.
pub(super) async fn copy(text: &str) -> bool {
    match web_sys::window().map(|window| window.navigator().clipboard()) {
        // Pages opened from a file or over plain http have no clipboard.
        Some(clipboard) if !clipboard.is_undefined() => {
            JsFuture::from(clipboard.write_text(text)).await.is_ok()
        }
        _ => false,
    }
}
