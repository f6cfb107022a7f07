//! Schedulers: one per file, chosen and configured by a textual [`PolicySpec`].
//!
//! A policy looks at a [`View`](crate::sim::View) and writes a [`Plan`](crate::sim::Plan); it
//! never touches anything else. To add one: a file here with its `POLICY`, and its two lines in
//! this one, the module and the table's. This file knows all policies, and none of them its table.

// What several policies share.
mod continuous;
mod emptiest;
mod entry;
mod history;
mod line;
mod multilevel;
pub(crate) mod own;
mod pack_limit;
mod parse;
pub mod picking;
mod priority_walk;
mod ranked_room;
mod rigid;
mod rounds;
mod service_distribution;
mod service_history;
mod spec;
mod waiting_room;

// The policies.
mod f1;
mod fcfs;
mod fewest_gpus;
mod fifo;
mod gandiva;
mod gavel;
mod gittins;
mod graph_rl;
mod las;
mod optimus;
pub mod plugin;
pub mod pollux;
mod recorded;
mod rl_picker;
pub mod script;
mod shortest_expected;
mod shortest_job;
mod srsf;
mod srtf;
mod themis;
mod tiresias_gittins;
mod tiresias_las;
mod tiresias_tuned;
mod unicep;
mod wfp3;
mod yarn_cs;

pub use crate::draw::Rng;
pub use crate::sim::{Cadence, Every, Policy};
pub use crate::tell::{
    Explanation, Fact, Line, Loss, Mark, Plot, RoundReport, RoundRow, Slowness, Verdict,
};
pub use entry::{BuildContext, Levels, PolicyEntry};
pub use rl_picker::Picker;
pub use service_distribution::ServiceDistribution;
pub use service_history::{HistoryError, ServiceHistory};
pub use spec::{ParamInfo, ParamKind, Params, PolicySpec, SpecError};

use crate::placement::Strategy;
use crate::sim::Scheduler;
use entry::PLACEMENT;

/// Every policy, in the order shown to a person.
const REGISTERED: &[entry::Registered] = &[
    fifo::POLICY,
    fewest_gpus::POLICY,
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
    fcfs::POLICY,
    shortest_job::POLICY,
    wfp3::POLICY,
    unicep::POLICY,
    f1::POLICY,
    rl_picker::POLICY,
    graph_rl::POLICY,
    recorded::POLICY,
    script::POLICY,
    plugin::POLICY,
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

/// Names that policies had before, and those that they have. Specs in old links, files and scripts go on meaning
/// what they meant.
const RENAMED: &[(&str, &str)] = &[("sjf", "fewest-gpus")];

/// The policy of this name, or that had it before.
pub fn entry(name: &str) -> Option<&'static PolicyEntry> {
    let renamed = RENAMED.iter().find(|(before, _)| *before == name);
    let name = renamed.map_or(name, |(_, now)| now);
    POLICIES.iter().find(|entry| entry.name == name)
}

/// The placement by which a spec lays gangs, where the run has this one; `None`: by no placement.
pub fn placement(spec: &PolicySpec, run_default: Strategy) -> Option<Strategy> {
    let params = entry(spec.name())?.params;
    let has = params.iter().any(|param| param.name == PLACEMENT.name);
    has.then(|| Params::new(params, spec).placement(PLACEMENT.name, run_default))
}

/// The picker that learned whose weights a spec goes by, if it goes by any.
pub fn picker(spec: &PolicySpec) -> Option<Picker> {
    let entry = entry(spec.name())?;
    (entry.picker)(&Params::new(entry.params, spec))
}

/// The policy a spec describes.
pub fn build(spec: &PolicySpec, context: &BuildContext<'_>) -> Scheduler {
    // A spec is only ever made by parsing, which has found its policy.
    let found = REGISTERED
        .iter()
        .find(|policy| policy.entry.name == spec.name())
        .unwrap_or(&REGISTERED[0]);
    let params = Params::new(found.entry.params, spec);
    let placement = placement(spec, context.placement);
    Scheduler {
        spec: spec.label(),
        given: spec.given().map(str::to_owned).collect(),
        oracle: spec.is_oracle(),
        replays: spec.replays(),
        packs: spec.packs(),
        looks_at_links: placement.is_some_and(Strategy::looks_at_links),
        policy: (found.build)(&params, context),
    }
}
