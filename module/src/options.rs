//! What comes from JavaScript: the options of `open` and `run`, as plain values for [`switchyard_app::options`].

use crate::to_js::refused;
use js_sys::{Array, Object, Uint8Array};
use serde_json::Value;
use switchyard::weights;
use switchyard_app::options::{Opening, Options, Running};
use switchyard_app::study::cluster_of;
use wasm_bindgen::{JsCast, JsValue};

/// The options of `open`.
pub(crate) fn opening(options: &JsValue) -> Result<Opening, JsValue> {
    let options = entries(options)?.into_iter().map(plain);
    Opening::of(&options.collect::<Result<_, _>>()?, |text, _| {
        cluster_of(text)
    })
    .map_err(refused)
}

/// The options of `run`; weights of one's own are bytes.
pub(crate) fn running(options: &JsValue) -> Result<Running, JsValue> {
    let is_file =
        |(key, value): &(String, JsValue)| key == "weights" && value.is_instance_of::<Uint8Array>();
    let (files, options): (Vec<_>, Vec<_>) = entries(options)?.into_iter().partition(is_file);
    let options: Options = options.into_iter().map(plain).collect::<Result<_, _>>()?;
    let mut running = Running::of(&options, weights::shipped(), cluster_of).map_err(refused)?;
    for (_, file) in files {
        let taken = running
            .request
            .own_weights(&Uint8Array::new(&file).to_vec());
        taken.map_err(|why| refused(format!("weights: {why}")))?;
    }
    Ok(running)
}

/// What an object has.
fn entries(options: &JsValue) -> Result<Vec<(String, JsValue)>, JsValue> {
    if options.is_undefined() || options.is_null() {
        return Ok(Vec::new());
    }
    let Some(object) = options.dyn_ref::<Object>() else {
        return Err(refused(
            "options are an object, such as { cluster: \"16x4\" }",
        ));
    };
    let entries = Object::entries(object).into_iter().filter_map(|entry| {
        let entry: Array = entry.unchecked_into();
        Some((entry.get(0).as_string()?, entry.get(1)))
    });
    Ok(entries.collect())
}

/// A value as JSON would have it.
fn plain((key, value): (String, JsValue)) -> Result<(String, Value), JsValue> {
    let plain = match value.as_f64() {
        // JSON has none, and would leave it out.
        Some(number) if !number.is_finite() => Value::String(number.to_string()),
        _ => serde_wasm_bindgen::from_value(value)
            .map_err(|why| refused(format!("{key} is no plain value: {why}")))?,
    };
    Ok((key, plain))
}
