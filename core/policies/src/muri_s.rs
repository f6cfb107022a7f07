//! Muri-S: Muri where durations are known. The order is that of shortest remaining service. (Muri's simulator:
//! `multi-resource-blossom-same-gpu`.)

use super::entry::{BuildContext, Properties};
use super::muri::{INTERVAL, PACKING, UNPACK};
#[cfg(feature = "solvers")]
use super::muri::{Muri, Rank, options};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::{Policy, PolicyEntry};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "muri-s",
    title: "Muri-S (oracle)",
    summary: "Up to four jobs take turns on the same GPUs: one loads data while another computes and a third exchanges gradients. The shortest true remaining service first. Oracle: no real scheduler knows remaining times. Known of the eight models that Muri's authors measured.",
    source: "Zhao et al., SIGCOMM'22 §4",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    solves: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        interval: f64 = INTERVAL,
        packing: u32 = PACKING,
        unpack: bool = UNPACK,
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        true
    }

    fn interleaves(&self) -> bool {
        true
    }
}

#[cfg(feature = "solvers")]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    let options = options(params.packing, params.unpack);
    Box::new(Muri::new(
        Rank::RemainingService,
        params.interval,
        options,
        strategy,
    ))
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}
