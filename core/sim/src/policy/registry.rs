//! Every policy there is: from a text to a [`PolicySpec`], and from that to the policy. It knows all
//! of them, and none knows it.

use super::entry::Registered;
use super::{
    BuildContext, Params, PolicyEntry, PolicySpec, SpecError, fifo, gandiva, gavel, gittins, las,
    optimus, pollux, shortest_expected, sjf, srsf, srtf, themis, tiresias_gittins, tiresias_las,
    tiresias_tuned, yarn_cs,
};
use crate::sim::Scheduler;
use std::str::FromStr;

/// Every policy, in the order shown to a person.
const REGISTERED: &[Registered] = &[
    fifo::POLICY,
    sjf::POLICY,
    srtf::POLICY,
    srsf::POLICY,
    tiresias_las::POLICY,
    tiresias_gittins::POLICY,
    las::POLICY,
    gittins::POLICY,
    shortest_expected::POLICY,
    yarn_cs::POLICY,
    gandiva::POLICY,
    themis::POLICY,
    gavel::POLICY,
    tiresias_tuned::POLICY,
    optimus::POLICY,
    pollux::POLICY,
];

/// Every policy, in the order shown to a person. (Apart from the makers: a page that only names
/// policies need not hold them.)
pub const POLICIES: &[PolicyEntry] = &{
    let mut entries = [REGISTERED[0].entry; REGISTERED.len()];
    let mut i = 1;
    while i < REGISTERED.len() {
        entries[i] = REGISTERED[i].entry;
        i += 1;
    }
    entries
};

/// The policy of this name.
pub fn entry(name: &str) -> Option<&'static PolicyEntry> {
    POLICIES.iter().find(|entry| entry.name == name)
}

/// The policy a spec describes.
pub fn build(spec: &PolicySpec, context: &BuildContext<'_>) -> Scheduler {
    // A spec is only ever made by parsing, which has found its policy.
    let found = REGISTERED
        .iter()
        .find(|policy| policy.entry.name == spec.name())
        .unwrap_or(&REGISTERED[0]);
    Scheduler {
        spec: spec.to_string(),
        given: spec.given().map(str::to_owned).collect(),
        policy: (found.build)(&Params::new(found.entry.params, spec), context),
    }
}

impl FromStr for PolicySpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, given) = split(text).ok_or_else(|| SpecError::Syntax(text.to_string()))?;
        let entry = entry(name).ok_or_else(|| SpecError::UnknownPolicy {
            name: name.to_string(),
            valid: POLICIES
                .iter()
                .map(|entry| entry.name)
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        let mut values: Vec<Option<String>> = vec![None; entry.params.len()];
        for (param, value) in given {
            let at = entry
                .params
                .iter()
                .position(|info| info.name == param || info.aliases.contains(&param))
                .ok_or_else(|| SpecError::UnknownParam {
                    policy: name.to_string(),
                    param: param.to_string(),
                    valid: entry
                        .params
                        .iter()
                        .map(|info| info.name)
                        .collect::<Vec<_>>()
                        .join(", "),
                })?;
            let info = &entry.params[at];
            let value = info
                .kind
                .canonical(value)
                .ok_or_else(|| SpecError::BadValue {
                    policy: name.to_string(),
                    param: param.to_string(),
                    value: value.to_string(),
                    valid: info.kind.to_string(),
                })?;
            if values[at].replace(value).is_some() {
                return Err(SpecError::Twice {
                    policy: name.to_string(),
                    param: info.name.to_string(),
                });
            }
        }
        let params = entry
            .params
            .iter()
            .zip(values)
            .filter_map(|(info, value)| Some((info.name.to_string(), value?)))
            .collect();
        let mut spec = PolicySpec {
            name: name.to_string(),
            params,
        };
        (entry.check)(&Params::new(entry.params, &spec)).map_err(|what| SpecError::Conflict {
            policy: name.to_string(),
            what,
        })?;
        spec.params.retain(|(name, value)| {
            !entry
                .params
                .iter()
                .any(|info| info.name == name && info.default == value)
        });
        Ok(spec)
    }
}

/// `name[a=b,c=d]` in its pieces.
fn split(text: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('[') else {
        return (!text.is_empty() && !text.contains(['=', ']', ','])).then(|| (text, Vec::new()));
    };
    let inner = rest.strip_suffix(']')?.trim();
    if inner.is_empty() {
        return Some((name.trim(), Vec::new()));
    }
    let params = inner
        .split(',')
        .map(|param| {
            param
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
        })
        .collect::<Option<Vec<_>>>()?;
    Some((name.trim(), params))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<PolicySpec>().unwrap().to_string()
    }

    fn error(text: &str) -> String {
        text.parse::<PolicySpec>().unwrap_err().to_string()
    }

    #[test]
    fn specs_print_canonically() {
        assert_eq!(canonical("fifo"), "fifo");
        assert_eq!(
            canonical(" fifo[ backfill = true ] "),
            "fifo[backfill=true]"
        );
        assert_eq!(canonical("fifo[backfill=false]"), "fifo");
        assert_eq!(
            canonical("tiresias-las[queues=2,threshold=57600]"),
            "tiresias-las[queues=2,thresholds=57600]"
        );
        assert_eq!(
            canonical("tiresias-las[thresholds=3250.0:7200]"),
            "tiresias-las"
        );
        assert_eq!(
            canonical("srtf[placement=spread]"),
            "srtf[placement=spread]"
        );
    }

    #[test]
    fn errors_list_what_is_valid() {
        assert_eq!(
            error("lifo"),
            "there is no policy 'lifo': use one of fifo, sjf, srtf, srsf, tiresias-las, tiresias-gittins, las, gittins, shortest-expected, yarn-cs, gandiva, themis, gavel, tiresias-tuned, optimus, pollux"
        );
        assert_eq!(
            error("fifo[speed=3]"),
            "fifo has no parameter 'speed': it takes backfill, placement"
        );
        assert_eq!(
            error("fifo[backfill=maybe]"),
            "fifo: 'maybe' is no value for 'backfill', which takes true or false"
        );
        assert_eq!(
            error("fifo[placement=pack]"),
            "fifo: 'pack' is no value for 'placement', which takes default, least-fragmentation, consolidated, spread, yarn or skew"
        );
        assert_eq!(
            error("fifo[backfill=true,backfill=true]"),
            "fifo is given 'backfill' twice"
        );
        assert_eq!(
            error("fifo[backfill"),
            "'fifo[backfill' is not a policy: write name or name[parameter=value,…]"
        );
        assert_eq!(
            error(""),
            "'' is not a policy: write name or name[parameter=value,…]"
        );
        assert_eq!(
            error("tiresias-las[queues=4,thresholds=1:2]"),
            "tiresias-las: 4 queues need 3 thresholds, not 2"
        );
    }
}
