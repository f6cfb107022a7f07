//! Why a file could not be opened.
//!
//! Every error is one sentence that says what is wrong, where, and what to do next. It is
//! typed, so that the page and the command line can offer the next step, and serialisable, so
//! that it crosses from a worker to the page.

use super::mapping::TableHead;
use super::wording::{grouped, shorten};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a job must have for a simulation: the roles a trace's columns can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// When the job was submitted.
    Submit,
    /// How long it ran.
    Duration,
    /// How many GPUs it asked for.
    Gpus,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Submit => "when a job was submitted (such as submit_time)",
            Role::Duration => "how long it ran (such as duration, or start_time and end_time)",
            Role::Gpus => "how many GPUs it asked for (such as num_gpus)",
        })
    }
}

/// Why a file could not be opened. `file` is the name as given, followed by the member's name
/// where it lies in an archive; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum OpenError {
    /// Nothing was given.
    #[error("no file was given: open at least one trace")]
    NoFiles,
    /// A file without content.
    #[error("{file} is empty: check that it was downloaded whole")]
    Empty {
        /// The file.
        file: String,
    },
    /// A Git LFS pointer in place of the data.
    #[error(
        "{file} is a Git LFS pointer, not the data: download the real file, for instance with 'git lfs pull'"
    )]
    LfsPointer {
        /// The file.
        file: String,
    },
    /// A table stored by columns that cannot be read.
    #[error("{file} is {what} and cannot be read: {why}")]
    UnreadableColumns {
        /// The file.
        file: String,
        /// What it is.
        what: String,
        /// Why, and what to do.
        why: String,
    },
    /// A container or binary format that is recognised but not read.
    #[error("{file} is {what}, which is not read here: {next}")]
    UnsupportedContainer {
        /// The file.
        file: String,
        /// What it is, such as "zstd-compressed".
        what: String,
        /// What to do next.
        next: String,
    },
    /// A container that is cut off or whose checksums fail.
    #[error("{file} is damaged ({what}): download it again")]
    Damaged {
        /// The file.
        file: String,
        /// What was found.
        what: String,
    },
    /// More bytes than the limit, most of all after decompression.
    #[error(
        "{file} holds more than {limit} bytes once decompressed: open its members one at a time, or use the command line, whose --max-bytes raises the limit"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The limit in bytes, for all files together.
        limit: u64,
    },
    /// More rows than the limit.
    #[error(
        "{file} has more than {limit} rows: open a part of it, or use the command line, whose --max-rows raises the limit and whose 'convert --window' writes a part"
    )]
    TooManyRows {
        /// The file.
        file: String,
        /// The limit, for all files together.
        limit: u64,
    },
    /// What cannot be read in slices is larger than what may be held.
    #[error(
        "{file} has more than {limit} bytes that have to be held at once, in a zip archive, a JSON object or a row that never ends: unpack it, or convert it to CSV"
    )]
    TooLargeToHold {
        /// The file.
        file: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// Archives within archives within archives.
    #[error("{file} nests containers more than {limit} deep: unpack it first")]
    TooDeep {
        /// The file.
        file: String,
        /// How many levels are opened.
        limit: u32,
    },
    /// The wanted member is not in the archive.
    #[error("{file} has no member '{member}': its members are {}", list(members))]
    NoSuchMember {
        /// The archive.
        file: String,
        /// The member asked for.
        member: String,
        /// The members it has.
        members: Vec<String>,
    },
    /// An archive without any file to look at.
    #[error("{file} is an archive without data files: choose another file")]
    EmptyArchive {
        /// The archive.
        file: String,
    },
    /// A header and nothing below it.
    #[error("{file} has a header ({what}) but no rows: check that it was downloaded whole")]
    HeaderOnly {
        /// The file.
        file: String,
        /// The format the header belongs to.
        what: String,
    },
    /// A table in which a role that every job needs is not filled by any column.
    #[error(
        "{file}, line {line}: no column tells {}; found the columns {}{hint}: rename a column, or say which columns are which",
        roles(missing),
        list(found)
    )]
    MissingColumns {
        /// The file.
        file: String,
        /// The header's line.
        line: u32,
        /// The roles without a column.
        missing: Vec<Role>,
        /// The columns found, in order.
        found: Vec<String>,
        /// A remark on tempting columns, such as time limits; may be empty.
        hint: String,
        /// The first rows, and which column may be what.
        table: Box<TableHead>,
    },
    /// A table whose columns have no names.
    #[error("{file} is not a job trace: {why}")]
    UnknownTable {
        /// The file.
        file: String,
        /// Why, and what to do next.
        why: String,
        /// The first rows.
        table: Box<TableHead>,
    },
    /// A mapping that names a column which the table does not have.
    #[error(
        "{file}, line {line}: there is no column '{column}' for {role}; found the columns {}: correct the mapping",
        list(found)
    )]
    NoSuchColumn {
        /// The file.
        file: String,
        /// The header's line.
        line: u32,
        /// The column asked for.
        column: String,
        /// What it should have held.
        role: String,
        /// The columns found, in order.
        found: Vec<String>,
    },
    /// A setting in one of our own files that is none.
    #[error("{file}, line {line}: {why}")]
    BadExperiment {
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// What is wrong and what to do next.
        why: String,
    },
    /// A known data set whose importer does not exist.
    #[error("{file} looks like {what}, which cannot be replayed as it stands: {next}")]
    Known {
        /// The file.
        file: String,
        /// The data set or kind of file.
        what: String,
        /// What is missing, and what to do next.
        next: String,
        /// The first rows, where saying which columns are which may help.
        table: Option<Box<TableHead>>,
    },
    /// One of two files that make a trace together.
    #[error("{file} looks like {what}, which cannot be replayed without the other one: {next}")]
    Half {
        /// The file.
        file: String,
        /// What it is.
        what: String,
        /// What to do next.
        next: String,
    },
    /// No job trace at all.
    #[error("{file} is not a job trace: {why}")]
    NotATrace {
        /// The file.
        file: String,
        /// Why, and what to do next.
        why: String,
    },
    /// A trace of which no row can be replayed.
    #[error(
        "{file} has no job that can be replayed: all {rows} rows were dropped ({reasons}): check that its columns and units are those of {format}"
    )]
    NoJobs {
        /// The file.
        file: String,
        /// The format it was read as.
        format: String,
        /// Rows read.
        rows: u32,
        /// The reasons with their counts and first examples.
        reasons: String,
    },
    /// A trace of jobs that ask for cores and for no GPU.
    #[error(
        "{file}: its jobs ask for cores, not GPUs ({}, {core_hours} core·h): open it with --unit cores, which counts cores in the place of GPUs",
        counted(*.jobs, "job")
    )]
    CountsCores {
        /// The file.
        file: String,
        /// How many jobs.
        jobs: u32,
        /// Cores × duration of all of them.
        core_hours: String,
    },
    /// Traces of different formats at once.
    #[error(
        "{first} is {first_format} but {second} is {second_format}: open one of them at a time, or choose one member of the archive"
    )]
    MixedFormats {
        /// One file.
        first: String,
        /// Its format.
        first_format: String,
        /// Another file.
        second: String,
        /// Its format.
        second_format: String,
    },
    /// A list of outages that is wrong.
    #[error("{file}, {why}")]
    BadOutages {
        /// The file.
        file: String,
        /// Where, what is wrong and what to do next.
        why: String,
    },
    /// A cluster file that makes no cluster.
    #[error("{file}, line {line}, column {column}: {why}")]
    BadCluster {
        /// The file.
        file: String,
        /// Line.
        line: u32,
        /// The column's name, or its number where it has none.
        column: String,
        /// What is wrong and what to do next.
        why: String,
    },
    /// More than one cluster.
    #[error("{first} and {second} describe different clusters: open only one of them")]
    SeveralClusters {
        /// One file.
        first: String,
        /// Another file.
        second: String,
    },
}

