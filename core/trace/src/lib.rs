//! Opening a trace: container → encoding → detection → one importer per format → import report.
//!
//! ```text
//! bytes ──container──▶ documents ──encoding──▶ text ──detect──▶ format ──import──▶ records
//! ```
//!
//! [`Opening`] takes the files that were dropped together, slice by slice, and gives a
//! [`Trace`]: the records as they stand in the file, in its order, with times in seconds; and an
//! [`ImportReport`] that says what the file was taken for, how its times were read, and which
//! rows were left out and why. No more of a file is held than a slice and what becomes of its
//! rows. [`open`] does the same with files that are in memory. What people decide after reading
//! the report is [`Choices`]. Nothing is repaired silently, and nothing panics: what cannot be
//! read is an [`OpenError`] with the next step. Turning records into runnable jobs is
//! the business of whoever runs them.
//!
//! A new format is one file in `formats/` and its line there.

#![forbid(unsafe_code)]

mod choices;
mod cluster_file;
mod cluster_files;
mod columns;
mod container;
mod copies;
mod detect;
mod distributions;
mod encoding;
mod error;
mod field_rows;
mod fixed;
mod format;
mod formats;
mod guess;
mod header;
mod import;
mod inspect;
mod keys;
mod known;
mod look;
mod manifest;
mod mapping;
mod objects;
mod opened;
mod opening;
mod options;
mod place;
mod pods;
mod rare;
mod read_columns;
mod record;
mod report;
mod review;
mod shared;
mod sink;
mod slurm;
mod sniff;
mod status;
#[cfg(test)]
mod testing;
mod text;
mod timestamp;
mod tres;
mod wording;
mod workload;

pub use choices::{ChoiceError, Choices, Fractions, OnCores, Oversized, Window};
pub use distributions::{Bin, Distributions};
pub use error::{OpenError, Role};
pub use formats::FORMAT_TITLES;
pub use header::{Header, HeaderLine};
pub use inspect::{Durations, GpuCounts, Inspection};
pub use mapping::{ColumnMapping, MappingError, MappingRole, TableHead, TimeRule};
pub use opened::{Member, Opened, Trace};
pub use opening::{Opening, OpeningProgress};
pub use options::OpenOptions;
pub use pods::{is_pod_list, read_fleet};
pub use rare::Rare;
pub use read_columns::ReadColumns;
pub use record::Record;
pub use report::{DropReason, Dropped, Example, ImportReport, Warning, WarningKind};
pub use switchyard_model::application::ProfileTable;
pub use switchyard_rows::date;
pub use timestamp::TimeUnit;
pub use wording::shorten;

use place::in_order;
pub(crate) use record::earliest;
use switchyard_model::{
    Finite, Index, Resource, Time, UnknownResource, application, cluster, job, meant, order,
    outages, percentile, seconds_of, spreadsheet, throughputs,
};
use switchyard_rows as rows;

/// A file as it was dropped or read.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a> {
    /// Its name, for messages; its ending means nothing.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Opens the files that belong together: one trace in one or several files, and perhaps a
/// cluster file; or a cluster file alone.
///
/// Several traces of one format are merged, in the order of their names. Then each file is told
/// apart by its tenants: its name is the tenant, or precedes it where the format has its own.
/// Files that are no trace are left out with a warning if there is a trace beside them.
///
/// # Errors
///
/// An [`OpenError`] if there is no trace and no cluster, if traces differ in format, or if a
/// container is damaged or too large.
pub fn open(files: &[SourceFile<'_>], options: &OpenOptions) -> Result<Opened, OpenError> {
    let mut opening = Opening::new(options.clone());
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    for file in in_order(&names).iter().filter_map(|&i| files.get(i)) {
        opening.begin(file.name)?;
        opening.push(file.bytes)?;
    }
    opening.finish()
}
