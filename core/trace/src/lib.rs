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
mod encoding;
mod error;
mod fixed;
mod format;
mod formats;
mod guess;
mod header;
mod import;
mod inspect;
mod keys;
mod known;
mod manifest;
mod mapping;
mod objects;
mod opening;
mod place;
mod pods;
mod rare;
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
pub use container::ReadColumns;
pub use error::{OpenError, Role};
pub use header::{Header, HeaderLine};
pub use inspect::{Bin, Distributions, Durations, GpuCounts, Inspection};
pub use mapping::{ColumnMapping, MappingError, MappingRole, TableHead, TimeRule};
pub use opening::{Opening, Progress};
pub use pods::{is_pod_list, read_fleet};
pub use rare::Rare;
pub use report::{DropReason, Dropped, Example, ImportReport, Warning, WarningKind};
pub use switchyard_model::application::ProfileTable;
pub use switchyard_rows::date;
pub use timestamp::Unit;
pub use wording::shorten;

use crate::cluster::ClusterSpec;
use crate::job::{Demand, JobName, Status, TypeSet};
use container::in_order;
use outages::Outages;
use serde::{Deserialize, Serialize};
use switchyard_model::workload::Labels;
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

/// How to open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenOptions {
    /// The archive's member to open, by its path, its file name, or that without ending;
    /// `None`: all members, merged.
    pub member: Option<String>,
    /// Bytes that all files together may have, decompressed; more is
    /// [`OpenError::TooLarge`].
    pub max_bytes: u64,
    /// Rows that all files together may have; more is [`OpenError::TooManyRows`]. A row that
    /// becomes a record takes about two hundred bytes with its name.
    pub max_rows: u64,
    /// Bytes that may be held at once of what cannot be read in slices: zip archives, JSON
    /// objects, rows that do not end; more is [`OpenError::TooLargeToHold`].
    pub max_held: u64,
    /// Which columns of a table hold what, where it is not to be told from the file itself.
    pub mapping: Option<ColumnMapping>,
    /// What jobs are counted in.
    pub unit: Resource,
    /// Whether jobs that ask for cores and no GPU are kept, where GPUs are counted.
    #[serde(default)]
    pub keep_on_cores: bool,
}

impl Default for OpenOptions {
    /// All members; 2 GiB, of which all may be held, and 16 million rows, or 1 GiB, half of it,
    /// and 5 million where addresses have 32 bits. The largest published trace has 7.5 million.
    fn default() -> Self {
        let (max_bytes, max_held, max_rows) = if usize::BITS > 32 {
            (2 << 30, 2 << 30, 16_000_000)
        } else {
            (1 << 30, 1 << 29, 5_000_000)
        };
        Self {
            member: None,
            max_bytes,
            max_rows,
            max_held,
            mapping: None,
            unit: Resource::default(),
            keep_on_cores: false,
        }
    }
}

/// What files turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(
    clippy::large_enum_variant,
    reason = "made once per opening, and its owner takes it apart at once"
)]
pub enum Opened {
    /// A trace, with a cluster if one lay beside it.
    Trace(Trace),
    /// A cluster file alone.
    Cluster(ClusterSpec),
    /// Profiles of applications, without a trace.
    Profiles(Vec<ProfileTable>),
    /// A list of outages alone.
    Outages(Outages),
}

impl Opened {
    /// Whether jobs that ask for no GPU were left out although the cluster, the one asked for or the trace's, says how
    /// many cores it has: then the files are to be opened once more, with those that [ask for cores](OpenOptions::keep_on_cores).
    pub fn lacks_those_on_cores(&self, options: &OpenOptions, asked: Option<&ClusterSpec>) -> bool {
        let Self::Trace(trace) = self else {
            return false;
        };
        let cluster = asked.or(trace.cluster.as_ref());
        let has_cores = cluster.is_some_and(ClusterSpec::tells_cores);
        let counts_gpus = options.unit.is_default() && !options.keep_on_cores;
        let dropped = || trace.report.count(DropReason::NoGpus) > 0;
        has_cores && counts_gpus && dropped()
    }
}

/// A trace as it stands in its files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The format's stable name, such as `ms-itp`.
    pub format: String,
    /// What people call the format.
    pub title: String,
    /// The jobs, member by member, each in its file's order. At least one.
    pub records: Vec<Record>,
    /// Names of the tenants that records refer to, in order of appearance.
    pub tenants: Vec<String>,
    /// Names of the models that records refer to, in order of appearance.
    pub models: Vec<String>,
    /// Canonical names of the GPU types that records refer to, in order of appearance.
    pub gpu_types: Vec<String>,
    /// Users, accounts, partitions and the like that records refer to.
    pub labels: Labels,
    /// The nodes that records refer to, in the words of the log.
    pub node_names: Vec<String>,
    /// What records count: `gpus` of each are so many of it, and so are those of the cluster.
    pub unit: Resource,
    /// The cluster, from a file opened along with the trace.
    pub cluster: Option<ClusterSpec>,
    /// Unix seconds of the earliest submission, where the trace tells absolute time.
    pub epoch: Option<f64>,
    /// The files that the records came from, in the records' order.
    pub members: Vec<Member>,
    /// The settings of an experiment, where the file is one of ours.
    pub header: Option<Header>,
    /// Profiles of applications that lay beside it.
    pub profiles: Vec<ProfileTable>,
    /// Outages of nodes that lay beside it.
    pub outages: Outages,
    /// What happened on the way.
    pub report: ImportReport,
}

