//! YARN's `capacity-scheduler.xml`.
//!
//! Queues are called by their path, `root.a.b`; jobs of `b` belong to it, too. Capacities are hundredths of the queue above, weights (`2w`), or absolute
//! (`[memory=4096,vcores=4,yarn.io/gpu=8]`). The first two become hundredths of the cluster ([`Unit::Percent`]), of GPUs
//! and, by node label, of those of a flavor. `maximum-capacity` becomes a borrowing limit. What is over all quotas is
//! divided in proportion to capacities: they are the quotas' weights.
//!
//! Source: <https://hadoop.apache.org/docs/stable/hadoop-yarn/hadoop-yarn-site/CapacityScheduler.html>.

use super::draft::{Draft, Entry};
use super::error::FileError;
use super::read::{Read, Unit};
use crate::rules::Rule;
use crate::tree::{Evicts, Kind, Quota, Resource};
use std::collections::{BTreeMap, HashSet};

const PREFIX: &str = "yarn.scheduler.capacity.";
const ROOT: &str = "root";

/// Preemption, which stands in yarn-site.xml, but may stand here.
const PREEMPTION: &str = "yarn.resourcemanager.scheduler.monitor.enable";

/// How far capacities may be from 100 in sum.
const SLACK: f64 = 0.000_5;

/// A queue's settings that are in the tree.
const TAKEN_IN: [&str; 6] = [
    "queues",
    "capacity",
    "maximum-capacity",
    "priority",
    "disable_preemption",
    "accessible-node-labels",
];

/// Values with their lines, by key.
type Settings = BTreeMap<String, (String, u32)>;

/// So much of each kind.
type Amounts = Vec<(Kind, f64)>;

/// A capacity.
#[derive(Clone, Debug, PartialEq)]
enum Capacity {
    Percent(f64),
    Weight(f64),
    Absolute(Amounts),
}

/// What a queue has of a label, in hundredths of the cluster.
#[derive(Clone, Copy)]
struct Part {
    nominal: f64,
    most: f64,
    weight: f64,
}

/// Reads it.
///
/// # Errors
/// What is no XML; a queue without a capacity, capacities that are none, mixed, or not 100 in sum, a maximum below.
pub fn read(text: &str, file: &str) -> Result<Read, FileError> {
    let mut draft = Draft::new(file);
    let settings = settings(text, file)?;
    if !settings.contains_key(&format!("{PREFIX}{ROOT}.queues")) {
        let what = format!("it does not say which queues there are; set {PREFIX}{ROOT}.queues");
        return Err(FileError::new(file, what));
    }
    let does_preempt = match settings.get(PREEMPTION) {
        Some((value, _)) => value == "true",
        None => {
            draft.note_of_all(format!(
                "{PREEMPTION} is not in it (it stands in yarn-site.xml): no queue evicts"
            ));
            false
        }
    };
    let labels = labels(&settings);
    let is_absolute = is_absolute(&settings, file)?;
    let mut known = HashSet::from([PREEMPTION.to_owned()]);
    let mut open = vec![(ROOT.to_owned(), vec![ROOTS_PART; labels.len()], 1)];
    while let Some((path, parts, line)) = open.pop() {
        let get = |key: &str| settings.get(&format!("{PREFIX}{path}.{key}"));
        let mut entry = entry(&path, line, &settings, file, does_preempt)?;
        if is_absolute {
            absolute(&mut entry, &path, &settings, &mut draft)?;
        } else {
            for (label, part) in labels.iter().zip(&parts) {
                let place = draft.resource(Resource {
                    kind: Kind::Gpus,
                    flavor: label.clone(),
                });
                let is_root = path == ROOT;
                let quota = Quota {
                    nominal: part.nominal,
                    borrowing_limit: (!is_root).then_some(part.most - part.nominal),
                    lending_limit: None,
                    weight: part.weight,
                };
                entry.quotas.push((place, quota));
            }
        }
        draft.entries.push(entry);
        known.extend(TAKEN_IN.map(|key| format!("{PREFIX}{path}.{key}")));
        for label in labels.iter().flatten() {
            let of = format!("{PREFIX}{path}.accessible-node-labels.{label}");
            known.extend([format!("{of}.capacity"), format!("{of}.maximum-capacity")]);
        }
        let Some((names, line)) = get("queues") else {
            // Jobs name the last part of the path, or all of it.
            let leaf = draft.entries.last_mut();
            if let (Some(leaf), Some((_, name))) = (leaf, path.rsplit_once('.')) {
                leaf.queue.jobs.push(Rule::of_word(name));
            }
            continue;
        };
        let names = names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let below: Vec<String> = names.map(|name| format!("{path}.{name}")).collect();
        if let Some((_, twice)) = below
            .iter()
            .enumerate()
            .find(|(at, one)| below[..*at].contains(one))
        {
            let what = "it is listed twice; leave one of them out";
            return Err(FileError::new(file, what)
                .at(*line)
                .of(&format!("queue '{twice}'")));
        }
        let mut of_each = vec![Vec::new(); below.len()];
        if !is_absolute {
            for (label, &part) in labels.iter().zip(&parts) {
                let divided = divide(
                    &path,
                    &below,
                    label.as_deref(),
                    part,
                    &settings,
                    file,
                    *line,
                )?;
                for (of_one, part) in of_each.iter_mut().zip(divided) {
                    of_one.push(part);
                }
            }
        }
        let below = below.into_iter().zip(of_each);
        open.extend(below.rev().map(|(path, parts)| (path, parts, *line)));
    }
    let left: Vec<&str> = settings
        .keys()
        .map(String::as_str)
        .filter(|&key| !known.contains(key))
        .collect();
    if !left.is_empty() {
        let names: Vec<&str> = left
            .iter()
            .map(|key| key.strip_prefix(PREFIX).unwrap_or(key))
            .collect();
        draft.note_of_all(format!(
            "{} settings are left out: {}",
            left.len(),
            names.join(", ")
        ));
    }
    let read = draft.finish()?;
    let unit = if is_absolute {
        Unit::Things
    } else {
        Unit::Percent
    };
    Ok(Read { unit, ..read })
}

