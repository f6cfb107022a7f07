//! How a cluster's nodes hang together, as people say it: partitions, racks, sockets, and how much
//! each link carries. In: the words behind a cluster's nodes (`128x8/partitions=4/racks=16`), or JSON
//! for what words can't say: unlike racks, links of their own, explicit parents. Out: [`Tree`], of
//! which [`Topology`](super::Topology) is the tree edge by edge.
//!
//! All of it is optional. What is not said: one rack, a socket per four GPUs (at most two), a NIC of
//! 25 Gb/s and racks that are oversubscribed 3:1 (both common in published GPU clusters of Ethernet),
//! 20 GB/s between sockets (Intel QPI at 9.6 GT/s, rounded) and 15.75 GB/s of PCIe 3 x16 (8 GT/s,
//! 16 lanes, 128 of 130 bits). Capacities are per direction.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// What a link carries in each direction, in whole MB/s; above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Capacity(u32);

impl Capacity {
    /// 25 Gb/s.
    pub const NIC: Self = Self(3_125);
    /// Between sockets.
    pub const QPI: Self = Self(20_000);
    /// PCIe 3 x16.
    pub const PCIE: Self = Self(15_750);

    /// In GB/s.
    pub fn gigabytes(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl TryFrom<f64> for Capacity {
    type Error = TreeError;

    /// From GB/s.
    fn try_from(gigabytes: f64) -> Result<Self, TreeError> {
        let megabytes = libm::round(gigabytes * 1000.0);
        if (1.0..=f64::from(u32::MAX)).contains(&megabytes) {
            Ok(Self(megabytes as u32))
        } else {
            Err(TreeError::Capacity(gigabytes.to_string()))
        }
    }
}

impl From<Capacity> for f64 {
    fn from(capacity: Capacity) -> Self {
        capacity.gigabytes()
    }
}

impl FromStr for Capacity {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let number: Option<f64> = text.parse().ok();
        let capacity = number.and_then(|gigabytes| gigabytes.try_into().ok());
        capacity.ok_or_else(|| TreeError::Capacity(text.to_owned()))
    }
}

/// The keys of the words behind a cluster's nodes.
const KEYS: [&str; 8] = [
    "partitions",
    "racks",
    "sockets",
    "nic",
    "qpi",
    "pcie",
    "gpu",
    "oversubscription",
];

/// The most sockets of a node.
const MAX_SOCKETS: u32 = 64;

/// The most switches from the cluster down to a node: those that are built have three to five.
pub const MAX_LEVELS: usize = 64;

/// How a cluster's nodes hang together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// What is above the nodes.
    pub switches: Switches,
    /// Sockets (PCIe groups) of a node, of about as many GPUs each.
    pub sockets: Option<u32>,
    /// From a node to its rack.
    pub nic: Option<Capacity>,
    /// From a socket to the rest of its node.
    pub qpi: Option<Capacity>,
    /// From a socket's GPUs to it.
    pub pcie: Option<Capacity>,
    /// From each GPU to its socket; `None`: as `pcie`.
    pub gpu: Option<Capacity>,
    /// By how much more a rack's NICs carry than its uplink, in thousandths.
    pub oversubscription: Option<u32>,
}

/// What is above the nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Switches {
    /// So many racks in so many partitions, filled in the order of nodes, each as full as the others.
    Even {
        /// At least 1.
        partitions: u32,
        /// At least as many.
        racks: u32,
    },
    /// One by one.
    Named(Vec<Switch>),
}

impl Default for Switches {
    fn default() -> Self {
        Self::Even {
            partitions: 1,
            racks: 1,
        }
    }
}

/// A rack's switch, where nodes hang on it, or one above racks, as many levels as there are: those
/// that hang on nothing are partitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// What others call it.
    pub name: String,
    /// The switch it hangs on; `None`: the cluster's.
    #[serde(default)]
    pub parent: Option<String>,
    /// Of the link to that; `None`: what hangs on it carries, oversubscribed if it is a rack.
    #[serde(default)]
    pub capacity: Option<Capacity>,
    /// Of each of its nodes' NICs; `None`: as elsewhere.
    #[serde(default)]
    pub nic: Option<Capacity>,
    /// The nodes that hang on it, from 0, such as `0-7,9`.
    #[serde(default)]
    pub nodes: NodeList,
}

