//! Files that lie beside traces and describe the cluster, one kind each. Opened with a trace such
//! a file becomes its cluster; alone it is one.
//!
//! They are small and read as a whole: one of more than [`MAX_BYTES`] is none.

mod alibaba_nodes;
mod gavel_specs;
mod helios_gpus;
mod kubernetes;
mod lingjun_hosts;
mod own;
mod pai_machines;
mod philly_machines;
mod slurm_nodes;
mod tiresias;

use super::cluster_file::{ClusterFile, ClusterKind};
use super::error::OpenError;
use super::sniff::Sniff;
use crate::cluster::NodeGroup;
pub(crate) use slurm_nodes::read_together;

const KINDS: [&ClusterKind; 15] = [
    &tiresias::KIND,
    &alibaba_nodes::V2023,
    &alibaba_nodes::SPOT,
    &alibaba_nodes::V2026,
    &lingjun_hosts::KIND,
    &kubernetes::KIND,
    &helios_gpus::KIND,
    &pai_machines::KIND,
    &philly_machines::KIND,
    &gavel_specs::KIND,
    &slurm_nodes::PAIRS,
    &slurm_nodes::SINFO,
    &slurm_nodes::JSON,
    &slurm_nodes::SINFO_JSON,
    &own::KIND,
];

/// Which kind a file is, if any.
pub(crate) fn recognise(sniff: &Sniff<'_>) -> Option<&'static ClusterKind> {
    KINDS.into_iter().find(|kind| (kind.recognise)(sniff))
}

/// Whether it is read [together](read_together) with others of its kind.
pub(crate) fn has_parts(kind: &ClusterKind) -> bool {
    std::ptr::eq(kind, &slurm_nodes::PAIRS)
}

/// A file that describes a cluster has at most this many bytes: the largest that is known has
/// 0.6 MB. Its rows are all held at once.
const MAX_BYTES: usize = 1 << 26;

/// Reads a file of a kind.
pub(crate) fn read(kind: &ClusterKind, sniff: &Sniff<'_>) -> Result<ClusterFile, OpenError> {
    if sniff.text.len() > MAX_BYTES {
        return Err(OpenError::NotATrace {
            file: sniff.file.to_owned(),
            why: format!(
                "it looks like a description of a cluster, but has more than {MAX_BYTES} bytes: cut it to a row per node, or write the cluster as NODESxGPUS"
            ),
        });
    }
    let mut cluster = (kind.read)(sniff)?;
    if cluster.unit != sniff.unit {
        let says = |group: &NodeGroup| group.kind.cores.is_some();
        let why = if cluster.spec.groups().iter().all(says) {
            match cluster.spec.in_cores() {
                Ok(spec) => {
                    cluster.spec = spec;
                    return Ok(cluster);
                }
                Err(why) => why.to_string(),
            }
        } else {
            "it does not tell the cores of its nodes, which are counted here: name the cluster as NODESxCORES".to_owned()
        };
        return Err(OpenError::NotATrace {
            file: sniff.file.to_owned(),
            why: format!("it describes a cluster, and {why}"),
        });
    }
    Ok(cluster)
}
