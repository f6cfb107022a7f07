//! Volcano's Queues.
//!
//! `deserved` is the nominal quota, `capability` the most a queue may have, `guarantee` what it never lends. Queues
//! without a parent lie below `root`. Where no queue has `deserved`, the plugin `proportion` divides by weight, and
//! nominal quotas are 0. Jobs of a queue with `reclaimable: false` are never evicted by others: it has a minimum run time
//! without end.
//!
//! Source: <https://github.com/volcano-sh/apis>, `pkg/apis/scheduling/v1beta1`; the rules of Volcano's webhook for queues.

use super::draft::{Draft, Entry};
use super::error::FileError;
use super::quantity::{counted, kind, quantity};
use super::read::Read;
use super::yaml::{Node, Object, objects};
use crate::tree::{Evicts, Order, Quota, Resource};

/// The queue above all, which Volcano has by itself.
const ROOT: &str = "root";

/// Fields that are in no tree.
const LEFT_OUT: [(&str, &str); 2] = [
    ("affinity", "its jobs run on all nodes"),
    ("extendClusters", "its jobs stay in this cluster"),
];

/// Reads them.
///
/// # Errors
/// What is no YAML; an amount that is none or below zero, amounts that contradict one another, a parent that is not
/// there, queues in a loop.
pub fn read(text: &str, file: &str) -> Result<Read, FileError> {
    let mut draft = Draft::new(file);
    let objects = objects(text, file)?;
    for object in &objects {
        if object.kind != "Queue" {
            draft.leave_out(object);
            continue;
        }
        let entry = entry(object, &mut draft)?;
        draft.entries.push(entry);
    }
    if !draft.entries.is_empty() && !draft.names().contains_key(ROOT) {
        let mut root = Entry::new(format!("Queue '{ROOT}'"), 1, ROOT);
        root.unnamed.nominal = f64::INFINITY;
        draft.entries.push(root);
    }
    let is_deserving = |object: &Object| object.node.at(&["spec", "deserved"]).is_some();
    if !objects.iter().any(is_deserving) {
        draft.note_of_all("no queue has deserved: what each gets follows from its weight, by the plugin proportion");
    }
    draft.finish()
}

fn entry(object: &Object, draft: &mut Draft<'_>) -> Result<Entry, FileError> {
    let file = draft.file;
    let mut entry = draft.entry(object)?;
    if object.name != ROOT {
        let above = object.name_at(&["parent"]);
        entry.parent = Some(above.unwrap_or((ROOT.to_owned(), entry.line)));
    }
    let whole = |key: &str, least: i64, default: i64| -> Result<i64, FileError> {
        let Some(node) = object.node.at(&["spec", key]) else {
            return Ok(default);
        };
        let given = node.text().unwrap_or("");
        let number = given.parse().ok().filter(|&number| number >= least);
        number.ok_or_else(|| {
            let what = format!("{key} is '{given}'; give a whole number from {least}");
            object.error(file, node.line, what)
        })
    };
    entry.queue.weight = whole("weight", 1, 1)? as f64;
    entry.queue.priority = whole("priority", 0, 0)?;
    entry.queue.reclaims = Evicts::Any;
    entry.queue.within = Evicts::LowerPriority;
    if object.node.text_at(&["spec", "reclaimable"]) == Some("false") {
        entry.queue.reclaim_min_runtime = f64::INFINITY;
    }
    if object.node.text_at(&["spec", "dequeueStrategy"]) == Some("fifo") {
        entry.queue.order = Order::StrictFifo;
    }
    for (field, instead) in LEFT_OUT {
        if let Some(node) = object.node.at(&["spec", field]) {
            draft.note(
                node.line,
                format!("{}: {field} is left out; {instead}", object.title()),
            );
        }
    }
    let all = [
        object.node.at(&["spec", "deserved"]),
        object.node.at(&["spec", "capability"]),
        object.node.at(&["spec", "guarantee", "resource"]),
    ];
    let keys = all.iter().flatten().flat_map(|of| of.entries());
    for (key, _) in keys {
        let name = key.text().unwrap_or("");
        let Some(kind) = kind(name) else {
            let what = format!(
                "{}: '{name}' is left out: only GPUs, cores and memory are counted",
                object.title()
            );
            draft.note(key.line, what);
            continue;
        };
        let place = draft.resource(Resource { kind, flavor: None });
        if entry.quotas.iter().any(|&(other, _)| other == place) {
            continue;
        }
        let read = |of: Option<&Node>, field: &str| -> Result<Option<(f64, u32)>, FileError> {
            let Some(node) = of.and_then(|of| of.get(name)) else {
                return Ok(None);
            };
            let given = node.text().unwrap_or("");
            let amount = quantity(given).filter(|&amount| amount >= 0.0);
            let amount = amount.ok_or_else(|| {
                let what = format!(
                    "{field} of {name} is '{given}'; give an amount from 0, such as 8 or 64Gi"
                );
                object.error(file, node.line, what)
            })?;
            Ok(Some((counted(kind, amount), node.line)))
        };
        let [deserved, capability, guarantee] = all;
        let deserved = read(deserved, "deserved")?;
        let capability = read(capability, "capability")?;
        let guarantee = read(guarantee, "guarantee")?;
        let above = |(low, line): (f64, u32), what: &str, high: Option<(f64, u32)>, than: &str| {
            match high {
                Some((high, _)) if low > high => {
                    let what = format!("{what} of {name} is above its {than}; lower it");
                    Err(object.error(file, line, what))
                }
                _ => Ok(()),
            }
        };
        if let Some(deserved) = deserved {
            above(deserved, "deserved", capability, "capability")?;
        }
        if let Some(guarantee) = guarantee {
            above(guarantee, "guarantee", deserved, "deserved")?;
            above(guarantee, "guarantee", capability, "capability")?;
        }
        let is_root = entry.parent.is_none();
        // What is guaranteed is deserved, too.
        let least = guarantee.map_or(0.0, |(amount, _)| amount);
        let nominal = match deserved {
            Some((amount, _)) => amount,
            None if is_root => capability.map_or(f64::INFINITY, |(amount, _)| amount),
            None => least,
        };
        entry.quotas.push((
            place,
            Quota {
                nominal,
                borrowing_limit: capability
                    .filter(|_| !is_root)
                    .map(|(amount, _)| amount - nominal),
                lending_limit: guarantee
                    .filter(|_| !is_root)
                    .map(|(amount, _)| nominal - amount),
                weight: 1.0,
            },
        ));
    }
    if entry.parent.is_none() {
        entry.unnamed.nominal = f64::INFINITY;
    }
    Ok(entry)
}
