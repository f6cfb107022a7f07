//! A placer that learned: each partition of the cluster is an agent, which lays a job part by part on
//! groups of GPUs, forwards it to another partition or leaves it waiting. *Our own system after the
//! abstract* of Zhao & Wu (TNSM 19(4), 2022): neither their network nor their code is published.
//!
//! [`scene`] is what is seen, [`network`] what is made of it, [`agent`](Placer) what is done,
//! the weights what was learned. Where no weights are at hand, gangs are laid by [`locality`](Strategy::LOCALITY);
//! whoever starts a run for people says so instead.

mod agent;
pub mod network;
pub mod scene;

pub use agent::{Argmax, Chooser, Decision, Placer, chances};

use super::{Entry, Gang, Registered, Sight, Site, Strategy, Way, locality};
use crate::cluster::Part;
use network::Without;
use scene::Layout;
use std::sync::Arc;

/// A placement by the network, or by one without part of it.
macro_rules! learned {
    ($($name:ident: $text:literal, $one_agent:literal, $without:expr, $summary:literal;)*) => {
        impl Strategy {
            $(
                #[doc = $summary]
                pub const $name: Self = Self::of(&$name);
            )*
        }

        $(
            pub(super) const $name: Registered = Registered {
                entry: Entry {
                    name: $text,
                    summary: $summary,
                    may_wait: true,
                    is_learned: true,
                    ..Entry::PLAIN
                },
                way: Way {
                    lay: locality::lay,
                    on_links: Some(|site, sight, gang, parts| {
                        lay($one_agent, $without, (site, sight), gang, parts)
                    }),
                    ..Way::PLAIN
                },
            };
        )*
    };
}

const WHOLE: Without = Without {
    exchange: false,
    graph: false,
};

learned! {
    GRAPH_RL: "graph-rl", false, WHOLE,
        "Learned: each partition is an agent that sees the links' loads and which jobs slow which, places a job's workers and servers one by one, forwards it to another partition, or lets it wait. Our own system after the abstract of Zhao & Wu (TNSM 2022).";
    GRAPH_RL_ONE_AGENT: "graph-rl-one-agent", true, WHOLE,
        "As graph-rl, but one agent for the whole cluster.";
    GRAPH_RL_NO_EXCHANGE: "graph-rl-no-exchange", false, Without { exchange: true, graph: false },
        "As graph-rl, but partitions tell one another nothing.";
    GRAPH_RL_NO_GRAPH: "graph-rl-no-graph", false, Without { exchange: false, graph: true },
        "As graph-rl, but by what is seen of each group and server alone: no messages over the cluster's tree.";
}

fn lay(
    one_agent: bool,
    without: Without,
    (site, sight): (&Site<'_>, &Sight),
    gang: Gang,
    parts: &mut Vec<Part>,
) -> bool {
    match sight.placer() {
        Some(placer) => {
            let layout = Arc::new(Layout::of(sight.topology(), one_agent));
            placer.lay(without, &layout, (site, sight), gang, parts)
        }
        None => locality::lay(site.free, site.node_size, gang, parts),
    }
}