/// Node numbers as a text: `0-7,9`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct NodeList(
    /// Ranges, both ends included.
    pub Vec<(u32, u32)>,
);

impl NodeList {
    /// The numbers, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|&(from, to)| from..=to)
    }
}

impl From<NodeList> for String {
    fn from(list: NodeList) -> Self {
        let range = |&(from, to): &(u32, u32)| match from == to {
            true => from.to_string(),
            false => format!("{from}-{to}"),
        };
        list.0.iter().map(range).collect::<Vec<_>>().join(",")
    }
}

impl TryFrom<String> for NodeList {
    type Error = TreeError;

    fn try_from(text: String) -> Result<Self, TreeError> {
        let range = |part: &str| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
            (from <= to).then_some((from, to))
        };
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
        ranges.map(Self).ok_or(TreeError::Nodes(text))
    }
}

/// Why words or JSON are no tree.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TreeError {
    /// Not `KEY=VALUE`, or no known key.
    #[error(
        "'/{0}' is not understood: after the nodes, with their cores and memory, write /partitions=4, /racks=16, /sockets=2, /nic=3.125, /qpi=20, /pcie=15.75, /gpu=15.75 (GB/s) or /oversubscription=3"
    )]
    Option(String),
    /// Said more than once.
    #[error("'{0}' is said twice: say it once")]
    Twice(String),
    /// No count.
    #[error("{key}={value}: write a whole number, 1 or more (at most 64 sockets)")]
    Count {
        /// Of what.
        key: &'static str,
        /// The text.
        value: String,
    },
    /// More of one thing than of what it holds.
    #[error("{more} {upper} for {fewer} {lower}: each of the {upper} needs one of the {lower}")]
    TooMany {
        /// The one.
        upper: &'static str,
        /// The other.
        lower: &'static str,
        /// How many of the one.
        more: u32,
        /// How many of the other.
        fewer: u32,
    },
    /// No capacity.
    #[error("a link of {0} GB/s: a capacity is a number from 0.001 on, such as 3.125 for 25 Gb/s")]
    Capacity(String),
    /// No oversubscription.
    #[error("oversubscription={0}: write a number from 0.001 to 1000, such as 3 for 3:1")]
    Oversubscription(String),
    /// Not a list of nodes.
    #[error("'{0}' is no list of nodes: write numbers and ranges, such as 0-7,9")]
    Nodes(String),
    /// Two switches of one name: two parents, or one switch twice.
    #[error("there are two switches '{0}': each has a name of its own, and one parent")]
    SameName(String),
    /// Hangs on nothing.
    #[error(
        "switch '{switch}' hangs on '{parent}', which is not there: name a switch of the list, or leave the parent out"
    )]
    NoParent {
        /// The switch.
        switch: String,
        /// Its parent.
        parent: String,
    },
    /// Hangs on itself.
    #[error("switch '{0}' hangs on itself, by way of its parents: a tree has no loops")]
    Loop(String),
    /// Too many levels.
    #[error(
        "switch '{0}' is more than {MAX_LEVELS} switches below the cluster: a tree has at most {MAX_LEVELS} levels"
    )]
    TooDeep(String),
    /// Racks and nodes on one switch.
    #[error("both nodes and switches hang on '{0}': put its nodes on a switch of their own")]
    Mixed(String),
    /// Nothing hangs on it.
    #[error("nothing hangs on switch '{0}': give it nodes, or leave it out")]
    Bare(String),
    /// No such node.
    #[error("switch '{switch}' names node {node}, but the cluster has nodes 0 to {last}")]
    NoSuchNode {
        /// The switch.
        switch: String,
        /// The node.
        node: u32,
        /// The last there is.
        last: u32,
    },
    /// A node on two switches.
    #[error("node {node} hangs on both '{first}' and '{second}': a node has one parent")]
    TwoParents {
        /// The node.
        node: u32,
        /// One switch.
        first: String,
        /// The other.
        second: String,
    },
    /// A node on none.
    #[error("node {0} hangs on no switch: name it in one's nodes")]
    Orphan(u32),
}

