//! What a policy gives of itself: its [`entry`](PolicyEntry) and how it is made; the parameters that
//! several share.

use super::picking::network::Network;
use super::{ParamInfo, ParamKind, Params, Picker, Policy, ServiceHistory};
use crate::placement::Strategy;
use crate::sim::Measure;
use crate::workload::Workload;

/// A policy, as far as one must know it to choose it.
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
    /// Its parameters.
    pub params: &'static [ParamInfo],
    /// Whether it sees true remaining work, which no real scheduler knows; a policy that goes by the times asked for
    /// sees it only of jobs that ask for none.
    pub oracle: fn(&Params<'_>) -> bool,
    /// Whether it puts two jobs that ask for a GPU each on one.
    pub packs: fn(&Params<'_>) -> bool,
    /// Whether it gives jobs other GPUs and batches than they ask for.
    pub adapts_jobs: fn(&Params<'_>) -> bool,
    /// Whether it gives jobs whole GPUs, also those that could share one.
    pub takes_whole_gpus: bool,
    /// Whether it repeats what the trace records: then nothing slows jobs or fails but what did, and they take as
    /// long as they took.
    pub replays: bool,
    /// Whether it serves jobs in order of arrival, so that who waits longest is the head of the line.
    pub in_order: bool,
    /// Whether somebody's own text or module decides, which only some programs run (the features
    /// `scripts` and `plugins`).
    pub scripted: bool,
    /// Whether that is a text, which the page's editor writes.
    pub is_written: bool,
    /// Its queues, if it sorts jobs into some by what they have attained.
    pub levels: Option<fn(&Params<'_>) -> Levels>,
    /// The picker that learned, if it is one, by whose weights it goes.
    pub picker: fn(&Params<'_>) -> Option<Picker>,
    /// Says what does not fit between parameters that are valid one by one.
    pub check: fn(&Params<'_>) -> Result<(), String>,
}

impl PolicyEntry {
    /// A policy of plain jobs that knows no more than a real one, of one queue, with parameters that
    /// never conflict.
    pub(super) const PLAIN: Self = Self {
        name: "",
        title: "",
        summary: "",
        source: "",
        params: &[],
        oracle: |_| false,
        packs: |_| false,
        adapts_jobs: |_| false,
        takes_whole_gpus: false,
        replays: false,
        in_order: false,
        scripted: false,
        is_written: false,
        levels: None,
        picker: |_| None,
        check: |_| Ok(()),
    };
}

/// The queues of a policy that sorts jobs by what they have attained.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// Where one ends and the next begins, ascending: one fewer than there are queues.
    pub thresholds: Vec<f64>,
    /// What is attained, and thresholds are of.
    pub measure: Measure,
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
    /// What a picker that learned goes by, instead of what is shipped.
    pub picker: Option<&'a Network>,
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

/// The parameter every policy has.
pub(super) const PLACEMENT: ParamInfo = ParamInfo {
    name: "placement",
    aliases: &[],
    kind: ParamKind::PlacementOrRuns,
    default: "default",
    help: "How a gang is laid on nodes; 'default' is the run's own choice.",
    expert: false,
};

/// The same, of policies that have a way of their own.
pub(super) const GANG_PLACEMENT: ParamInfo = ParamInfo {
    help: "How a gang that cannot shrink is laid on nodes; 'default' is the run's own choice, and where that is least-fragmentation, the emptiest nodes, as in the simulator of Pollux.",
    ..PLACEMENT
};
