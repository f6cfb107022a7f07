//! What went wrong, in words for people. The one function that knows them is static/words.js, since
//! they are needed even where the page's program has failed.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Why, in words that follow a colon, whatever was thrown or told.
    #[wasm_bindgen(js_name = switchyardWords)]
    pub(crate) fn words(error: &JsValue) -> String;
}

/// The same of a text.
pub(crate) fn words_for(text: &str) -> String {
    words(&JsValue::from_str(text))
}
