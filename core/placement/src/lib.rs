//! How a gang is laid on nodes: one placement per file, shared by the policies.
//!
//! A placement sees the free GPUs per node and either lays the gang or says that it must wait; where
//! nodes are unlike, a [`Room`] shows it those of one kind after another. One that asks sees the links,
//! too, and who is on them: a [`Sight`]. To add one: a file here with its `PLACEMENT`, and its two lines
//! in this one, the module and the table's.

#![forbid(unsafe_code)]

mod congestion_aware;
mod consolidated;
pub mod graph_rl;
mod least_fragmentation;
mod least_interference;
mod least_interference_waiting;
mod load_balancing;
mod locality;
mod packed;
mod queue;
mod room;
mod servers;
mod share;
pub mod sharing;
mod sight;
mod skew;
mod spread;
mod tetris;
mod yarn;

pub use queue::Queue;
pub use room::{Budget, Room, Site};
pub use sight::{Resident, Sight, Wiring};

use crate::cluster::{FreeGpus, Needs, Part, Placement, Share};
use crate::contention::Profile;
use crate::job::JobId;
use crate::meant::hint;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use switchyard_model::{Time, cluster, contention, draw, job, meant, order, workload};

/// A placement, by name.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Strategy(u8);

/// Every placement, in the order shown to a person; the first is the default.
const REGISTERED: [Registered; 21] = [
    least_fragmentation::PLACEMENT,
    consolidated::PLACEMENT,
    spread::PLACEMENT,
    yarn::PLACEMENT,
    skew::PLACEMENT,
    packed::FGD,
    packed::BEST_FIT,
    packed::GPU_PACKING,
    packed::GPU_CLUSTERING,
    packed::DOT_PROD,
    packed::RANDOM,
    locality::PLACEMENT,
    load_balancing::PLACEMENT,
    congestion_aware::PLACEMENT,
    tetris::PLACEMENT,
    least_interference::PLACEMENT,
    least_interference_waiting::PLACEMENT,
    graph_rl::GRAPH_RL,
    graph_rl::GRAPH_RL_ONE_AGENT,
    graph_rl::GRAPH_RL_NO_EXCHANGE,
    graph_rl::GRAPH_RL_NO_GRAPH,
];

/// What placements say of themselves. (Apart from what they do: a page that only names them need not
/// hold that.)
static ENTRIES: [Entry; REGISTERED.len()] = {
    let mut entries = [Entry::PLAIN; REGISTERED.len()];
    let mut i = 0;
    while i < entries.len() {
        entries[i] = REGISTERED[i].entry;
        entries[i].looks_at_links = REGISTERED[i].way.on_links.is_some();
        i += 1;
    }
    entries
};

/// What they do.
static WAYS: [Way; REGISTERED.len()] = {
    let mut ways = [Way::PLAIN; REGISTERED.len()];
    let mut i = 0;
    while i < ways.len() {
        ways[i] = REGISTERED[i].way;
        i += 1;
    }
    ways
};

/// A placement: what it says of itself and what it does.
struct Registered {
    entry: Entry,
    way: Way,
}

/// What a placement says of itself.
#[derive(Clone, Copy)]
struct Entry {
    /// The name used in specs.
    name: &'static str,
    /// What it does, in a sentence or two.
    summary: &'static str,
    /// Whether it may make a gang wait although enough GPUs are free.
    may_wait: bool,
    /// Whether it asks for [`Gang::skewed`].
    by_skew: bool,
    /// Whether it has learned, so that it wants weights and [`Gang::asker`].
    is_learned: bool,
    /// Whether it lays gangs [`on_links`](Way::on_links): the table sees to it.
    looks_at_links: bool,
}

