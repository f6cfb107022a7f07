//! Kubernetes' nodes in YAML, such as Alibaba's `openb_node_list_gpu_node.yaml` of 2023.
//!
//! A document, or an item of a list, is `kind: Node`; its GPUs are the first quantity below it of a
//! resource such as `alibabacloud.com/gpu-count` or `nvidia.com/gpu`, their type the label that ends in
//! `gpu-card-model` or `gpu.product`, `cpu` and `memory` the first of each. Nothing else is read, so no
//! YAML parser is needed.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2023/node_yaml`.

use crate::cluster_file::{ClusterKind, Machine, bad, of_machines};
use crate::error::{OpenError, shorten};
use crate::rows::number;
use crate::sniff::Shape;

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| {
        sniff.shape == Shape::Yaml && sniff.text.lines().any(|line| kind(line) == Some("Node"))
    },
    read: |sniff| {
        let mut nodes: Vec<Result<Machine, OpenError>> = Vec::new();
        // Whether the GPUs of the last node have been told.
        let mut told = true;
        for (number, line) in (1u32..).zip(sniff.text.lines()) {
            if let Some(kind) = kind(line) {
                told = kind != "Node";
                if !told {
                    nodes.push(Ok(Machine {
                        line: number,
                        ..Machine::default()
                    }));
                }
            } else if let (Some(count), false, Some(node)) = (gpus(line), told, nodes.last_mut()) {
                told = true;
                let gpus = count.parse().map_err(|_| {
                    let why = format!("'{}' is no whole number: correct it", shorten(count));
                    bad(sniff, number, "gpu-count", why)
                });
                match (gpus, &mut *node) {
                    (Ok(gpus), Ok(machine)) => machine.gpus = gpus,
                    (Err(error), _) => *node = Err(error),
                    _ => {}
                }
            } else if let Some(Ok(node)) = nodes.last_mut() {
                besides(line, node);
            }
        }
        of_machines(sniff, "gpu-count", &mut nodes.into_iter())
    },
};

/// What a line says an object is.
fn kind(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '-']);
    Some(line.strip_prefix("kind:")?.trim())
}

/// What else a line tells of a node, the first time it does.
fn besides(line: &str, node: &mut Machine) {
    let Some((key, value)) = line.rsplit_once(':') else {
        return;
    };
    let (key, value) = (key.trim(), value.trim().trim_matches(['\'', '"']));
    if key.ends_with("gpu-card-model") || key.ends_with("gpu.product") {
        value.clone_into(&mut node.gpu);
    } else if key == "cpu" && node.cores == 0.0 {
        node.cores = quantity(value);
    } else if key == "memory" && node.memory == 0.0 {
        node.memory = quantity(value) / 1_073_741_824.0;
    }
}

/// A quantity such as `64000m` or `1024Mi`; 0 where it is none.
fn quantity(text: &str) -> f64 {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..) {
        Some("") => 1.0,
        Some("m") => 1e-3,
        Some("k") => 1e3,
        Some("M") => 1e6,
        Some("G") => 1e9,
        Some("Ki") => 1024.0,
        Some("Mi") => 1_048_576.0,
        Some("Gi") => 1_073_741_824.0,
        _ => 0.0,
    };
    number(digits).unwrap_or(0.0) * unit
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
        assert_eq!(
            cluster.to_string(),
            "1x8:v100/cores=96/memory=1+1x2:t4/cores=64"
        );
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
