//! One field of one queue changed: for sweeps over the numbers of a tree.
//!
//! What is changed is named as in the [text](crate::text) of a tree: a queue, and a field of it. `borrow`, `lend` and
//! `over` stand behind the quota that they belong to, `gpus.v100/borrow`; alone, they are of the queue's only quota.

use crate::text;
use crate::tree::{QueueId, QueueTree};

/// Fields that belong to a quota.
const OF_QUOTA: [&str; 3] = ["borrow", "lend", "over"];

/// Fields of a queue that belong to no quota.
const OF_QUEUE: [&str; 8] = [
    "weight",
    "priority",
    "order",
    "within",
    "reclaims",
    "while-borrowing",
    "reclaim-min-runtime",
    "preempt-min-runtime",
];

/// What can be changed of each queue of a tree: its quota of each resource, the limits and the weight behind it, and what
/// is of the queue itself.
pub fn fields(tree: &QueueTree) -> Vec<String> {
    let mut resources: Vec<String> = tree.resources().iter().map(text::resource_name).collect();
    if resources.is_empty() {
        resources.push("gpus".to_owned());
    }
    let of_quota = |resource: String| {
        let behind = OF_QUOTA.map(|key| format!("{resource}/{key}"));
        std::iter::once(resource).chain(behind)
    };
    let of_quotas = resources.into_iter().flat_map(of_quota);
    of_quotas.chain(OF_QUEUE.map(str::to_owned)).collect()
}

/// What a field of a queue is now, as it is written; nothing where it is as by default, or there is no such queue.
pub fn value(tree: &QueueTree, queue: &str, field: &str) -> Option<String> {
    let (_, fields) = fields_of(tree, tree.find(queue)?);
    let (quota, key) = parts(field);
    let at = match OF_QUOTA.contains(&key) {
        false => fields.iter().position(|of| is(of, key)),
        true => {
            let mut quotas = quotas(&fields, quota);
            let at = quotas.next().filter(|_| quotas.next().is_none())?;
            behind(&fields, at).find(|&of| is(&fields[of], key))
        }
    };
    let (_, value) = fields[at?].split_once('=')?;
    Some(value.to_owned())
}

/// The same tree, one field of one queue changed.
///
/// # Errors
/// There is no such queue or field, or the tree is not sound with this value.
pub fn changed(
    tree: &QueueTree,
    queue: &str,
    field: &str,
    value: &str,
) -> Result<QueueTree, String> {
    let wrong = |what: String| format!("queue '{queue}': {what}");
    let Some(id) = tree.find(queue) else {
        let names: Vec<&str> = tree.queues().iter().map(|of| of.name.as_str()).collect();
        return Err(wrong(format!(
            "there is none; there are {}",
            names.join(", ")
        )));
    };
    let (mut lines, mut fields) = fields_of(tree, id);
    put(&mut fields, field, value).map_err(wrong)?;
    let at = lines.len() - tree.queues().len() + id.index();
    lines[at] = fields.join(",");
    text::read(&lines.join(";")).map_err(|why| wrong(why.what))
}

/// The lines of a tree, and the fields of the one that is a queue's. A line of resources may come first.
fn fields_of(tree: &QueueTree, id: QueueId) -> (Vec<String>, Vec<String>) {
    let line = text::line(tree);
    let lines: Vec<String> = line.split(';').map(str::to_owned).collect();
    let at = lines.len() - tree.queues().len() + id.index();
    let fields = lines[at].split(',').map(str::to_owned).collect();
    (lines, fields)
}

/// The quota that a field is behind, where it says one, and the field.
fn parts(field: &str) -> (Option<&str>, &str) {
    match field.rsplit_once('/') {
        Some((quota, key)) => (Some(quota), key),
        None => (None, field),
    }
}

/// Whether what is written is this field.
fn is(written: &str, key: &str) -> bool {
    written
        .split_once('=')
        .is_some_and(|(known, _)| known == key)
}

/// Whether what is written is a quota.
fn is_quota(written: &str) -> bool {
    let key = written.split_once('=').map_or("", |(key, _)| key);
    ["gpus", "cores", "memory"].contains(&key.split('.').next().unwrap_or(key))
}

/// Where quotas stand among the fields of a queue: the one of this name, or all.
fn quotas<'a>(fields: &'a [String], named: Option<&'a str>) -> impl Iterator<Item = usize> + 'a {
    let all = (1..fields.len()).filter(|&at| is_quota(&fields[at]));
    all.filter(move |&at| named.is_none_or(|named| is(&fields[at], named)))
}

/// What stands behind a quota: up to the next one, all is of it.
fn behind(fields: &[String], quota: usize) -> impl Iterator<Item = usize> + '_ {
    (quota + 1..fields.len()).take_while(|&of| !is_quota(&fields[of]))
}

