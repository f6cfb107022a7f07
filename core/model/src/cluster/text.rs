//! The text form of a cluster: groups joined by `+`, each `NODESxGPUS`, then `:TYPE` and properties
//! after slashes, such as `8x8:v100/cores=96/memory=768+4x4`; behind all of them what they
//! [hang on](super::Tree), such as `/racks=4`. Memory is in GiB, speed relative to a V100. Groups of no GPUs with
//! cores, such as `4x0/cores=64`, are nodes for jobs that ask for none; they stand last.

use super::{ClusterError, ClusterSpec, GpuModel, NodeGroup, NodeKind, Tree, TypeId, type_name};
use std::fmt;

/// The largest number of cores or GiB of a node.
const MOST: f64 = 1e6;

/// A cluster's text but for what its nodes hang on.
pub(super) struct Nodes<'c>(pub(super) &'c ClusterSpec);

impl fmt::Display for Nodes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cluster = self.0;
        for (i, &NodeGroup { nodes, gpus, kind }) in cluster.groups().iter().enumerate() {
            let plus = if i > 0 { "+" } else { "" };
            write!(f, "{plus}{nodes}x{gpus}")?;
            if let Some(id) = kind.gpu {
                write!(f, ":{}", cluster.type_name(id))?;
            }
            for (name, value, unit) in properties(&kind) {
                if let Some(value) = value {
                    write!(f, "/{name}={}", f64::from(value) / unit)?;
                }
            }
        }
        for of in cluster.core_nodes() {
            write!(f, "+{}x0/cores={}", of.nodes, f64::from(of.cores) / 1000.0)?;
            if let Some(memory) = of.memory {
                write!(f, "/memory={}", f64::from(memory) / 1024.0)?;
            }
        }
        Ok(())
    }
}

/// Names and values of a node's properties, and how much of the value is one as people write it.
fn properties(kind: &NodeKind) -> [(&'static str, Option<u32>, f64); 4] {
    [
        ("gpu-memory", kind.gpu_memory, 1024.0),
        ("speed", kind.speed, 1000.0),
        ("cores", kind.cores, 1000.0),
        ("memory", kind.memory, 1024.0),
    ]
}

/// What people write, in the unit that is kept: at least 1 of it.
pub(super) fn in_units(value: f64, unit: f64) -> Option<u32> {
    let value = (value > 0.0 && value <= MOST).then_some(value)?;
    Some(libm::round(value * unit) as u32).filter(|&kept| kept > 0)
}

pub(super) fn read(text: &str) -> Result<ClusterSpec, ClusterError> {
    let (nodes, tree) = Tree::split(text);
    let mut types: Vec<&str> = Vec::new();
    let groups = nodes
        .split('+')
        .map(|part| group(nodes, part, &mut types))
        .collect::<Result<Vec<_>, ClusterError>>()?;
    let cluster = ClusterSpec::with_types(groups, &types)?;
    match tree {
        Some(words) => Ok(cluster.with_tree(Tree::of_words(words)?)?),
        None => Ok(cluster),
    }
}

fn group<'t>(
    text: &str,
    part: &'t str,
    types: &mut Vec<&'t str>,
) -> Result<NodeGroup, ClusterError> {
    let syntax = || ClusterError::Syntax(text.chars().take(80).collect());
    let mut pieces = part.split('/');
    let head = pieces.next().unwrap_or_default();
    let (size, name) = match head.split_once(':') {
        Some((size, name)) => (size, Some(name)),
        None => (head, None),
    };
    let (nodes, gpus) = size.trim().split_once(['x', 'X', '×']).ok_or_else(syntax)?;
    let mut kind = NodeKind::default();
    if let Some(name) = name {
        kind.gpu = Some(index(types, name.trim())?);
    }
    for piece in pieces {
        let bad = || ClusterError::Property(piece.chars().take(40).collect());
        let (key, value) = piece.split_once('=').ok_or_else(bad)?;
        let (slot, unit) = match key.trim() {
            "gpu-memory" => (&mut kind.gpu_memory, 1024.0),
            "speed" => (&mut kind.speed, 1000.0),
            "cores" => (&mut kind.cores, 1000.0),
            "memory" => (&mut kind.memory, 1024.0),
            _ => return Err(bad()),
        };
        let value = value.trim().parse().map_err(|_| bad())?;
        let value = in_units(value, unit).ok_or_else(bad)?;
        if slot.replace(value).is_some() {
            return Err(bad());
        }
    }
    told(name, &kind)?;
    Ok(NodeGroup {
        nodes: nodes.trim().parse().map_err(|_| syntax())?,
        gpus: gpus.trim().parse().map_err(|_| syntax())?,
        kind,
    })
}

/// Refuses a type that is not known and says no speed: it is more often misspelt than new.
pub(super) fn told(name: Option<&str>, kind: &NodeKind) -> Result<(), ClusterError> {
    let Some(name) = name.filter(|_| kind.speed.is_none()) else {
        return Ok(());
    };
    let name = type_name(name)?;
    match GpuModel::named(&name) {
        Some(_) => Ok(()),
        None => Err(ClusterError::UnknownType(name)),
    }
}