/// What the root has.
const ROOTS_PART: Part = Part {
    nominal: 100.0,
    most: 100.0,
    weight: 1.0,
};

fn settings(text: &str, file: &str) -> Result<Settings, FileError> {
    // Hadoop's files have no document types, and what those define could grow without end.
    let document = roxmltree::Document::parse(text).map_err(|error| {
        let what = format!("it is no sound XML: {error}; correct that");
        FileError::new(file, what).at(error.pos().row)
    })?;
    let mut all = Settings::new();
    for property in document
        .descendants()
        .filter(|node| node.has_tag_name("property"))
    {
        let child = |name: &str| property.children().find(|node| node.has_tag_name(name));
        let text = |name: &str| {
            child(name)
                .and_then(|node| node.text())
                .unwrap_or("")
                .trim()
                .to_owned()
        };
        let key = text("name");
        let place = child("value").unwrap_or(property).range().start;
        let line = document.text_pos_at(place).row;
        if key.starts_with(PREFIX) || key == PREEMPTION {
            // The last of several counts, as in Hadoop.
            all.insert(key, (text("value"), line));
        }
    }
    Ok(all)
}

/// The labels that capacities are given for; none: all nodes without one.
fn labels(settings: &Settings) -> Vec<Option<String>> {
    let mut all = vec![None];
    for key in settings.keys() {
        let Some((_, of)) = key.split_once(".accessible-node-labels.") else {
            continue;
        };
        let label = of
            .strip_suffix(".capacity")
            .map(|label| Some(label.to_owned()));
        all.extend(label.filter(|label| !all.contains(label)));
    }
    all
}

fn is_absolute(settings: &Settings, file: &str) -> Result<bool, FileError> {
    let capacities = settings
        .iter()
        .filter(|(key, _)| key.ends_with(".capacity"));
    let is_roots = |key: &str| key == format!("{PREFIX}{ROOT}.capacity");
    let mut found = None;
    for (key, (value, line)) in capacities.filter(|(key, _)| !is_roots(key)) {
        let is_absolute = value.starts_with('[');
        if found.is_some_and(|found| found != is_absolute) {
            let what = "absolute capacities and others are both in it; write all in one way";
            return Err(FileError::new(file, what).at(*line).of(key));
        }
        found = Some(is_absolute);
    }
    Ok(found.unwrap_or(false))
}