/// What a placement does.
#[derive(Clone, Copy)]
struct Way {
    /// Lays a gang of no more GPUs than are free on nodes of at most `node_size` GPUs; `false`: it
    /// must wait, and what is in the list means nothing.
    lay: fn(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool,
    /// The same by one that looks at links, where there is a sight of them.
    on_links: Option<OnLinks>,
    /// Lays a share of one GPU; `None`: it must wait.
    share: fn(Strategy, free: &FreeGpus, node_size: u32, share: Share) -> Option<Part>,
}

/// Lays a gang, and perhaps its parameter servers, on a site whose links are in sight.
type OnLinks = fn(site: &Site<'_>, sight: &Sight, gang: Gang, parts: &mut Vec<Part>) -> bool;

impl Entry {
    /// Of one that never waits and looks at free GPUs alone.
    const PLAIN: Self = Self {
        name: "",
        summary: "",
        may_wait: false,
        by_skew: false,
        is_learned: false,
        looks_at_links: false,
    };
}

impl Way {
    /// Of one that has no way of its own with links or shares.
    const PLAIN: Self = Self {
        lay: least_fragmentation::lay,
        on_links: None,
        share: share::tightest,
    };
}

/// What is to be laid, all or nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gang {
    /// Its GPUs.
    pub gpus: u32,
    /// What of one GPU is enough for it, where GPUs are shared.
    pub share: Option<Share>,
    /// Whether its model has a tensor so large that it should not be spread; looked up only for
    /// placements that [ask](Strategy::is_by_skew).
    pub skewed: bool,
    /// Which nodes will do, and what it needs there besides GPUs.
    pub needs: Needs,
    /// What it sends and computes; looked up only for placements that
    /// [ask](Strategy::looks_at_links).
    pub profile: Option<Profile>,
    /// Whose it is; looked up only for placements that have [learned](Strategy::is_learned).
    pub asker: Option<Asker>,
}

/// Who asks for a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asker {
    /// The job.
    pub job: JobId,
    /// When.
    pub now: Time,
    /// Who else waits.
    pub queue: Queue,
}

impl Gang {
    /// Whether a placement that looks at both at one moment can tell them apart by nothing but their
    /// names.
    pub fn is_like(&self, other: &Self) -> bool {
        let nameless = |gang: &Self| Self {
            asker: None,
            ..*gang
        };
        nameless(self) == nameless(other)
    }
}

/// Not the name of a placement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a placement{meant}: use one of {names}",
    meant = hint(.0, Strategy::ALL.map(Strategy::name)),
    names = names()
)]
pub struct UnknownStrategy(pub String);

fn names() -> String {
    Strategy::ALL.map(Strategy::name).join(", ")
}

impl Strategy {
    /// Every placement, in the order shown to a person; the first is the default.
    pub const ALL: [Self; REGISTERED.len()] = {
        let mut all = [Self(0); REGISTERED.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Self(i as u8);
            i += 1;
        }
        all
    };

    /// The one that is registered under this one's name; none: the build fails.
    const fn of(placement: &Registered) -> Self {
        let mut i = 0;
        while !is_same(
            REGISTERED[i].entry.name.as_bytes(),
            placement.entry.name.as_bytes(),
        ) {
            i += 1;
        }
        Self(i as u8)
    }

