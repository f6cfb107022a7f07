//! AntMan (Xiao et al., OSDI'20), by the rules of the simulator of Muri's authors (Zhao et al., SIGCOMM'22, `antman`). Jobs
//! are guaranteed their GPUs, or opportunistic: these use what others leave idle of theirs. How fast they are so is
//! [`switchyard_interleaving`]'s.
//!
//! In: which jobs come with which priority, and who runs where. Out: nobody is preempted. Guaranteed jobs go first, of
//! equal ones who came first. One that finds too few GPUs keeps those that it can use until the rest is free. An
//! opportunistic gang takes the least loaded GPUs, wherever they are.
//!
//! `board` says what of each GPU is taken, `keeping` which GPUs a gang keeps that waits, `deciding` who starts where,
//! `told` says why.
//!
//! What differs from the simulator: guaranteed gangs may be of any size, and of one larger than a node no part of a node is
//! kept. If no guaranteed job runs and none can start, all give back what they keep, and keep anew in their order:
//! failures of nodes could have them wait for one another for ever. Jobs of models that were not measured have their
//! GPUs to themselves, and so have jobs with parameter servers, and those that tell how much memory of a GPU they need.

#[cfg(feature = "solvers")]
mod board;
#[cfg(feature = "solvers")]
mod deciding;
#[cfg(feature = "solvers")]
mod explaining;
#[cfg(feature = "solvers")]
mod keeping;

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::{ParamInfo, ParamKind, Policy, PolicyEntry};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "antman",
    title: "AntMan",
    summary: "Some jobs are guaranteed their GPUs, and keep free ones until their gangs are whole. The others are opportunistic: they run on what is idle, also beside a guaranteed job, which they do not slow, in the phases in which it leaves storage, GPUs or network idle. Nobody is preempted. Known of the eight models that Muri's authors measured.",
    source: "Xiao et al., OSDI'20; Zhao et al., SIGCOMM'22 §6",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    solves: true,
    ..PolicyEntry::PLAIN
};

/// How gangs are laid.
const GANG_PLACEMENT: ParamInfo = ParamInfo {
    help: "How a gang is laid that is guaranteed its GPUs, or has them to itself; 'default' is the run's own choice. One that shares GPUs with others as an opportunistic one takes the least loaded, wherever they are.",
    ..PLACEMENT
};

parameters! {
    struct Parameters {
        guaranteed: f64 = param(
            ParamKind::Float { min: -1e9, max: 1e12 },
            "0",
            "Jobs of this priority or a higher one are guaranteed their GPUs, those of a lower one are opportunistic. A job without a priority is the one or the other by chance, half and half, as in Muri's simulator.",
        ),
        limit: f64 = param(
            ParamKind::Float { min: 0.01, max: 1.0 },
            "0.8",
            "Below how much load a GPU takes an opportunistic job. A guaranteed job is a load of 0.1, an opportunistic one of 0.9: above 0.9 two opportunistic jobs may share a GPU, each at half its speed. Never more than two jobs do.",
        ),
        placement: PlacementChoice = GANG_PLACEMENT,
    }
}

impl Properties for Parameters {
    fn interleaves(&self) -> bool {
        true
    }
}

#[cfg(feature = "solvers")]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let recorded = &context.workload.recorded;
    let jobs = (0..context.workload.jobs.len() as u32).map(super::job::JobId);
    let strategy = params.placement.or(context.placement);
    Box::new(deciding::AntMan::new(
        (params.guaranteed, params.limit),
        jobs.map(|job| recorded.priority(job)).collect(),
        strategy,
    ))
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}
