//! The formats that can be read, one file each.
//!
//! A new format is a file with a `FORMAT`, its `mod` line and its line in [`FORMATS`]. Tables
//! describe their columns with [`Plain`](super::columns::Plain); other formats bring an
//! [`Importer`] of their own. An importer is given one row at a time and keeps no text, so a
//! file can be fed in slices.

use super::detect::{Evidence, Sniff};
use super::error::OpenError;
use super::rows::Row;
use super::sink::Sink;

mod adaptdl;
mod generic_csv;
mod helios_converted;
mod helios_raw;
mod ms_itp;
mod muri;
mod philly_json;
mod philly_pollux;
mod swf;
mod tiresias;

/// Every format. Where two claim a file with the same weight, the first has it.
pub(crate) const FORMATS: &[&Format] = &[
    &ms_itp::FORMAT,
    &muri::FORMAT,
    &tiresias::FORMAT,
    &helios_raw::FORMAT,
    &helios_converted::FORMAT,
    &philly_json::FORMAT,
    &philly_pollux::FORMAT,
    &adaptdl::FORMAT,
    &swf::FORMAT,
    &generic_csv::FORMAT,
];

/// One format of trace.
pub(crate) struct Format {
    /// A stable name, such as `ms-itp`.
    pub(crate) id: &'static str,
    /// What people call it.
    pub(crate) title: &'static str,
    /// What speaks for a file being of this format; `None`: it is not.
    pub(crate) recognise: fn(&Sniff<'_>) -> Option<Evidence>,
    /// An importer for a file that was recognised.
    pub(crate) importer: fn(&Sniff<'_>) -> Result<Box<dyn Importer>, OpenError>,
}

/// Turns the rows of one file into records.
pub(crate) trait Importer {
    /// Keeps or drops one row. Headers, comments, blank lines and rows with a flaw do not come
    /// here.
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink);

    /// Looks at a comment line, without the character that marks it.
    fn comment(&mut self, _text: &str) {}

    /// After the last row.
    fn finish(&mut self, _sink: &mut Sink) {}

    /// How times and GPU counts were read: a sentence. Asked after [`finish`](Self::finish).
    fn units(&self) -> String;

    /// Whether rows have ids of their own, so that equal ones deserve a warning.
    fn named(&self) -> bool;
}
