//! What comes from JavaScript: the options of `open` and `run`, plain objects whose keys are those of
//! files and of the command line. A key that is none is refused by name, and nothing is guessed.

use crate::told::refused;
use crate::{cluster_of, told};
use js_sys::{Array, JSON, Object, Uint8Array};
use std::fmt::Display;
use std::str::FromStr;
use switchyard::cluster::ClusterSpec;
use switchyard::policy::ServiceHistory;
use switchyard::study::Request;
use switchyard::trace::{Choices, OpenOptions};
use switchyard::{SETTINGS, Setting};
use wasm_bindgen::{JsCast, JsValue};

/// The options of `open` that are about what is opened.
const OPENING: [&str; 10] = [
    "cluster",
    "fractions",
    "map",
    "max_bytes",
    "max_rows",
    "member",
    "oversized",
    "statuses",
    "tenants",
    "window",
];

/// The options of `run` besides the settings.
const RUNNING: [&str; 5] = ["cluster", "definitions", "histories", "policies", "preset"];

/// How something is opened, and which of its jobs are taken.
pub(crate) struct Opened {
    pub(crate) options: OpenOptions,
    pub(crate) choices: Choices,
    pub(crate) cluster: Option<ClusterSpec>,
}

/// What is run.
pub(crate) struct Runs {
    pub(crate) request: Request,
    pub(crate) cluster: Option<ClusterSpec>,
}

impl Opened {
    pub(crate) fn of(options: &JsValue) -> Result<Self, JsValue> {
        let mut asked = Self {
            options: OpenOptions::default(),
            choices: Choices::default(),
            cluster: None,
        };
        let Self {
            options: opening,
            choices,
            cluster,
        } = &mut asked;
        for (key, value) in entries(options)? {
            match key.as_str() {
                "member" => opening.member = Some(text(&key, &value)?),
                "map" => opening.mapping = Some(read(&key, &mapping(&value)?)?),
                "max_rows" => opening.max_rows = count(&key, &value)?,
                "max_bytes" => opening.max_bytes = count(&key, &value)?,
                "window" => choices.window = Some(read(&key, &text(&key, &value)?)?),
                "tenants" => choices.tenants = texts(&key, &value)?,
                "statuses" => {
                    let words = texts(&key, &value)?;
                    let statuses = words.iter().map(|word| read(&key, word));
                    choices.statuses = statuses.collect::<Result<_, _>>()?;
                }
                "fractions" => choices.fractions = read(&key, &text(&key, &value)?)?,
                "oversized" => choices.oversized = read(&key, &text(&key, &value)?)?,
                "cluster" => *cluster = Some(cluster_in(&key, &value)?),
                _ => return Err(unknown("open", &key, OPENING.iter().copied())),
            }
        }
        Ok(asked)
    }
}

impl Runs {
    pub(crate) fn of(options: &JsValue) -> Result<Self, JsValue> {
        let mut request = Request::default();
        let mut cluster = None;
        for (key, value) in entries(options)? {
            match key.as_str() {
                "cluster" => cluster = Some(cluster_in(&key, &value)?),
                "policies" => request.policies(&texts(&key, &value)?).map_err(refused)?,
                "preset" => request.preset(&text(&key, &value)?).map_err(refused)?,
                "definitions" => {
                    for (at, definition) in items(&value).into_iter().enumerate() {
                        let defined = request.define(json(&key, &definition)?);
                        defined.map_err(|why| refused(format!("definitions[{at}]: {why}")))?;
                    }
                }
                "histories" => {
                    for (name, samples) in entries(&value)? {
                        request.learn(history(name, &samples)?);
                    }
                }
                "weights" if value.is_instance_of::<Uint8Array>() => {
                    let file: Uint8Array = value.unchecked_into();
                    let taken = request.own_weights(&file.to_vec());
                    taken.map_err(|why| refused(format!("weights: {why}")))?;
                }
                _ => match Setting::named(&key) {
                    Some(setting) => {
                        request.set(setting, text(&key, &value)?).map_err(refused)?;
                    }
                    None => {
                        let settings = SETTINGS.iter().map(|setting| setting.key);
                        return Err(unknown("run", &key, RUNNING.into_iter().chain(settings)));
                    }
                },
            }
        }
        Ok(Self { request, cluster })
    }
}

/// What an object has, without what it leaves open.
fn entries(options: &JsValue) -> Result<Vec<(String, JsValue)>, JsValue> {
    if options.is_undefined() || options.is_null() {
        return Ok(Vec::new());
    }
    let Some(object) = options.dyn_ref::<Object>() else {
        return Err(refused(format!(
            "options are {}: they are an object, such as {{ cluster: \"16x4\" }}",
            shown(options)
        )));
    };
    let entries = Object::entries(object).into_iter().filter_map(|entry| {
        let entry: Array = entry.unchecked_into();
        let (key, value) = (entry.get(0).as_string()?, entry.get(1));
        (!value.is_undefined()).then_some((key, value))
    });
    Ok(entries.collect())
}

