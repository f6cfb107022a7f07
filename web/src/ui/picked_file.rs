//! A file that a visitor picks, as text.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What a file field does when a file is picked: `then` is told its name and its text; no text: it cannot be read.
pub(super) fn picked(then: Callback<(String, Option<String>)>) -> Callback<Event> {
    Callback::from(move |event: Event| {
        let input = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        let Some(file) = input.as_ref().and_then(|input| input.files()?.get(0)) else {
            return;
        };
        let then = then.clone();
        spawn_local(async move {
            let text = JsFuture::from(file.text()).await;
            let text = text.ok().and_then(|text| text.as_string());
            then.emit((file.name(), text));
            // The same file, changed, can be picked again.
            if let Some(input) = input {
                input.set_value("");
            }
        });
    })
}
