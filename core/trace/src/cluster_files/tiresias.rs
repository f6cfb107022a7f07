//! The cluster files of Tiresias and Muri: a header, and one row such as `1,15,4,128,256`.
//!
//! `num_switch` × `num_node_p_switch` nodes of `num_gpu_p_node` GPUs; CPUs and memory are not
//! used. Opened beside a trace such a file becomes its cluster; alone it is one.

use crate::cluster::ClusterSpec;
use crate::cluster_file::{ClusterFile, ClusterKind, bad, rows, whole};
use crate::error::OpenError;
use crate::sniff::Sniff;

const SWITCHES: &str = "num_switch";
const NODES: &str = "num_node_p_switch";
const GPUS: &str = "num_gpu_p_node";

pub(super) const KIND: ClusterKind = ClusterKind {
    recognise: |sniff| sniff.has(&[SWITCHES, NODES, GPUS]),
    read,
};

fn read(sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    let mut cluster = None;
    for row in rows(sniff) {
        if cluster.is_some() {
            let why = "a cluster has one row: remove the others".to_owned();
            return Err(bad(sniff, row.line, SWITCHES, why));
        }
        let count = |name: &str| whole(sniff, &row, name);
        let (switches, nodes, gpus) = (count(SWITCHES)?, count(NODES)?, count(GPUS)?);
        let nodes = switches.saturating_mul(nodes);
        let spec = ClusterSpec::uniform(nodes, gpus);
        let spec = spec.map_err(|error| bad(sniff, row.line, GPUS, error.to_string()))?;
        cluster = Some(ClusterFile {
            unit: crate::Resource::Gpus,
            how: format!("{}: {switches} switches with {} nodes.", sniff.file, nodes),
            spec,
        });
    }
    cluster.ok_or_else(|| OpenError::HeaderOnly {
        file: sniff.file.to_owned(),
        what: "a cluster".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::try_open;
    use crate::{OpenOptions, Opened, SourceFile, open};

    const CLUSTER: &[u8] = include_bytes!("../../../../tests/fixtures/tiresias_cluster.csv");

    #[test]
    fn alone_it_is_a_cluster() {
        let Ok(Opened::Cluster(cluster)) = try_open("cluster.csv", CLUSTER) else {
            panic!("no cluster");
        };
        assert_eq!(cluster.to_string(), "30x4");
    }

    #[test]
    fn beside_a_trace_it_is_its_cluster() {
        let jobs = include_bytes!("../../../../tests/fixtures/tiresias.csv");
        let files = [
            SourceFile {
                name: "cluster.csv",
                bytes: CLUSTER,
            },
            SourceFile {
                name: "jobs.csv",
                bytes: jobs,
            },
        ];
        let Ok(Opened::Trace(trace)) = open(&files, &OpenOptions::default()) else {
            panic!("no trace");
        };
        assert_eq!(
            trace.cluster.map(|c| c.to_string()),
            Some("30x4".to_owned())
        );
        assert_eq!((trace.records.len(), trace.members.len()), (3, 1));
    }

    #[test]
    fn two_clusters_are_one_too_many() {
        let other = b"num_switch,num_node_p_switch,num_gpu_p_node\n1,1,8\n";
        let file = |name, bytes| SourceFile { name, bytes };
        let files = [file("a.csv", CLUSTER), file("b.csv", other)];
        let error = open(&files, &OpenOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.csv and b.csv describe different clusters: open only one of them"
        );
    }

    #[test]
    fn what_makes_no_cluster_is_told() {
        let header = "num_switch,num_node_p_switch,num_gpu_p_node";
        for (rows, message) in [
            (
                "1,15,four",
                "c.csv, line 2, column num_gpu_p_node: 'four' is no whole number: correct it",
            ),
            (
                "1,,4",
                "c.csv, line 2, column num_node_p_switch: '' is no whole number: correct it",
            ),
            (
                "1,1,4\n1,1,4",
                "c.csv, line 3, column num_switch: a cluster has one row: remove the others",
            ),
            (
                "1,0,4",
                "c.csv, line 2, column num_gpu_p_node: a cluster needs at least one node with at least one GPU",
            ),
            (
                "",
                "c.csv has a header (a cluster) but no rows: check that it was downloaded whole",
            ),
        ] {
            let text = format!("{header}\n{rows}\n");
            let error = try_open("c.csv", text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
