//! Traces kept in this browser, to be found again: their files and how they were opened. The store
//! is static/kept.js, which the page's shell holds.

use crate::bridge::protocol::Choice;
use crate::words::words;
use js_sys::{Array, JsString};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::File;

/// A kept trace, as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The store's number of it.
    pub id: f64,
    /// The name of its file.
    pub name: String,
    /// How many jobs were taken of it.
    pub jobs: f64,
    /// Bytes that it takes.
    pub bytes: f64,
}

/// How files were opened.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The files.
    pub files: Vec<File>,
    /// The archive member; all of them if none is named.
    pub member: Option<String>,
    /// Which columns hold what, as `--map` has it.
    pub columns: Option<String>,
    /// Which jobs are taken.
    pub choice: Choice,
}

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

    #[wasm_bindgen(catch, js_namespace = switchyardKept, js_name = list)]
    async fn list_records() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardKept, js_name = keep)]
    async fn keep_record(
        files: Array,
        name: &str,
        jobs: f64,
        member: Option<String>,
        columns: Option<String>,
        choice: Array,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardKept, js_name = open)]
    async fn open_record(id: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardKept, js_name = remove)]
    async fn remove_record(id: f64) -> Result<JsValue, JsValue>;
}

/// Every kept trace, the oldest first. Browsers that keep nothing have none.
pub async fn list() -> Vec<Kept> {
    let records = list_records().await.map(JsCast::unchecked_into::<Array>);
    let kept = |record: JsValue| {
        let record: Record = record.unchecked_into();
        Kept {
            id: record.id(),
            name: record.name(),
            jobs: record.jobs(),
            bytes: record.bytes(),
        }
    };
    records.map_or_else(|_| Vec::new(), |records| records.iter().map(kept).collect())
}

/// Keeps a trace under a name; the store's number of it.
///
/// # Errors
///
/// Why the browser does not, in words that follow a colon.
pub async fn keep(opening: Opening, name: &str, jobs: usize) -> Result<f64, String> {
    let files: Array = opening.files.iter().collect();
    // Keys and values in turn.
    let pairs = opening
        .choice
        .0
        .iter()
        .flat_map(|(key, value)| [key, value]);
    let choice: Array = pairs.map(|text| JsString::from(text.as_str())).collect();
    let Opening {
        member, columns, ..
    } = opening;
    let kept = keep_record(files, name, jobs as f64, member, columns, choice).await;
    kept.map(|id| id.as_f64().unwrap_or(0.0))
        .map_err(|error| words(&error))
}

/// The files of a kept trace, and how they were opened.
///
/// # Errors
///
/// Why there is none, in words that follow a colon.
pub async fn open(id: f64) -> Result<Opening, String> {
    let record: Record = open_record(id)
        .await
        .map_err(|error| words(&error))?
        .unchecked_into();
    let texts = record.choice();
    let texts: Vec<String> = texts.iter().filter_map(|text| text.as_string()).collect();
    let pairs = texts.as_chunks().0.iter();
    Ok(Opening {
        files: record.files().iter().map(JsCast::unchecked_into).collect(),
        member: record.member(),
        columns: record.columns(),
        choice: Choice(pairs.cloned().map(|[key, value]| (key, value)).collect()),
    })
}

/// Removes a kept trace.
pub async fn remove(id: f64) {
    // What cannot be removed is still listed.
    let _ = remove_record(id).await;
}