impl OpenError {
    /// The file is no trace.
    pub(crate) fn not_a_trace(file: &str, why: &str) -> Self {
        Self::NotATrace {
            file: file.to_owned(),
            why: why.to_owned(),
        }
    }

    /// The table of which one can say which columns are which; then opening it again with a
    /// mapping may succeed.
    pub fn table(&self) -> Option<&TableHead> {
        match self {
            Self::MissingColumns { table, .. } | Self::UnknownTable { table, .. } => Some(table),
            Self::Known { table, .. } => table.as_deref(),
            _ => None,
        }
    }

    /// Whether a table lacks nothing but a column of GPUs.
    pub(crate) fn lacks_gpus_alone(&self) -> bool {
        matches!(self, Self::MissingColumns { missing, .. } if missing[..] == [Role::Gpus])
    }

    /// The file the error is about; "" where none was given.
    pub fn file(&self) -> &str {
        use OpenError::*;
        match self {
            NoFiles => "",
            Empty { file }
            | LfsPointer { file }
            | UnreadableColumns { file, .. }
            | UnsupportedContainer { file, .. }
            | Damaged { file, .. }
            | TooLarge { file, .. }
            | TooManyRows { file, .. }
            | TooLargeToHold { file, .. }
            | TooDeep { file, .. }
            | NoSuchMember { file, .. }
            | EmptyArchive { file }
            | HeaderOnly { file, .. }
            | MissingColumns { file, .. }
            | UnknownTable { file, .. }
            | NoSuchColumn { file, .. }
            | BadExperiment { file, .. }
            | Known { file, .. }
            | Half { file, .. }
            | NotATrace { file, .. }
            | NoJobs { file, .. }
            | CountsCores { file, .. }
            | BadOutages { file, .. }
            | BadCluster { file, .. } => file,
            MixedFormats { first, .. } | SeveralClusters { first, .. } => first,
        }
    }
}

/// At most this many names are listed in a sentence.
const LISTED: usize = 24;

/// `a, b, c`, shortened where there are very many.
fn list(names: &[String]) -> String {
    let shown = names.iter().take(LISTED).map(|n| shorten(n));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        text.push_str(&format!(" and {} more", names.len() - LISTED));
    }
    if names.is_empty() {
        text.push_str("(none)");
    }
    text
}

/// `1 job`, `2 jobs`.
fn counted(count: u32, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(count))
}

fn roles(missing: &[Role]) -> String {
    let texts: Vec<String> = missing.iter().map(Role::to_string).collect();
    texts.join(", nor ")
}
