//! The placer that learned as a policy of its own: jobs in order of arrival, with backfill, each laid,
//! or left waiting, by [`graph-rl`](switchyard_placement::graph_rl).

use super::entry::{BuildContext, Properties};
use super::fifo::Fifo;
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::{ParamInfo, ParamKind, Policy, PolicyEntry};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "graph-rl",
    title: "Graph RL",
    summary: "A placer that learned, on FIFO with backfill: each partition is an agent that lays a job's parts one by one on groups of GPUs, forwards it to another partition, or lets it wait.",
    source: "Our own system after the abstract of Zhao & Wu (TNSM 19(4), 2022), of which no code is published",
    params: Parameters::INFOS,
    in_order: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        backfill: bool = param(
            ParamKind::Bool,
            "true",
            "Jobs that fit overtake jobs that do not, or that the placer lets wait.",
        ),
        placement: PlacementChoice = ParamInfo {
            default: "graph-rl",
            help: "How a gang is laid on nodes: by the placer, or one without part of it.",
            ..PLACEMENT
        },
    }
}

impl Properties for Parameters {}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Fifo::new(
        params.backfill,
        params.placement.or(context.placement),
    ))
}
