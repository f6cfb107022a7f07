//! Every placement by name: the table, and a [`Strategy`], which is a line of it. Placements must not import this table.

use crate::cluster::{self, FreeGpus, Part, Share};
use crate::gang::Gang;
use crate::graph_rl::placements;
use crate::meant::hint;
use crate::network_state::Site;
use crate::placement::{Description, OnLinks, Placement};
use crate::room::Room;
use crate::{
    congestion_aware, consolidated, least_fragmentation, least_interference,
    least_interference_waiting, load_balancing, locality, packed, skew, spread, tetris, yarn,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A placement, by name.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Strategy(u8);

/// What a placement does.
struct Functions {
    lay: fn(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool,
    /// Where it looks at links.
    on_links: Option<OnLinks>,
    lay_share: fn(free: &FreeGpus, node_size: u32, share: Share) -> Option<Part>,
}

/// Makes the table: what placements say of themselves, what they do, and a constant of [`Strategy`] for each. (What they
/// do is apart: a page that only names them need not hold it.)
macro_rules! placements {
    ($($name:ident = $placement:path),+ $(,)?) => {
        static DESCRIPTIONS: [Description; [$(stringify!($name)),+].len()] =
            [$(Description {
                looks_at_links: <$placement>::ON_LINKS.is_some(),
                ..<$placement as Placement>::DESCRIPTION
            }),+];

        static FUNCTIONS: [Functions; DESCRIPTIONS.len()] = [$(Functions {
            lay: <$placement as Placement>::lay,
            on_links: <$placement>::ON_LINKS,
            lay_share: <$placement>::lay_share,
        }),+];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named as their constants")]
        enum Place {
            $($name),+
        }

        impl Strategy {
            $(
                #[doc = concat!("As `", stringify!($placement), "` lays gangs.")]
                pub const $name: Self = Self(Place::$name as u8);
            )+
        }
    };
}

// In the order shown to a person; the first is the default.
placements! {
    LEAST_FRAGMENTATION = least_fragmentation::LeastFragmentation,
    CONSOLIDATED = consolidated::Consolidated,
    SPREAD = spread::Spread,
    YARN = yarn::Yarn,
    SKEW = skew::Skew,
    FGD = packed::Fgd,
    BEST_FIT = packed::BestFit,
    GPU_PACKING = packed::GpuPacking,
    GPU_CLUSTERING = packed::GpuClustering,
    DOT_PROD = packed::DotProd,
    RANDOM = packed::Random,
    LOCALITY = locality::Locality,
    LOAD_BALANCING = load_balancing::LoadBalancing,
    CONGESTION_AWARE = congestion_aware::CongestionAware,
    TETRIS = tetris::Tetris,
    LEAST_INTERFERENCE = least_interference::LeastInterference,
    LEAST_INTERFERENCE_WAITING = least_interference_waiting::LeastInterferenceWaiting,
    GRAPH_RL = placements::GraphRl,
    GRAPH_RL_ONE_AGENT = placements::GraphRlOneAgent,
    GRAPH_RL_NO_EXCHANGE = placements::GraphRlNoExchange,
    GRAPH_RL_NO_GRAPH = placements::GraphRlNoGraph,
}

/// Not the name of a placement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a placement{meant}: use one of {names}",
    meant = hint(.0, Strategy::ALL.map(Strategy::name)),
    names = names()
)]
pub struct UnknownStrategy(pub String);

/// Not with `join`: of an array the compiler unrolls that, and then takes ten minutes over it.
fn names() -> String {
    let mut names = String::new();
    for strategy in Strategy::ALL {
        if !names.is_empty() {
            names.push_str(", ");
        }
        names.push_str(strategy.name());
    }
    names
}

impl Strategy {
    /// Every placement, in the order shown to a person; the first is the default.
    pub const ALL: [Self; DESCRIPTIONS.len()] = {
        let mut all = [Self(0); DESCRIPTIONS.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Self(i as u8);
            i += 1;
        }
        all
    };

    fn description(self) -> &'static Description {
        &DESCRIPTIONS[usize::from(self.0)]
    }

    fn functions(self) -> &'static Functions {
        &FUNCTIONS[usize::from(self.0)]
    }

    /// The name used in specs.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// What it does, in a sentence or two.
    pub fn summary(self) -> &'static str {
        self.description().summary
    }

    /// Whether it may make a gang wait although enough GPUs are free.
    pub fn may_wait(self) -> bool {
        self.description().may_wait
    }

    /// Whether it depends on the skew of the gang's model.
    pub fn is_by_skew(self) -> bool {
        self.description().by_skew
    }

    /// Whether it looks at links, and so wants [`Gang::profile`].
    pub fn looks_at_links(self) -> bool {
        self.description().looks_at_links
    }

    /// Whether it has learned, and so wants weights and [`Gang::asker`].
    pub fn is_learned(self) -> bool {
        self.description().is_learned
    }

    /// Lays a gang on a site; `false`: it must wait (and `placement` is left empty).
    pub fn place(self, site: &Site<'_>, gang: Gang, placement: &mut cluster::Placement) -> bool {
        let Site {
            free, node_size, ..
        } = *site;
        let functions = self.functions();
        let parts = &mut placement.parts;
        parts.clear();
        if let Some(share) = gang.share {
            parts.extend((functions.lay_share)(free, node_size, share));
            return !parts.is_empty();
        }
        let placed = gang.gpus <= free.total()
            && match (functions.on_links, site.network_state) {
                (Some(lay), Some(network_state)) => lay(site, network_state, gang, parts),
                _ => (functions.lay)(free, node_size, gang, parts),
            };
        if placed {
            parts.sort_unstable_by_key(|part| (!part.has_workers(), part.node));
        } else {
            parts.clear();
        }
        placed
    }
}

