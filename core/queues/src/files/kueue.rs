//! Kueue's objects: ClusterQueue, Cohort, ResourceFlavor and LocalQueue.
//!
//! A ClusterQueue is a leaf, a Cohort an inner queue; one that is only named is one, too. A flavor-resource is a quota.
//! The only flavor of a file, without labels of nodes, is all nodes. What a ClusterQueue does not cover it may not use
//! at all. Jobs of a LocalQueue belong to its ClusterQueue.
//!
//! Source: <https://github.com/kubernetes-sigs/kueue>, `apis/kueue/v1beta2` (and `v1beta1`, where a ClusterQueue's
//! `cohortName` was `cohort`), and the rules of validation there.

use super::draft::{Draft, Entry};
use super::error::FileError;
use super::quantity::{counted, kind, quantity};
use super::read::Read;
use super::yaml::{Node, Object, objects};
use crate::rules::Rule;
use crate::tree::{Evicts, Order, Quota, Resource, WhileBorrowing};
use std::collections::HashSet;

/// Fields of a ClusterQueue that change decisions and are in no tree.
const LEFT_OUT: [(&str, &str); 5] = [
    ("flavorFungibility", "flavors are tried in their order"),
    ("admissionChecks", "nothing checks admission"),
    ("admissionChecksStrategy", "nothing checks admission"),
    ("stopPolicy", "it is not stopped"),
    ("admissionScope", "usage of the past does not count"),
];

/// Reads them.
///
/// # Errors
/// What is no YAML; a quota that is none or below zero, a flavor or a ClusterQueue that is not there, a limit without a
/// cohort, cohorts in a loop, a word that Kueue does not know.
pub fn read(text: &str, file: &str) -> Result<Read, FileError> {
    let objects = objects(text, file)?;
    let of_kind = |kind: &'static str| objects.iter().filter(move |object| object.kind == kind);
    let flavors: HashSet<&str> = of_kind("ResourceFlavor")
        .map(|object| object.name.as_str())
        .collect();
    let mut all = of_kind("ResourceFlavor");
    let everywhere = match (all.next(), all.next()) {
        (Some(only), None) if only.node.at(&["spec", "nodeLabels"]).is_none() => Some(&*only.name),
        _ => None,
    };
    let mut draft = Draft::new(file);
    if flavors.is_empty() {
        draft.note_of_all(
            "no ResourceFlavor is in this file: all names of flavors are taken as they are",
        );
    }
    let queues: HashSet<&str> = of_kind("ClusterQueue")
        .map(|object| object.name.as_str())
        .collect();
    // Kueue has cohorts and queues of one name.
    let cohort_name = |name: &str| match queues.contains(name) {
        true => format!("cohort/{name}"),
        false => name.to_owned(),
    };
    for object in of_kind("Cohort").chain(of_kind("ClusterQueue")) {
        let is_queue = object.kind == "ClusterQueue";
        let mut entry = draft.entry(object)?;
        if !is_queue {
            entry.queue.name = cohort_name(&object.name);
        }
        let above = match is_queue {
            true => object.name_at(&["cohortName", "cohort"]),
            false => object.name_at(&["parentName", "parent"]),
        };
        entry.parent = above.map(|(name, line)| (cohort_name(&name), line));
        if is_queue {
            entry.unnamed.borrowing_limit = Some(0.0);
            policies(object, file, &mut entry)?;
        }
        let weight = object.node.at(&["spec", "fairSharing", "weight"]);
        if let Some(weight) = weight {
            entry.queue.weight = amount(object, file, weight, "fairSharing.weight")?;
        }
        quotas(object, (&flavors, everywhere), &mut entry, &mut draft)?;
        for (field, instead) in LEFT_OUT {
            if let Some(node) = object.node.at(&["spec", field]) {
                let what = format!("{}: {field} is left out; {instead}", object.title());
                draft.note(node.line, what);
            }
        }
        draft.entries.push(entry);
    }
    add_named_cohorts(&mut draft);
    let names = draft.names();
    for object in of_kind("LocalQueue") {
        let of = object.node.at(&["spec", "clusterQueue"]);
        let (queue, line) = of.map_or(("", object.line()), |of| (of.text().unwrap_or(""), of.line));
        let missing = || {
            let what = format!(
                "its ClusterQueue '{queue}' is not in this file; add it, or correct the name"
            );
            object.error(file, line, what)
        };
        let is_queue = queues.contains(queue);
        let id = names.get(queue).filter(|_| is_queue).ok_or_else(missing)?;
        let of = &mut draft.entries[id.index()].queue;
        let rule = Rule::of_word(&object.name);
        // A queue of one name with it has its jobs anyhow.
        if object.name != of.name && !of.jobs.contains(&rule) {
            of.jobs.push(rule);
        }
    }
    for object in &objects {
        let known = ["ClusterQueue", "Cohort", "ResourceFlavor", "LocalQueue"];
        if !known.contains(&object.kind.as_str()) {
            draft.leave_out(object);
        }
    }
    draft.finish()
}

