//! What goes to JavaScript: plain objects, and errors.

use js_sys::{Error, Reflect};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use std::fmt::Display;
use switchyard::engine::{LogBudget, RunError};
use switchyard::trace::OpenError;
use switchyard_app::study::Prepared;
use wasm_bindgen::JsValue;

/// The greatest whole number below which JavaScript holds all others.
pub(crate) const SAFE: u64 = (1 << 53) - 1;

/// A value as `JSON.parse` would have it from the command line's JSON; NaN where that has `null` for a number.
pub(crate) fn plain(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let plain = value.serialize(&Serializer::json_compatible());
    plain.map_err(|error| error_of("engine", &format!("a value cannot be told: {error}")).into())
}

/// Something that was asked is wrong.
pub(crate) fn refused(why: impl Display) -> JsValue {
    error_of("input", &why.to_string()).into()
}

/// A file is not what it should be. Of a table the error has the beginning, with what columns were taken
/// for, so that one can say which are which.
pub(crate) fn refused_to_open(why: &OpenError) -> JsValue {
    let mut text = why.to_string();
    if why.table().is_some() {
        text.push_str(
            "; for instance with map: 'submit=COLUMN,duration=COLUMN,gpus=COLUMN,unit=s'",
        );
    }
    let error = error_of("input", &text);
    if let Some(table) = why.table().and_then(|table| plain(table).ok()) {
        put(&error, "table", &table);
    }
    error.into()
}

/// A run did not come to its end.
pub(crate) fn stopped(why: RunError) -> JsValue {
    error_of("run", &why.with_ways(MORE_ROOM)).into()
}

/// What gives a log more room, where it is in the memory of a page.
const MORE_ROOM: &str = "run it with the command line, which has all of the machine's memory";

fn error_of(kind: &str, text: &str) -> Error {
    let error = Error::new(text);
    put(&error, "kind", &kind.into());
    error
}

/// Sets a property of an object of ours, which takes all.
pub(crate) fn put(object: &JsValue, key: &str, value: &JsValue) {
    let _ = Reflect::set(object, &key.into(), value);
}

/// How much a run may write into its log: what it may elsewhere by default, with a bound on events that
/// JavaScript can hold.
pub(crate) fn budget() -> LogBudget {
    LogBudget {
        events: SAFE,
        ..LogBudget::default()
    }
}

/// Whether the settings can be told without rounding.
pub(crate) fn is_told_exactly(prepared: &Prepared) -> Result<(), JsValue> {
    let settings = &prepared.experiment.settings;
    let seeds = [
        ("seed", settings.options.seed),
        ("binding_seed", settings.applications.seed),
    ];
    match seeds.iter().find(|(_, seed)| *seed > SAFE) {
        Some((key, seed)) => Err(refused(format!(
            "{key} is '{seed}': JavaScript holds whole numbers up to {SAFE}; choose a smaller one"
        ))),
        None => Ok(()),
    }
}
