//! AlloX (Le et al., EuroSys'20), as Shockwave compares it: on GPUs that are all alike, with the oldest fifth of the jobs.

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
#[cfg(feature = "solvers")]
use super::shares::Sees;
use super::{Policy, PolicyEntry, rounds, shares};
#[cfg(feature = "solvers")]
use switchyard_shockwave::allocations::allox::Allox;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "allox",
    title: "AlloX (least mean JCT)",
    summary: "Matches jobs with places in the queues of GPUs so that the mean time until they are done is least; who is first in a queue runs. Only the oldest fifth of those that wait is matched, or as many as GPUs are free. Oracle: it knows what is left to each, with the batch size that it trains with now.",
    source: "Le et al., EuroSys'20 §4; Zheng et al., NSDI'23 §8",
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
    let mut allox = Allox::default();
    shares::policy(
        move |jobs, gpus| allox.allocate(jobs, gpus),
        Sees::Remaining,
        times,
        strategy,
    )
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}