    fn entry(self) -> &'static Entry {
        &ENTRIES[usize::from(self.0)]
    }

    fn way(self) -> &'static Way {
        &WAYS[usize::from(self.0)]
    }

    /// The name used in specs.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What it does, in a sentence or two.
    pub fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// Whether it may make a gang wait although enough GPUs are free.
    pub fn may_wait(self) -> bool {
        self.entry().may_wait
    }

    /// Whether it depends on the skew of the gang's model.
    pub fn is_by_skew(self) -> bool {
        self.entry().by_skew
    }

    /// Whether it looks at links, and so wants [`Gang::profile`].
    pub fn looks_at_links(self) -> bool {
        self.entry().looks_at_links
    }

    /// Whether it has learned, and so wants weights and [`Gang::asker`].
    pub fn is_learned(self) -> bool {
        self.entry().is_learned
    }

    /// Lays a gang on a site; `false`: it must wait (and `placement` is left empty).
    pub fn place(self, site: &Site<'_>, gang: Gang, placement: &mut Placement) -> bool {
        let Site {
            free, node_size, ..
        } = *site;
        let way = self.way();
        let parts = &mut placement.parts;
        parts.clear();
        if let Some(share) = gang.share {
            parts.extend((way.share)(self, free, node_size, share));
            return !parts.is_empty();
        }
        let placed = gang.gpus <= free.total()
            && match (way.on_links, site.sight) {
                (Some(lay), Some(sight)) => lay(site, sight, gang, parts),
                _ => (way.lay)(free, node_size, gang, parts),
            };
        if placed {
            parts.sort_unstable_by_key(|part| (!part.has_workers(), part.node));
        } else {
            parts.clear();
        }
        placed
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([], []) => true,
        ([first, a @ ..], [second, b @ ..]) => *first == *second && is_same(a, b),
        _ => false,
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

/// How late each rack's turn is, so that a gang that takes so many of these nodes is on few racks:
/// first those that hold it whole, the tightest of them first, then those with the most of the nodes.
/// Empty where all nodes are in one rack.
fn rack_turns(free: &FreeGpus, nodes: impl IntoIterator<Item = u32>, wanted: u32) -> Vec<u32> {
    let racks = free.racks();
    let Some(last) = racks.iter().max() else {
        return Vec::new();
    };
    let mut turns = vec![0u32; *last as usize + 1];
    for node in nodes {
        turns[racks[node as usize] as usize] += 1;
    }
    for turn in &mut turns {
        *turn = if *turn >= wanted {
            *turn - wanted
        } else {
            u32::MAX - *turn
        };
    }
    turns
}

/// The node's rack's turn.
fn turn_of(free: &FreeGpus, turns: &[u32], node: u32) -> (u32, u32) {
    let rack = free.racks().get(node as usize).copied().unwrap_or(0);
    (turns.get(rack as usize).copied().unwrap_or(0), rack)
}

/// Lays so many GPUs on nodes of a kind, one after another in the order of `key`, each giving all it has,
/// until one holds what is left: the tightest of these. `false`: there are too few, and `parts` is left
/// empty.
fn few_nodes<K: Ord>(
    free: &FreeGpus,
    gpus: u32,
    parts: &mut Vec<Part>,
    is_in: impl Fn(u32) -> bool,
    key: impl Fn(u32) -> K,
) -> bool {
    parts.clear();
    let nodes = (0u32..).zip(free.per_node());
    let open = nodes.filter(|&(node, &here)| here > 0 && is_in(node));
    let mut open: Vec<(u32, u32)> = open.map(|(node, &here)| (node, here)).collect();
    order::sort_by_key(&mut open, |&(node, _)| (key(node), node));
    let mut left = gpus;
    for (at, &(node, here)) in open.iter().enumerate() {
        let holding = open[at..].iter().filter(|(_, here)| *here >= left);
        if let Some(&(last, _)) = holding.min_by_key(|(_, here)| *here) {
            parts.push(Part::new(last, left));
            return true;
        }
        parts.push(Part::new(node, here));
        left -= here;
    }
    parts.clear();
    false
}

/// The node with the fewest free GPUs that still has `gpus`, the lowest number first.
fn tightest_node(free: &[u32], gpus: u32) -> Option<u32> {
    // What would be left; where there is too little, more than any node has. No branch: several
    // nodes at a time.
    let left = free.iter().map(|here| here.wrapping_sub(gpus));
    let left = left.fold(u32::MAX, u32::min);
    let tightest = left.checked_add(gpus)?;
    let node = free.iter().position(|&here| here == tightest)?;
    Some(node as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterSpec;
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
        let mut placement = Placement::default();
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
        let mut placement = Placement::default();
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
            let mut placement = Placement::default();
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
