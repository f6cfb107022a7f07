//! The JSON form of a cluster, for files that are written and read by people:
//!
//! ```json
//! {"groups": [{"nodes": 8, "gpus": 8, "type": "v100", "gpu_memory": 32, "cores": 96, "memory": 768}]}
//! ```
//!
//! All but `nodes` and `gpus` may be left out; memory is in GiB, `speed` relative to a V100.
//! `"nodes": "8x8:v100+4x4"` says the groups as a text does. What nodes hang on is said by the
//! [words](super::Tree) for it, each a key (`"racks": 4`), or one by one, with links in GB/s:
//!
//! ```json
//! {"nodes": "6x4", "switches": [{"name": "pod"}, {"name": "a", "parent": "pod", "nodes": "0-3"},
//!   {"name": "b", "parent": "pod", "capacity": 5, "nic": 12.5, "nodes": "4,5"}]}
//! ```

use super::text::{Nodes, in_units, index, told};
use super::{Capacity, ClusterError, ClusterSpec, NodeGroup, NodeKind, Switch, Switches, Tree};
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Form {
    #[serde(skip_serializing)]
    groups: Vec<Group>,
    #[serde(skip_serializing_if = "String::is_empty")]
    nodes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    partitions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    racks: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    switches: Vec<Switch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sockets: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nic: Option<Capacity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qpi: Option<Capacity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pcie: Option<Capacity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<Capacity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oversubscription: Option<f64>,
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
    speed: Option<f64>,
    #[serde(default)]
    cores: Option<f64>,
    #[serde(default)]
    memory: Option<f64>,
}

pub(super) fn read(text: &str) -> Result<ClusterSpec, ClusterError> {
    let form: Form =
        serde_json::from_str(text).map_err(|error| ClusterError::Json(error.to_string()))?;
    let tree = tree(&form)?;
    match (form.nodes.is_empty(), form.groups.is_empty()) {
        (false, true) => {
            let cluster: ClusterSpec = form.nodes.parse()?;
            return Ok(cluster.with_tree(tree)?);
        }
        (false, false) => {
            let both = "it has both groups and nodes".to_owned();
            return Err(ClusterError::Json(both));
        }
        (true, _) => {}
    }
    let mut types: Vec<&str> = Vec::new();
    let several = form.groups.len() > 1;
    let mut groups = Vec::with_capacity(form.groups.len());
    for (i, group) in form.groups.iter().enumerate() {
        let kind = kind(group, &mut types);
        groups.push(NodeGroup {
            nodes: group.nodes,
            gpus: group.gpus,
            kind: kind.map_err(|why| why.of_group(several.then_some(i)))?,
        });
    }
    Ok(ClusterSpec::with_types(groups, &types)?.with_tree(tree)?)
}

fn kind<'t>(group: &'t Group, types: &mut Vec<&'t str>) -> Result<NodeKind, ClusterError> {
    let kind = NodeKind {
        gpu: match &group.gpu {
            Some(name) => Some(index(types, name.trim())?),
            None => None,
        },
        gpu_memory: property("gpu_memory", group.gpu_memory, 1024.0)?,
        speed: property("speed", group.speed, 1000.0)?,
        cores: property("cores", group.cores, 1000.0)?,
        memory: property("memory", group.memory, 1024.0)?,
    };
    told(group.gpu.as_deref(), &kind)?;
    Ok(kind)
}

fn tree(form: &Form) -> Result<Tree, ClusterError> {
    let even = Tree::even(form.partitions, form.racks)?;
    let switches = match form.switches.as_slice() {
        [] => even,
        _ if form.partitions.is_none() && form.racks.is_none() => {
            Switches::Named(form.switches.clone())
        }
        _ => {
            let both = "it has both switches and counts of racks or partitions".to_owned();
            return Err(ClusterError::Json(both));
        }
    };
    Ok(Tree {
        switches,
        sockets: form.sockets,
        nic: form.nic,
        qpi: form.qpi,
        pcie: form.pcie,
        gpu: form.gpu,
        oversubscription: form
            .oversubscription
            .map(Tree::oversubscription_of)
            .transpose()?,
    })
}

/// What words cannot say.
pub(super) fn write(cluster: &ClusterSpec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let tree = cluster.tree();
    let switches = match &tree.switches {
        Switches::Named(switches) => switches.clone(),
        Switches::Even { .. } => Vec::new(),
    };
    let form = Form {
        nodes: Nodes(cluster).to_string(),
        switches,
        sockets: tree.sockets,
        nic: tree.nic,
        qpi: tree.qpi,
        pcie: tree.pcie,
        gpu: tree.gpu,
        oversubscription: tree.oversubscription.map(|ratio| f64::from(ratio) / 1000.0),
        ..Form::default()
    };
    f.write_str(&serde_json::to_string(&form).map_err(|_| fmt::Error)?)
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
        assert_eq!(error("{}"), ClusterError::Empty.to_string());
        assert!(error("[1]").starts_with("this JSON is not a cluster: "));
        assert!(
            error(r#"{"groups": [{"nodes": 1, "gpus": 1, "core": 2}]}"#).contains("unknown field")
        );
        assert!(
            error(r#"{"groups": [{"nodes": 1, "gpus": 1, "cores": 0}]}"#)
                .starts_with("'cores=0' is no property of nodes")
        );
        assert_eq!(error(r#"{"groups": []}"#), ClusterError::Empty.to_string());
        let second = |of: &str| {
            let json = r#"{"groups": [{"nodes": 1, "gpus": 1}, {OF}]}"#;
            error(&json.replace("OF", of))
        };
        assert!(
            second(r#""nodes": 0, "gpus": 1"#).starts_with("group 2: a cluster needs at least one")
        );
        assert!(
            second(r#""nodes": 1, "gpus": 1, "type": "a:b""#)
                .starts_with("group 2: 'a:b' is no name of a GPU type")
        );
        assert!(
            second(r#""nodes": 1, "gpus": 1, "speed": 0"#)
                .starts_with("group 2: 'speed=0' is no property of nodes")
        );
    }
}
