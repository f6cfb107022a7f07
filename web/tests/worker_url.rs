//! The page finds its worker where the build put it.
#![cfg(target_arch = "wasm32")]

use switchyard_web::worker_url;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn a_single_file_page_names_its_own_worker() {
    let key = JsValue::from_str("switchyardWorkerUrl");
    let global = js_sys::global();
    assert!(worker_url().starts_with("./worker_loader.js?v="));
    js_sys::Reflect::set(&global, &key, &JsValue::from_str("blob:here")).expect("a plain object");
    assert_eq!(worker_url(), "blob:here");
    js_sys::Reflect::delete_property(&global, &key).expect("a plain object");
}
