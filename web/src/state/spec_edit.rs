//! Changing one parameter of a policy's spec: what the scheduler's card and the queues' playground
//! do.

use switchyard::policies::{PolicySpec, SpecError};

/// The policy with one parameter changed. Parameters that hang together follow: more queues get
/// more thresholds, and the other way round. Its outages stay.
pub(crate) fn with_param(
    policy: &PolicySpec,
    name: &str,
    value: &str,
) -> Result<PolicySpec, SpecError> {
    let changed = policy.with(name, value);
    match (&changed, name) {
        (Err(SpecError::Conflict { .. }), "thresholds") => with(policy, &[(name, value)], "queues"),
        (Err(SpecError::Conflict { .. }), "queues") => {
            match (value.parse::<usize>(), policy.value("thresholds")) {
                (Ok(queues), Some(list)) if queues >= 2 => {
                    let list = list.split(':');
                    let mut thresholds: Vec<f64> = list.filter_map(|of| of.parse().ok()).collect();
                    while thresholds.len() < queues - 1 {
                        thresholds.push(thresholds.last().map_or(3600.0, |last| last * 2.0));
                    }
                    thresholds.truncate(queues - 1);
                    let list: Vec<String> = thresholds.iter().map(f64::to_string).collect();
                    let list = list.join(":");
                    with(policy, &[(name, value), ("thresholds", &list)], name)
                }
                _ => with(policy, &[(name, value)], "thresholds"),
            }
        }
        _ => changed,
    }
}

/// The policy with these parameters, and without what it gives another.
fn with(
    policy: &PolicySpec,
    changes: &[(&str, &str)],
    without: &str,
) -> Result<PolicySpec, SpecError> {
    let given: Vec<_> = policy.given().collect();
    let stays = |name: &str| name != without && changes.iter().all(|(changed, _)| *changed != name);
    let others = given.iter().map(|(info, text)| (info.name, text.as_str()));
    let others = others.filter(|(name, _)| stays(name));
    let changed = PolicySpec::of(policy.name(), others.chain(changes.iter().copied()))?;
    Ok(changed.and_if(policy.what_if().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_and_thresholds_follow_each_other() {
        let change = |spec: &str, name: &str, value: &str| {
            let policy: PolicySpec = spec.parse().unwrap();
            with_param(&policy, name, value).map(|policy| policy.to_string())
        };
        assert_eq!(
            change("tiresias-las", "queues", "2").unwrap(),
            "tiresias-las[queues=2]"
        );
        assert_eq!(
            change("tiresias-las", "queues", "5").unwrap(),
            "tiresias-las[queues=5,thresholds=3250:7200:14400:28800]"
        );
        assert_eq!(
            change("tiresias-las[queues=2]", "thresholds", "10:20").unwrap(),
            "tiresias-las[thresholds=10:20]"
        );
        assert_eq!(
            change("fifo", "backfill", "true").unwrap(),
            "fifo[backfill=true]"
        );
        assert!(change("tiresias-las", "knob", "-1").is_err());
    }
}
