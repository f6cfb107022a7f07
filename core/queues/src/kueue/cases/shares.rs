//! How large the shares of a case are.

use super::super::quotas::Slot;
use super::super::share::Share;
use super::error::CaseError;
use super::setup::Setup;
use serde_json::{Map, Value, json};

/// The share of each queue that is named.
pub(super) fn decide(mut setup: Setup) -> Result<Value, CaseError> {
    let named = setup.field("shares").and_then(Value::as_array);
    let named = named.ok_or_else(|| CaseError::new("", "'shares' is no list of queues"))?;
    if let Some(incoming) = setup.field("incoming") {
        let target = setup.field("target").and_then(Value::as_str);
        let incoming = setup.workload(incoming, target)?;
        setup.state.book_mut().add(incoming.queue, &incoming.uses);
    }
    let resources = setup.state.quotas().resources();
    let on = setup.field("borrowsOn").and_then(Value::as_array);
    let slots: Option<Vec<Slot>> = on.map(|on| {
        let is_asked = |slot: &Slot| {
            let kind = &resources.kinds[resources.kind(*slot)];
            on.iter().any(|name| name.as_str() == Some(kind))
        };
        resources.ids().filter(is_asked).collect()
    });
    let mut got = Map::new();
    for name in named {
        let name = name.as_str().unwrap_or_default();
        let queue = setup.tree.find(name);
        let queue =
            queue.ok_or_else(|| CaseError::new("", format!("there is no queue '{name}'")))?;
        let share = setup.state.book().share(queue);
        if let Some(slots) = &slots {
            let on = setup.state.book().borrows_any(queue, slots);
            got.insert(name.to_owned(), json!([share.borrows, on]));
            continue;
        }
        let kinds = &setup.state.quotas().resources().kinds;
        let resource = share.dominant.map(|dominant| &kinds[dominant.kind]);
        got.insert(
            name.to_owned(),
            json!([shown(&share), resource, share.borrows]),
        );
    }
    Ok(Value::Object(got))
}

/// As Kueue shows it: rounded up. None: infinite.
fn shown(share: &Share) -> Option<i64> {
    (!share.is_infinite()).then(|| share.weighted().ceil() as i64)
}
