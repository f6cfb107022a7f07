//! The formats that can be read, one file each.
//!
//! A new format is a file with a `FORMAT`, its `mod` line and its line in [`FORMATS`]. Tables
//! describe their columns with [`Plain`](super::columns::Plain); other formats bring an
//! [`Importer`] of their own. An importer is given one row at a time and keeps no text, so a
//! file can be fed in slices.

use super::detect::{Evidence, Sniff};
use super::error::OpenError;
use super::mapping::ColumnMapping;
use super::rows::Row;
use super::sink::Sink;

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
mod lumos;
mod mit_supercloud;
mod ms_itp;
mod muri;
mod pai_v2020;
mod philly_json;
mod philly_lumos;
mod philly_pollux;
mod rubick;
mod sacct;
mod shockwave;
mod swf;
mod synergy;
mod tiresias;

pub(crate) use generic_csv::tells_jobs;
pub(crate) use pai_v2020::{Half, join};
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
    &sacct::JSON,
    &mit_supercloud::FORMAT,
    &adaptdl::FORMAT,
    &swf::FORMAT,
    GENERIC,
];

/// The format of tables that are of no other.
pub(crate) const GENERIC: &Format = &generic_csv::FORMAT;

/// Makes an importer for a text that begins as told; the mapping is for tables that are of no
/// other format.
type MakeImporter = fn(&Sniff<'_>, Option<&ColumnMapping>) -> Result<Box<dyn Importer>, OpenError>;

/// One format of trace.
pub(crate) struct Format {
    /// A stable name, such as `ms-itp`.
    pub(crate) id: &'static str,
    /// What people call it.
    pub(crate) title: &'static str,
    /// What speaks for a file being of this format; `None`: it is not.
    pub(crate) recognise: fn(&Sniff<'_>) -> Option<Evidence>,
    /// An importer for a file that was recognised.
    pub(crate) importer: MakeImporter,
}

/// Turns the rows of one file into records.
pub(crate) trait Importer {
    /// Keeps or drops one row. Headers, comments, blank lines and rows with a flaw do not come
    /// here.
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink);

    /// Whether it reads the elements of a JSON array itself, as the only cell of a row. Other
    /// importers get a cell for each of the columns.
    fn reads_json(&self) -> bool {
        false
    }

    /// Reads a JSON object as a whole, in place of rows.
    fn document(&mut self, _text: &str, _sink: &mut Sink) {}

    /// Looks at a comment line, without the character that marks it.
    fn comment(&mut self, _text: &str) {}

    /// After the last row.
    fn finish(&mut self, _sink: &mut Sink) {}

    /// How times and GPU counts were read: a sentence. Asked after [`finish`](Self::finish).
    fn units(&self) -> String;

    /// Whether rows have ids of their own, so that equal ones deserve a warning.
    fn named(&self) -> bool;
}