impl Trace {
    /// Whether it is a cluster's own log, as its scheduler keeps or prints it.
    pub fn is_accounting(&self) -> bool {
        formats::is_accounting(&self.format)
    }
}

/// One file of a trace: a member of an archive, or the file itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The path in the archive, or the file's name.
    pub name: String,
    /// How many of the trace's records it gave.
    pub jobs: u32,
}

/// One job as a trace tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The line it begins on in its file, from 1.
    pub line: u32,
    /// The job's id, not necessarily unique; the line where the format has none.
    pub name: JobName,
    /// Seconds: since 1970 where [`Trace::epoch`] is known and times are absolute, else since
    /// whatever the file calls 0. At least 0.
    pub submit: f64,
    /// Seconds it ran; > 0 and finite.
    pub duration: f64,
    /// When it began, on the submission's clock, as [`RecordedRun`](switchyard_model::workload::RecordedRun) has it; not told: `None`.
    pub start: Option<Finite>,
    /// The GPU types that it ran on, by their index in [`Trace::gpu_types`]; any: not told.
    pub ran_on: TypeSet,
    /// GPUs it asked for, rounded up; none where it asks for cores alone.
    pub gpus: u32,
    /// How much of the last of them it asked for: 1, or less where it asked for a fraction.
    pub share: f32,
    /// Index into [`Trace::tenants`].
    pub tenant: Option<u32>,
    /// Its combination of [`Trace::labels`].
    pub labels: Option<Index>,
    /// Index into [`Trace::node_names`].
    pub nodes: Option<Index>,
    /// Its priority, as its scheduler counted it.
    pub priority: Option<Finite>,
    /// Index into [`Trace::models`].
    pub model: Option<u32>,
    /// What it asked for besides GPUs: types by their index in [`Trace::gpu_types`].
    pub demand: Demand,
    /// How it ended.
    pub status: Status,
    /// What few records tell, apart, so that the others take no room for it.
    pub rare: Option<Box<Rare>>,
}

impl Record {
    /// A gang for so many seconds: of no name and nobody, and nothing else is told of it.
    pub fn plain(line: u32, submit: f64, gpus: u32, duration: f64) -> Self {
        Self {
            line,
            name: JobName::default(),
            submit,
            duration,
            start: None,
            ran_on: TypeSet::ANY,
            gpus,
            share: 1.0,
            tenant: None,
            labels: None,
            nodes: None,
            priority: None,
            model: None,
            demand: Demand::default(),
            status: Status::Unknown,
            rare: None,
        }
    }

    /// The same with a batch size, or without.
    #[must_use]
    pub fn with_batch(mut self, batch: Option<u32>) -> Self {
        self.set_batch(batch);
        self
    }

    /// The same with the seconds of attempts that failed.
    #[must_use]
    pub fn with_attempts(mut self, attempts: Vec<f64>) -> Self {
        self.set_attempts(attempts);
        self
    }

    /// The total batch size it asked for, samples; where it is known, the model is an
    /// application by name.
    pub fn batch(&self) -> Option<u32> {
        self.rare.as_ref()?.batch
    }

    /// Seconds of the attempts that failed before the last one, which are a part of its duration.
    pub fn attempts(&self) -> &[f64] {
        self.rare.as_ref().map_or(&[], |rare| &rare.attempts)
    }

    pub(crate) fn set_batch(&mut self, batch: Option<u32>) {
        if self.rare.is_some() || batch.is_some() {
            self.rare.get_or_insert_default().batch = batch;
        }
    }

    pub(crate) fn set_attempts(&mut self, attempts: Vec<f64>) {
        if self.rare.is_some() || !attempts.is_empty() {
            self.rare.get_or_insert_default().attempts = attempts;
        }
    }

    /// It takes so many times as long, each of its attempts alike, and asks for it.
    fn stretch(&mut self, factor: f64) {
        self.duration *= factor;
        self.demand.time = self.demand.time.map(|time| time * factor);
        if let Some(rare) = &mut self.rare {
            rare.attempts.iter_mut().for_each(|of| *of *= factor);
        }
    }
}

/// The earliest submission; 0 where there are no records.
pub(crate) fn earliest(records: &[Record]) -> f64 {
    let submits = records.iter().map(|record| record.submit);
    let least = submits.reduce(|a, b| if b < a { b } else { a });
    least.unwrap_or(0.0)
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
