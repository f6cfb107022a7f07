//! Shockwave (Zheng et al., NSDI'23): rounds of a window are planned at once, by how long jobs will take that change their
//! batch size. Decisions are those of [`switchyard_shockwave::shockwave`]; [`policy`] asks for them.

#[cfg(feature = "solvers")]
mod policy;

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::{ParamKind, Policy, PolicyEntry, rounds};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "shockwave",
    title: "Shockwave",
    summary: "Plans the next rounds at once: jobs are to get on well, each by the logarithm of its progress, and the longest is to be done early; who is late for its fair finish weighs more. How long jobs take is predicted from the batch sizes that they have had. Oracle: it knows how many epochs jobs have, and how long these take with each batch size.",
    source: "Zheng et al., NSDI'23 §5, §6",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    solves: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        round: f64 = rounds::round("120"),
        future_rounds: u32 = param(
            ParamKind::Int { min: 1, max: 100 },
            "20",
            "How many rounds are planned at once.",
        ),
        k: f64 = param(
            ParamKind::Float { min: 0.0, max: 1e6 },
            "0.001",
            "How much a second of the longest remaining run time counts against progress. The artifact has 0.001 for 32 and 128 GPUs, 10 for 64, 100000 for 256.",
        ),
        lambda: f64 = param(
            ParamKind::Float { min: 0.0, max: 100.0 },
            "12",
            "The power with which a late job's projected ρ makes its progress weigh more. The artifact has 12 for 32 GPUs, 15 for 128, 5 for 64 and 256.",
        ),
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
    Box::new(policy::Shockwave::new(params, strategy))
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}
