//! The placer as placements: whole, and without part of it, to see what that is good for.

use super::network::Without;
use crate::cluster::{FreeGpus, Part};
use crate::gang::Gang;
use crate::locality::Locality;
use crate::placement::{Description, OnLinks, Placement};

/// What of the placer a placement has.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    /// The whole cluster is one partition.
    pub(super) one_agent: bool,
    pub(super) without: Without,
}

/// Placements by the network, or by one without part of it.
macro_rules! learned {
    ($($name:ident: $text:literal, $one_agent:literal, $without:expr, $summary:literal;)*) => {
        $(
            #[doc = $summary]
            pub(crate) struct $name;

            impl Placement for $name {
                const DESCRIPTION: Description = Description {
                    may_wait: true,
                    is_learned: true,
                    ..Description::new($text, $summary)
                };
                const ON_LINKS: Option<OnLinks> = Some(|site, network_state, gang, parts| {
                    match network_state.learned() {
                        Some(learned) => learned.lay($text, site, network_state, gang, parts),
                        None => Self::lay(site.free, site.node_size, gang, parts),
                    }
                });

                fn lay(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
                    Locality::lay(free, node_size, gang, parts)
                }
            }
        )*

        pub(super) const VARIANTS: &[Variant] = &[$(Variant {
            name: $text,
            one_agent: $one_agent,
            without: $without,
        }),*];
    };
}

const WHOLE: Without = Without {
    exchange: false,
    graph: false,
};

learned! {
    GraphRl: "graph-rl", false, WHOLE,
        "Learned: each partition is an agent that sees the links' loads and which jobs slow which, places a job's workers and servers one by one, forwards it to another partition, or lets it wait. Our own system after the abstract of Zhao & Wu (TNSM 2022).";
    GraphRlOneAgent: "graph-rl-one-agent", true, WHOLE,
        "As graph-rl, but one agent for the whole cluster.";
    GraphRlNoExchange: "graph-rl-no-exchange", false, Without { exchange: true, graph: false },
        "As graph-rl, but partitions tell one another nothing.";
    GraphRlNoGraph: "graph-rl-no-graph", false, Without { exchange: false, graph: true },
        "As graph-rl, but by what is seen of each group and server alone: no messages over the cluster's tree.";
}