impl Room {
    /// Lays a gang; `false`: it must wait (and `placement` is left empty).
    pub fn place(
        &self,
        strategy: Strategy,
        gang: Gang,
        placement: &mut cluster::Placement,
    ) -> bool {
        self.lay(gang, placement, |free, node_size, gang, placement| {
            strategy.place(&self.site(free, node_size), gang, placement)
        })
    }
}

impl Default for Strategy {
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
        let mut all = Self::ALL.into_iter();
        all.find(|strategy| strategy.name() == name)
            .ok_or_else(|| UnknownStrategy(name.to_string()))
    }
}

impl From<Strategy> for String {
    fn from(strategy: Strategy) -> Self {
        strategy.name().to_owned()
    }
}

impl TryFrom<String> for Strategy {
    type Error = UnknownStrategy;

    fn try_from(name: String) -> Result<Self, UnknownStrategy> {
        name.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterSpec, Needs};
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    fn skewed(gpus: u32) -> Gang {
        Gang {
            gpus,
            share: None,
            skewed: true,
            needs: Needs::NONE,
            profile: None,
            asker: None,
        }
    }

    /// The placement of `gpus` where the nodes of a cluster with `node_size` GPUs have `free` left.
    fn place(strategy: Strategy, node_size: u32, free: &[u32], gpus: u32) -> Option<Vec<Part>> {
        let cluster = ClusterSpec::uniform(free.len() as u32, node_size).unwrap();
        let mut left = FreeGpus::all(&cluster);
        for (node, &here) in (0u32..).zip(free) {
            left.take(&[Part::new(node, node_size - here)]);
        }
        let mut placement = cluster::Placement::default();
        strategy
            .place(&Site::of(&left, node_size), skewed(gpus), &mut placement)
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
        let place = |free: &[u32], gpus| place(Strategy::CONSOLIDATED, 4, free, gpus);
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
        let mut placement = cluster::Placement::default();
        let mut place = |gpus| {
            Strategy::CONSOLIDATED
                .place(&Site::of(&free, 8), skewed(gpus), &mut placement)
                .then(|| placement.parts.clone())
        };
        assert_eq!(place(3), parts(&[(0, 3)]));
        assert_eq!(place(10), parts(&[(2, 8), (3, 2)]));
        assert_eq!(place(15), parts(&[(0, 4), (1, 3), (2, 8)]));
        assert!((1..=18).all(|gpus| place(gpus).is_some()));
    }

    #[test]
    fn yarn_takes_the_first_nodes_that_will_do() {
        let place = |free: &[u32], gpus| place(Strategy::YARN, 4, free, gpus);
        assert_eq!(place(&[4, 2, 3], 2), parts(&[(0, 2)]));
        assert_eq!(place(&[1, 4, 4, 3], 9), parts(&[(0, 1), (1, 4), (2, 4)]));
        assert_eq!(place(&[3, 4, 3, 3], 8), None);
    }

    #[test]
    fn least_fragmentation_never_waits_and_uses_few_nodes() {
        let place = |free: &[u32], gpus| place(Strategy::LEAST_FRAGMENTATION, 4, free, gpus);
        assert_eq!(place(&[4, 2, 3], 2), parts(&[(1, 2)]));
        assert_eq!(place(&[2, 1, 2], 4), parts(&[(0, 2), (2, 2)]));
        assert_eq!(place(&[2, 1, 4, 1], 5), parts(&[(1, 1), (2, 4)]));
        assert_eq!(place(&[1, 1, 1], 4), None);
    }

    #[test]
    fn spread_levels_the_emptiest_nodes() {
        let place = |free: &[u32], gpus| place(Strategy::SPREAD, 4, free, gpus);
        assert_eq!(place(&[4, 2, 3], 2), parts(&[(0, 2)]));
        assert_eq!(place(&[4, 4, 4], 3), parts(&[(0, 1), (1, 1), (2, 1)]));
        assert_eq!(place(&[1, 4, 2], 7), parts(&[(0, 1), (1, 4), (2, 2)]));
    }

    #[test]
    fn gangs_on_several_nodes_are_in_few_racks() {
        let cluster: ClusterSpec = "9x4/racks=3".parse().unwrap();
        let place = |strategy: Strategy, taken: &[u32], gpus| {
            let mut free = FreeGpus::all(&cluster);
            for &node in taken {
                free.take(&[Part::new(node, 4)]);
            }
            let mut placement = cluster::Placement::default();
            assert!(strategy.place(&Site::of(&free, 4), skewed(gpus), &mut placement));
            let nodes = placement.parts.iter().map(|part| part.node);
            nodes.collect::<Vec<u32>>()
        };
        for strategy in [Strategy::CONSOLIDATED, Strategy::LEAST_FRAGMENTATION] {
            // The tightest rack that holds it, else the one with the most room and the next.
            assert_eq!(place(strategy, &[0, 5], 8), [1, 2]);
            assert_eq!(place(strategy, &[0, 3, 5], 8), [1, 2]);
            assert_eq!(place(strategy, &[0, 3, 5], 12), [6, 7, 8]);
            assert_eq!(place(strategy, &[0, 3, 6], 12), [1, 2, 4]);
            assert_eq!(place(strategy, &[0, 3], 10), [6, 7, 8]);
        }
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