/// Puts a field's value where it belongs.
fn put(fields: &mut Vec<String>, field: &str, value: &str) -> Result<(), String> {
    let (quota, key) = parts(field);
    let told = format!("{key}={value}");
    if !OF_QUOTA.contains(&key) {
        if quota.is_some() {
            return Err(format!("'{key}' belongs to no quota; write '{key}' alone"));
        }
        match fields.iter_mut().find(|of| is(of, key)) {
            Some(known) => *known = told,
            None => fields.push(told),
        }
        return Ok(());
    }
    let (at, others) = {
        let mut quotas = quotas(fields, quota);
        (quotas.next(), quotas.next())
    };
    let at = match (at, others) {
        (Some(at), None) => at,
        (Some(_), Some(_)) => {
            return Err(format!(
                "it has several quotas; say whose '{key}', as 'gpus.v100/{key}'"
            ));
        }
        (None, _) => {
            fields.push(format!("{}=0", quota.unwrap_or("gpus")));
            fields.len() - 1
        }
    };
    let known = behind(fields, at).find(|&of| is(&fields[of], key));
    match known {
        Some(known) => fields[known] = told,
        None => fields.insert(at + 1, told),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(tree: &str, queue: &str, field: &str, value: &str) -> Result<String, String> {
        let tree = text::read(tree).expect("a tree");
        let tree = changed(&tree, queue, field, value);
        tree.map(|tree| text::line(&tree))
    }

    const TREE: &str =
        "lab;a,parent=lab,gpus=8,weight=2;b,parent=lab,gpus.v100=4,borrow=2,gpus.t4=1";

    #[test]
    fn a_field_is_changed_or_put_in() {
        for (queue, field, value, told) in [
            ("a", "gpus", "12", "a,parent=lab,gpus=12,weight=2"),
            ("a", "weight", "3", "a,parent=lab,gpus=8,weight=3"),
            ("a", "weight", "1", "a,parent=lab,gpus=8;"),
            ("a", "borrow", "4", "a,parent=lab,gpus=8,borrow=4,weight=2"),
            (
                "b",
                "gpus.v100/borrow",
                "1",
                "gpus.v100=4,borrow=1,gpus.t4=1",
            ),
            (
                "b",
                "gpus.t4/lend",
                "0",
                "gpus.v100=4,borrow=2,gpus.t4=1,lend=0",
            ),
            ("b", "reclaims", "any", "gpus.t4=1,reclaims=any"),
        ] {
            let text = after(TREE, queue, field, value).expect("sound");
            assert!(text.contains(told), "{queue} {field}={value}: {text}");
        }
    }

    /// Each field is found by its name, is what was put there, and is nothing where it was not said.
    #[test]
    fn every_field_of_every_queue_can_be_changed_and_read() {
        let tree = text::read(TREE).expect("a tree");
        let fields = fields(&tree);
        assert_eq!(
            fields[..5],
            ["gpus", "gpus/borrow", "gpus/lend", "gpus/over", "gpus.v100"]
        );
        assert_eq!(fields.len(), 3 * 4 + 8);
        let now = |queue: &str, field: &str| value(&tree, queue, field);
        assert_eq!(now("a", "gpus").as_deref(), Some("8"));
        assert_eq!(now("b", "gpus.v100/borrow").as_deref(), Some("2"));
        assert_eq!(now("b", "borrow"), None, "of which quota?");
        assert_eq!((now("a", "gpus/lend"), now("c", "gpus")), (None, None));
        // What stands behind one quota is not of the one before it.
        let two = "lab;a,parent=lab,gpus.v100=4,gpus.t4=1,lend=1";
        let lends = text::read(two).expect("a tree");
        assert_eq!(value(&lends, "a", "gpus.v100/lend"), None);
        assert_eq!(value(&lends, "a", "gpus.t4/lend").as_deref(), Some("1"));
        let told = after(two, "a", "gpus.v100/lend", "2").expect("sound");
        assert_eq!(told, "lab;a,parent=lab,gpus.v100=4,lend=2,gpus.t4=1,lend=1");
        for queue in ["a", "b"] {
            for field in &fields {
                let other = match field.as_str() {
                    "order" => "strict-fifo",
                    "within" | "reclaims" => "any",
                    _ => "3",
                };
                let told = changed(&tree, queue, field, other).expect("sound");
                assert_eq!(
                    value(&told, queue, field).as_deref(),
                    Some(other),
                    "{queue} {field}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_changed_is_told() {
        for (queue, field, value, told) in [
            ("c", "gpus", "1", "there is none; there are lab, a, b"),
            ("a", "gpus", "-1", "give a number from 0"),
            ("a", "colour", "1", "'colour' is no field"),
            ("b", "borrow", "1", "several quotas"),
            ("a", "gpus/weight", "1", "belongs to no quota"),
        ] {
            let why = after(TREE, queue, field, value).expect_err(told);
            assert!(why.contains(told), "{why}");
        }
    }
}
