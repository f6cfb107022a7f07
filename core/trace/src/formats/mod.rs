//! The formats that can be read, one file each.
//!
//! A new format is a file with a `FORMAT`, its `mod` line and its line in [`FORMATS`]. Tables
//! describe their columns with [`Plain`](super::columns::Plain); other formats bring an
//! [`Importer`] of their own. An importer is given one row at a time and keeps no text, so a
//! file can be fed in slices.

use super::format::Format;

mod acme;
mod adaptdl;
mod alibaba_spot_2026;
mod alibaba_v2023;
mod alibaba_v2025;
mod batsim;
mod chronus;
mod elasticflow;
mod experiment;
mod gavel;
mod generic_csv;
mod helios_converted;
mod helios_raw;
mod kubernetes;
mod lumos;
mod mit_supercloud;
mod ms_itp;
mod muri;
mod pai_v2020;
mod pbs;
mod philly_json;
mod philly_lumos;
mod philly_pollux;
mod rubick;
mod sacct;
mod scontrol;
mod sge;
mod shockwave;
mod slurm_json;
mod swf;
mod synergy;
mod tiresias;

pub(crate) use pai_v2020::join;
pub(crate) use swf::is_job as is_swf_job;

/// Every format. Where two claim a file with the same weight, the first has it.
pub(crate) const FORMATS: &[&Format] = &[
    &experiment::FORMAT,
    &ms_itp::FORMAT,
    &elasticflow::FORMAT,
    &muri::FORMAT,
    &chronus::FORMAT,
    &tiresias::FORMAT,
    &acme::KALOS,
    &acme::SEREN,
    &helios_raw::FORMAT,
    &helios_converted::FORMAT,
    &philly_json::FORMAT,
    &philly_lumos::FORMAT,
    &philly_pollux::FORMAT,
    &lumos::FORMAT,
    &pai_v2020::FORMAT,
    &alibaba_v2023::FORMAT,
    &alibaba_v2025::FORMAT,
    &alibaba_spot_2026::FORMAT,
    &gavel::FORMAT,
    &shockwave::FORMAT,
    &synergy::FORMAT,
    &rubick::FORMAT,
    &batsim::FORMAT,
    &batsim::JOBS,
    &sacct::FORMAT,
    &slurm_json::ACCOUNTING,
    &slurm_json::QUEUE,
    &scontrol::FORMAT,
    &kubernetes::FORMAT,
    &pbs::FORMAT,
    &sge::FORMAT,
    &mit_supercloud::FORMAT,
    &adaptdl::FORMAT,
    &swf::FORMAT,
    GENERIC,
];

/// What people call the formats, in the table's order: known to programs that read none.
pub const FORMAT_TITLES: [&str; FORMATS.len()] = {
    let mut titles = [""; FORMATS.len()];
    let mut at = 0;
    while at < titles.len() {
        titles[at] = FORMATS[at].title;
        at += 1;
    }
    titles
};

/// Whether the format of that name is a cluster's own log.
pub(crate) fn is_accounting(id: &str) -> bool {
    FORMATS.iter().any(|of| of.id == id && of.accounting)
}

/// The format of tables that are of no other.
pub(crate) const GENERIC: &Format = &generic_csv::FORMAT;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_schedulers_keep_is_told_from_published_traces() {
        let logs = FORMATS.iter().filter(|of| is_accounting(of.id));
        let logs: Vec<&str> = logs.map(|of| of.id).collect();
        assert_eq!(
            logs,
            [
                "sacct",
                "sacct-json",
                "squeue-json",
                "scontrol",
                "kubernetes",
                "pbs",
                "sge"
            ]
        );
    }
}
