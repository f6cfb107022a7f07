//! Changing one parameter of a policy's spec: what the scheduler's card and the queues' playground
//! do.

use switchyard::policy::{ParamInfo, PolicySpec, SpecError};

/// The policy with one parameter changed. Parameters that hang together follow: more queues get
/// more thresholds, and the other way round. Its outages stay.
pub(crate) fn with_param(
    policy: &PolicySpec,
    infos: &[ParamInfo],
    name: &str,
    value: &str,
) -> Result<PolicySpec, SpecError> {
    let changed = changed(policy, infos, name, value)?;
    Ok(changed.and_if(policy.what_if().clone()))
}

fn changed(
    policy: &PolicySpec,
    infos: &[ParamInfo],
    name: &str,
    value: &str,
) -> Result<PolicySpec, SpecError> {
    let text = |skip: &[&str]| {
        let params: Vec<String> = infos
            .iter()
            .filter(|info| !skip.contains(&info.name))
            .filter_map(|info| {
                let given = if info.name == name {
                    Some(value)
                } else {
                    policy.param(info.name)
                };
                given.map(|given| format!("{}={given}", info.name))
            })
            .collect();
        format!("{}[{}]", policy.name(), params.join(","))
    };
    let as_given = text(&[]).parse();
    match (&as_given, name) {
        (Err(SpecError::Conflict { .. }), "thresholds") => text(&["queues"]).parse(),
        (Err(SpecError::Conflict { .. }), "queues") => match value.parse::<usize>() {
            Ok(queues) if queues >= 2 => {
                let mut thresholds: Vec<f64> = policy
                    .param("thresholds")
                    .or(infos
                        .iter()
                        .find(|info| info.name == "thresholds")
                        .map(|info| info.default))
                    .into_iter()
                    .flat_map(|list| list.split(':'))
                    .filter_map(|threshold| threshold.parse().ok())
                    .collect();
                while thresholds.len() < queues - 1 {
                    thresholds.push(thresholds.last().map_or(3600.0, |last| last * 2.0));
                }
                thresholds.truncate(queues - 1);
                let list: Vec<String> = thresholds.iter().map(f64::to_string).collect();
                format!(
                    "{},thresholds={}]",
                    text(&["thresholds"]).trim_end_matches(']'),
                    list.join(":")
                )
                .parse()
            }
            _ => text(&["thresholds"]).parse(),
        },
        _ => as_given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::policy::entry;

    #[test]
    fn queues_and_thresholds_follow_each_other() {
        let change = |spec: &str, name: &str, value: &str| {
            let policy: PolicySpec = spec.parse().unwrap();
            let infos = entry(policy.name()).unwrap().params;
            with_param(&policy, infos, name, value).map(|policy| policy.to_string())
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
