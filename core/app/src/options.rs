//! What is asked for by name and value: the options of `open` and `run`, whose keys are those of files
//! and of the command line. In: plain values, as JSON has them; out: what a [`Study`] takes. A key that is
//! none is refused by name, and nothing is guessed.

use crate::study::{Origin, Request, Study, StudyRequest};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use switchyard::Resource;
use switchyard::cluster::ClusterSpec;
use switchyard::meant::hint;
use switchyard::policies::ServiceHistory;
use switchyard::trace::{Choices, OpenOptions, Opened};
use switchyard::weights::Weights;
use switchyard::workload::Label;
use switchyard::{SETTINGS, Setting};

/// Options, by name.
pub type Options = Map<String, Value>;

/// The options of `open`.
pub const OPENING: &[&str] = &[
    "accounts",
    "cluster",
    "fractions",
    "map",
    "max_bytes",
    "max_rows",
    "member",
    "on_cores",
    "oversized",
    "partitions",
    "qos",
    "reservations",
    "statuses",
    "tenants",
    "unit",
    "users",
    "window",
];

/// The options of `run` besides the settings.
pub const RUNNING: &[&str] = &[
    "by",
    "cluster",
    "definitions",
    "histories",
    "load",
    "policies",
    "preset",
];

/// How fast jobs may come, as a factor.
pub const LOADS: RangeInclusive<f64> = 0.01..=100.0;

/// What is wrong with what was asked for: what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// How something is opened, and which of its jobs are taken.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// How files are read.
    pub options: OpenOptions,
    /// Which jobs.
    pub choices: Choices,
    /// The cluster asked for.
    pub cluster: Option<ClusterSpec>,
}

/// What is run.
#[derive(Clone, Debug)]
pub struct Running {
    /// Everything but the following.
    pub request: Request,
    /// The cluster asked for.
    pub cluster: Option<ClusterSpec>,
    /// How many times as fast as recorded jobs come.
    pub load: f64,
}

fn refused(why: impl Display) -> Refused {
    Refused(why.to_string())
}

impl Opening {
    /// With these options of `open`; a cluster is what `cluster_of` makes of its text and of what is counted.
    ///
    /// # Errors
    ///
    /// One is none, or takes other values.
    pub fn of<E: Display>(
        options: &Options,
        cluster_of: impl Fn(&str, Resource) -> Result<ClusterSpec, E>,
    ) -> Result<Self, Refused> {
        let mut asked = Self::default();
        // What a cluster's file tells depends on it.
        if let Some(unit) = options.get("unit").filter(|unit| !unit.is_null()) {
            asked.options.unit = read("unit", &text("unit", unit)?)?;
        }
        let unit = asked.options.unit;
        for (key, value) in given(options) {
            let (opening, choices) = (&mut asked.options, &mut asked.choices);
            match key.as_str() {
                "member" => opening.member = Some(text(key, value)?),
                "map" => opening.mapping = Some(read(key, &mapping(key, value)?)?),
                "unit" => {}
                "max_rows" => opening.max_rows = count(key, value)?,
                "max_bytes" => opening.max_bytes = count(key, value)?,
                "window" => choices.window = Some(read(key, &text(key, value)?)?),
                "tenants" => choices.tenants = texts(key, value)?,
                "statuses" => {
                    let words = texts(key, value)?;
                    let statuses = words.iter().map(|word| read(key, word));
                    choices.statuses = statuses.collect::<Result<_, _>>()?;
                }
                "fractions" => choices.fractions = read(key, &text(key, value)?)?,
                "oversized" => choices.oversized = read(key, &text(key, value)?)?,
                "on_cores" => choices.on_cores = read(key, &text(key, value)?)?,
                "cluster" => {
                    asked.cluster = Some(cluster(key, value, |text| cluster_of(text, unit))?)
                }
                key if let Some(label) = Label::ALL.into_iter().find(|of| of.words() == key) => {
                    let names = texts(key, value)?.into_iter();
                    choices.labels.extend(names.map(|name| (label, name)));
                }
                _ => return Err(unknown("open", key, OPENING.iter().copied())),
            }
        }
        Ok(asked)
    }
}

impl Opening {
    /// How the files are to be [opened once more](Opened::lacks_those_on_cores), if they are.
    pub fn again(&self, opened: &Opened) -> Option<OpenOptions> {
        let lacks = opened.lacks_those_on_cores(&self.options, self.cluster.as_ref());
        lacks.then(|| OpenOptions {
            keep_on_cores: true,
            ..self.options.clone()
        })
    }
}

