//! Traces stored in this browser, to be found again: their files and how they were opened; and the
//! files that are open, held for their tab until it has others or is over. The store is static/stored_traces.js,
//! which the page's shell holds: a script and not the `idb` crate, since all that it handles (blobs,
//! streams, quotas) are the browser's own objects, which Rust would only hand from call to call.

use crate::bridge::protocol::Choice;
use crate::words::words;
use js_sys::{Array, JsString};
use thiserror::Error;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::File;

/// A stored trace, as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTrace {
    /// The store's number of it.
    pub id: f64,
    /// The name of its file.
    pub name: String,
    /// How many jobs were taken of it.
    pub jobs: f64,
    /// Bytes that it takes.
    pub bytes: f64,
}

/// Whether a reload finds the files that are open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Held {
    /// They are not held, and nobody asked: samples, kept traces, browsers that store nothing.
    #[default]
    No,
    /// These bytes are held for this tab.
    ForTab(f64),
    /// These bytes are too many.
    TooLarge(f64),
    /// The visitor does not want it.
    Declined,
}

/// How files were opened.
#[derive(Clone, Debug, Default)]
pub struct TraceFiles {
    /// The files.
    pub files: Vec<File>,
    /// The archive member; all of them if none is named.
    pub member: Option<String>,
    /// Which columns hold what, as `--map` has it.
    pub columns: Option<String>,
    /// Which jobs are taken.
    pub choice: Choice,
}

/// Why the browser does not store a trace, or has none: its own reason, in words that follow a colon.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct NotStored(String);

#[wasm_bindgen]
extern "C" {
    type Record;
    #[wasm_bindgen(method, getter)]
    fn id(this: &Record) -> f64;
    #[wasm_bindgen(method, getter)]
    fn name(this: &Record) -> String;
    #[wasm_bindgen(method, getter)]
    fn jobs(this: &Record) -> f64;
    #[wasm_bindgen(method, getter)]
    fn bytes(this: &Record) -> f64;
    #[wasm_bindgen(method, getter)]
    fn files(this: &Record) -> Array;
    #[wasm_bindgen(method, getter)]
    fn member(this: &Record) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn columns(this: &Record) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn choice(this: &Record) -> Array;

    #[wasm_bindgen(catch, js_namespace = switchyardStoredTraces, js_name = list)]
    async fn list_records() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardStoredTraces, js_name = keep)]
    async fn keep_record(
        files: Array,
        name: &str,
        jobs: f64,
        member: Option<String>,
        columns: Option<String>,
        choice: Array,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardStoredTraces, js_name = open)]
    async fn open_record(id: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardStoredTraces, js_name = remove)]
    async fn remove_record(id: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardStoredTraces, js_name = hold)]
    async fn hold_files(files: Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardStoredTraces, js_name = held)]
    async fn held_files(name: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardStoredTraces, js_name = unhold)]
    async fn unhold_files() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardStoredTraces, js_name = unholdAll)]
    async fn unhold_all_files() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = switchyardStoredTraces)]
    fn watch(changed: JsValue);
}

/// Every stored trace, the oldest first. Browsers that keep nothing have none.
pub async fn list() -> Vec<StoredTrace> {
    let records = list_records().await.map(JsCast::unchecked_into::<Array>);
    let kept = |record: JsValue| {
        let record: Record = record.unchecked_into();
        StoredTrace {
            id: record.id(),
            name: record.name(),
            jobs: record.jobs(),
            bytes: record.bytes(),
        }
    };
    records.map_or_else(|_| Vec::new(), |records| records.iter().map(kept).collect())
}

/// Has a function called, for as long as the page is there, when another tab has stored or removed a trace.
pub fn watch_others(changed: impl Fn() + 'static) {
    watch(Closure::<dyn Fn()>::new(changed).into_js_value());
}

/// Stores a trace under a name; the store's number of it.
///
/// # Errors
///
/// Why the browser does not, in words that follow a colon.
pub async fn store(how: TraceFiles, name: &str, jobs: usize) -> Result<f64, NotStored> {
    let files: Array = how.files.iter().collect();
    // Keys and values in turn.
    let pairs = how.choice.0.iter().flat_map(|(key, value)| [key, value]);
    let choice: Array = pairs.map(|text| JsString::from(text.as_str())).collect();
    let TraceFiles {
        member, columns, ..
    } = how;
    let kept = keep_record(files, name, jobs as f64, member, columns, choice).await;
    kept.map(|id| id.as_f64().unwrap_or(0.0))
        .map_err(|error| NotStored(words(&error)))
}

/// The files of a stored trace, and how they were opened.
///
/// # Errors
///
/// Why there is none, in words that follow a colon.
pub async fn open(id: f64) -> Result<TraceFiles, NotStored> {
    let record: Record = open_record(id)
        .await
        .map_err(|error| NotStored(words(&error)))?
        .unchecked_into();
    let texts = record.choice();
    let texts: Vec<String> = texts.iter().filter_map(|text| text.as_string()).collect();
    let pairs = texts.as_chunks().0.iter();
    Ok(TraceFiles {
        files: record.files().iter().map(JsCast::unchecked_into).collect(),
        member: record.member(),
        columns: record.columns(),
        choice: Choice(pairs.cloned().map(|[key, value]| (key, value)).collect()),
    })
}

/// Removes a stored trace.
pub async fn remove(id: f64) {
    // What cannot be removed is still listed.
    let _ = remove_record(id).await;
}

/// Holds files for this tab, in the place of those held before; whether the browser does.
pub async fn hold(files: &[File]) -> bool {
    hold_files(files.iter().collect()).await.is_ok()
}

/// The files held for this tab whose first has this name; none if there are none.
pub async fn held(name: &str) -> Vec<File> {
    let files = held_files(name).await.map(JsCast::unchecked_into::<Array>);
    files.map_or_else(
        |_| Vec::new(),
        |files| files.iter().map(JsCast::unchecked_into).collect(),
    )
}

/// Holds nothing for this tab any more.
pub async fn unhold() {
    // A browser that cannot remove it holds nothing either.
    let _ = unhold_files().await;
}

/// Holds nothing for any tab any more.
pub async fn unhold_all() {
    let _ = unhold_all_files().await;
}
