//! Gavel (Narayanan et al., OSDI'20). On GPUs that are all alike to it, [`water_filling`]; else by type
//! of GPU: [`allocator`] finds shares of time by the linear programs in [`allocation`], and
//! [`by_type`] turns them into rounds. What it was compared with runs by the same rounds, and has its
//! shares from [`packing_by_trial`].
//!
//! Formulas and mechanism are the paper's §4 and §5 and those of the released simulator
//! (<https://github.com/stanford-futuredata/gavel>), whose least time between allocations is `reset`.

#[cfg(feature = "solvers")]
mod allocation;
#[cfg(feature = "solvers")]
mod allocator;
#[cfg(feature = "solvers")]
mod by_type;
#[cfg(feature = "solvers")]
mod centre;
#[cfg(feature = "solvers")]
mod combination;
mod objective;
#[cfg(feature = "solvers")]
mod packing_by_trial;
mod water_filling;

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, Words, param, parameters};
use super::{ParamKind, Policy, PolicyEntry, rounds};
#[cfg(feature = "solvers")]
use allocator::Allocator;
use objective::Objective;
use water_filling::WaterFilling;
#[cfg(feature = "solvers")]
pub(super) use {
    allocator::{Allocate, Asking},
    by_type::ByType,
    combination::Combination,
    packing_by_trial::PackingByTrial,
};

/// Seconds from one allocation to the next, at least, in the released simulator.
pub(crate) const RESET: f64 = 1920.0;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "gavel",
    title: "Gavel (max-min fairness)",
    summary: "Every job is to get the same GPU-time per second; each round runs the jobs furthest behind that. With types=true by GPU type: a linear program says which job runs how long where, by how fast each is there.",
    source: "Narayanan et al., OSDI'20 §4, §5",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        round: f64 = rounds::round("360"),
        types: bool = param(
            ParamKind::Bool,
            "false",
            "Gives out time on each GPU type, by a linear program.",
        ),
        objective: Objective = param(
            ParamKind::OneOf(Objective::WORDS),
            "max-min",
            "What the linear program makes best (and types=true): the least normalised throughput, the makespan, the greatest ρ of finish-time fairness (both know what work is left), or the sum of throughputs.",
        ),
        blind: bool = param(
            ParamKind::Bool,
            "false",
            "By type (types=true), but as if all were equally fast: LAS in Gavel's figures.",
        )
        .for_experts(),
        sharing: bool = param(
            ParamKind::Bool,
            "false",
            "By type (types=true), and two jobs of one GPU each may have one together, where Gavel measured that they get more done so than in turns.",
        ),
        central: bool = param(
            ParamKind::Bool,
            "false",
            "By type (types=true, max-min, without sharing): of equally good allocations the one in the middle, where the original's solver ends; else the one of highest throughput.",
        )
        .for_experts(),
        reset: f64 = param(
            ParamKind::Seconds { min: 0.0, max: 1e6 },
            "1920",
            "By type (types=true): seconds from one allocation to the next, at least; newcomers wait for it.",
        )
        .for_experts(),
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        self.objective.is_oracle()
    }

    fn packs(&self) -> bool {
        self.sharing
    }

    fn solves(&self) -> bool {
        self.is_by_type()
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    if params.is_by_type() {
        return by_type(params, context);
    }
    let strategy = params.placement.or(context.placement);
    Box::new(WaterFilling::new(params.round, strategy))
}

#[cfg(not(feature = "solvers"))]
fn by_type(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}

#[cfg(feature = "solvers")]
fn by_type(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    let allocator = Allocator::new(params.objective, params.blind, params.sharing)
        .in_the_middle(params.central);
    let round = (params.round, "round");
    Box::new(ByType::new(
        Box::new(allocator),
        round,
        params.reset,
        strategy,
    ))
}

impl Parameters {
    /// Whether time is given out by type: what else only such allocations have asks for it, too.
    fn is_by_type(&self) -> bool {
        let asks =
            self.objective != Objective::MaxMin || self.blind || self.sharing || self.central;
        self.types || asks || self.reset != RESET
    }
}
