//! Grids of runs: traces × clusters × policies and their parameters × loads × settings × seeds. A grid is a
//! plain value (a TOML file, a dictionary of Python's); its [`Point`]s are numbered in that order, the seed
//! innermost, and each is the options of one run.

use crate::options::{opening, running};
use crate::policy_files::{self, PolicyFileRefused};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use switchyard::meant::hint;
use switchyard::policies::{POLICIES, PolicySpec, entry};
use switchyard::queues::{change, text};
use switchyard::{SETTINGS, Setting};
use switchyard_app::options::{LOADS, Options, Refused, items};

/// The keys of a grid.
const KEYS: &[&str] = &[
    "clusters",
    "loads",
    "parameters",
    "policies",
    "preset",
    "queues",
    "seeds",
    "settings",
    "traces",
];

/// More would not fit into a table that people open.
const MOST_POINTS: usize = 1_000_000;

/// A range has at most so many values.
const MOST_VALUES: usize = 10_000;

/// What is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Where jobs come from.
    pub traces: Vec<GridTrace>,
    /// The runs, by number.
    pub points: Vec<Point>,
}

/// A trace of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct GridTrace {
    /// What the table calls it.
    pub name: String,
    /// Its files, or `sample:NAME`.
    pub files: Vec<String>,
    /// How they are opened: the options of `open`.
    pub options: Options,
}

/// One run of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Which trace.
    pub trace: usize,
    /// The cluster, as it was asked for; `None`: that of the trace.
    pub cluster: Option<String>,
    /// The policy, as it was asked for.
    pub policy: String,
    /// Its name.
    pub scheduler: String,
    /// How many times as fast as recorded jobs come.
    pub load: f64,
    /// Of everything that is drawn.
    pub seed: u64,
    /// All other settings of the grid, `key=value`, in the order of their names.
    pub settings: String,
    /// The options of its run.
    pub options: Options,
}

impl Grid {
    /// The grid in a TOML file; policies' files lie in `base`.
    ///
    /// # Errors
    ///
    /// It is no TOML, with the line; or what is wrong with the grid.
    pub fn of_toml(text: &str, base: &Path) -> Result<Self, Refused> {
        let value: Value = toml::from_str(text).map_err(|why| Refused(why.to_string()))?;
        Self::of(&value, base)
    }

