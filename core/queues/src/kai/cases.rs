//! Divisions as data: a file of cases in, the share of each queue out.
//!
//! A case has a `name`, a `total`, `k`, and `queues` with `id`, `deserved`, `weight`, `request` (or `allocated` and
//! `pending`), `max`, `priority`, `created`, `usage` and `parent`. −1 and `null` mean no limit. A number may be an object by resource instead
//! (`"total": {"gpu": 8, "cpu": 64}`); then shares are objects too. Queues with a `parent` divide its share.

use super::division::{Claim, Share, divide_into};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Why a file of cases cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// The file is no list.
    #[error("a file of cases is a list of them, or an object with a list 'cases'")]
    NoList,
    /// A case lacks something, or something in it is no number.
    #[error("case '{case}': {what}")]
    Case {
        /// Its name.
        case: String,
        /// What is wrong.
        what: String,
    },
}

/// Computes all cases of a file: `{"cases": [{"name", "got"}]}`, with `got` a share per queue.
///
/// # Errors
/// The file is no list, or a case lacks something.
pub fn run(file: &Value) -> Result<Value, CaseError> {
    let list = file.get("cases").unwrap_or(file);
    let list = list.as_array().ok_or(CaseError::NoList)?;
    let mut cases = Vec::with_capacity(list.len());
    for (at, case) in list.iter().enumerate() {
        let name = match case.get("name").and_then(Value::as_str) {
            Some(name) => name.to_owned(),
            None => format!("{}", at + 1),
        };
        let got = shares(case).map_err(|what| CaseError::Case {
            case: name.clone(),
            what,
        })?;
        cases.push(json!({ "name": name, "got": got }));
    }
    Ok(json!({ "cases": cases }))
}

/// The queues of a case, in the order of their ids.
struct Case<'a> {
    queues: Vec<&'a Value>,
    ids: Vec<String>,
    created: Vec<f64>,
    /// For every queue and for none, last, the queues below.
    children: Vec<Vec<usize>>,
}

fn shares(case: &Value) -> Result<Value, String> {
    let total = case.get("total").ok_or("it has no 'total'")?;
    let k = number(case, "k", None, 1.0)?;
    let case = read(case)?;
    let mut got = Map::new();
    match total.as_object() {
        None => {
            let total = total.as_f64().ok_or("its 'total' is no number")?;
            let totals = divide(&case, total, k, None)?;
            for (id, share) in case.ids.iter().zip(totals) {
                got.insert(id.clone(), whole(share));
            }
        }
        Some(totals) => {
            for id in &case.ids {
                got.insert(id.clone(), json!({}));
            }
            for (resource, total) in totals {
                let total = total.as_f64();
                let total = total.ok_or_else(|| format!("its total of {resource} is no number"))?;
                let shares = divide(&case, total, k, Some(resource))?;
                for (id, share) in case.ids.iter().zip(shares) {
                    got[id][resource] = whole(share);
                }
            }
        }
    }
    Ok(Value::Object(got))
}

fn read(case: &Value) -> Result<Case<'_>, String> {
    let list = case.get("queues").and_then(Value::as_array);
    let list = list.ok_or("it has no list 'queues'")?;
    let mut named = Vec::with_capacity(list.len());
    for queue in list {
        named.push((text(queue, "id").ok_or("a queue has no 'id'")?, queue));
    }
    named.sort_by(|left, right| left.0.cmp(&right.0));
    if let Some(pair) = named.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("two queues have the id '{}'", pair[0].0));
    }
    let (ids, queues): (Vec<String>, Vec<&Value>) = named.into_iter().unzip();
    let places: HashMap<&str, usize> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| (id.as_str(), at))
        .collect();
    let mut children = vec![Vec::new(); ids.len() + 1];
    for (at, queue) in queues.iter().enumerate() {
        let parent = match text(queue, "parent").filter(|parent| !parent.is_empty()) {
            None => ids.len(),
            Some(parent) => *places.get(parent.as_str()).ok_or_else(|| {
                format!(
                    "queue '{}' lies below '{parent}', which is not there",
                    ids[at]
                )
            })?,
        };
        children[parent].push(at);
    }
    // A date is a text of which the smaller one is the older one.
    let mut dates: Vec<&str> = queues
        .iter()
        .filter_map(|queue| queue.get("created")?.as_str())
        .collect();
    dates.sort_unstable();
    let created = queues.iter().map(|queue| match queue.get("created") {
        Some(Value::String(date)) => dates.partition_point(|other| *other < date.as_str()) as f64,
        created => created.and_then(Value::as_f64).unwrap_or(0.0),
    });
    Ok(Case {
        created: created.collect(),
        queues,
        ids,
        children,
    })
}

