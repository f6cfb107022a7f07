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
    /// Makes the policy; the strategy is the run's default placement.
    pub build: fn(&Params<'_>, Strategy) -> Box<dyn Policy>,
}

/// Every policy, in the order shown to a person.
pub const POLICIES: &[PolicyEntry] = &[
    fifo::ENTRY,
    sjf::ENTRY,
    srtf::ENTRY,
    srsf::ENTRY,
    tiresias_las::ENTRY,
];

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
    // A spec is only ever made by parsing, which has found its entry.
    let entry = entry(spec.name()).unwrap_or(&fifo::ENTRY);
    (entry.build)(&Params::new(entry.params, spec), placement)
}