impl Tree {
    /// Whether nothing is said.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// A cluster's text in its nodes and the words behind them.
    pub(super) fn split(text: &str) -> (&str, Option<&str>) {
        let is_key = |at: &usize| {
            let key = text[at + 1..].split('=').next().unwrap_or_default();
            KEYS.contains(&key.trim())
        };
        let mut slashes = text.match_indices('/').map(|(at, _)| at);
        match slashes.find(is_key) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        }
    }

    /// So many racks in so many partitions.
    pub(super) fn even(partitions: Option<u32>, racks: Option<u32>) -> Result<Switches, TreeError> {
        let partitions = partitions.unwrap_or(1);
        let racks = racks.unwrap_or(partitions);
        for (key, number) in [("partitions", partitions), ("racks", racks)] {
            at_least_one(key, Some(number), &number.to_string())?;
        }
        Ok(Switches::Even { partitions, racks })
    }

    /// From 3 for 3:1.
    pub(super) fn oversubscription_of(ratio: f64) -> Result<u32, TreeError> {
        let thousandths = Some(libm::round(ratio * 1000.0));
        let thousandths = thousandths.filter(|ratio| (1.0..=1e6).contains(ratio));
        let wrong = || TreeError::Oversubscription(ratio.to_string());
        Ok(thousandths.ok_or_else(wrong)? as u32)
    }

    /// What the words behind a cluster's nodes say: `partitions=4/racks=16`.
    pub fn of_words(text: &str) -> Result<Self, TreeError> {
        let mut tree = Self::default();
        let mut said = Vec::new();
        let (mut partitions, mut racks) = (None, None);
        for option in text.split('/') {
            let unknown = || TreeError::Option(option.to_owned());
            let (key, value) = option.split_once('=').ok_or_else(unknown)?;
            let (key, value) = (key.trim(), value.trim());
            if said.contains(&key) {
                return Err(TreeError::Twice(key.to_owned()));
            }
            said.push(key);
            match key {
                "partitions" => partitions = Some(count("partitions", value)?),
                "racks" => racks = Some(count("racks", value)?),
                "sockets" => tree.sockets = Some(count("sockets", value)?),
                "nic" => tree.nic = Some(value.parse()?),
                "qpi" => tree.qpi = Some(value.parse()?),
                "pcie" => tree.pcie = Some(value.parse()?),
                "gpu" => tree.gpu = Some(value.parse()?),
                "oversubscription" => {
                    let ratio = value.parse().unwrap_or(f64::NAN);
                    let thousandths = Self::oversubscription_of(ratio);
                    let wrong = |_| TreeError::Oversubscription(value.to_owned());
                    tree.oversubscription = Some(thousandths.map_err(wrong)?);
                }
                _ => return Err(unknown()),
            }
        }
        tree.switches = Self::even(partitions, racks)?;
        Ok(tree)
    }

    /// Whether it is a tree over so many nodes.
    pub fn check(&self, nodes: u32) -> Result<(), TreeError> {
        let too_many = |upper, more, lower, fewer| {
            let error = TreeError::TooMany {
                upper,
                lower,
                more,
                fewer,
            };
            if more > fewer { Err(error) } else { Ok(()) }
        };
        if let Some(sockets) = self.sockets {
            let said = (sockets <= MAX_SOCKETS).then_some(sockets);
            at_least_one("sockets", said, &sockets.to_string())?;
        }
        match &self.switches {
            Switches::Even { partitions, racks } => {
                too_many("partitions", *partitions, "racks", *racks)?;
                too_many("racks", *racks, "nodes", nodes)
            }
            Switches::Named(switches) => check_named(switches, nodes),
        }
    }

    /// Whether words say all of it.
    pub(super) fn has_words(&self) -> bool {
        matches!(self.switches, Switches::Even { .. })
    }

    /// By how much more a rack's NICs carry than its uplink.
    pub(super) fn oversubscribed(&self) -> f64 {
        f64::from(self.oversubscription.unwrap_or(3000)) / 1000.0
    }
}

/// The words behind a cluster's nodes, each with its slash.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Switches::Even { partitions, racks } = self.switches {
            if partitions > 1 {
                write!(f, "/partitions={partitions}")?;
            }
            if racks > partitions {
                write!(f, "/racks={racks}")?;
            }
        }
        if let Some(sockets) = self.sockets {
            write!(f, "/sockets={sockets}")?;
        }
        for (key, capacity) in [
            ("nic", self.nic),
            ("qpi", self.qpi),
            ("pcie", self.pcie),
            ("gpu", self.gpu),
        ] {
            if let Some(capacity) = capacity {
                write!(f, "/{key}={}", capacity.gigabytes())?;
            }
        }
        if let Some(ratio) = self.oversubscription {
            write!(f, "/oversubscription={}", f64::from(ratio) / 1000.0)?;
        }
        Ok(())
    }
}

