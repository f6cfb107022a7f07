//! Kubernetes' nodes in YAML or JSON, as `kubectl get nodes -o yaml` (or `json`) prints them, and such as
//! Alibaba's `openb_node_list_gpu_node.yaml` of 2023.
//!
//! The GPUs of a `kind: Node` are what it can give (`allocatable`), else has (`capacity`), of a resource such
//! as `nvidia.com/gpu`, `amd.com/gpu` or `alibabacloud.com/gpu-count`; slices of GPUs
//! (`nvidia.com/mig-1g.10gb`) are each one. A label that ends in `gpu-card-model` or
//! `gpu.product` and the like names their type. Labels that count GPUs count only where
//! no resource does.
//!
//! Source: <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/>;
//! <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2023/node_yaml`.

use crate::cluster_file::{ClusterKind, Machine, bad, of_machines};
use crate::error::OpenError;
use crate::manifest::{Manifest, objects};
use crate::rows::number;
use crate::sniff::{Shape, Sniff};
use crate::wording::shorten;

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| match sniff.shape {
        Shape::Yaml => {
            let mut lines = sniff.text.lines();
            lines.any(|line| matches!(kind(line), Some("Node" | "NodeList")))
        }
        Shape::JsonObject => {
            let is_object = sniff.has(&["kind"]) || sniff.has(&["items"]);
            is_object
                && objects(sniff.text)
                    .iter()
                    .any(|object| object.kind == "Node")
        }
        Shape::JsonArray => {
            sniff.has(&["kind", "metadata", "status"])
                && objects(sniff.text)
                    .iter()
                    .any(|object| object.kind == "Node")
        }
        _ => false,
    },
    read: |sniff| {
        let nodes = objects(sniff.text);
        let nodes = nodes.iter().filter(|object| object.kind == "Node");
        let mut machines = Vec::new();
        for node in nodes {
            match machines_of(sniff, &node.it) {
                Ok(of_node) => machines.extend(of_node.into_iter().map(Ok)),
                Err(error) => machines.push(Err(error)),
            }
        }
        of_machines(sniff, "gpu-count", &mut machines.into_iter())
    },
};

/// What a line says an object is.
fn kind(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '-']);
    let kind = line.strip_prefix("kind:")?;
    let kind = kind.split('#').next().unwrap_or(kind).trim();
    Some(kind.trim_matches(['\'', '"']))
}

/// A machine for each type of a node's GPUs.
fn machines_of(sniff: &Sniff<'_>, node: &Manifest) -> Result<Vec<Machine>, OpenError> {
    let labels = node.map(&["metadata", "labels"]);
    let label = |endings: &[&str]| {
        let mut labels = labels.iter();
        let found = labels.find(|(key, _)| endings.iter().any(|ending| key.ends_with(ending)));
        found.map_or("", |(_, value)| value.text(&[]))
    };
    let product = label(&[
        "gpu-card-model",
        "gpu.product",
        "gpu.product-name",
        "gke-accelerator",
        "instance-gpu-name",
        "gpu.nvidia.com/model",
    ]);
    let resources = ["allocatable", "capacity"].map(|of| node.map(&["status", of]));
    let mut kinds: Vec<(String, u32)> = Vec::new();
    for resources in resources {
        let counted = resources
            .iter()
            .filter_map(|(key, value)| Some((resource(key)?, value)));
        for (slice, value) in counted {
            let count = value.text(&[]).parse().map_err(|_| {
                let why = format!(
                    "'{}' is no whole number: correct it",
                    shorten(value.text(&[]))
                );
                bad(sniff, value.line(), "gpu-count", why)
            })?;
            let kind = match slice {
                "" => product.to_owned(),
                slice if product.is_empty() => slice.to_owned(),
                slice => format!("{product}-{slice}"),
            };
            if count > 0 {
                kinds.push((kind, count));
            }
        }
        if !kinds.is_empty() {
            break;
        }
    }
    if resources.iter().all(|of| of.is_empty())
        && let Ok(count) = label(&["gpu-count", "gpu.count"]).parse()
    {
        kinds.push((product.to_owned(), count));
    }
    let figure = |key: &str| {
        let mut texts = ["allocatable", "capacity"]
            .into_iter()
            .map(|of| node.text(&["status", of, key]));
        texts.find(|text| !text.is_empty()).map_or(0.0, quantity)
    };
    let machine = Machine {
        line: node.line(),
        cores: figure("cpu"),
        memory: figure("memory") / 1_073_741_824.0,
        ..Machine::default()
    };
    Ok(machine.by_kind(&kinds, sniff.unit))
}

/// The slice of a GPU that a resource counts; "" for whole ones, `None` for what is none.
fn resource(key: &str) -> Option<&str> {
    match key.rsplit_once('/')?.1 {
        "gpu" | "gpu-count" | "gpu.shared" => Some(""),
        other => other.strip_prefix("mig-"),
    }
}

