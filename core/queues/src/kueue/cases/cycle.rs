//! What one scheduling cycle of a case decides.

use super::super::assignment::{Head, Request};
use super::super::cycle::{self, Outcome, Settings};
use super::super::quotas::Use;
use super::error::CaseError;
use super::preemption;
use super::setup::{Described, Setup};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Who is admitted with which flavors, who is evicted, who waits on.
pub(super) fn decide(mut setup: Setup) -> Result<Value, CaseError> {
    let listed = setup.field("pending").and_then(Value::as_array);
    let listed = listed.ok_or_else(|| CaseError::new("", "'pending' is no list"))?;
    let pending: Vec<Described> = listed
        .iter()
        .map(|value| setup.workload(value, None))
        .collect::<Result<_, _>>()?;
    let mut first: BTreeMap<_, &Described> = BTreeMap::new();
    for one in &pending {
        let key = |one: &Described| (Reverse(one.priority), one.created, one.name.clone());
        let before = first.entry(one.queue).or_insert(one);
        if key(one) < key(before) {
            *before = one;
        }
    }
    let heads: Vec<Head> = first.values().map(|one| head(one)).collect();
    let names: Vec<&str> = first.values().map(|one| one.name.as_str()).collect();
    let settings = Settings {
        fair: preemption::fair_sharing(&setup)?,
        recomputes: setup.field("recomputes") != Some(&Value::Bool(false)),
    };
    let decisions = cycle::run(&mut setup.state, &settings, &heads);
    let mut admitted = Map::new();
    let mut reasons = BTreeMap::new();
    for decision in &decisions {
        match decision.outcome {
            Outcome::Admitted => {
                let flavors = flavors(&setup, &decision.assignment.uses);
                admitted.insert(names[decision.head].to_owned(), flavors);
            }
            Outcome::Preempting => {
                let victims = decision.found.victims.iter();
                reasons.extend(victims.map(|victim| (victim.id, victim.reason.name())));
            }
            _ => {}
        }
    }
    let victims = setup.admitted.iter().filter_map(|(name, id)| {
        let reason = reasons.get(id)?;
        Some(json!([name, format!("{reason}Reason")]))
    });
    let victims: Value = victims.collect();
    let waiting = pending
        .iter()
        .filter(|one| !admitted.contains_key(&one.name));
    let mut left: Vec<&str> = waiting.map(|one| one.name.as_str()).collect();
    left.sort_unstable();
    Ok(json!({"admitted": admitted, "victims": victims, "left": left}))
}

fn head(described: &Described) -> Head {
    Head {
        queue: described.queue,
        request: Request {
            asks: described.asks.clone(),
            flavors: None,
        },
        priority: described.priority,
        created: described.created,
        from: Vec::new(),
    }
}

fn flavors(setup: &Setup, uses: &[Use]) -> Value {
    let resources = setup.state.quotas().resources();
    let pairs = uses.iter().map(|one| {
        let kind = &resources.kinds[resources.kind(one.slot)];
        let flavor = &resources.flavors[resources.flavor(one.slot)];
        (kind.clone(), Value::String(flavor.clone()))
    });
    Value::Object(pairs.collect())
}
