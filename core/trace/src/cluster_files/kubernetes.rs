//! Kubernetes' nodes in YAML, such as Alibaba's `openb_node_list_gpu_node.yaml` of 2023.
//!
//! A document, or an item of a list, is `kind: Node`; its GPUs are the first quantity below it of a
//! resource such as `alibabacloud.com/gpu-count` or `nvidia.com/gpu`. Nothing else is read, so no
//! YAML parser is needed.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2023/node_yaml`.

use crate::cluster_file::{ClusterKind, bad, of_machines};
use crate::error::{OpenError, shorten};
use crate::sniff::Shape;

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| {
        sniff.shape == Shape::Yaml && sniff.text.lines().any(|line| kind(line) == Some("Node"))
    },
    read: |sniff| {
        let mut nodes: Vec<Result<(u32, u32), OpenError>> = Vec::new();
        // Whether the GPUs of the last node have been told.
        let mut told = true;
        for (number, line) in (1u32..).zip(sniff.text.lines()) {
            if let Some(kind) = kind(line) {
                told = kind != "Node";
                if !told {
                    nodes.push(Ok((number, 0)));
                }
            } else if let (Some(count), false, Some(node)) = (gpus(line), told, nodes.last_mut()) {
                told = true;
                *node = count.parse().map(|gpus| (number, gpus)).map_err(|_| {
                    let why = format!("'{}' is no whole number: correct it", shorten(count));
                    bad(sniff, number, "gpu-count", why)
                });
            }
        }
        of_machines(sniff, "gpu-count", nodes.into_iter())
    },
};

/// What a line says an object is.
fn kind(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '-']);
    Some(line.strip_prefix("kind:")?.trim())
}

/// The number of GPUs a line tells.
fn gpus(line: &str) -> Option<&str> {
    let (key, value) = line.rsplit_once(':')?;
    let key = key.trim();
    let is = key.ends_with("/gpu-count") || key.ends_with("nvidia.com/gpu");
    is.then(|| value.trim().trim_matches(['\'', '"']))
}

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    const LIST: &str = include_str!("../../../../tests/fixtures/kubernetes_nodes.yaml");

    #[test]
    fn nodes_are_documents() {
        let Ok(Opened::Cluster(cluster)) = try_open("nodes.yaml", LIST.as_bytes()) else {
            panic!("no cluster");
        };
        assert_eq!(cluster.to_string(), "1x8+1x2");
        let error = try_open("nodes.yaml", LIST.replace("'8'", "many").as_bytes());
        assert_eq!(
            error.unwrap_err().to_string(),
            "nodes.yaml, line 29, column gpu-count: 'many' is no whole number: correct it"
        );
    }

    #[test]
    fn pods_are_no_nodes() {
        let error = try_open("pods.yaml", b"apiVersion: v1\nkind: Pod\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "pods.yaml is not a job trace: it is YAML without nodes of a cluster: open a table of jobs"
        );
    }
}
