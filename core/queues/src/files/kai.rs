//! KAI-Scheduler's Queues (and Run:ai's).
//!
//! `quota` is what a queue deserves (−1: all there is), `limit` the most it may have (−1: no limit), `overQuotaWeight`
//! its part of what is over all quotas. All three are 0 where nothing is said: a queue without a limit gets nothing, and
//! a note says so. GPUs count whole, CPUs in thousandths, memory in megabytes. A limit of a queue at the top wants
//! something above it: then all lie below one that has all there is.
//!
//! Source: <https://github.com/kai-scheduler/KAI-Scheduler>, `pkg/apis/scheduling/v2`, `docs/queues`.

use super::draft::{Draft, Entry};
use super::error::FileError;
use super::quantity::{megabytes, quantity};
use super::read::Read;
use super::yaml::{Object, objects};
use crate::tree::{Kind, Quota, Resource};

/// The priority of a queue that does not say one.
const PRIORITY: i64 = 100;

/// What lies above queues with limits.
const ROOT: &str = "cluster";

/// Reads them.
///
/// # Errors
/// What is no YAML; a number that is none or below −1, a parent that is not there, queues in a loop.
pub fn read(text: &str, file: &str) -> Result<Read, FileError> {
    let mut draft = Draft::new(file);
    let objects = objects(text, file)?;
    let queues = || objects.iter().filter(|object| object.kind == "Queue");
    let kinds = [
        ("gpu", Kind::Gpus),
        ("cpu", Kind::Cores),
        ("memory", Kind::Memory),
    ];
    for (key, kind) in kinds {
        if queues().any(|object| object.node.at(&["spec", "resources", key]).is_some()) {
            draft.resource(Resource { kind, flavor: None });
        } else {
            draft.note_of_all(format!(
                "no queue says anything of {key}: it is not counted"
            ));
        }
    }
    for object in &objects {
        if object.kind != "Queue" {
            draft.leave_out(object);
            continue;
        }
        let mut entry = draft.entry(object)?;
        entry.parent = object.name_at(&["parentQueue"]);
        entry.queue.priority = priority(object, file)?;
        let seconds = |key: &str| runtime(object, file, key);
        entry.queue.reclaim_min_runtime = seconds("reclaimMinRuntime")?;
        entry.queue.preempt_min_runtime = seconds("preemptMinRuntime")?;
        for (key, kind) in kinds {
            let resource = Resource { kind, flavor: None };
            let Some(place) = draft.resources.iter().position(|other| *other == resource) else {
                continue;
            };
            let quota = quota(object, &mut draft, key, kind)?;
            entry.quotas.push((place, quota));
        }
        draft.entries.push(entry);
    }
    let is_limited = |entry: &Entry| {
        entry
            .quotas
            .iter()
            .any(|(_, quota)| quota.borrowing_limit.is_some())
    };
    if draft
        .entries
        .iter()
        .any(|entry| entry.parent.is_none() && is_limited(entry))
    {
        add_root(&mut draft);
    }
    draft.finish()
}

/// One queue above all.
fn add_root(draft: &mut Draft<'_>) {
    let names = draft.names();
    let free = |at: u32| match at {
        0 => ROOT.to_owned(),
        at => format!("{ROOT}-{at}"),
    };
    let name = (0..)
        .map(free)
        .find(|name| !names.contains_key(name))
        .expect("a free name");
    for entry in &mut draft.entries {
        if entry.parent.is_none() {
            entry.parent = Some((name.clone(), entry.line));
        }
    }
    let mut root = Entry::new(format!("Queue '{name}'"), 1, &name);
    root.unnamed.nominal = f64::INFINITY;
    draft.entries.push(root);
    draft.note_of_all(format!(
        "'{name}' was put above all queues, for the limits of those at the top"
    ));
}

