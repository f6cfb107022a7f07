//! The cluster files of Tiresias and Muri: a header, and one row such as `1,15,4,128,256`.
//!
//! `num_switch` × `num_node_p_switch` nodes of `num_gpu_p_node` GPUs; CPUs and memory are not
//! used. Opened beside a trace such a file becomes its cluster; alone it is one.

use super::detect::{Sniff, is_header};
use super::error::{OpenError, shorten};
use super::rows::Table;
use crate::cluster::ClusterSpec;

const SWITCHES: &str = "num_switch";
const NODES: &str = "num_node_p_switch";
const GPUS: &str = "num_gpu_p_node";

/// Whether a table is such a file.
pub(crate) fn is_cluster(sniff: &Sniff<'_>) -> bool {
    sniff.has(&[SWITCHES, NODES, GPUS])
}

/// Reads the cluster.
pub(crate) fn read(sniff: &Sniff<'_>) -> Result<ClusterSpec, OpenError> {
    let bad = |line, column: &str, why: String| OpenError::BadCluster {
        file: sniff.file.to_owned(),
        line,
        column: column.to_owned(),
        why,
    };
    let mut table = Table::new(sniff.text, sniff.delimiter());
    let mut cluster = None;
    while let Some(row) = table.next() {
        if is_header(sniff, &row) {
            continue;
        }
        if cluster.is_some() {
            let why = "a cluster has one row: remove the others".to_owned();
            return Err(bad(row.line, SWITCHES, why));
        }
        let count = |name: &str| {
            let column = sniff.column(name);
            let cell = column.map_or("", |c| row.cell(c.index));
            let count: Result<u32, _> = cell.parse();
            count.map_err(|_| {
                let cell = shorten(cell);
                let why = format!("'{cell}' is no whole number: correct it");
                bad(row.line, name, why)
            })
        };
        let (switches, nodes, gpus) = (count(SWITCHES)?, count(NODES)?, count(GPUS)?);
        let nodes = switches.saturating_mul(nodes);
        let spec = ClusterSpec::uniform(nodes, gpus);
        cluster = Some(spec.map_err(|error| bad(row.line, GPUS, error.to_string()))?);
    }
    cluster.ok_or_else(|| OpenError::HeaderOnly {
        file: sniff.file.to_owned(),
        what: "a cluster".to_owned(),
    })
}
