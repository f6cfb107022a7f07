//! Sia (Jayaram Subramanya et al., SOSP'23): every round, one integer program says how many GPUs of which type each job
//! gets. The program and what it is made of is [`switchyard_sia`]'s, which only programs with the feature `solvers` hold;
//! here it meets the simulation.
//!
//! In a round: `members` learn from what they have seen, `kinds` says what there is to be had, `deciding` lets the
//! program choose, `layout` finds the nodes, `told` says why.
//!
//! What differs from the authors' simulator: gangs are in the program too, with the size that they ask for; one for which
//! no kind of node, of one type and size, has enough GPUs goes first, over several. A newcomer that adapts starts at once on one free GPU, which is all that the program would
//! give it before it has run. Between rounds a job looks at what it has seen when it has been on new GPUs for a while, as
//! Pollux' agents do, and takes another batch. Who keeps a configuration keeps its GPUs, unless others find no room without it.

#[cfg(feature = "solvers")]
mod deciding;
#[cfg(feature = "solvers")]
mod explaining;
#[cfg(feature = "solvers")]
mod kinds;
#[cfg(feature = "solvers")]
mod layout;
#[cfg(feature = "solvers")]
mod members;

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::{ParamInfo, ParamKind, Policy, PolicyEntry, rounds};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "sia",
    title: "Sia",
    summary: "Jobs that adapt, on GPUs of several types: every round an integer program gives each job a number of GPUs of one type, by models of its goodput that it fits to each type it has run on. Gangs get the number that they ask for, of the type that suits best.",
    source: "Jayaram Subramanya et al., SOSP'23 §3",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    solves: true,
    ..PolicyEntry::PLAIN
};

/// How gangs are laid.
const GANG_PLACEMENT: ParamInfo = ParamInfo {
    help: "How a gang is laid on nodes of the type that it gets; 'default' is the run's own choice, and where that is least-fragmentation or finds no room, whole nodes first, then the node where the rest fits best, as jobs that adapt are.",
    ..PLACEMENT
};

parameters! {
    struct Parameters {
        p: f64 = param(
            ParamKind::Float {
                min: -10.0,
                max: 10.0,
            },
            "-0.5",
            "Power of goodput in the objective: below 0 the fairer, the smaller; 1 is the sum of goodputs.",
        ),
        lambda_n: f64 = param(
            ParamKind::Float {
                min: 1.01,
                max: 1000.0,
            },
            "1.1",
            "What a job without GPUs costs the objective (λ_n), where one on its least configuration costs 1. Above 1, so that every job is worth running.",
        )
        .or_called(&["lambda-n"]),
        interval: f64 = rounds::round("60"),
        restart: f64 = param(
            ParamKind::Seconds { min: 0.0, max: 1e6 },
            "30",
            "Seconds that a restart is expected to cost: other configurations than the present one are worth less by it.",
        )
        .or_called(&["delta"])
        .for_experts(),
        report: f64 = param(
            ParamKind::Seconds { min: 1.0, max: 1e6 },
            "30",
            "Seconds after which a job first fits what it has seen on new GPUs, and takes the batch that is best by that.",
        )
        .for_experts(),
        branches: u32 = param(
            ParamKind::Int {
                min: 1,
                max: 100_000,
            },
            "1024",
            "The most branches that the search for the best plan keeps.",
        )
        .for_experts(),
        placement: PlacementChoice = GANG_PLACEMENT,
    }
}

impl Properties for Parameters {
    fn adapts_jobs(&self) -> bool {
        true
    }
}

#[cfg(feature = "solvers")]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let settings = deciding::Settings {
        power: params.p,
        without: params.lambda_n,
        interval: params.interval,
        restart: params.restart,
        report: params.report,
        branches: params.branches as usize,
    };
    Box::new(deciding::Sia::new(
        settings,
        params.placement.asked(context.placement),
    ))
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}
