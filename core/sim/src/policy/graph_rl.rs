//! The placer that learned as a policy of its own: jobs in order of arrival, with backfill, each laid,
//! or left waiting, by [`graph-rl`](crate::placement::graph_rl).

use super::entry::{PLACEMENT, Registered};
use super::{ParamInfo, ParamKind, PolicyEntry, fifo};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "graph-rl",
        title: "Graph RL",
        summary: "A placer that learned, on FIFO with backfill: each partition is an agent that lays a job's parts one by one on groups of GPUs, forwards it to another partition, or lets it wait.",
        source: "Our own system after the abstract of Zhao & Wu (TNSM 19(4), 2022), of which no code is published",
        params: &[
            ParamInfo {
                name: "backfill",
                aliases: &[],
                kind: ParamKind::Bool,
                default: "true",
                help: "Jobs that fit overtake jobs that do not, or that the placer lets wait.",
                expert: false,
            },
            ParamInfo {
                default: "graph-rl",
                help: "How a gang is laid on nodes: by the placer, or one without part of it.",
                ..PLACEMENT
            },
        ],
        in_order: true,
        ..PolicyEntry::PLAIN
    },
    build: fifo::build,
};