/// Cohorts that queues name and no object describes.
fn add_named_cohorts(draft: &mut Draft<'_>) {
    let mut names: HashSet<String> = draft.names().into_keys().collect();
    let above = draft
        .entries
        .iter()
        .filter_map(|entry| entry.parent.clone());
    let above: Vec<(String, u32)> = above.collect();
    for (name, line) in above {
        if names.insert(name.clone()) {
            draft
                .entries
                .push(Entry::new(format!("Cohort '{name}'"), line, &name));
        }
    }
}

/// Whose jobs it evicts, and what blocks it.
fn policies(object: &Object, file: &str, entry: &mut Entry) -> Result<(), FileError> {
    let word = |path: &[&str], known: &[&str]| -> Result<String, FileError> {
        let mut whole = vec!["spec"];
        whole.extend(path);
        let Some(node) = object.node.at(&whole) else {
            return Ok(String::new());
        };
        let given = node.text().unwrap_or("");
        if known.contains(&given) {
            return Ok(given.to_owned());
        }
        let what = format!(
            "{} is '{given}'; give one of {}",
            path.join("."),
            known.join(", ")
        );
        Err(object.error(file, node.line, what))
    };
    let order = word(&["queueingStrategy"], &["BestEffortFIFO", "StrictFIFO"])?;
    if order == "StrictFIFO" {
        entry.queue.order = Order::StrictFifo;
    }
    let evicts = |word: &str| match word {
        "LowerPriority" => Evicts::LowerPriority,
        "LowerOrNewerEqualPriority" => Evicts::LowerOrNewerEqualPriority,
        "Any" => Evicts::Any,
        _ => Evicts::Never,
    };
    let within = word(
        &["preemption", "withinClusterQueue"],
        &["Never", "LowerPriority", "LowerOrNewerEqualPriority"],
    )?;
    entry.queue.within = evicts(&within);
    let reclaims = word(
        &["preemption", "reclaimWithinCohort"],
        &["Never", "LowerPriority", "Any"],
    )?;
    entry.queue.reclaims = evicts(&reclaims);
    let borrowing = ["preemption", "borrowWithinCohort"];
    let policy = word(
        &[&borrowing[..], &["policy"]].concat(),
        &["Never", "LowerPriority"],
    )?;
    if policy == "LowerPriority" {
        let threshold = object.node.at(&[
            "spec",
            "preemption",
            "borrowWithinCohort",
            "maxPriorityThreshold",
        ]);
        let up_to = threshold.map(|node| {
            let given = node.text().unwrap_or("");
            given.parse::<i64>().map_err(|_| {
                let what = format!("maxPriorityThreshold is '{given}'; give a whole number");
                object.error(file, node.line, what)
            })
        });
        entry.queue.while_borrowing = WhileBorrowing::LowerPriority {
            up_to: up_to.transpose()?,
        };
    }
    Ok(())
}