    /// The grid that a value describes, policies' files in `base`; see `docs/sweeps.md`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, by its key.
    pub fn of(value: &Value, base: &Path) -> Result<Self, Refused> {
        let Value::Object(given) = value else {
            return refuse(
                "a grid is a table of traces, policies, clusters, loads, seeds and settings",
            );
        };
        if let Some(key) = given.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let hint = match Setting::named(key) {
                Some(_) => "; a setting stands in settings",
                None => "",
            };
            return refuse(format!(
                "a grid has no '{key}': it has {}{hint}",
                KEYS.join(", ")
            ));
        }
        let part = |key: &str| given.get(key).filter(|value| !value.is_null());
        let traces = match part("traces") {
            Some(traces) => traces_of(traces)?,
            None => return refuse("a grid without traces: traces = [\"FILE\", \"sample:NAME\"]"),
        };
        let clusters = match part("clusters") {
            Some(clusters) => texts("clusters", clusters)?.into_iter().map(Some).collect(),
            None => vec![None],
        };
        let policies = match part("policies") {
            Some(policies) => texts("policies", policies)?,
            None => return refuse("a grid without policies: policies = [\"fifo\", \"srtf\"]"),
        };
        // The text of a script is the policy: whoever changes it asks for other runs.
        let named = policies.iter().map(|text| policy_files::spec(text, base));
        let policies = named.map(|spec| spec.map(|spec| spec.into_owned()));
        let policies: Result<Vec<String>, PolicyFileRefused> = policies.collect();
        let policies = policies.map_err(|why| Refused(format!("policies: {why}")))?;
        let policies = with_parameters(&policies, part("parameters"))?;
        let loads = match part("loads") {
            Some(loads) => numbers("loads", loads)?,
            None => vec![1.0],
        };
        if let Some(load) = loads.iter().find(|load| !LOADS.contains(load)) {
            return refuse(format!("loads holds {load}: a load is from 0.01 to 100"));
        }
        let seeds = match part("seeds") {
            Some(seeds) => whole("seeds", seeds)?,
            None => vec![switchyard::Settings::default().options.seed],
        };
        let mut settings = settings_of(part("settings"))?;
        // Where one of them adapts jobs, all see the same jobs, so that runs can be compared.
        let adapts = policies.iter().any(|(_, spec)| spec.adapts_jobs());
        for each in settings.iter_mut().filter(|_| adapts) {
            each.entry("applications".to_owned()).or_insert(json!(true));
        }
        let settings = with_queues(settings, part("queues"))?;
        let count = [
            traces.len(),
            clusters.len(),
            policies.len(),
            loads.len(),
            settings.len(),
            seeds.len(),
        ];
        let count = count
            .iter()
            .try_fold(1usize, |all, of| all.checked_mul(*of));
        if count.is_none_or(|count| count > MOST_POINTS) {
            return refuse(format!(
                "a grid has at most {MOST_POINTS} runs: take fewer values"
            ));
        }
        let mut points = Vec::new();
        for trace in 0..traces.len() {
            for cluster in &clusters {
                for load in &loads {
                    for (settings, words) in &settings {
                        for (policy, spec) in &policies {
                            for seed in &seeds {
                                let mut options = settings.clone();
                                options.insert("policies".to_owned(), json!(policy));
                                options.insert("load".to_owned(), json!(load));
                                options.insert("seed".to_owned(), json!(seed));
                                for (key, value) in [
                                    ("cluster", cluster.clone().map(Value::from)),
                                    ("preset", part("preset").cloned()),
                                ] {
                                    if let Some(value) = value {
                                        options.insert(key.to_owned(), value);
                                    }
                                }
                                points.push(Point {
                                    trace,
                                    cluster: cluster.clone(),
                                    policy: policy.clone(),
                                    scheduler: spec.name().to_owned(),
                                    load: *load,
                                    seed: *seed,
                                    settings: words.clone(),
                                    options,
                                });
                            }
                        }
                    }
                }
            }
        }
        // What all runs have in common is wrong in none of them.
        let mut checked = std::collections::BTreeSet::new();
        for point in &points {
            let mut options = point.options.clone();
            options.remove("seed");
            options.remove("load");
            if checked.insert(Value::Object(options.clone()).to_string()) {
                running(&options)?;
            }
        }
        Ok(Self { traces, points })
    }
}

fn refuse<T>(why: impl Display) -> Result<T, Refused> {
    Err(Refused(why.to_string()))
}

