//! Who is evicted in a case.

use super::super::preemption::fair::FairSharing;
use super::super::preemption::victims::{Preemptor, Strategy};
use super::super::preemption::{self};
use super::super::quotas::Slot;
use super::error::CaseError;
use super::setup::Setup;
use serde_json::{Value, json};

/// The victims, in the order of those that run.
pub(super) fn decide(mut setup: Setup) -> Result<Value, CaseError> {
    let wrong = |what: &str| CaseError::new("", what);
    let incoming = setup
        .field("incoming")
        .ok_or_else(|| wrong("it has no 'incoming'"))?;
    let target = setup.field("target").and_then(Value::as_str);
    let incoming = setup.workload(incoming, target)?;
    let resources = setup.state.quotas().resources();
    let named = setup.field("contested").and_then(Value::as_array);
    let is_contested = |slot: Slot| {
        let kind = &resources.kinds[resources.kind(slot)];
        named.is_none_or(|named| named.iter().any(|name| name.as_str() == Some(kind)))
    };
    let slots = incoming.uses.iter().map(|one| one.slot);
    let contested: Vec<Slot> = slots.filter(|&slot| is_contested(slot)).collect();
    let preemptor = Preemptor {
        queue: incoming.queue,
        uses: &incoming.uses,
        contested: &contested,
        priority: incoming.priority,
        created: incoming.created,
    };
    let fair = fair_sharing(&setup)?;
    let found = preemption::find(&mut setup.state, &preemptor, fair.as_ref());
    let victims = setup.admitted.iter().filter_map(|(name, id)| {
        let victim = found.victims.iter().find(|victim| victim.id == *id)?;
        Some(json!([name, format!("{}Reason", victim.reason.name())]))
    });
    Ok(victims.collect())
}

/// How fair sharing evicts in a case; none: it is off.
pub(super) fn fair_sharing(setup: &Setup) -> Result<Option<FairSharing>, CaseError> {
    if setup.field("fairSharing") == Some(&Value::Bool(false)) {
        return Ok(None);
    }
    let mut fair = FairSharing::default();
    let given = setup.field("strategies").and_then(Value::as_array);
    if let Some(given) = given.filter(|given| !given.is_empty()) {
        let strategies = given.iter().map(|name| match name.as_str() {
            Some("LessThanOrEqualToFinalShare") => Ok(Strategy::LessThanOrEqualToFinalShare),
            Some("LessThanInitialShare") => Ok(Strategy::LessThanInitialShare),
            _ => Err(CaseError::new("", format!("there is no strategy {name}"))),
        });
        fair.strategies = strategies.collect::<Result<_, _>>()?;
    }
    Ok(Some(fair))
}