impl Running {
    /// With these options of `run`, and with weights for what has learned; a cluster is what `cluster_of` makes
    /// of its text.
    ///
    /// # Errors
    ///
    /// One is none, or takes other values.
    pub fn of<E: Display>(
        options: &Options,
        weights: Weights,
        cluster_of: impl Fn(&str) -> Result<ClusterSpec, E>,
    ) -> Result<Self, Refused> {
        let mut asked = Self {
            request: Request::with(weights),
            cluster: None,
            load: 1.0,
        };
        for (key, value) in given(options) {
            let request = &mut asked.request;
            match key.as_str() {
                "cluster" => asked.cluster = Some(cluster(key, value, &cluster_of)?),
                "by" => {
                    for word in texts(key, value)? {
                        request.by(read(key, &word)?);
                    }
                }
                "policies" => request.policies(&texts(key, value)?).map_err(refused)?,
                "preset" => request.preset(&text(key, value)?).map_err(refused)?,
                "load" => asked.load = load(key, value)?,
                "definitions" => {
                    for (at, definition) in items(value).iter().enumerate() {
                        let json = match definition {
                            Value::String(text) => text.clone(),
                            other => other.to_string(),
                        };
                        let defined = request.define(json);
                        defined.map_err(|why| refused(format!("definitions[{at}]: {why}")))?;
                    }
                }
                "histories" => {
                    let Value::Object(histories) = value else {
                        return Err(refused(format!(
                            "{key} is {value}: it takes services in GPU·s by a history's name"
                        )));
                    };
                    for (name, samples) in histories {
                        request.learn(history(name, samples)?);
                    }
                }
                _ => match Setting::named(key) {
                    Some(setting) => {
                        request.set(setting, text(key, value)?).map_err(refused)?;
                    }
                    None => {
                        let settings = SETTINGS.iter().map(|setting| setting.key);
                        return Err(unknown("run", key, RUNNING.iter().copied().chain(settings)));
                    }
                },
            }
        }
        Ok(asked)
    }

    /// What this asks of a study.
    ///
    /// # Errors
    ///
    /// Something does not go together.
    pub fn of_study(self, mut study: Study) -> Result<StudyRequest, Refused> {
        if let Some(cluster) = self.cluster {
            study.cluster = Some((cluster, Origin::Asked));
        }
        if self.load != 1.0 {
            study.workload = study.workload.at_load(self.load);
        }
        study.ask(self.request).map_err(refused)
    }
}

/// What is given; what is null is not.
fn given(options: &Options) -> impl Iterator<Item = (&String, &Value)> {
    options.iter().filter(|(_, value)| !value.is_null())
}

/// A text; numbers and what is true or false have one, as in files.
fn text(key: &str, value: &Value) -> Result<String, Refused> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(match number.as_f64() {
            // 30.0 is 30, as people write it.
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        }),
        Value::Bool(is) => Ok(is.to_string()),
        _ => Err(refused(format!(
            "{key} is {value}: it takes a text or a number"
        ))),
    }
}

/// Several texts, or one.
fn texts(key: &str, value: &Value) -> Result<Vec<String>, Refused> {
    let text = |item: &Value| match item {
        Value::String(text) => Ok(text.clone()),
        _ => Err(refused(format!(
            "{key} holds {item}: it takes a text or a list of texts"
        ))),
    };
    items(value).iter().map(text).collect()
}

/// What stands in a list, or what stands alone.
pub fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        alone => std::slice::from_ref(alone),
    }
}

fn read<T: FromStr<Err: Display>>(key: &str, text: &str) -> Result<T, Refused> {
    text.parse().map_err(|why| refused(format!("{key}: {why}")))
}

fn count(key: &str, value: &Value) -> Result<u64, Refused> {
    let why = || {
        refused(format!(
            "{key} is {value}: it takes a whole number, 0 or more"
        ))
    };
    value.as_u64().ok_or_else(why)
}

fn load(key: &str, value: &Value) -> Result<f64, Refused> {
    let load = value.as_f64().filter(|load| LOADS.contains(load));
    let why = || {
        refused(format!(
            "{key} is {value}: it takes a number from 0.01 to 100; with 2 jobs come twice as fast as recorded"
        ))
    };
    load.ok_or_else(why)
}

fn cluster<E: Display>(
    key: &str,
    value: &Value,
    cluster_of: impl Fn(&str) -> Result<ClusterSpec, E>,
) -> Result<ClusterSpec, Refused> {
    cluster_of(&text(key, value)?).map_err(|why| refused(format!("{key}: {why}")))
}

/// A mapping of columns: its text, or what it says by role.
fn mapping(key: &str, value: &Value) -> Result<String, Refused> {
    let Value::Object(roles) = value else {
        return text(key, value);
    };
    let parts = given(roles).map(|(role, column)| {
        let column = text(role, column)?;
        Ok(match column.contains([',', '"']) {
            true => format!("{role}=\"{}\"", column.replace('"', "\"\"")),
            false => format!("{role}={column}"),
        })
    });
    Ok(parts.collect::<Result<Vec<_>, Refused>>()?.join(","))
}

/// Services in GPU·s: numbers, or the text of a file of them.
fn history(name: &str, value: &Value) -> Result<ServiceHistory, Refused> {
    if let Value::String(text) = value {
        let parsed = ServiceHistory::parse(name, text);
        return parsed.map_err(|why| refused(format!("histories: {name}: {why}")));
    }
    let service = |(at, item): (usize, &Value)| {
        let service = item.as_f64().filter(|of| of.is_finite() && *of > 0.0);
        let why = || format!("histories: {name}[{at}] is {item}: it takes GPU·s, a number above 0");
        service.ok_or_else(|| refused(why()))
    };
    let samples = items(value).iter().enumerate().map(service);
    let samples = samples.collect::<Result<Vec<f64>, Refused>>()?;
    if samples.is_empty() {
        return Err(refused(format!(
            "histories: {name} is empty: it takes one service in GPU·s for each job"
        )));
    }
    Ok(ServiceHistory {
        name: name.to_owned(),
        samples,
    })
}

/// No such option.
fn unknown<'a>(of: &str, key: &str, valid: impl IntoIterator<Item = &'a str>) -> Refused {
    let valid: Vec<&str> = valid.into_iter().collect();
    refused(format!(
        "{of} has no option '{key}'{}: it takes {}",
        hint(key, valid.iter().copied()),
        valid.join(", ")
    ))
}
