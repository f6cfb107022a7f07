//! Gavel's cluster specifications: a JSON object such as `{"philly": ["36:36:36"]}`, which counts
//! V100s, P100s and K80s.
//!
//! A server has one GPU, as Gavel's simulator has it unless it is
//! told otherwise.
//!
//! Source: <https://github.com/stanford-futuredata/gavel>, `scheduler/scripts`.

use crate::cluster::{ClusterSpec, NodeGroup, NodeKind, TypeId};
use crate::cluster_file::{ClusterFile, ClusterKind, bad};
use crate::error::OpenError;
use crate::sniff::{Shape, Sniff};
use std::collections::BTreeMap;

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.shape == Shape::JsonObject && !specs(sniff).is_empty(),
    read,
};

/// Every specification, with its name; none where the file is something else.
fn specs(sniff: &Sniff<'_>) -> Vec<(String, Vec<u32>)> {
    let parsed: Result<BTreeMap<String, Vec<String>>, _> = serde_json::from_str(sniff.text);
    let mut specs = Vec::new();
    for (name, texts) in parsed.unwrap_or_default() {
        for text in texts {
            let counts: Result<Vec<u32>, _> = text.split(':').map(str::parse).collect();
            match counts {
                Ok(counts) if counts.len() == 3 => specs.push((name.clone(), counts)),
                _ => return Vec::new(),
            }
        }
    }
    specs
}

fn read(sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    let specs = specs(sniff);
    let [(name, counts)] = specs.as_slice() else {
        let why = format!("it lists {} clusters: leave one", specs.len());
        return Err(bad(sniff, 1, "1", why));
    };
    let groups = (0..).zip(counts).filter(|&(_, &nodes)| nodes > 0);
    let groups = groups.map(|(at, &nodes)| NodeGroup {
        kind: NodeKind {
            gpu: Some(TypeId(at)),
            ..NodeKind::default()
        },
        ..NodeGroup::plain(nodes, 1)
    });
    let spec = ClusterSpec::with_types(groups.collect(), &["v100", "p100", "k80"]);
    let spec = spec.map_err(|error| bad(sniff, 1, name, error.to_string()))?;
    Ok(ClusterFile {
        unit: crate::Resource::Gpus,
        how: format!(
            "{}: {} GPUs ({}), one per server, as Gavel's simulator has it unless told otherwise.",
            sniff.file,
            spec.gpus(),
            spec.types().join(", ")
        ),
        spec,
    })
}

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    #[test]
    fn each_type_is_a_group() {
        let Ok(Opened::Cluster(cluster)) = try_open("s.json", b"{\"a\": [\"6:4:2\"]}") else {
            panic!("no cluster");
        };
        assert_eq!(cluster.to_string(), "6x1:v100+4x1:p100+2x1:k80");
        let error = try_open("s.json", b"{\"a\": [\"6:4:2\", \"1:1:1\"]}").unwrap_err();
        assert_eq!(
            error.to_string(),
            "s.json, line 1, column 1: it lists 2 clusters: leave one"
        );
    }
}
