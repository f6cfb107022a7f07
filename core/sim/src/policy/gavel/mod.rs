//! Gavel (Narayanan et al., OSDI'20). On GPUs that are all alike to it, [`water_filling`]; else by type
//! of GPU: [`allocator`] finds shares of time by the linear programs in [`allocation`], and
//! [`by_type`] turns them into rounds. What it was compared with runs by the same rounds, and has its
//! shares from [`packing_by_trial`].
//!
//! Formulas and mechanism are the paper's §4 and §5 and those of the released simulator
//! (<https://github.com/stanford-futuredata/gavel>), whose least time between allocations is `reset`.

mod allocation;
mod allocator;
mod by_type;
mod combination;
mod packing_by_trial;
mod water_filling;

use super::entry::{PLACEMENT, Registered};
use super::{ParamInfo, ParamKind, Params, PolicyEntry, rounds};
use allocator::{Allocator, Objective};
pub(super) use by_type::{ByType, RESET};
pub(super) use packing_by_trial::PackingByTrial;
use water_filling::WaterFilling;

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "gavel",
        title: "Gavel (max-min fairness)",
        summary: "Every job is to get the same GPU-time per second; each round runs the jobs furthest behind that. With types=true by GPU type: a linear program says which job runs how long where, by how fast each is there.",
        source: "Narayanan et al., OSDI'20 §4, §5",
        params: &[
            rounds::round("round", "360"),
            ParamInfo {
                name: "types",
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "Gives out time on each GPU type, by a linear program.",
                expert: false,
            },
            ParamInfo {
                name: "objective",
                aliases: &[],
                kind: ParamKind::OneOf(Objective::WORDS),
                default: "max-min",
                help: "What the linear program makes best (and types=true): the least normalised throughput, the makespan, the greatest ρ of finish-time fairness (both know what work is left), or the sum of throughputs.",
                expert: false,
            },
            ParamInfo {
                name: "blind",
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "By type (types=true), but as if all were equally fast: LAS in Gavel's figures.",
                expert: true,
            },
            ParamInfo {
                name: "sharing",
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "By type (types=true), and two jobs of one GPU each may have one together, where Gavel measured that they get more done so than in turns.",
                expert: false,
            },
            ParamInfo {
                name: "reset",
                aliases: &[],
                kind: ParamKind::Seconds { min: 0.0, max: 1e6 },
                default: "1920",
                help: "By type (types=true): seconds from one allocation to the next, at least; newcomers wait for it.",
                expert: true,
            },
            PLACEMENT,
        ],
        oracle: |params| objective(params).is_oracle(),
        packs: |params| params.bool("sharing"),
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        let strategy = params.placement("placement", context.placement);
        if !by_type(params) {
            return Box::new(WaterFilling::new(params, strategy));
        }
        let (blind, sharing) = (params.bool("blind"), params.bool("sharing"));
        let allocator = Box::new(Allocator::new(objective(params), blind, sharing));
        let (round, reset) = ((params.float("round"), "round"), params.float("reset"));
        Box::new(ByType::new(allocator, round, reset, strategy))
    },
};

fn objective(params: &Params<'_>) -> Objective {
    Objective::of(params.text("objective"))
}

/// Whether time is given out by type: what else only such allocations have asks for it, too.
fn by_type(params: &Params<'_>) -> bool {
    let given = ["objective", "blind", "sharing", "reset"].map(|name| params.is_given(name));
    params.bool("types") || given.contains(&true)
}
