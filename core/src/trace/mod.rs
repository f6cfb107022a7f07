//! Opening a trace: container → encoding → detection → one importer per format → import report.
//!
//! ```text
//! SourceFile ──container──▶ documents ──encoding──▶ text ──detect──▶ format ──import──▶ records
//! ```
//!
//! [`open`] takes the files that were dropped together, as bytes, and gives a [`Trace`]: the
//! records as they stand in the file, in its order, with times in seconds; and an
//! [`ImportReport`] that says what the file was taken for, how its times were read, and which
//! rows were left out and why. Nothing is repaired silently, and nothing panics: what cannot be
//! read is an [`OpenError`] with the next step. Turning records into runnable jobs is
//! [`workload`](crate::workload)'s business.
//!
//! A new format is one file in `formats/` and its line there.

mod cluster_file;
mod columns;
pub(crate) mod container;
mod detect;
pub(crate) mod encoding;
mod error;
mod formats;
mod import;
mod inspect;
mod known;
mod report;
pub(crate) mod rows;
mod sink;
mod status;
#[cfg(test)]
mod testing;
mod timestamp;

pub use error::{OpenError, Role};
pub use inspect::{Durations, GpuCounts, Inspection};
pub use report::{DropReason, Dropped, Example, ImportReport, Warning, WarningKind};

use crate::cluster::ClusterSpec;
use crate::job::Status;
use container::{Document, Opener, in_order, stem};
use detect::Found;
use formats::Format;
use import::Imported;
use serde::{Deserialize, Serialize};
use sink::{Names, Sink};
use std::collections::BTreeMap;

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
}

