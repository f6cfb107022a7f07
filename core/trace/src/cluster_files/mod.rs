//! Files that lie beside traces and describe the cluster, one kind each. Opened with a trace such
//! a file becomes its cluster; alone it is one.
//!
//! They are small and read as a whole.

mod alibaba_nodes;
mod gavel_specs;
mod helios_gpus;
mod kubernetes;
mod lingjun_hosts;
mod native;
mod pai_machines;
mod philly_machines;
mod slurm_nodes;
mod tiresias;

use super::cluster_file::ClusterKind;
pub(crate) use super::cluster_file::read;
use super::sniff::Sniff;
pub(crate) use slurm_nodes::read_together;

const KINDS: &[&ClusterKind] = &[
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
    &native::KIND,
];

/// Which kind a file is, if any.
pub(crate) fn recognise(sniff: &Sniff<'_>) -> Option<&'static ClusterKind> {
    let mut kinds = KINDS.iter().copied();
    kinds.find(|kind| (kind.recognise)(sniff))
}

/// Whether it is read [together](read_together) with others of its kind.
pub(crate) fn has_parts(kind: &ClusterKind) -> bool {
    std::ptr::eq(kind, &slurm_nodes::PAIRS)
}