fn count(key: &'static str, value: &str) -> Result<u32, TreeError> {
    at_least_one(key, value.parse().ok(), value)
}

fn at_least_one(key: &'static str, number: Option<u32>, value: &str) -> Result<u32, TreeError> {
    let number = number.filter(|&number| number > 0);
    number.ok_or_else(|| TreeError::Count {
        key,
        value: value.to_owned(),
    })
}

fn check_named(switches: &[Switch], nodes: u32) -> Result<(), TreeError> {
    let mut by_name = BTreeMap::new();
    for (at, switch) in switches.iter().enumerate() {
        if by_name.insert(switch.name.as_str(), at).is_some() {
            return Err(TreeError::SameName(switch.name.clone()));
        }
    }
    let above = |switch: &Switch| match &switch.parent {
        None => Ok(None),
        Some(parent) => match by_name.get(parent.as_str()) {
            Some(&above) => Ok(Some(above)),
            None => Err(TreeError::NoParent {
                switch: switch.name.clone(),
                parent: parent.clone(),
            }),
        },
    };
    let above: Vec<Option<usize>> = switches.iter().map(above).collect::<Result<_, _>>()?;
    let has_switches: BTreeSet<usize> = above.iter().copied().flatten().collect();
    // Each is gone up to the first whose level is known, so all of them together take as long as there are switches.
    let mut levels: Vec<Option<usize>> = vec![None; switches.len()];
    for (at, switch) in switches.iter().enumerate() {
        let mut path = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next.filter(|&at| levels[at].is_none()) {
            if path.len() == switches.len() {
                return Err(TreeError::Loop(switch.name.clone()));
            }
            path.push(at);
            next = above[at];
        }
        let mut level = next.and_then(|at| levels[at]).unwrap_or(0);
        for at in path.into_iter().rev() {
            level += 1;
            levels[at] = Some(level);
        }
        if level > MAX_LEVELS {
            return Err(TreeError::TooDeep(switch.name.clone()));
        }
    }
    let mut on: Vec<Option<&Switch>> = vec![None; nodes as usize];
    for (at, switch) in switches.iter().enumerate() {
        match (has_switches.contains(&at), switch.nodes.0.is_empty()) {
            (true, false) => return Err(TreeError::Mixed(switch.name.clone())),
            (false, true) => return Err(TreeError::Bare(switch.name.clone())),
            _ => {}
        }
        for node in switch.nodes.iter() {
            let Some(place) = on.get_mut(node as usize) else {
                return Err(TreeError::NoSuchNode {
                    switch: switch.name.clone(),
                    node,
                    last: nodes.saturating_sub(1),
                });
            };
            if let Some(first) = place.replace(switch) {
                return Err(TreeError::TwoParents {
                    node,
                    first: first.name.clone(),
                    second: switch.name.clone(),
                });
            }
        }
    }
    match on.iter().position(Option::is_none) {
        Some(node) => Err(TreeError::Orphan(node as u32)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterSpec, NodeGroup, Topology};
    use proptest::prelude::{Just, Strategy, prop, prop_assert_eq, prop_oneof, proptest};

    fn capacity() -> impl Strategy<Value = Option<Capacity>> {
        prop::option::of((1u32..10_000_000).prop_map(Capacity))
    }

    /// Switches over so many nodes: each on one of a few racks, some of them in partitions.
    fn switches(nodes: u32) -> impl Strategy<Value = Switches> {
        let rack = (prop::option::of(0u32..2), capacity(), capacity());
        let racks = prop::collection::vec(rack, 1..5);
        let even = (1..=nodes).prop_flat_map(move |racks| {
            (1..=racks).prop_map(move |partitions| Switches::Even { partitions, racks })
        });
        let homes = prop::collection::vec(0usize..5, nodes as usize);
        let named = (racks, homes).prop_map(|(racks, homes)| {
            let on = |rack: usize| {
                let nodes = (0u32..).zip(&homes);
                let here = nodes.filter(|(_, home)| **home % racks.len() == rack);
                NodeList(here.map(|(node, _)| (node, node)).collect())
            };
            let racks = (0..)
                .zip(&racks)
                .map(|(i, &(above, capacity, nic))| Switch {
                    name: format!("r{i}"),
                    parent: above.map(|above| format!("p {above}")),
                    capacity,
                    nic,
                    nodes: on(i),
                });
            let racks: Vec<Switch> = racks.filter(|rack| !rack.nodes.0.is_empty()).collect();
            // The second partition is a row in the first.
            let above = (0..2).map(|i| Switch {
                name: format!("p {i}"),
                parent: (i == 1).then(|| "p 0".to_owned()),
                capacity: Some(Capacity(7)),
                nic: None,
                nodes: NodeList::default(),
            });
            let hangs = |name: &str| {
                let mut parents = racks.iter().filter_map(|rack| rack.parent.as_deref());
                parents.any(|parent| parent == name || (name == "p 0" && parent == "p 1"))
            };
            let above = above.filter(|p| hangs(&p.name));
            Switches::Named(above.chain(racks.clone()).collect())
        });
        prop_oneof![even, named]
    }

    proptest! {
        #[test]
        fn every_tree_has_a_text(
            (nodes, switches) in (1u32..9).prop_flat_map(|nodes| (Just(nodes), switches(nodes))),
            sockets in prop::option::of(1u32..=64),
            (nic, qpi, pcie, gpu) in (capacity(), capacity(), capacity(), capacity()),
            oversubscription in prop::option::of(1u32..1_000_000),
        ) {
            let tree = Tree { switches, sockets, nic, qpi, pcie, gpu, oversubscription };
            let cluster = ClusterSpec::new(vec![NodeGroup::plain(nodes, 8)]).unwrap();
            let cluster = cluster.with_tree(tree).unwrap();
            prop_assert_eq!(Ok(cluster.clone()), cluster.to_string().parse());
        }
    }

    #[test]
    fn words_are_printed_as_they_are_read() {
        for text in [
            "16x4",
            "16x4/racks=4",
            "8x8+4x4/partitions=2/racks=3/sockets=1",
            "4x4/partitions=2",
            "2x8/nic=12.5/qpi=20.8/pcie=31.5/gpu=50/oversubscription=1.5",
        ] {
            assert_eq!(text.parse::<ClusterSpec>().unwrap().to_string(), text);
        }
        let lax: ClusterSpec = "4 x 8 / racks = 1 / nic = 3.1250".parse().unwrap();
        assert_eq!(lax.to_string(), "4x8/nic=3.125");
    }

    #[test]
    fn json_says_what_words_cannot() {
        let text = r#"{"nodes":"6x4","switches":[{"name":"p"},
            {"name":"a","parent":"p","capacity":4,"nodes":"0-2"},
            {"name":"b","parent":"p","nodes":"3,5"},
            {"name":"c","nic":12.5,"nodes":"4"}],"pcie":31.5}"#;
        let cluster: ClusterSpec = text.parse().unwrap();
        assert_eq!(cluster.to_string().parse(), Ok(cluster));
        let plain: ClusterSpec = r#"{"nodes":"6x4","racks":2}"#.parse().unwrap();
        assert_eq!(plain.to_string(), "6x4/racks=2");
    }

    /// A cluster of one rack below so many switches, the lowest first.
    fn deep(switches: usize) -> String {
        let switch = |at: usize| match at {
            0 => r#"{"name":"s0","parent":"s1","nodes":"0-1"}"#.to_owned(),
            at if at + 1 == switches => format!(r#"{{"name":"s{at}"}}"#),
            at => format!(r#"{{"name":"s{at}","parent":"s{}"}}"#, at + 1),
        };
        let all: Vec<String> = (0..switches).map(switch).collect();
        format!(r#"{{"nodes":"2x4","switches":[{}]}}"#, all.join(","))
    }

    #[test]
    fn levels_are_bounded() {
        let deepest: ClusterSpec = deep(MAX_LEVELS).parse().unwrap();
        assert_eq!(Topology::of(&deepest).uppers() as usize, MAX_LEVELS - 1);
        for switches in [MAX_LEVELS + 1, 8_000, 200_000] {
            let why = deep(switches).parse::<ClusterSpec>().unwrap_err();
            assert!(why.to_string().contains("at most 64 levels"), "{why}");
        }
    }

    /// Were each switch looked for among all others, this would take hours.
    #[test]
    fn many_switches_take_as_long_as_they_are_many() {
        let count = 200_000;
        let rack =
            |at: u32| format!(r#"{{"name":"r{at}","parent":"p{at}","nodes":"{at}","capacity":4}}"#);
        let above = |at: u32| format!(r#"{{"name":"p{at}","parent":"top","capacity":5}}"#);
        let all: Vec<String> = (0..count)
            .rev()
            .map(rack)
            .chain((0..count).map(above))
            .collect();
        let text = format!(
            r#"{{"nodes":"{count}x1","switches":[{{"name":"top"}},{}]}}"#,
            all.join(",")
        );
        let cluster: ClusterSpec = text.parse().unwrap();
        let tree = Topology::of(&cluster);
        assert_eq!((tree.uppers(), tree.racks()), (count + 1, count));
        // Racks in the order given, switches above them level by level.
        assert_eq!((tree.rack_of(0), tree.above_rack(0)), (count - 1, count));
        assert_eq!(
            (tree.partition_of(7), tree.capacity(tree.rack_edge(7))),
            (0, 4.0)
        );
    }

    #[test]
    fn what_is_no_tree_is_told_why() {
        let why = |text: &str| text.parse::<ClusterSpec>().unwrap_err().to_string();
        for (text, part) in [
            ("4x4/racks=0", "racks=0: write a whole number"),
            ("4x4/racks=5", "5 racks for 4 nodes"),
            ("4x4/partitions=3/racks=2", "3 partitions for 2 racks"),
            ("4x4/racks=2/racks=2", "'racks' is said twice"),
            ("4x4/rows=2", "'rows=2' is no property"),
            ("4x4/racks=2/rows=2", "'/rows=2' is not understood"),
            ("4x4/racks=2+4x4", "racks=2+4x4: write a whole number"),
            ("4x4/sockets=65", "at most 64 sockets"),
            ("4x4/nic=0", "a link of 0 GB/s"),
            ("4x4/qpi=nan", "a link of nan GB/s"),
            ("4x4/pcie=-1", "a link of -1 GB/s"),
            ("4x4/gpu=0", "a link of 0 GB/s"),
            ("4x4/oversubscription=0", "oversubscription=0: write"),
        ] {
            assert!(why(text).contains(part), "{text}: {}", why(text));
        }
        let named = |switches: &str| why(&format!(r#"{{"nodes":"2x4","switches":[{switches}]}}"#));
        for (switches, part) in [
            (
                r#"{"name":"a","parent":"b"},{"name":"b","parent":"a","nodes":"0-1"}"#,
                "hangs on itself",
            ),
            (
                r#"{"name":"a","nodes":"0-1"},{"name":"b","nodes":"1"}"#,
                "node 1 hangs on both 'a' and 'b'",
            ),
            (
                r#"{"name":"a","nodes":"0"},{"name":"a","nodes":"1"}"#,
                "two switches 'a'",
            ),
            (
                r#"{"name":"a","nodes":"0-2"}"#,
                "names node 2, but the cluster has nodes 0 to 1",
            ),
            (r#"{"name":"a","nodes":"0"}"#, "node 1 hangs on no switch"),
            (
                r#"{"name":"a","nodes":"0-1","parent":"x"}"#,
                "hangs on 'x', which is not there",
            ),
            (
                r#"{"name":"a","nodes":"0-1"},{"name":"b"}"#,
                "nothing hangs on switch 'b'",
            ),
            (
                r#"{"name":"a","nodes":"0-1","capacity":0}"#,
                "a link of 0 GB/s",
            ),
            (
                r#"{"name":"a"},{"name":"b","parent":"c"},{"name":"c","parent":"b"},{"name":"d","parent":"b","nodes":"0-1"}"#,
                "hangs on itself",
            ),
            (r#"{"name":"a","nodes":"1-0"}"#, "no list of nodes"),
        ] {
            let why = named(switches);
            assert!(why.contains(part), "{switches}: {why}");
        }
    }
}
