//! What of a cluster's nodes belongs together on the yard: racks in their partitions where its tree
//! has some, else groups of alike nodes, else all of them.

use switchyard::cluster::{ClusterSpec, GpuModel, NodeGroup, Topology};
use switchyard::order;

/// Nodes in sections.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Floor {
    pub(super) sections: Vec<Section>,
    /// Names of what sections are in, if that has any.
    pub(super) halls: Vec<String>,
    /// Each node's section, and its place there.
    pub(super) of_node: Vec<(u32, u32)>,
    /// Whether sections are racks, and what they are in partitions.
    pub(super) is_of_racks: bool,
}

/// A rack, or a group of alike nodes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Section {
    /// "" where there is nothing to tell it from.
    pub(super) name: String,
    pub(super) nodes: Vec<u32>,
    /// The partition that it is in.
    pub(super) hall: u32,
    /// Which rack it is, of those there are.
    pub(super) rack: u32,
}

impl Floor {
    /// The floor of a cluster.
    pub(super) fn of(cluster: &ClusterSpec) -> Self {
        let tree = Topology::of(cluster);
        if tree.racks() > 1 {
            return Self::of_racks(&tree);
        }
        let unlike = cluster.groups().len() > 1;
        let section = |(range, group): (std::ops::Range<u32>, &NodeGroup)| Section {
            name: if unlike {
                group_name(cluster, group)
            } else {
                String::new()
            },
            nodes: range.collect(),
            hall: 0,
            rack: 0,
        };
        Self::new(cluster.ranges().map(section).collect(), vec![String::new()])
    }

    fn of_racks(tree: &Topology) -> Self {
        let name = |edge: u32| tree.name(edge).trim_end_matches("'s uplink").to_owned();
        let mut sections: Vec<Section> = (0..tree.racks())
            .map(|rack| Section {
                name: name(tree.rack_edge(rack)),
                nodes: Vec::new(),
                hall: tree.partition_of(rack),
                rack,
            })
            .collect();
        for node in 0..tree.nodes() {
            sections[tree.rack_of(node) as usize].nodes.push(node);
        }
        sections.retain(|section| !section.nodes.is_empty());
        order::sort_by_key(&mut sections, |section| section.hall);
        let halls = (0..tree.partitions()).map(|of| match tree.partitions() {
            1 => String::new(),
            _ => name(tree.partition_edge(of)),
        });
        Self {
            is_of_racks: true,
            ..Self::new(sections, halls.collect())
        }
    }

    fn new(sections: Vec<Section>, halls: Vec<String>) -> Self {
        let nodes = sections.iter().map(|section| section.nodes.len()).sum();
        let mut of_node = vec![(0, 0); nodes];
        for (at, section) in (0..).zip(&sections) {
            for (place, &node) in (0..).zip(&section.nodes) {
                of_node[node as usize] = (at, place);
            }
        }
        Self {
            sections,
            halls,
            of_node,
            is_of_racks: false,
        }
    }

    /// Whether there is more than one section, so that each has a frame.
    pub(super) fn is_framed(&self) -> bool {
        self.sections.len() > 1
    }
}

/// `6 × 4 T4`: what tells a group from others.
fn group_name(cluster: &ClusterSpec, group: &NodeGroup) -> String {
    let name = group.kind.gpu.map(|id| cluster.type_name(id));
    let title = name.map(|name| GpuModel::named(name).map_or(name, |model| model.title));
    let size = format!("{} × {}", group.nodes, group.gpus);
    match title {
        Some(title) => format!("{size} {title}"),
        None => size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floor(text: &str) -> Floor {
        Floor::of(&text.parse().expect("a cluster"))
    }

    #[test]
    fn racks_groups_or_nothing() {
        let plain = floor("16x4");
        assert!(!plain.is_framed());
        assert_eq!(plain.of_node[7], (0, 7));
        let groups = floor("6x4:t4+2x8:a100");
        let names: Vec<&str> = groups.sections.iter().map(|of| of.name.as_str()).collect();
        assert_eq!(names, ["6 × 4 T4", "2 × 8 A100"]);
        assert_eq!(groups.of_node[7], (1, 1));
        let racks = floor("128x8/partitions=4/racks=16");
        assert_eq!((racks.sections.len(), racks.halls.len()), (16, 4));
        assert_eq!(racks.sections[15].name, "rack 16");
        assert_eq!(racks.of_node[127], (15, 7));
        assert!(racks.sections.iter().all(|rack| rack.nodes.len() == 8));
    }
}
