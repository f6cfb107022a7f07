//! Every policy there is.

use super::{
    ParamInfo, Params, Policy, PolicySpec, ServiceHistory, fifo, gandiva, gavel, gittins, las,
    optimus, pollux, shortest_expected, sjf, srsf, srtf, themis, tiresias_gittins, tiresias_las,
    tiresias_tuned, yarn_cs,
};
use crate::placement::Strategy;
use crate::workload::Workload;

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

/// What a policy is made from, besides its spec.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    /// The run's default placement.
    pub placement: Strategy,
    /// The jobs, for policies that learn from them beforehand (oracles, and `history=oracle`).
    pub workload: &'a Workload,
    /// Services of an earlier time, for `history=NAME`.
    pub history: Option<&'a ServiceHistory>,
}

impl BuildContext<'_> {
    /// The placement that the spec or the run asks for; `None`: neither asks for another than the
    /// run's default, and a policy that has a way of its own keeps to it.
    pub(super) fn asked_placement(&self, params: &Params<'_>) -> Option<Strategy> {
        let strategy = params.placement(PLACEMENT.name, self.placement);
        let asked = params.is_given(PLACEMENT.name) || strategy != Strategy::default();
        asked.then_some(strategy)
    }
}

/// A policy and how it is made.
#[derive(Clone, Copy)]
pub(super) struct Registered {
    pub(super) entry: PolicyEntry,
    /// Makes the policy.
    pub(super) build: fn(&Params<'_>, &BuildContext<'_>) -> Box<dyn Policy>,
}

/// Every policy, in the order shown to a person.
const REGISTERED: [Registered; 16] = [
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

/// The parameter every policy has.
pub(super) const PLACEMENT: ParamInfo = ParamInfo {
    name: "placement",
    aliases: &[],
    kind: super::ParamKind::Placement,
    default: "default",
    help: "How a gang is laid on nodes; 'default' is the run's own choice.",
};

/// The same, of policies that have a way of their own.
pub(super) const GANG_PLACEMENT: ParamInfo = ParamInfo {
    help: "How a gang that cannot shrink is laid on nodes; 'default' is the run's own choice, and where that is least-fragmentation, the emptiest nodes, as in the simulator of Pollux.",
    ..PLACEMENT
};

/// For policies whose parameters never conflict.
pub(super) fn no_conflicts(_: &Params<'_>) -> Result<(), String> {
    Ok(())
}

/// The policy of this name.
pub fn entry(name: &str) -> Option<&'static PolicyEntry> {
    POLICIES.iter().find(|entry| entry.name == name)
}

/// The policy a spec describes.
pub fn build(spec: &PolicySpec, context: &BuildContext<'_>) -> Box<dyn Policy> {
    // A spec is only ever made by parsing, which has found its policy.
    let policy = REGISTERED
        .iter()
        .find(|policy| policy.entry.name == spec.name())
        .unwrap_or(&REGISTERED[0]);
    (policy.build)(&Params::new(policy.entry.params, spec), context)
}