fn quotas(
    object: &Object,
    (flavors, everywhere): (&HashSet<&str>, Option<&str>),
    entry: &mut Entry,
    draft: &mut Draft<'_>,
) -> Result<(), FileError> {
    let file = draft.file;
    let groups = object.node.items_at(&["spec", "resourceGroups"]);
    for flavor in groups.iter().flat_map(|group| group.items_at(&["flavors"])) {
        let Some(name) = flavor.get("name") else {
            let what = "a flavor has no name; write it as name";
            return Err(object.error(file, flavor.line, what));
        };
        let (name, line) = (name.text().unwrap_or(""), name.line);
        if !flavors.is_empty() && !flavors.contains(name) {
            let what = format!(
                "flavor '{name}' is no ResourceFlavor of this file; add one, or correct the name"
            );
            return Err(object.error(file, line, what));
        }
        for resource in flavor.items_at(&["resources"]) {
            let of = resource.text_at(&["name"]).unwrap_or("");
            let Some(kind) = kind(of) else {
                let what = format!(
                    "{}: '{of}' is left out: only GPUs, cores and memory are counted",
                    object.title()
                );
                draft.note(resource.line, what);
                continue;
            };
            let read = |key: &str| -> Result<Option<f64>, FileError> {
                let Some(node) = resource.get(key) else {
                    return Ok(None);
                };
                let what = format!("{key} of {of} in flavor '{name}'");
                Ok(Some(counted(kind, amount(object, file, node, &what)?)))
            };
            let nominal = read("nominalQuota")?.ok_or_else(|| {
                let what =
                    format!("{of} in flavor '{name}' has no nominalQuota; give one, 0 for none");
                object.error(file, resource.line, what)
            })?;
            let quota = Quota {
                nominal,
                borrowing_limit: read("borrowingLimit")?,
                lending_limit: read("lendingLimit")?,
                weight: 1.0,
            };
            limits(object, file, resource, entry, quota)?;
            let place = draft.resource(Resource {
                kind,
                flavor: (everywhere != Some(name)).then(|| name.to_owned()),
            });
            if entry.quotas.iter().any(|&(other, _)| other == place) {
                let what = format!("{of} in flavor '{name}' is given twice; leave one of them out");
                return Err(object.error(file, resource.line, what));
            }
            entry.quotas.push((place, quota));
        }
    }
    Ok(())
}

/// Limits want a cohort, and nobody lends more than they have.
fn limits(
    object: &Object,
    file: &str,
    resource: &Node,
    entry: &Entry,
    quota: Quota,
) -> Result<(), FileError> {
    let both = [
        ("borrowingLimit", quota.borrowing_limit, "to borrow from"),
        ("lendingLimit", quota.lending_limit, "to lend to"),
    ];
    for (key, limit, whom) in both {
        let line = resource.get(key).map_or(resource.line, |node| node.line);
        if limit.is_some() && entry.parent.is_none() {
            let above = match object.kind == "ClusterQueue" {
                true => "cohortName",
                false => "parentName",
            };
            let what = format!(
                "it has a {key} but no cohort {whom}; name one as {above}, or leave the limit out"
            );
            return Err(object.error(file, line, what));
        }
        if key == "lendingLimit" && limit.is_some_and(|limit| limit > quota.nominal) {
            let what = "its lendingLimit is above its nominalQuota; lower it";
            return Err(object.error(file, line, what));
        }
    }
    Ok(())
}

/// An amount that is not below zero.
fn amount(object: &Object, file: &str, node: &Node, what: &str) -> Result<f64, FileError> {
    let given = node.text().unwrap_or("");
    let amount = quantity(given);
    match amount {
        Some(amount) if amount >= 0.0 => Ok(amount),
        Some(_) => {
            let what = format!("{what} is {given}, below zero; give 0 or more");
            Err(object.error(file, node.line, what))
        }
        None => {
            let what = format!(
                "{what} is '{given}', which is no amount; give one such as 8, 500m or 64Gi"
            );
            Err(object.error(file, node.line, what))
        }
    }
}