/// A text; numbers and what is true or false have one, as in files.
fn text(key: &str, value: &JsValue) -> Result<String, JsValue> {
    let plain = value.as_string();
    let plain = plain.or_else(|| value.as_f64().map(|number| number.to_string()));
    let plain = plain.or_else(|| value.as_bool().map(|is| is.to_string()));
    let why = || {
        refused(format!(
            "{key} is {}: it takes a text or a number",
            shown(value)
        ))
    };
    plain.ok_or_else(why)
}

/// Several texts, or one.
fn texts(key: &str, value: &JsValue) -> Result<Vec<String>, JsValue> {
    let why = |item: &JsValue| {
        let item = shown(item);
        refused(format!(
            "{key} holds {item}: it takes a text or an array of texts"
        ))
    };
    let items = items(value);
    let texts = items
        .iter()
        .map(|item| item.as_string().ok_or_else(|| why(item)));
    texts.collect()
}

/// What stands in an array, or what stands alone.
fn items(value: &JsValue) -> Vec<JsValue> {
    match value.dyn_ref::<Array>() {
        Some(array) => array.iter().collect(),
        None => vec![value.clone()],
    }
}

fn read<T: FromStr<Err: Display>>(key: &str, text: &str) -> Result<T, JsValue> {
    text.parse().map_err(|why| refused(format!("{key}: {why}")))
}

fn count(key: &str, value: &JsValue) -> Result<u64, JsValue> {
    let whole = |count: &f64| (0.0..=told::SAFE as f64).contains(count) && count.fract() == 0.0;
    let count = value.as_f64().filter(whole);
    let why = || {
        refused(format!(
            "{key} is {}: it takes a whole number, 0 or more",
            shown(value)
        ))
    };
    count.map(|count| count as u64).ok_or_else(why)
}

fn cluster_in(key: &str, value: &JsValue) -> Result<ClusterSpec, JsValue> {
    cluster_of(&text(key, value)?).map_err(refused)
}

/// A mapping of columns: its text, or an object of the same.
fn mapping(value: &JsValue) -> Result<String, JsValue> {
    if let Some(text) = value.as_string() {
        return Ok(text);
    }
    let mut parts = Vec::new();
    for (key, column) in entries(value)? {
        let column = text(&key, &column)?;
        let quoted = column.contains([',', '"']);
        parts.push(match quoted {
            true => format!("{key}=\"{}\"", column.replace('"', "\"\"")),
            false => format!("{key}={column}"),
        });
    }
    Ok(parts.join(","))
}

/// JSON as a text, or as what it means.
fn json(key: &str, value: &JsValue) -> Result<String, JsValue> {
    if let Some(text) = value.as_string() {
        return Ok(text);
    }
    let text = JSON::stringify(value)
        .ok()
        .and_then(|text| text.as_string());
    let why = || {
        refused(format!(
            "{key} is {}: it takes JSON or an object",
            shown(value)
        ))
    };
    text.ok_or_else(why)
}

/// Services in GPU·s: numbers, or the text of a file of them.
fn history(name: String, value: &JsValue) -> Result<ServiceHistory, JsValue> {
    if let Some(text) = value.as_string() {
        let parsed = ServiceHistory::parse(&name, &text);
        return parsed.map_err(|why| refused(format!("histories: {name}: {why}")));
    }
    let service = |(at, item): (usize, &JsValue)| {
        let service = item.as_f64().filter(|of| of.is_finite() && *of > 0.0);
        let item = shown(item);
        let why = || format!("histories: {name}[{at}] is {item}: it takes GPU·s, a number above 0");
        service.ok_or_else(|| refused(why()))
    };
    let samples = items(value);
    let samples = samples.iter().enumerate().map(service);
    let samples = samples.collect::<Result<Vec<f64>, JsValue>>()?;
    if samples.is_empty() {
        return Err(refused(format!(
            "histories: {name} is empty: it takes one service in GPU·s for each job"
        )));
    }
    Ok(ServiceHistory { name, samples })
}

/// No such option.
fn unknown<'a>(of: &str, key: &str, valid: impl Iterator<Item = &'a str>) -> JsValue {
    let valid: Vec<&str> = valid.collect();
    refused(format!(
        "{of} has no option '{key}': it takes {}",
        valid.join(", ")
    ))
}

/// A value in a message.
fn shown(value: &JsValue) -> String {
    match value.as_string() {
        Some(text) => format!("'{text}'"),
        None => value.as_f64().map_or_else(
            || value.js_typeof().as_string().unwrap_or_default(),
            |n| n.to_string(),
        ),
    }
}