/// The share of every queue, of one resource.
fn divide(case: &Case, total: f64, k: f64, resource: Option<&str>) -> Result<Vec<f64>, String> {
    let mut totals = vec![0.0; case.ids.len()];
    let mut waiting = vec![(case.ids.len(), total)];
    let mut seen = 0;
    let mut shares: Vec<Share> = Vec::new();
    while let Some((parent, total)) = waiting.pop() {
        let level = &case.children[parent];
        let mut claims = Vec::with_capacity(level.len());
        for &queue in level {
            claims.push(claim(case, queue, resource)?);
        }
        divide_into(total, k, &claims, &mut shares, |_| {});
        for (&queue, share) in level.iter().zip(&shares) {
            totals[queue] = share.total;
            waiting.push((queue, share.total));
            seen += 1;
        }
    }
    if seen < case.ids.len() {
        return Err("some of its queues lie below themselves".to_owned());
    }
    Ok(totals)
}

fn claim(case: &Case, at: usize, resource: Option<&str>) -> Result<Claim, String> {
    let queue = case.queues[at];
    let named = |what: String| format!("queue '{}': {what}", case.ids[at]);
    let number = |field, default| number(queue, field, resource, default).map_err(named);
    let unlimited = |amount: f64| if amount < 0.0 { f64::INFINITY } else { amount };
    Ok(Claim {
        deserved: unlimited(number("deserved", 0.0)?),
        limit: unlimited(number("max", -1.0)?),
        weight: number("weight", 1.0)?,
        request: number(
            "request",
            number("allocated", 0.0)? + number("pending", 0.0)?,
        )?,
        usage: number("usage", 0.0)?,
        priority: number("priority", 0.0)? as i64,
        created: case.created[at],
    })
}

/// A number, or that of a resource; `null` is −1.
fn number(of: &Value, field: &str, resource: Option<&str>, default: f64) -> Result<f64, String> {
    let mut value = of.get(field);
    if let (Some(Value::Object(by_resource)), Some(resource)) = (value, resource) {
        value = by_resource.get(resource);
    }
    match value {
        None => Ok(default),
        Some(Value::Null) => Ok(-1.0),
        Some(value) => value
            .as_f64()
            .ok_or_else(|| format!("its '{field}' is no number")),
    }
}

fn text(of: &Value, field: &str) -> Option<String> {
    match of.get(field)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whole numbers are written without a point.
fn whole(share: f64) -> Value {
    let rounded = libm::trunc(share);
    if rounded == share && rounded.abs() < 1e15 {
        json!(rounded as i64)
    } else {
        json!(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn got(case: Value) -> Value {
        let mut result = run(&json!([case])).expect("a case");
        result["cases"][0]["got"].take()
    }

    #[test]
    fn resources_are_divided_one_by_one() {
        let case = json!({ "name": "two", "total": { "gpu": 8, "cpu": 10 }, "queues": [
            { "id": "a", "deserved": { "gpu": 2, "cpu": -1 }, "request": { "gpu": 9, "cpu": 4 } },
            { "id": "b", "weight": 2, "request": { "gpu": 9, "cpu": 9 }, "max": { "cpu": 5 } },
        ] });
        let wanted = json!({ "a": { "gpu": 4, "cpu": 4 }, "b": { "gpu": 4, "cpu": 5 } });
        assert_eq!(got(case), wanted);
    }

    #[test]
    fn queues_below_divide_the_share_above() {
        let case = json!({ "total": 6, "queues": [
            { "id": "x", "request": 9 },
            { "id": "x1", "parent": "x", "request": 9, "priority": 1 },
            { "id": "x2", "parent": "x", "request": 9, "max": null },
            { "id": "y", "request": 9 },
        ] });
        assert_eq!(got(case), json!({ "x": 3, "x1": 3, "x2": 0, "y": 3 }));
    }

    #[test]
    fn of_equal_fractions_the_older_one_wins_then_the_smaller_id() {
        let case = |first: Value, second: Value| {
            json!({ "total": 1, "queues": [
                { "id": "b", "request": 9, "created": first },
                { "id": "a", "request": 9, "created": second },
            ] })
        };
        assert_eq!(got(case(json!(1), json!(2)))["b"], 1);
        assert_eq!(got(case(json!(1), json!(1)))["a"], 1);
        let (older, newer) = (json!("2025-01-02T00:00:00Z"), json!("2025-01-03T00:00:00Z"));
        assert_eq!(got(case(older, newer))["b"], 1);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |file: Value| run(&file).expect_err("an error").to_string();
        assert!(wrong(json!(7)).contains("is a list"));
        let lost = json!([{ "name": "n", "total": 1, "queues": [{ "id": "a", "parent": "p" }] }]);
        assert_eq!(
            wrong(lost),
            "case 'n': queue 'a' lies below 'p', which is not there"
        );
        let around = json!([{ "name": "n", "total": 1, "queues": [{ "id": "a", "parent": "a" }] }]);
        assert!(wrong(around).contains("lie below themselves"));
        let text = json!([{ "name": "n", "total": 1, "queues": [{ "id": "a", "weight": "x" }] }]);
        assert_eq!(
            wrong(text),
            "case 'n': queue 'a': its 'weight' is no number"
        );
        let none = json!([{ "name": "n", "queues": [] }]);
        assert_eq!(wrong(none), "case 'n': it has no 'total'");
    }
}
