//! Gandiva-Fair (Chaudhary et al., EuroSys'20), as Shockwave compares it: an equal share of time for every job. What it
//! trades between types of GPU is not here, as in that comparison.

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
#[cfg(feature = "solvers")]
use super::shares::Sees;
use super::{Policy, PolicyEntry, rounds, shares};
#[cfg(feature = "solvers")]
use switchyard_shockwave::allocations::gandiva_fair;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "gandiva-fair",
    title: "Gandiva-Fair (equal time)",
    summary: "Every job has the same share of time, whatever its gang. Each round runs the jobs that have received the smallest part of theirs.",
    source: "Chaudhary et al., EuroSys'20; Zheng et al., NSDI'23 §8",
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

impl Properties for Parameters {}

#[cfg(feature = "solvers")]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    let times = (params.round, params.reset);
    shares::policy(
        |jobs, gpus| gandiva_fair::allocate(jobs.len(), gpus),
        Sees::Nothing,
        times,
        strategy,
    )
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}
