//! The JSON form of a cluster, for files that are written and read by people:
//!
//! ```json
//! {"groups": [{"nodes": 8, "gpus": 8, "type": "v100", "gpu_memory": 32, "cores": 96, "memory": 768}]}
//! ```
//!
//! All but `nodes` and `gpus` may be left out; memory is in GiB.

use super::text::{in_units, index};
use super::{ClusterError, ClusterSpec, NodeGroup, NodeKind};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    nodes: u32,
    gpus: u32,
    #[serde(default, rename = "type")]
    gpu: Option<String>,
    #[serde(default)]
    gpu_memory: Option<f64>,
    #[serde(default)]
    cores: Option<f64>,
    #[serde(default)]
    memory: Option<f64>,
}

pub(super) fn read(text: &str) -> Result<ClusterSpec, ClusterError> {
    let form: Form =
        serde_json::from_str(text).map_err(|error| ClusterError::Json(error.to_string()))?;
    let mut types: Vec<&str> = Vec::new();
    let groups = form.groups.iter().map(|group| {
        let kind = NodeKind {
            gpu: match &group.gpu {
                Some(name) => Some(index(&mut types, name.trim())?),
                None => None,
            },
            gpu_memory: property("gpu_memory", group.gpu_memory, 1024.0)?,
            cores: property("cores", group.cores, 1000.0)?,
            memory: property("memory", group.memory, 1024.0)?,
        };
        Ok(NodeGroup {
            nodes: group.nodes,
            gpus: group.gpus,
            kind,
        })
    });
    let groups = groups.collect::<Result<Vec<_>, ClusterError>>()?;
    ClusterSpec::with_types(groups, &types)
}

fn property(name: &str, value: Option<f64>, unit: f64) -> Result<Option<u32>, ClusterError> {
    let Some(value) = value else { return Ok(None) };
    let kept = in_units(value, unit);
    kept.map(Some)
        .ok_or_else(|| ClusterError::Property(format!("{name}={value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_the_text_says() {
        let json = r#" {"groups": [{"nodes": 8, "gpus": 8, "type": "V100", "gpu_memory": 32, "cores": 96, "memory": 768},
            {"nodes": 1, "gpus": 2}]}"#;
        let cluster: ClusterSpec = json.parse().expect("a cluster");
        let text = "8x8:v100/gpu-memory=32/cores=96/memory=768+1x2";
        assert_eq!(cluster.to_string(), text);
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text: &str| text.parse::<ClusterSpec>().unwrap_err().to_string();
        assert!(error("{}").starts_with("this JSON is not a cluster: missing field `groups`"));
        assert!(error("[1]").starts_with("this JSON is not a cluster: "));
        assert!(
            error(r#"{"groups": [{"nodes": 1, "gpus": 1, "core": 2}]}"#).contains("unknown field")
        );
        assert!(
            error(r#"{"groups": [{"nodes": 1, "gpus": 1, "cores": 0}]}"#)
                .starts_with("'cores=0' is no property of nodes")
        );
        assert_eq!(error(r#"{"groups": []}"#), ClusterError::Empty.to_string());
    }
}