/// A queue without its quotas.
fn entry(
    path: &str,
    line: u32,
    settings: &Settings,
    file: &str,
    does_preempt: bool,
) -> Result<Entry, FileError> {
    let get = |key: &str| settings.get(&format!("{PREFIX}{path}.{key}"));
    let line = get("capacity").map_or(line, |(_, line)| *line);
    let object = format!("queue '{path}'");
    let mut entry = Entry::new(object.clone(), line, path);
    entry.parent = path
        .rsplit_once('.')
        .map(|(above, _)| (above.to_owned(), line));
    if let Some((given, line)) = get("priority") {
        entry.queue.priority = given.parse().map_err(|_| {
            let what = format!("its priority is '{given}'; give a whole number");
            FileError::new(file, what).at(*line).of(&object)
        })?;
    }
    if does_preempt {
        entry.queue.reclaims = Evicts::Any;
    }
    // Queues below follow the one above.
    let mut above = Some(path);
    while let Some(path) = above {
        let key = format!("{PREFIX}{path}.disable_preemption");
        if let Some((value, _)) = settings.get(&key) {
            if value == "true" {
                entry.queue.reclaim_min_runtime = f64::INFINITY;
            }
            break;
        }
        above = path.rsplit_once('.').map(|(above, _)| above);
    }
    Ok(entry)
}

fn capacity(text: &str) -> Option<Capacity> {
    if let Some(inner) = text.strip_prefix('[') {
        let parts = inner.strip_suffix(']')?.split(',').map(str::trim);
        let parts = parts.filter(|part| !part.is_empty()).map(|part| {
            let (name, amount) = part.split_once('=')?;
            let amount: f64 = amount.trim().parse().ok()?;
            let is_amount = amount >= 0.0 && amount.is_finite();
            let of = match name.trim() {
                "memory" | "memory-mb" => (Kind::Memory, amount / 1024.0),
                "vcores" => (Kind::Cores, amount),
                "yarn.io/gpu" => (Kind::Gpus, amount),
                _ => return None,
            };
            is_amount.then_some(of)
        });
        return parts.collect::<Option<_>>().map(Capacity::Absolute);
    }
    let (number, is_weight) = match text.strip_suffix('w') {
        Some(number) => (number, true),
        None => (text, false),
    };
    let number: f64 = number.trim().parse().ok()?;
    let is_number = number.is_finite() && number >= 0.0;
    match is_weight {
        true => is_number.then_some(Capacity::Weight(number)),
        false => (is_number && number <= 100.0).then_some(Capacity::Percent(number)),
    }
}