/// A quantity such as `64000m`, `1024Mi` or `2Ti`; 0 where it is none.
fn quantity(text: &str) -> f64 {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let kibi = |power: i32| (0..power).fold(1.0, |unit, _| unit * 1024.0);
    let unit = match text.get(digits.len()..) {
        Some("") => 1.0,
        Some("m") => 1e-3,
        Some("k") => 1e3,
        Some("M") => 1e6,
        Some("G") => 1e9,
        Some("T") => 1e12,
        Some("P") => 1e15,
        Some("Ki") => kibi(1),
        Some("Mi") => kibi(2),
        Some("Gi") => kibi(3),
        Some("Ti") => kibi(4),
        Some("Pi") => kibi(5),
        _ => 0.0,
    };
    number(digits).unwrap_or(0.0) * unit
}

#[cfg(test)]
mod tests {
    use crate::Opened;
    use crate::testing::try_open;

    const LIST: &str = include_str!("../../../../tests/fixtures/kubernetes_nodes.yaml");

    fn cluster(name: &str, text: &str) -> String {
        match try_open(name, text.as_bytes()) {
            Ok(Opened::Cluster(cluster)) => cluster.to_string(),
            other => panic!("no cluster: {other:?}"),
        }
    }

    #[test]
    fn nodes_are_documents() {
        assert_eq!(
            cluster("nodes.yaml", LIST),
            "1x8:v100/cores=96/memory=1+1x2:t4/cores=64+1x0/cores=96"
        );
        let error = try_open("nodes.yaml", LIST.replace("'8'", "many").as_bytes());
        assert_eq!(
            error.unwrap_err().to_string(),
            "nodes.yaml, line 29, column gpu-count: 'many' is no whole number: correct it"
        );
    }

    /// A node as people write it.
    fn node(labels: &str, resources: &str) -> String {
        format!(
            "metadata:\n  labels:\n    x: y\n{labels}status:\n  allocatable:\n    cpu: \"64\"\n    memory: 2Ti\n{resources}"
        )
    }

    #[test]
    fn however_it_begins() {
        let product = "    nvidia.com/gpu.product: Tesla-T4 # small\n";
        let node = node(product, "    nvidia.com/gpu: \"4\"\n");
        let expected = "2x4:t4/cores=64/memory=2048";
        for begin in [
            "# of the lab\n# apply with kubectl\n---\napiVersion: v1\nkind: Node\n",
            "kind: Node\napiVersion: v1\n",
            "---\nkind: \"Node\" # one\n",
            "\n\nkind: 'Node'\n",
        ] {
            let text = format!("{begin}{node}---\n{begin}{node}");
            assert_eq!(cluster("nodes.yaml", &text), expected, "{begin}");
        }
        let items = node.replace('\n', "\n  ");
        let items =
            format!("kind: List\nitems:\n- kind: Node\n  {items}\n- kind: Node\n  {items}\n");
        assert_eq!(cluster("nodes.yaml", &items), expected);
    }

    #[test]
    fn labels_are_no_counts() {
        let labels = "    nvidia.com/gpu: \"true\"\n    nvidia.com/gpu.count: \"8\"\n";
        let text = node(labels, "    nvidia.com/gpu: 2\n");
        assert_eq!(
            cluster("n.yaml", &format!("kind: Node\n{text}")),
            "1x2/cores=64/memory=2048"
        );
    }

    #[test]
    fn other_makers_and_slices() {
        let amd = node(
            "    amd.com/gpu.product-name: AMD_Instinct_MI210\n",
            "    amd.com/gpu: \"4\"\n",
        );
        assert_eq!(
            cluster("n.yaml", &format!("kind: Node\n{amd}")),
            "1x4:mi210/cores=64/memory=2048"
        );
        let slices = node(
            "    nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB\n",
            "    nvidia.com/gpu: 0\n    nvidia.com/mig-1g.10gb: 7\n",
        );
        assert_eq!(
            cluster("n.yaml", &format!("kind: Node\n{slices}")),
            "1x7:a100-80/gpu-memory=10/speed=0.306/cores=64/memory=2048"
        );
        let long = node(
            "    nvidia.com/gpu.product: NVIDIA-Imagined-Accelerator-X1-Extended-Memory\n",
            "    nvidia.com/gpu: 8\n",
        );
        assert_eq!(
            cluster("n.yaml", &format!("kind: Node\n{long}")),
            "1x8:imagined-accelerator-x1-extended/speed=1/cores=64/memory=2048"
        );
    }

    #[test]
    fn as_json() {
        let node = r#""metadata": {"labels": {"nvidia.com/gpu.product": "Tesla-V100-SXM2-32GB"}}, "status": {"capacity": {"cpu": "64", "nvidia.com/gpu": "8"}}"#;
        let expected = "1x8:v100-32/cores=64";
        for text in [
            format!(
                "{{\"apiVersion\": \"v1\", \"items\": [{{\"kind\": \"Node\", {node}}}], \"kind\": \"List\"}}"
            ),
            format!("{{\"kind\": \"NodeList\", \"items\": [{{{node}}}]}}"),
            format!("{{\"kind\": \"Node\", {node}}}"),
            format!("[{{\"kind\": \"Node\", {node}}}]"),
        ] {
            assert_eq!(cluster("nodes.json", &text), expected, "{text}");
        }
    }

    #[test]
    fn services_are_neither_nodes_nor_jobs() {
        let error = try_open("s.yaml", b"apiVersion: v1\nkind: Service\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "s.yaml is not a job trace: it is YAML without nodes of a cluster, pods or jobs of Kubernetes: open a table of jobs"
        );
    }
}
