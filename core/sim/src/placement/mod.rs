//! How a gang is laid on nodes: one strategy per file, shared by the policies.
//!
//! A strategy sees the free GPUs per node and either writes a [`Placement`] or says that the
//! gang must wait. To add one: a file here, and a line in [`Strategy`].

mod consolidated;
mod least_fragmentation;
mod spread;
mod yarn;

use crate::cluster::{FreeGpus, Part, Placement};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A placement strategy, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Strategy {
    /// As few nodes as the gang's size allows, or wait.
    Consolidated,
    /// As few nodes as are free now, leaving the smallest holes; never waits for a better place.
    #[default]
    LeastFragmentation,
    /// One GPU at a time on the emptiest node.
    Spread,
    /// As [`Consolidated`](Self::Consolidated), on the first nodes that will do: YARN-CS.
    Yarn,
    /// Tiresias' rule (NSDI'19 §4.3): a gang whose model has a skewed tensor is consolidated or
    /// waits, any other takes the least-fragmentation place.
    Skew,
}

/// Not the name of a placement strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a placement: use consolidated, least-fragmentation, spread, yarn or skew")]
pub struct UnknownStrategy(pub String);

impl Strategy {
    /// Every strategy, in the order shown to a person.
    pub const ALL: [Strategy; 5] = [
        Self::LeastFragmentation,
        Self::Consolidated,
        Self::Spread,
        Self::Yarn,
        Self::Skew,
    ];

    /// The name used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Consolidated => "consolidated",
            Self::LeastFragmentation => "least-fragmentation",
            Self::Spread => "spread",
            Self::Yarn => "yarn",
            Self::Skew => "skew",
        }
    }

    /// What it does, in one sentence.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Consolidated => {
                "A gang that fits one node runs on one node; a larger one on whole idle nodes plus at most one more. Otherwise it waits."
            }
            Self::LeastFragmentation => {
                "The tightest node that holds the gang; failing that, the fewest nodes. Never waits while enough GPUs are free anywhere."
            }
            Self::Spread => {
                "One GPU at a time on whichever node is emptiest, to share load (and network) evenly."
            }
            Self::Yarn => {
                "As consolidated, but on the first nodes that will do, as YARN's capacity scheduler in Tiresias' simulator; a gang larger than a node takes whole nodes of the largest size."
            }
            Self::Skew => {
                "Tiresias' rule: a gang whose model is dominated by one tensor is consolidated, or waits for that; any other takes the place that least-fragmentation gives it."
            }
        }
    }

    /// Whether the strategy may make a gang wait although enough GPUs are free.
    pub fn may_wait(self) -> bool {
        matches!(self, Self::Consolidated | Self::Yarn | Self::Skew)
    }

    /// The strategy for a gang whose model has this skew (largest tensor ÷ all tensors).
    pub fn for_skew(self, skew: f64, packlimit: f64) -> Self {
        match self {
            Self::Skew if skew > packlimit => Self::Consolidated,
            Self::Skew => Self::LeastFragmentation,
            other => other,
        }
    }

    /// Lays a gang of `gpus` on `free` nodes of at most `node_size` GPUs; `false`: it must wait
    /// (and `placement` is left empty). [`Skew`](Self::Skew) depends on the model: see
    /// [`for_skew`](Self::for_skew); here it takes every model for skewed.
    pub fn place(
        self,
        free: &FreeGpus,
        node_size: u32,
        gpus: u32,
        placement: &mut Placement,
    ) -> bool {
        placement.parts.clear();
        if gpus > free.total() {
            return false;
        }
        let placed = match self {
            Self::Consolidated | Self::Skew => {
                consolidated::place(free, node_size, gpus, &mut placement.parts)
            }
            Self::Yarn => yarn::place(free, node_size, gpus, &mut placement.parts),
            Self::LeastFragmentation => {
                least_fragmentation::place(free.per_node(), gpus, &mut placement.parts)
            }
            Self::Spread => spread::place(free.per_node(), gpus, &mut placement.parts),
        };
        if placed {
            placement.parts.sort_unstable();
        } else {
            placement.parts.clear();
        }
        placed
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        Self::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
            .ok_or_else(|| UnknownStrategy(name.to_string()))
    }
}