fn in_words(settings: &Options) -> String {
    let words = settings.iter().map(|(key, value)| match value {
        Value::String(text) => format!("{key}={text}"),
        other => format!("{key}={other}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn traces_of(value: &Value) -> Result<Vec<GridTrace>, Refused> {
    let mut traces: Vec<GridTrace> = Vec::new();
    for given in items(value) {
        let mut trace = match given {
            Value::String(file) => GridTrace {
                name: String::new(),
                files: vec![file.clone()],
                options: Options::new(),
            },
            Value::Object(options) => {
                let mut options = options.clone();
                let files = options.remove("files").unwrap_or(Value::Null);
                let name = options.remove("name");
                GridTrace {
                    name: match name {
                        Some(Value::String(name)) => name,
                        None => String::new(),
                        Some(other) => {
                            return refuse(format!("a trace's name is {other}: it is a text"));
                        }
                    },
                    files: texts("files of a trace", &files)?,
                    options,
                }
            }
            other => {
                return refuse(format!(
                    "traces holds {other}: a trace is a file's name, sample:NAME, or {{ files = [..], window = .. }}"
                ));
            }
        };
        opening(&trace.options)?;
        if trace.name.is_empty() {
            let file = &trace.files[0];
            let short = std::path::Path::new(file).file_name();
            trace.name = short.map_or(file.clone(), |name| name.to_string_lossy().into_owned());
        }
        if traces.iter().any(|other| other.name == trace.name) {
            return refuse(format!(
                "two traces are called '{}': give one another name, {{ files = [..], name = .. }}",
                trace.name
            ));
        }
        traces.push(trace);
    }
    match traces.is_empty() {
        true => refuse("traces is empty"),
        false => Ok(traces),
    }
}

/// The policies, each with every combination of the values that its parameters are given.
fn with_parameters(
    texts: &[String],
    parameters: Option<&Value>,
) -> Result<Vec<(String, PolicySpec)>, Refused> {
    let mut given: BTreeMap<&str, &Options> = BTreeMap::new();
    if let Some(value) = parameters {
        let Value::Object(of) = value else {
            return refuse("parameters holds, by policy, the values of its parameters");
        };
        for (policy, values) in of {
            let Value::Object(values) = values else {
                return refuse(format!(
                    "parameters of {policy} is {values}: it holds values by name"
                ));
            };
            let Some(entry) = entry(policy) else {
                let names = POLICIES.iter().map(|entry| entry.name);
                return refuse(format!(
                    "parameters are of '{policy}', and there is no such policy{}",
                    hint(policy, names)
                ));
            };
            given.insert(entry.name, values);
        }
    }
    let mut used = Vec::new();
    let mut policies: Vec<(String, PolicySpec)> = Vec::new();
    for text in texts {
        let spec: PolicySpec = parsed(text)?;
        let mut specs = vec![(text.clone(), spec.clone())];
        if let Some(values) = given.get(spec.name()) {
            used.push(spec.name().to_owned());
            for (name, values) in *values {
                let mut more = Vec::new();
                for (text, _) in &specs {
                    for value in listed(name, values)? {
                        let text = with_param(text, name, &value);
                        more.push((text.clone(), parsed(&text)?));
                    }
                }
                specs = more;
            }
        }
        policies.extend(specs);
    }
    if let Some(unused) = given
        .keys()
        .find(|name| !used.iter().any(|used| used == *name))
    {
        return refuse(format!(
            "parameters are of {unused}, which is not among the policies"
        ));
    }
    for (at, (_, spec)) in policies.iter().enumerate() {
        if policies[..at].iter().any(|(_, other)| other == spec) {
            return refuse(format!("policies holds {spec} twice"));
        }
    }
    Ok(policies)
}

/// A spec's text with one parameter more. Text and no value: points are known by what was asked, and a folder goes on
/// with those that it has.
fn with_param(text: &str, name: &str, value: &str) -> String {
    let (spec, what_if) = match text.split_once(" if ") {
        Some((spec, what_if)) => (spec, format!(" if {what_if}")),
        None => (text, String::new()),
    };
    match spec.strip_suffix(']') {
        Some(open) => format!("{open},{name}={value}]{what_if}"),
        None => format!("{spec}[{name}={value}]{what_if}"),
    }
}

fn parsed(text: &str) -> Result<PolicySpec, Refused> {
    text.parse()
        .map_err(|why| Refused(format!("policies: {why}")))
}

/// Every combination of the settings' values.
fn settings_of(value: Option<&Value>) -> Result<Vec<Options>, Refused> {
    let mut all = vec![Options::new()];
    let Some(value) = value else { return Ok(all) };
    let Value::Object(given) = value else {
        return refuse("settings holds values by a setting's name");
    };
    for (key, values) in given {
        if key == "seed" {
            return refuse("settings holds seed: seeds of a grid stand in seeds");
        }
        if Setting::named(key).is_none() && key != "definitions" {
            let valid: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
            return refuse(format!(
                "there is no setting '{key}'{}: there are {}",
                hint(key, valid.iter().copied()),
                valid.join(", ")
            ));
        }
        if key == "definitions" {
            all.iter_mut()
                .for_each(|of| drop(of.insert(key.clone(), values.clone())));
            continue;
        }
        let values: Vec<Value> = match values {
            Value::String(text) if text.contains('/') && text.contains("..") => {
                numbers(key, values)?
                    .into_iter()
                    .map(|of| json!(of))
                    .collect()
            }
            _ => items(values).to_vec(),
        };
        if values.is_empty() {
            return refuse(format!("{key} is empty"));
        }
        let combined = all.iter().flat_map(|options| {
            values.iter().map(|value| {
                let mut options = options.clone();
                options.insert(key.clone(), value.clone());
                options
            })
        });
        all = combined.collect();
    }
    Ok(all)
}

/// The settings, each with every combination of the values that its queues' fields are given; and what tells them apart.
fn with_queues(
    settings: Vec<Options>,
    queues: Option<&Value>,
) -> Result<Vec<(Options, String)>, Refused> {
    let told = settings.into_iter().map(|of| {
        let words = in_words(&of);
        (of, words)
    });
    let mut all: Vec<(Options, String)> = told.collect();
    let Some(queues) = queues else { return Ok(all) };
    let fields =
        "queues holds, by queue, values of its fields, such as queues.vision.gpus = [4, 8]";
    let Value::Object(queues) = queues else {
        return refuse(fields);
    };
    for (queue, given) in queues {
        let Value::Object(given) = given else {
            return refuse(fields);
        };
        for (field, values) in given {
            let key = format!("queues.{queue}.{field}");
            let values = listed(&key, values)?;
            let mut more = Vec::new();
            for (options, words) in &all {
                let Some(Value::String(tree)) = options.get("queues") else {
                    return refuse(format!(
                        "{key} changes a tree, and there is none: settings.queues = \"lab;{queue},parent=lab,gpus=8\""
                    ));
                };
                let tree = text::read(tree).map_err(|why| Refused(format!("queues: {why}")))?;
                for value in &values {
                    let tree = change::changed(&tree, queue, field, value);
                    let tree = tree.map_err(|why| Refused(format!("{key}: {why}")))?;
                    let mut options = options.clone();
                    options.insert("queues".to_owned(), json!(text::line(&tree)));
                    more.push((options, format!("{words} {key}={value}")));
                }
            }
            all = more;
        }
    }
    Ok(all)
}

fn texts(key: &str, value: &Value) -> Result<Vec<String>, Refused> {
    let text = |item: &Value| match item {
        Value::String(text) => Ok(text.clone()),
        other => refuse(format!(
            "{key} holds {other}: it takes a text or a list of texts"
        )),
    };
    let texts: Vec<String> = items(value).iter().map(text).collect::<Result<_, _>>()?;
    match texts.is_empty() {
        true => refuse(format!("{key} is empty")),
        false => Ok(texts),
    }
}

/// Values as texts: a list, one, or a range of numbers.
fn listed(key: &str, value: &Value) -> Result<Vec<String>, Refused> {
    if let Value::String(text) = value
        && text.contains("..")
        && text.contains('/')
    {
        return Ok(numbers(key, value)?.iter().map(f64::to_string).collect());
    }
    let text = |item: &Value| match item {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(item.to_string()),
        other => refuse(format!("{key} holds {other}: it takes texts and numbers")),
    };
    let texts: Vec<String> = items(value).iter().map(text).collect::<Result<_, _>>()?;
    match texts.is_empty() {
        true => refuse(format!("{key} is empty")),
        false => Ok(texts),
    }
}

/// Numbers: a list, one, or a range as the page has it, `0.5..1.5/11` for eleven from 0.5 to 1.5.
fn numbers(key: &str, value: &Value) -> Result<Vec<f64>, Refused> {
    let mut all = Vec::new();
    for item in items(value) {
        match item {
            Value::String(text) => all.extend(range(text).ok_or_else(|| {
                Refused(format!(
                    "{key} holds '{text}': a range is FROM..TO/HOW-MANY, such as 0.5..1.5/11, of at most {MOST_VALUES}"
                ))
            })?),
            other => match other.as_f64().filter(|number| number.is_finite()) {
                Some(number) => all.push(number),
                None => return refuse(format!("{key} holds {other}: it takes numbers")),
            },
        }
    }
    match all.is_empty() {
        true => refuse(format!("{key} is empty")),
        false => Ok(all),
    }
}

fn range(text: &str) -> Option<Vec<f64>> {
    let (from, rest) = text.split_once("..")?;
    let (to, steps) = rest.split_once('/')?;
    let [from, to]: [f64; 2] = [from.trim().parse().ok()?, to.trim().parse().ok()?];
    let steps: usize = steps.trim().parse().ok()?;
    let is_sound = from.is_finite() && to.is_finite() && (2..=MOST_VALUES).contains(&steps);
    let whole = from.fract() == 0.0 && to.fract() == 0.0 && (to - from).abs() >= steps as f64 - 1.0;
    // Six decimals, as on the page: enough for people, and no 0.30000000000000004.
    let unit = if whole { 1.0 } else { 1e6 };
    let value = |step: usize| {
        let value = from + (to - from) * step as f64 / (steps - 1) as f64;
        (value * unit).round() / unit
    };
    is_sound.then(|| (0..steps).map(value).collect())
}

fn whole(key: &str, value: &Value) -> Result<Vec<u64>, Refused> {
    let mut all = Vec::new();
    for item in items(value) {
        match (item.as_u64(), item) {
            (Some(number), _) => all.push(number),
            (None, Value::String(_)) => {
                for number in numbers(key, item)? {
                    if number < 0.0 || number.fract() != 0.0 {
                        return refuse(format!("{key} holds {number}: it takes whole numbers"));
                    }
                    all.push(number as u64);
                }
            }
            (None, other) => {
                return refuse(format!(
                    "{key} holds {other}: it takes whole numbers, 0 or more"
                ));
            }
        }
    }
    match all.is_empty() {
        true => refuse(format!("{key} is empty")),
        false => Ok(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(grid: Value) -> String {
        Grid::of(&grid, Path::new("")).unwrap_err().to_string()
    }

    #[test]
    fn parameters_are_found_by_names_of_before() {
        for (policy, of) in [("sjf", "fewest-gpus"), ("fewest-gpus", "sjf")] {
            let grid = Grid::of(
                &json!({
                    "traces": "sample:lab",
                    "policies": [policy],
                    "parameters": {of: {"placement": ["spread", "consolidated"]}},
                }),
                Path::new(""),
            );
            assert_eq!(grid.unwrap().points.len(), 2, "{policy}");
        }
    }

    #[test]
    fn a_grid_is_every_combination_the_seed_innermost() {
        let grid = Grid::of(
            &json!({
                "traces": ["sample:lab", {"files": ["sample:crunch"], "name": "other"}],
                "clusters": ["2x4", "4x4"],
                "policies": ["fifo", "tiresias-las"],
                "parameters": {"tiresias-las": {"queues": [2, 3], "threshold": "600..1200/3"}},
                "loads": [0.5, "1..2/2"],
                "settings": {"restart_cost": [0, 30]},
                "seeds": "1..3/3",
            }),
            Path::new(""),
        );
        let refused = grid.unwrap_err().to_string();
        assert!(refused.contains("threshold"), "{refused}");
        let grid = Grid::of(
            &json!({
                "traces": ["sample:lab", {"files": "sample:lab", "name": "other"}],
                "clusters": ["2x4", "4x4"],
                "policies": ["fifo", "tiresias-las"],
                "parameters": {"tiresias-las": {"threshold": "600..1200/3"}},
                "loads": [0.5, "1..2/2"],
                "settings": {"restart_cost": [0, 30]},
                "seeds": "1..3/3",
            }),
            Path::new(""),
        );
        let points = grid.unwrap().points;
        assert_eq!(points.len(), 2 * 2 * (1 + 3) * 3 * 2 * 3);
        let seeds: Vec<u64> = points.iter().map(|point| point.seed).take(4).collect();
        assert_eq!(seeds, [1, 2, 3, 1]);
        assert_eq!(points[3].policy, "tiresias-las[threshold=600]");
        assert_eq!(points[3].settings, "restart_cost=0");
        assert_eq!((points[0].load, points.last().unwrap().load), (0.5, 2.0));
    }

    #[test]
    fn fields_of_queues_are_varied() {
        let tree = "lab;a,parent=lab,gpus=8;b,parent=lab,gpus=8";
        let grid = |queues: Value, settings: Value| {
            Grid::of(
                &json!({
                    "traces": "sample:lab",
                    "policies": "kueue",
                    "settings": settings,
                    "queues": queues,
                }),
                Path::new(""),
            )
        };
        let varied = json!({"a": {"gpus": [4, 8], "weight": "1..2/2"}});
        let points = grid(varied.clone(), json!({"queues": tree}))
            .unwrap()
            .points;
        let words = |at: usize| points[at].settings.rsplit_once(' ').unwrap();
        assert_eq!(points.len(), 4);
        assert!(words(1).0.ends_with("queues.a.gpus=4"), "{:?}", words(1));
        assert_eq!(words(1).1, "queues.a.weight=2");
        let told = points[1].options["queues"].as_str().unwrap();
        assert_eq!(told, "lab;a,parent=lab,gpus=4,weight=2;b,parent=lab,gpus=8");
        let why = |queues: Value, settings: Value| grid(queues, settings).unwrap_err().to_string();
        assert!(why(varied, json!({})).contains("there is none: settings.queues"));
        let unknown = why(json!({"c": {"gpus": 1}}), json!({"queues": tree}));
        assert!(
            unknown.starts_with("queues.c.gpus: queue 'c': there is none; there are lab, a, b")
        );
    }

    #[test]
    fn where_one_adapts_jobs_all_train() {
        let grid = |policies: Value| {
            let grid = Grid::of(
                &json!({"traces": "sample:lab", "policies": policies}),
                Path::new(""),
            )
            .unwrap();
            let trains = |point: &Point| point.options.contains_key("applications");
            grid.points.iter().map(trains).collect::<Vec<_>>()
        };
        assert_eq!(grid(json!(["fifo", "pollux"])), [true, true]);
        assert_eq!(grid(json!(["fifo", "srtf"])), [false, false]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let sound = json!({"traces": "sample:lab", "policies": "fifo"});
        let with = |key: &str, value: Value| {
            let mut grid = sound.clone();
            grid[key] = value;
            refused(grid)
        };
        assert!(refused(json!({"policies": "fifo"})).starts_with("a grid without traces"));
        assert!(refused(json!({"traces": "a"})).starts_with("a grid without policies"));
        for (key, value, says) in [
            (
                "nosuch",
                json!(1),
                "a grid has no 'nosuch': it has clusters,",
            ),
            ("restart_cost", json!(1), "a setting stands in settings"),
            ("policies", json!("fifoo"), "policies: "),
            (
                "policies",
                json!(["fifo", "fifo"]),
                "policies holds fifo twice",
            ),
            ("policies", json!([]), "policies is empty"),
            ("clusters", json!("many"), "cluster: "),
            ("loads", json!([0]), "loads holds 0: a load is from"),
            ("loads", json!("1..2"), "loads holds '1..2': a range is"),
            (
                "seeds",
                json!([1.5]),
                "seeds holds 1.5: it takes whole numbers",
            ),
            ("seeds", json!("1..1000000/1000000"), "a range is"),
            (
                "settings",
                json!({"nosuch": 1}),
                "there is no setting 'nosuch'",
            ),
            (
                "settings",
                json!({"seed": 1}),
                "seeds of a grid stand in seeds",
            ),
            (
                "settings",
                json!({"restart_cost": -1}),
                "restart_cost is '-1'",
            ),
            (
                "parameters",
                json!({"srtf": {"a": 1}}),
                "srtf, which is not among",
            ),
            (
                "parameters",
                json!({"nosuch": {"a": 1}}),
                "there is no such policy",
            ),
            ("parameters", json!({"fifo": {"nosuch": 1}}), "policies: "),
            (
                "traces",
                json!(["a/x.csv", "b/x.csv"]),
                "two traces are called 'x.csv'",
            ),
            (
                "traces",
                json!([{"files": "a", "nosuch": 1}]),
                "open has no option 'nosuch'",
            ),
        ] {
            let why = with(key, value.clone());
            assert!(why.contains(says), "{key} = {value}: {why}");
        }
        let many = json!({"traces": "sample:lab", "policies": ["fifo", "srtf"], "loads": "1..2/1001",
            "seeds": "1..1000/1000"});
        assert!(refused(many).contains("at most 1000000 runs"));
    }
}