fn priority(object: &Object, file: &str) -> Result<i64, FileError> {
    let Some(node) = object.node.at(&["spec", "priority"]) else {
        return Ok(PRIORITY);
    };
    let given = node.text().unwrap_or("");
    given.parse().map_err(|_| {
        let what = format!("priority is '{given}'; give a whole number");
        object.error(file, node.line, what)
    })
}

fn quota(
    object: &Object,
    draft: &mut Draft<'_>,
    key: &str,
    kind: Kind,
) -> Result<Quota, FileError> {
    let file = draft.file;
    let node = object.node.at(&["spec", "resources", key]);
    let number = |field: &str| -> Result<f64, FileError> {
        let Some(node) = node.and_then(|node| node.get(field)) else {
            return Ok(0.0);
        };
        let given = node.text().unwrap_or("");
        let wrong = |what: &str| {
            let what = format!("{field} of {key} is '{given}', {what}");
            Err(object.error(file, node.line, what))
        };
        match quantity(given) {
            None => wrong("which is no number; give one"),
            Some(number) if number == -1.0 && field != "overQuotaWeight" => Ok(f64::INFINITY),
            Some(number) if number < 0.0 => match field {
                "overQuotaWeight" => wrong("below zero; give 0 or more"),
                _ => wrong("below zero; give 0 or more, or -1 for no limit"),
            },
            Some(number) => Ok(match (field, kind) {
                ("overQuotaWeight", _) | (_, Kind::Gpus) => number,
                (_, Kind::Cores) => number / 1000.0,
                (_, Kind::Memory) => megabytes(number),
            }),
        }
    };
    let (deserved, limit, weight) = (
        number("quota")?,
        number("limit")?,
        number("overQuotaWeight")?,
    );
    if node.is_none_or(|node| node.get("limit").is_none()) {
        let line = node.map_or(object.line(), |node| node.line);
        let what = format!(
            "{}: it has no limit of {key}, which KAI takes as 0: it gets none; write 'limit: -1' for no limit",
            object.title()
        );
        draft.note(line, what);
    } else if limit < deserved && deserved.is_finite() {
        let line = node.map_or(object.line(), |node| node.line);
        let what = format!(
            "{}: its limit of {key} is below its quota, and stands for both",
            object.title()
        );
        draft.note(line, what);
    }
    let nominal = deserved.min(limit);
    Ok(Quota {
        nominal,
        borrowing_limit: limit.is_finite().then_some(limit - nominal),
        lending_limit: None,
        weight,
    })
}

/// Seconds of a duration such as `1h30m`.
fn runtime(object: &Object, file: &str, key: &str) -> Result<f64, FileError> {
    let Some(node) = object.node.at(&["spec", key]) else {
        return Ok(0.0);
    };
    let given = node.text().unwrap_or("");
    duration(given).ok_or_else(|| {
        let what =
            format!("{key} is '{given}', which is no duration; give one such as 90s or 1h30m");
        object.error(file, node.line, what)
    })
}

/// Go's durations.
fn duration(text: &str) -> Option<f64> {
    if text == "0" {
        return Some(0.0);
    }
    let mut seconds = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (amount, behind) = rest.split_at(digits);
        let end = behind
            .find(|letter: char| letter.is_ascii_digit())
            .unwrap_or(behind.len());
        let (unit, next) = behind.split_at(end);
        let amount: f64 = amount.parse().ok()?;
        seconds += amount
            * match unit {
                "h" => 3600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 1e-3,
                "us" | "µs" => 1e-6,
                "ns" => 1e-9,
                _ => return None,
            };
        rest = next;
    }
    (!text.is_empty()).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_gos() {
        let all = ["90s", "1h30m", "0", "1.5h", "200ms"].map(duration);
        assert_eq!(all, [90.0, 5400.0, 0.0, 5400.0, 0.2].map(Some));
        for none in ["", "90", "h", "1d", "1h-30m", "-5s"] {
            assert_eq!(duration(none), None, "{none}");
        }
    }
}
