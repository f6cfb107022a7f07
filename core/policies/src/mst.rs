//! Max sum throughput, MST (Zheng et al., NSDI'23 §8; Gavel §4.2): as many steps per second as can be.

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
#[cfg(feature = "solvers")]
use super::shares::Sees;
use super::{Policy, PolicyEntry, rounds, shares};
#[cfg(feature = "solvers")]
use switchyard_shockwave::allocations::mst;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "mst",
    title: "MST (max sum throughput)",
    summary: "The sum of all jobs' steps per second is to be as large as can be: the time goes to the jobs with the most steps per second and GPU, with the batch size that each trains with now. Oracle: it sees how far jobs are. Of models that nobody measured each counts one step per second.",
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
    shares::policy(mst::allocate, Sees::Throughputs, times, strategy)
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}
