//! Every policy there is.

use super::{ParamInfo, Params, Policy, PolicySpec, fifo, sjf, srsf, srtf, tiresias_las};
use crate::placement::Strategy;

/// A policy as the registry knows it.
#[derive(Clone, Copy)]
pub struct PolicyEntry {
    /// The name in specs.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether it sees true remaining work, which no real scheduler knows.
    pub oracle: bool,
    /// Its parameters.
    pub params: &'static [ParamInfo],
    /// Says what does not fit between parameters that are valid one by one.
    pub check: fn(&Params<'_>) -> Result<(), String>,
}

/// A policy and how it is made.
#[derive(Clone, Copy)]
pub(super) struct Registered {
    pub(super) entry: PolicyEntry,
    /// Makes the policy; the strategy is the run's default placement.
    pub(super) build: fn(&Params<'_>, Strategy) -> Box<dyn Policy>,
}

/// Every policy, in the order shown to a person.
const REGISTERED: [Registered; 5] = [
    fifo::POLICY,
    sjf::POLICY,
    srtf::POLICY,
    srsf::POLICY,
    tiresias_las::POLICY,
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

/// The parameter every policy has.
pub(super) const PLACEMENT: ParamInfo = ParamInfo {
    name: "placement",
    aliases: &[],
    kind: super::ParamKind::Placement,
    default: "default",
    help: "How a gang is laid on nodes; 'default' is the run's own choice.",
};

/// For policies whose parameters never conflict.
pub(super) fn no_conflicts(_: &Params<'_>) -> Result<(), String> {
    Ok(())
}

/// The policy of this name.
pub fn entry(name: &str) -> Option<&'static PolicyEntry> {
    POLICIES.iter().find(|entry| entry.name == name)
}

/// The policy a spec describes; `placement` is the run's default.
pub fn build(spec: &PolicySpec, placement: Strategy) -> Box<dyn Policy> {
    // A spec is only ever made by parsing, which has found its policy.
    let policy = REGISTERED
        .iter()
        .find(|policy| policy.entry.name == spec.name())
        .unwrap_or(&REGISTERED[0]);
    (policy.build)(&Params::new(policy.entry.params, spec), placement)
}