/// Where a name stands among those seen, added if it is new.
pub(super) fn index<'t>(names: &mut Vec<&'t str>, name: &'t str) -> Result<TypeId, ClusterError> {
    let at = names.iter().position(|&seen| seen == name);
    let at = at.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    let id = u8::try_from(at).map_err(|_| ClusterError::TooManyTypes(names.len()))?;
    Ok(TypeId(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::CoreNodes;
    use proptest::prelude::*;

    #[test]
    fn prints_what_it_parses() {
        for text in [
            "16x4",
            "8x8+4x4",
            "1x64",
            "8x8:v100+4x4:a100",
            "2x8:v100/gpu-memory=32/cores=96/memory=768+2x8:v100+1x8",
            "2x8/cores=0.5/memory=0.0009765625",
            "1x1:mine/speed=1.5",
            "2x8/cores=96+10x0/cores=48/memory=192+1x0/cores=0.5",
        ] {
            assert_eq!(text.parse::<ClusterSpec>().unwrap().to_string(), text);
        }
        let canonical = |text: &str| text.parse::<ClusterSpec>().unwrap().to_string();
        assert_eq!(canonical("2 x 4 + 3x4"), "5x4");
        assert_eq!(
            canonical("1x0/cores=8+2x4+3x0/cores=8+1x4"),
            "3x4+4x0/cores=8"
        );
        assert_eq!(canonical("2x4:T4+3x4:Tesla T4+1x4:a10"), "5x4:t4+1x4:a10");
        assert_eq!(
            canonical("2x4: t4 / memory = 64 / cores=8"),
            "2x4:t4/cores=8/memory=64"
        );
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text: &str| text.parse::<ClusterSpec>().unwrap_err();
        assert_eq!(error("16"), ClusterError::Syntax("16".into()));
        assert_eq!(error("0x4"), ClusterError::Empty);
        for none in ["4x0", "4x0/cores=8", "4x0:t4/cores=8", "0x0/cores=8"] {
            assert!(
                error(none).to_string().contains("at least one GPU"),
                "{none}"
            );
        }
        assert_eq!(error("4x65"), ClusterError::NodeTooLarge(65));
        assert_eq!(
            error("4000000000x64"),
            ClusterError::TooLarge(256_000_000_000)
        );
        for bad in [
            "1x1/cores",
            "1x1/cores=0",
            "1x1/cores=NaN",
            "1x1/cores=inf",
            "1x1/cores=-1",
            "1x1/memory=1e7",
            "1x1/cores=1/cores=2",
            "1x1/disks=2",
            "1x1/",
        ] {
            assert!(matches!(error(bad), ClusterError::Property(_)), "{bad}");
        }
        assert_eq!(
            error("8x8:v100+1x1:V1000").to_string(),
            "no GPU type is known as 'v1000': write one that is, such as t4, v100, a100-80 or h100, or say how fast it trains beside a V100, as in 8x8:v1000/speed=1.5"
        );
        assert!(matches!(error("1x1:"), ClusterError::Type(_)));
        assert!(matches!(error("1x1:a:b"), ClusterError::Type(_)));
        assert_eq!(
            error("1x1:v100|t4").to_string(),
            "'v100|t4' is no name of a GPU type: write a word of letters, digits, - and . such as v100 or a100-80"
        );
    }

    proptest! {
        /// Whatever is written parses to an error or to a cluster whose text stands for it.
        #[test]
        fn any_text_is_refused_or_comes_back(text in "[0-9x:+/=.{}\"\\[\\]a-z ,-]{0,40}") {
            if let Ok(cluster) = text.parse::<ClusterSpec>() {
                prop_assert_eq!(Ok(cluster.clone()), cluster.to_string().parse());
            }
        }

        #[test]
        fn every_cluster_has_a_text(
            groups in prop::collection::vec((
                1u32..100, 1u32..65, prop::option::of(0u8..3),
                prop::option::of(1u32..1_000_000_000), prop::option::of(1u32..1_000_000_000),
                prop::option::of(1u32..1_000_000_000), prop::option::of(1u32..1_000_000_000),
            ), 1..6),
            core_nodes in prop::option::of((1u32..100, 1u32..1_000_000_000, prop::option::of(1u32..1_000_000_000))),
        ) {
            let core_nodes = core_nodes.into_iter().map(|(nodes, cores, memory)| CoreNodes { nodes, cores, memory });
            let core_nodes = core_nodes.collect();
            let group = |(nodes, gpus, gpu, gpu_memory, speed, cores, memory): (_, _, Option<u8>, _, _, _, _)| NodeGroup {
                nodes,
                gpus,
                kind: NodeKind { gpu: gpu.map(TypeId), gpu_memory, speed, cores, memory },
            };
            let groups = groups.into_iter().map(group).collect();
            let cluster = ClusterSpec::with_types(groups, &["t4", "V100M32", "my gpu"]).expect("small");
            let cluster = cluster.with_core_nodes(core_nodes);
            prop_assert_eq!(Ok(cluster.clone()), cluster.to_string().parse());
        }
    }
}
