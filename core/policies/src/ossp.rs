//! Least total duration, as in open-shop scheduling, OSSP (Zheng et al., NSDI'23 §8; Gavel §4.2).

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
#[cfg(feature = "solvers")]
use super::shares::Sees;
use super::{Policy, PolicyEntry, rounds, shares};
#[cfg(feature = "solvers")]
use switchyard_shockwave::allocations::ossp;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "ossp",
    title: "OSSP (least total duration)",
    summary: "All jobs that are there are to be done as early as can be: each has the share of time that it needs to end with the last of them. Oracle: it knows what is left to each, with the batch size that it trains with now.",
    source: "Zheng et al., NSDI'23 §8; Narayanan et al., OSDI'20 §4.2",
    params: Parameters::INFOS,
    solves: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        round: f64 = rounds::round("120"),
        reset: f64 = shares::RESET,
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        true
    }
}

#[cfg(feature = "solvers")]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    let times = (params.round, params.reset);
    shares::policy(ossp::allocate, Sees::Remaining, times, strategy)
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}
