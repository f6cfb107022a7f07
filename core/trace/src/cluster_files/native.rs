//! A cluster in our own JSON (`docs/format.md`): an object with `groups` or `nodes`.

use crate::Resource;
use crate::cluster::ClusterSpec;
use crate::cluster_file::{ClusterFile, ClusterKind, bad};
use crate::sniff::Shape;

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| {
        let begins = |key: &str| {
            let inside = sniff
                .text
                .trim_start()
                .strip_prefix('{')
                .map(str::trim_start);
            let quoted = inside.and_then(|text| text.strip_prefix('"'));
            quoted.is_some_and(|text| text.starts_with(key))
        };
        // A graph has nodes too.
        let is_graph = sniff.has(&["links"]) || sniff.has(&["edges"]);
        let begins = begins("groups\"") || begins("nodes\"") && !is_graph;
        sniff.shape == Shape::JsonObject && begins
    },
    read: |sniff| {
        let spec: Result<ClusterSpec, _> = sniff.text.parse();
        let spec = spec.map_err(|error| bad(sniff, 1, "groups", error.to_string()))?;
        let spec = match sniff.unit {
            Resource::Gpus => spec,
            Resource::Cores => spec
                .in_cores()
                .map_err(|error| bad(sniff, 1, "groups", error.to_string()))?,
        };
        let (nodes, gpus) = (spec.nodes(), spec.gpus());
        let nodes = format!("{nodes} nodes with {gpus} GPUs.");
        Ok(ClusterFile {
            how: format!("{}: {}", sniff.file, sniff.unit.words(&nodes)),
            spec,
            unit: sniff.unit,
        })
    },
};

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    #[test]
    fn a_file_says_what_text_says() {
        let json = br#"{ "groups": [{"nodes": 2, "gpus": 8, "type": "V100", "cores": 96}] }"#;
        let Ok(Opened::Cluster(cluster)) = try_open("c.json", json) else {
            panic!("no cluster");
        };
        assert_eq!(cluster.to_string(), "2x8:v100/cores=96");
        let error = try_open("c.json", br#"{"groups": [{"nodes": 0, "gpus": 8}]}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "c.json, line 1, column groups: a cluster needs at least one node with at least one GPU"
        );
    }
}