/// Divides a queue's part among those below it.
fn divide(
    path: &str,
    below: &[String],
    label: Option<&str>,
    of: Part,
    settings: &Settings,
    file: &str,
    line: u32,
) -> Result<Vec<Part>, FileError> {
    let key = |of: &str, what: &str| match label {
        None => format!("{PREFIX}{of}.{what}"),
        Some(label) => format!("{PREFIX}{of}.accessible-node-labels.{label}.{what}"),
    };
    let mut capacities = Vec::with_capacity(below.len());
    for one in below {
        let object = format!("queue '{one}'");
        let given = match (settings.get(&key(one, "capacity")), label) {
            (Some(given), _) => given,
            (None, Some(_)) => {
                capacities.push((Capacity::Percent(0.0), line));
                continue;
            }
            (None, None) => {
                let what = format!(
                    "it is listed below '{path}' but has no capacity; set {}",
                    key(one, "capacity")
                );
                return Err(FileError::new(file, what).at(line).of(&object));
            }
        };
        let (given, line) = (given.0.as_str(), given.1);
        let capacity = capacity(given).ok_or_else(|| {
            let what = format!("its capacity is '{given}'; give 0 to 100, a weight such as 2w, or [memory=…,vcores=…]");
            FileError::new(file, what).at(line).of(&object)
        })?;
        capacities.push((capacity, line));
    }
    let sum_of = |weights: bool| {
        let numbers = capacities
            .iter()
            .filter_map(|(capacity, _)| match capacity {
                Capacity::Weight(number) if weights => Some(*number),
                Capacity::Percent(number) if !weights => Some(*number),
                _ => None,
            });
        numbers.fold(0.0, |sum, number| sum + number)
    };
    let (weights, percents) = (sum_of(true), sum_of(false));
    let has_weights = capacities
        .iter()
        .any(|(capacity, _)| matches!(capacity, Capacity::Weight(_)));
    let object = format!("queues below '{path}'");
    if has_weights && percents > 0.0 {
        let what = "some have weights and some hundredths; write all in one way";
        return Err(FileError::new(file, what).at(line).of(&object));
    }
    // A label that a whole branch does without is nobody's there.
    let is_unused = label.is_some() && percents == 0.0;
    if !has_weights && !below.is_empty() && !is_unused && (percents - 100.0).abs() > SLACK {
        let what = format!("their capacities add up to {percents}, not to 100; correct them");
        return Err(FileError::new(file, what).at(line).of(&object));
    }
    let mut parts = Vec::with_capacity(below.len());
    for (one, (capacity, line)) in below.iter().zip(&capacities) {
        let (share, weight) = match capacity {
            Capacity::Weight(number) if weights > 0.0 => (number / weights, *number),
            Capacity::Weight(_) | Capacity::Absolute(_) => (0.0, 0.0),
            Capacity::Percent(number) => (number / 100.0, *number),
        };
        let most = match settings.get(&key(one, "maximum-capacity")) {
            None if label.is_some() && share == 0.0 => 0.0,
            None => of.most,
            Some((given, line)) => {
                let number = match given.as_str() {
                    "-1" => Some(100.0),
                    given => given
                        .parse()
                        .ok()
                        .filter(|number| (0.0..=100.0).contains(number)),
                };
                let number: f64 = number.ok_or_else(|| {
                    let what = format!(
                        "its maximum-capacity is '{given}'; give 0 to 100, or -1 for no limit"
                    );
                    FileError::new(file, what)
                        .at(*line)
                        .of(&format!("queue '{one}'"))
                })?;
                of.most * number / 100.0
            }
        };
        let nominal = of.nominal * share;
        if most < nominal - SLACK {
            let what = format!(
                "its maximum is {most} hundredths of the cluster, below its capacity of {nominal}; raise it"
            );
            return Err(FileError::new(file, what)
                .at(*line)
                .of(&format!("queue '{one}'")));
        }
        parts.push(Part {
            nominal,
            most: most.max(nominal),
            weight,
        });
    }
    Ok(parts)
}

/// Quotas of absolute capacities.
fn absolute(
    entry: &mut Entry,
    path: &str,
    settings: &Settings,
    draft: &mut Draft<'_>,
) -> Result<(), FileError> {
    let file = draft.file;
    let is_root = path == ROOT;
    let amounts = |key: &str| -> Result<Option<(Amounts, u32)>, FileError> {
        let Some((given, line)) = settings.get(&format!("{PREFIX}{path}.{key}")) else {
            return Ok(None);
        };
        match capacity(given) {
            Some(Capacity::Absolute(amounts)) => Ok(Some((amounts, *line))),
            // The root has 100 % in every way.
            Some(_) if is_root || key == "maximum-capacity" => Ok(None),
            _ => {
                let what =
                    format!("its {key} is '{given}'; give [memory=…,vcores=…,yarn.io/gpu=…]");
                Err(FileError::new(file, what)
                    .at(*line)
                    .of(&format!("queue '{path}'")))
            }
        }
    };
    let own = amounts("capacity")?;
    if own.is_none() && !is_root {
        let what = format!("it is listed but has no capacity; set {PREFIX}{path}.capacity");
        return Err(FileError::new(file, what).at(entry.line).of(&entry.object));
    }
    let most = amounts("maximum-capacity")?;
    if is_root {
        entry.unnamed.nominal = f64::INFINITY;
    }
    for (kind, nominal) in own.map_or(Vec::new(), |(own, _)| own) {
        let place = draft.resource(Resource { kind, flavor: None });
        let limit = most.as_ref().and_then(|(most, line)| {
            let (_, amount) = most.iter().find(|(of, _)| *of == kind)?;
            Some((*amount, *line))
        });
        let borrowing_limit = match limit.filter(|_| !is_root) {
            Some((amount, line)) if amount < nominal => {
                let what = format!(
                    "its maximum-capacity of {amount} is below its capacity of {nominal}; raise it"
                );
                return Err(FileError::new(file, what).at(line).of(&entry.object));
            }
            Some((amount, _)) => Some(amount - nominal),
            None => None,
        };
        let quota = Quota {
            nominal,
            borrowing_limit,
            lending_limit: None,
            weight: nominal,
        };
        entry.quotas.push((place, quota));
    }
    Ok(())
}