/// The node with the fewest free GPUs that still has `gpus`, the lowest number first.
fn tightest_node(free: &[u32], gpus: u32) -> Option<u32> {
    let mut best: Option<Part> = None;
    for (node, &here) in (0u32..).zip(free) {
        if here >= gpus && best.is_none_or(|best| here < best.gpus) {
            best = Some(Part::new(node, here));
            if here == gpus {
                break;
            }
        }
    }
    best.map(|best| best.node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterSpec;
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    /// The placement of `gpus` where the nodes of a cluster with `node_size` GPUs have `free` left.
    fn place(strategy: Strategy, node_size: u32, free: &[u32], gpus: u32) -> Option<Vec<Part>> {
        let cluster = ClusterSpec::uniform(free.len() as u32, node_size).unwrap();
        let mut left = FreeGpus::all(&cluster);
        for (node, &here) in (0u32..).zip(free) {
            left.take(&[Part::new(node, node_size - here)]);
        }
        let mut placement = Placement::default();
        strategy
            .place(&left, node_size, gpus, &mut placement)
            .then_some(placement.parts)
    }

    fn parts(parts: &[(u32, u32)]) -> Option<Vec<Part>> {
        Some(
            parts
                .iter()
                .map(|&(node, gpus)| Part::new(node, gpus))
                .collect(),
        )
    }

    #[test]
    fn consolidated_takes_the_tightest_node_or_waits() {
        let place = |free: &[u32], gpus| place(Strategy::Consolidated, 4, free, gpus);
        assert_eq!(place(&[4, 2, 3], 2), parts(&[(1, 2)]));
        assert_eq!(place(&[2, 2, 2], 4), None);
        assert_eq!(place(&[1, 4, 4, 3], 9), parts(&[(0, 1), (1, 4), (2, 4)]));
        assert_eq!(place(&[3, 4, 3, 3], 8), None);
        assert_eq!(place(&[4, 4, 4], 10), parts(&[(0, 4), (1, 4), (2, 2)]));
    }

    #[test]
    fn consolidated_finds_room_for_every_gang_on_idle_unlike_nodes() {
        let cluster: ClusterSpec = "2x4+1x8+1x2".parse().unwrap();
        let free = FreeGpus::all(&cluster);
        let mut placement = Placement::default();
        let mut place = |gpus| {
            Strategy::Consolidated
                .place(&free, 8, gpus, &mut placement)
                .then(|| placement.parts.clone())
        };
        assert_eq!(place(3), parts(&[(0, 3)]));
        assert_eq!(place(10), parts(&[(2, 8), (3, 2)]));
        assert_eq!(place(15), parts(&[(0, 4), (1, 3), (2, 8)]));
        assert!((1..=18).all(|gpus| place(gpus).is_some()));
    }

    #[test]
    fn yarn_takes_the_first_nodes_that_will_do() {
        let place = |free: &[u32], gpus| place(Strategy::Yarn, 4, free, gpus);
        assert_eq!(place(&[4, 2, 3], 2), parts(&[(0, 2)]));
        assert_eq!(place(&[1, 4, 4, 3], 9), parts(&[(0, 1), (1, 4), (2, 4)]));
        assert_eq!(place(&[3, 4, 3, 3], 8), None);
    }

    #[test]
    fn least_fragmentation_never_waits_and_uses_few_nodes() {
        let place = |free: &[u32], gpus| place(Strategy::LeastFragmentation, 4, free, gpus);
        assert_eq!(place(&[4, 2, 3], 2), parts(&[(1, 2)]));
        assert_eq!(place(&[2, 1, 2], 4), parts(&[(0, 2), (2, 2)]));
        assert_eq!(place(&[2, 1, 4, 1], 5), parts(&[(1, 1), (2, 4)]));
        assert_eq!(place(&[1, 1, 1], 4), None);
    }

    #[test]
    fn spread_levels_the_emptiest_nodes() {
        let place = |free: &[u32], gpus| place(Strategy::Spread, 4, free, gpus);
        assert_eq!(place(&[4, 2, 3], 2), parts(&[(0, 2)]));
        assert_eq!(place(&[4, 4, 4], 3), parts(&[(0, 1), (1, 1), (2, 1)]));
        assert_eq!(place(&[1, 4, 2], 7), parts(&[(0, 1), (1, 4), (2, 2)]));
    }

    #[test]
    fn names_parse_back() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.name().parse(), Ok(strategy));
        }
        assert_eq!(
            "pack".parse::<Strategy>(),
            Err(UnknownStrategy("pack".into()))
        );
    }

    proptest! {
        /// A placement is the whole gang on free GPUs, each node once; and only a strategy that
        /// says so makes a gang wait while enough GPUs are free.
        #[test]
        fn a_placement_fits_and_is_the_whole_gang(
            free in prop::collection::vec(0u32..=8, 1..20),
            gpus in 1u32..40,
        ) {
            for strategy in Strategy::ALL {
                match place(strategy, 8, &free, gpus) {
                    Some(parts) => {
                        prop_assert_eq!(Part::gpus_of(&parts), gpus);
                        prop_assert!(parts.windows(2).all(|w| w[0].node < w[1].node));
                        prop_assert!(parts.iter().all(|part| part.gpus >= 1 && part.gpus <= free[part.node as usize]));
                    }
                    None => prop_assert!(strategy.may_wait() || free.iter().sum::<u32>() < gpus),
                }
            }
        }
    }
}