impl Default for OpenOptions {
    /// All members; 2 GiB, or 1 GiB where addresses have 32 bits.
    fn default() -> Self {
        let gibibytes = if usize::BITS > 32 { 2 } else { 1 };
        Self {
            member: None,
            max_bytes: gibibytes << 30,
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
}

/// A trace as it stands in its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The cluster, from a file opened along with the trace.
    pub cluster: Option<ClusterSpec>,
    /// Unix seconds of the earliest submission, where the trace tells absolute time.
    pub epoch: Option<f64>,
    /// The files that the records came from, in the records' order.
    pub members: Vec<Member>,
    /// What happened on the way.
    pub report: ImportReport,
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
    pub name: Box<str>,
    /// Seconds: since 1970 where [`Trace::epoch`] is known and times are absolute, else since
    /// whatever the file calls 0. At least 0.
    pub submit: f64,
    /// Seconds it ran; > 0 and finite.
    pub duration: f64,
    /// GPUs it asked for; at least 1.
    pub gpus: u32,
    /// Index into [`Trace::tenants`].
    pub tenant: Option<u32>,
    /// Index into [`Trace::models`].
    pub model: Option<u32>,
    /// The total batch size it asked for, samples; where it is known, the model is an
    /// application by name.
    pub batch: Option<u32>,
    /// How it ended.
    pub status: Status,
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
    let mut opener = Opener::new(options.member.as_deref(), options.max_bytes);
    let mut collected = Collected::default();
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    for file in in_order(&names)
        .iter()
        .filter_map(|&index| files.get(index))
    {
        opener.open(file.name, file.bytes, &mut |document| {
            collected.take_in(document)
        })?;
    }
    if let (Some(member), false) = (&options.member, opener.found)
        && !opener.others.is_empty()
    {
        return Err(OpenError::NoSuchMember {
            file: names.join(" with "),
            member: member.clone(),
            members: opener.others,
        });
    }
    collected.finish()
}

/// What was found so far.
#[derive(Default)]
struct Collected {
    parts: Vec<Part>,
    cluster: Option<(String, ClusterSpec)>,
    /// Why the other files are neither.
    refusals: Vec<OpenError>,
}

/// The trace in one file.
struct Part {
    /// The file, for messages.
    file: String,
    /// The member's path, or the file's name.
    name: String,
    format: &'static Format,
    recognised: String,
    imported: Imported,
}

impl Collected {
    fn take_in(&mut self, document: Result<Document<'_>, OpenError>) -> Result<(), OpenError> {
        match document.and_then(|document| self.look_at(&document)) {
            Err(error @ OpenError::SeveralClusters { .. }) => Err(error),
            Err(error) => {
                self.refusals.push(error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn look_at(&mut self, document: &Document<'_>) -> Result<(), OpenError> {
        let file = document.file;
        let binary = || {
            detect::not_a_trace(
                file,
                "it is neither text nor a known container: open a table, a JSON array, or an archive of them",
            )
        };
        let text = encoding::decode(document.bytes).ok_or_else(binary)?;
        match detect::detect(file, &text.text)? {
            Found::Cluster(sniff) => {
                let cluster = cluster_file::read(&sniff)?;
                if let Some((first, other)) = &self.cluster
                    && *other != cluster
                {
                    return Err(OpenError::SeveralClusters {
                        first: first.clone(),
                        second: file.to_owned(),
                    });
                }
                self.cluster = Some((file.to_owned(), cluster));
            }
            Found::Trace(format, recognised, sniff) => {
                let flaws = document.flaws;
                let mut imported = import::import(format, &sniff, flaws.truncated)?;
                let tally = &mut imported.sink.tally;
                let truncated = u32::from(flaws.truncated);
                tally.warn(WarningKind::ContainerTruncated, truncated, 0, &|| {
                    "it ends early".to_owned()
                });
                tally.warn(WarningKind::TrailingBytes, flaws.trailing, 0, &|| {
                    "after the end of the gzip data".to_owned()
                });
                let line = text.first_invalid;
                tally.warn(WarningKind::InvalidText, text.invalid, line, &|| {
                    "no valid UTF-8 or UTF-16".to_owned()
                });
                self.parts.push(Part {
                    file: file.to_owned(),
                    name: document.member.unwrap_or(file).to_owned(),
                    format,
                    recognised,
                    imported,
                });
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Opened, OpenError> {
        let Some(first) = self.parts.first() else {
            // A file that is no trace weighs more than a cluster beside it: it was meant as one.
            return match (self.refusals.into_iter().next(), self.cluster) {
                (Some(refusal), _) => Err(refusal),
                (None, Some((_, cluster))) => Ok(Opened::Cluster(cluster)),
                (None, None) => Err(OpenError::NoFiles),
            };
        };
        if let Some(other) = self.parts.iter().find(|p| p.format.id != first.format.id) {
            return Err(OpenError::MixedFormats {
                first: first.file.clone(),
                first_format: first.format.title.to_owned(),
                second: other.file.clone(),
                second_format: other.format.title.to_owned(),
            });
        }
        let cluster = self.cluster.map(|(_, cluster)| cluster);
        Ok(Opened::Trace(merge(self.parts, cluster, &self.refusals)))
    }
}

/// One trace of its parts, of which there is at least one.
fn merge(parts: Vec<Part>, cluster: Option<ClusterSpec>, refusals: &[OpenError]) -> Trace {
    let labels = labels(&parts);
    let mut all = Sink::new("");
    let (mut tenants, mut models) = (Names::default(), Names::default());
    let mut members = Vec::new();
    let (mut format, mut title) = (String::new(), String::new());
    let mut report = ImportReport::default();
    for (part, label) in parts.into_iter().zip(labels) {
        let Imported { sink, units } = part.imported;
        if members.is_empty() {
            part.format.id.clone_into(&mut format);
            part.format.title.clone_into(&mut title);
            report.recognised = format!("{}: {}.", part.format.title, part.recognised);
            report.units = units;
        }
        members.push(Member {
            name: part.name,
            jobs: sink.records.len() as u32,
        });
        // Without a label there is one part, whose names can stay as they are.
        let tenant_of: Vec<Option<u32>> = sink
            .tenants
            .list()
            .iter()
            .map(|name| match &label {
                Some(label) => tenants.index(&format!("{label}/{name}")),
                None => tenants.index(name),
            })
            .collect();
        let model_of: Vec<Option<u32>> =
            sink.models.list().iter().map(|m| models.index(m)).collect();
        let fallback = label.as_deref().and_then(|label| {
            let needed = sink.records.iter().any(|r| r.tenant.is_none());
            needed.then(|| tenants.index(label)).flatten()
        });
        let translate = |index: Option<u32>, table: &[Option<u32>]| {
            index.and_then(|index| table.get(index as usize).copied().flatten())
        };
        let mut records = sink.records;
        for record in &mut records {
            record.tenant = translate(record.tenant, &tenant_of).or(fallback);
            record.model = translate(record.model, &model_of);
        }
        // Where members disagree about when time 0 was, there is no common one.
        let agrees = members.len() == 1 || all.zero == sink.zero;
        all.zero = sink.zero.filter(|_| agrees);
        all.rows = all.rows.saturating_add(sink.rows);
        all.tally.merge(sink.tally);
        if all.records.is_empty() {
            all.records = records;
        } else {
            all.records.append(&mut records);
        }
    }
    for refusal in refusals {
        all.tally.left_out(refusal.file(), refusal.to_string());
    }
    let earliest = all.records.iter().map(|r| r.submit);
    let earliest = earliest.fold(f64::INFINITY, f64::min);
    report.rows_read = all.rows;
    report.rows_kept = all.records.len() as u32;
    report.dropped = all.tally.dropped();
    report.warnings = all.tally.warnings();
    Trace {
        format,
        title,
        tenants: tenants.into_list(),
        models: models.into_list(),
        cluster,
        epoch: all.zero.map(|zero| zero + earliest),
        members,
        report,
        records: all.records,
    }
}

/// What tells the parts apart: the stems of their names, or the whole names where stems are
/// alike. `None` for a part on its own.
fn labels(parts: &[Part]) -> Vec<Option<String>> {
    if parts.len() < 2 {
        return vec![None; parts.len()];
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for part in parts {
        let stem = stem(&part.name);
        let count = seen.get(stem).copied().unwrap_or(0);
        seen.insert(stem.to_owned(), count + 1);
    }
    let label = |part: &Part| {
        let short = stem(&part.name);
        let unique = seen.get(short) == Some(&1);
        Some(if unique { short } else { &part.name }.to_owned())
    };
    parts.iter().map(label).collect()
}
