//! The import report: what a file was taken for, how its times were read, which rows were left
//! out and why, and what else one should know before trusting the result.

use super::distributions::Distributions;
use super::mapping::TableHead;
use super::wording::{grouped, shorten};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What happened while a trace was opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// How the format was recognised: a sentence.
    pub recognised: String,
    /// How times and GPU counts were read, units included: a sentence.
    pub units: String,
    /// Rows read, without headers, comments and blank lines.
    pub rows_read: u32,
    /// Rows that became records. `rows_read` − `rows_kept` is the sum of the dropped.
    pub rows_kept: u32,
    /// Rows left out, one entry per reason, in the order of [`DropReason`].
    pub dropped: Vec<Dropped>,
    /// What else one should know, one entry per kind, in the order of [`WarningKind`].
    pub warnings: Vec<Warning>,
    /// Where the cluster comes from and how it was read; "" without one.
    pub cluster: String,
    /// The first rows and which column was taken for what, where that can be changed.
    pub table: Option<TableHead>,
    /// How the records' durations, GPUs and submissions are distributed.
    pub distributions: Distributions,
}

/// Rows that were left out for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// Why.
    pub reason: DropReason,
    /// How many rows.
    pub count: u32,
    /// The first of them.
    pub example: Example,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} × {}, first {}",
            self.count, self.reason, self.example
        )
    }
}

/// One place in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// The file, with the archive's member where there is one.
    pub file: String,
    /// Line, from 1; 0 for the file as a whole.
    pub line: u32,
    /// What stands there.
    pub detail: String,
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "in {}, line {}: {}", self.file, self.line, self.detail)
        } else {
            write!(f, "in {}: {}", self.file, self.detail)
        }
    }
}

/// Something one should know about a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind of thing.
    pub kind: WarningKind,
    /// The same in words, count included.
    pub text: String,
    /// How many rows or files it concerns.
    pub count: u32,
    /// The first of them.
    pub example: Example,
}

/// Declares an enum whose variants have a stable id in snake case and a text.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( #[doc = $doc:literal] $variant:ident = $id:literal, $text:literal; )* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $( #[doc = $doc] #[serde(rename = $id)] $variant, )*
        }

        impl $name {
            /// Every variant, in order.
            pub const ALL: &'static [$name] = &[$( $name::$variant ),*];

            /// A stable name in snake case, the same as when serialised.
            pub fn id(self) -> &'static str {
                match self { $( $name::$variant => $id, )* }
            }

            /// What it means, in words.
            pub fn text(self) -> &'static str {
                match self { $( $name::$variant => $text, )* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

named! {
    /// Why a row was left out. The first reason that applies, in this order, is counted.
    pub enum DropReason {
        /// The file ends in the middle of the row.
        RowTruncated = "row_truncated", "the file ends within the row";
        /// A quotation mark opens and never closes.
        QuoteUnclosed = "quote_unclosed", "quotation mark never closed";
        /// An element that is not the JSON it should be.
        JsonMalformed = "json_malformed", "malformed JSON";
        /// A part of a job that another row describes as a whole.
        PartialExecution = "partial_execution", "part of a job listed elsewhere";
        /// No attempt at running it has both a start and an end.
        NoFinishedAttempt = "no_finished_attempt", "no attempt with both a start and an end";
        /// Another file should have told the GPUs.
        TasksMissing = "tasks_missing", "no row in the task table";
        /// No number of GPUs.
        GpusMissing = "gpus_missing", "number of GPUs missing";
        /// A number of GPUs that is none.
        GpusInvalid = "gpus_invalid", "number of GPUs not understood";
        /// A job for the CPU alone.
        NoGpus = "no_gpus", "no GPU requested";
        /// No number of cores, which are counted.
        CoresMissing = "cores_missing", "number of cores missing";
        /// A number of cores that is none.
        CoresInvalid = "cores_invalid", "number of cores not understood";
        /// No time of submission.
        SubmitMissing = "submit_missing", "submission time missing";
        /// A time of submission that is none.
        SubmitInvalid = "submit_invalid", "submission time not understood";
        /// Submitted before time began.
        SubmitNegative = "submit_negative", "submission time negative";
        /// Far from all other rows, or more than 10^10 s.
        SubmitOutOfRange = "submit_out_of_range", "submission time out of range";
        /// Its speed is not known, from which its duration would follow.
        ModelUnknown = "model_unknown", "no throughput known for its model";
        /// An application that no profile is known of.
        ApplicationUnknown = "application_unknown", "application unknown";
        /// Not a batch size that the application can have.
        BatchInvalid = "batch_invalid", "batch size not possible";
        /// Parameter servers that are no number of them, or their cores or memory.
        ServersInvalid = "servers_invalid", "parameter servers not understood";
        /// It still ran: its end is not set, or is its limit.
        NotEnded = "not_ended", "had not ended yet";
        /// It still waited.
        NotBegun = "not_begun", "had not begun to run yet";
        /// No duration, nor start and end.
        DurationMissing = "duration_missing", "duration missing";
        /// A duration that is none.
        DurationInvalid = "duration_invalid", "duration not understood";
        /// NaN or infinite.
        DurationNotFinite = "duration_not_finite", "duration not finite";
        /// Ended when it started.
        DurationZero = "duration_zero", "duration zero";
        /// Ended before it started.
        DurationNegative = "duration_negative", "duration negative";
        /// More than 10^10 s.
        DurationOutOfRange = "duration_out_of_range", "duration out of range";
        /// Not 0 to 1000 thousandths.
        ShareInvalid = "share_invalid", "no part of a GPU: write 1 to 1000 thousandths";
        /// Failed attempts that are no seconds, or longer than the job took.
        AttemptsInvalid = "attempts_invalid", "failed attempts not understood: they are seconds, separated by blanks, together less than the duration";
        /// Left out by choice: submitted before or after the window.
        OutsideWindow = "outside_window", "submitted outside the chosen window";
        /// Left out by choice: another tenant's.
        OtherTenant = "other_tenant", "not of a chosen tenant";
        /// Left out by choice: of another user, account, partition and so on.
        OtherLabel = "other_label", "not of a chosen user, account, partition, QOS or reservation";
        /// Left out by choice: it ended otherwise.
        OtherStatus = "other_status", "not of a chosen status";
        /// Left out by choice: it asks for a fraction of a GPU.
        Fractional = "fractional", "asks for a fraction of a GPU, by choice left out";
        /// Left out by choice, or since no node says its cores: it asks for no GPU.
        OnCores = "on_cores_left_out", "asks for cores and no GPU, left out by choice or since the cluster says no cores";
        /// Left out by choice: it can never run.
        LargerThanCluster = "larger_than_cluster", "asks for more GPUs than the cluster has, by choice left out";
    }
}

named! {
    /// What a [`Warning`] is about. `{}` in the text stands for the count.
    pub enum WarningKind {
        /// Something else lay in the archive or was opened along with the trace.
        FileLeftOut = "file_left_out", "Files left out: {}.";
        /// A gzip file or tar archive ends early.
        ContainerTruncated = "container_truncated", "Files cut off: {}. Whole rows before the cut were kept; download the file again for the rest.";
        /// Bytes after the end of a gzip stream.
        TrailingBytes = "trailing_bytes", "Bytes after the end of the compressed data: {}. They were ignored.";
        /// Not valid UTF-8 or UTF-16.
        InvalidText = "invalid_text", "Byte sequences that are no valid text: {}. Shown as �.";
        /// The last row is incomplete.
        LastRowTruncated = "last_row_truncated", "Files that end within a row: {}. That row was left out.";
        /// Rows of unequal width.
        RaggedRows = "ragged_rows", "Rows with more or fewer cells than the header: {}. Cells were read by position.";
        /// The unit of a time is a guess.
        UnitAssumed = "unit_assumed", "Columns whose unit is not certain: {}. They were taken as seconds; check a known job.";
        /// Hours and minutes, or minutes and seconds.
        MinutesAssumed = "minutes_assumed", "Durations of two numbers: {}. They were read as minutes and seconds; check a known job.";
        /// Day and month cannot be told apart.
        DatesAmbiguous = "dates_ambiguous", "Dates of which no row tells whether the day or the month comes first: {}. Correct it with time=day-first or time=month-first among the columns.";
        /// A duration that is not end − start.
        DurationsDisagree = "durations_disagree", "Jobs whose duration is not the time between their start and end: {}. The column of durations was taken; it may include the wait, or have another unit.";
        /// No submission time of its own.
        StartAsSubmit = "start_as_submit", "Jobs without a submission time of their own: {}. Their start was taken for it.";
        /// Ended by its limit.
        KilledAtLimit = "killed_at_limit", "Jobs that take longer than the time they ask for: {}. They end by then, as their format defines it.";
        /// Durations cut off by who published them.
        Clamped = "clamped", "Jobs of exactly 172,800 s: {}. Their source cut longer ones off at 48 hours, so these are lower bounds.";
        /// Not ended yet.
        Censored = "censored", "Jobs that had not ended when the trace was taken: {}. Their durations are lower bounds.";
        /// Several attempts.
        Attempts = "attempts", "Jobs that failed and were tried again: {}. Their durations are the sum of all attempts; a run that replays job failures (replay_failures) has them fail and wait again.";
        /// Not a whole number of GPUs.
        FractionalGpus = "fractional_gpus", "Jobs that ask for a fraction of a GPU: {}. Rounded up to whole GPUs; a part of one is shared where GPUs are (sharing).";
        /// Types of GPUs.
        GpuTypes = "gpu_types", "Jobs that say which GPU types they run on: {}. They run on no other where the cluster names its types.";
        /// Names that are none.
        GpuTypesUnread = "gpu_types_unread", "Jobs whose GPU types are no names, or beyond the first 64: {}. They may run on any.";
        /// More than GPUs.
        CoresOrMemory = "cores_or_memory", "Jobs that say how many cores or how much memory they need: {}. It counts, since nodes say what they have.";
        /// No GPU.
        OnCores = "on_cores", "Jobs that ask for cores and no GPU: {}. They run on cores beside what schedulers decide, since nodes say how many they have.";
        /// Several workers.
        GangsMultiplied = "gangs_multiplied", "Jobs of several workers: {}. GPUs per worker were multiplied by the workers.";
        /// The throughput of another number of GPUs.
        SpeedOfOneGpu = "speed_of_one_gpu", "Jobs whose throughput is known for one GPU only: {}. Their durations follow from that.";
        /// More GPUs than there are.
        GangsLargerThanCluster = "gangs_larger_than_cluster", "Jobs that ask for more GPUs than the cluster has: {}. They can never run; leave them out or shrink them.";
        /// No nodes for it.
        NoNodesFor = "no_nodes_for", "Jobs that fit no nodes of the GPU types, memory and cores that they ask for: {}. They can never run.";
        /// More GPUs than on any node.
        GangsLargerThanNode = "gangs_larger_than_node", "Jobs that ask for more GPUs than any node has: {}. They run across nodes.";
        /// The same name twice.
        DuplicateIds = "duplicate_ids", "Rows whose id stands above already: {}. Kept as jobs of their own; their line tells them apart.";
        /// Not in order of submission.
        Unsorted = "unsorted", "Rows submitted before the row above them: {}. Jobs are sorted by submission before a run.";
        /// The same jobs again.
        SameJobs = "same_jobs", "Files whose jobs are all in another file too: {}. They were left out; choose one of them as the archive's member to open it.";
        /// Nothing but a start.
        SameSubmit = "same_submit", "Jobs that are all submitted at the same moment: {}.";
        /// A few jobs long before all others.
        LongEmptyHead = "long_empty_head", "Jobs before a long pause at the beginning: {}. A window that begins after it leaves them out.";
    }
}

impl DropReason {
    /// How these rows could be kept, in sentences.
    pub fn way_out(self) -> Option<&'static str> {
        (self == Self::NoGpus).then_some("Those that ask for cores run where the cluster says how many its nodes have: open its slurm.conf or its list of nodes together with the log. Cores can also be counted in the place of GPUs.")
    }
}

impl ImportReport {
    /// Jobs that were read, kept or not: rows but for the parts of jobs that other rows describe.
    pub fn jobs(&self) -> u32 {
        let parts = self.count(DropReason::PartialExecution);
        self.rows_read.saturating_sub(parts)
    }

    /// Rows that were left out for a reason.
    pub fn count(&self, reason: DropReason) -> u32 {
        let of_it = self.dropped.iter().filter(|of| of.reason == reason);
        of_it.map(|of| of.count).sum()
    }

    /// Says what becomes of the jobs of a warning by choice, in place of what is said without one.
    pub(crate) fn by_choice(&mut self, kind: WarningKind, how: &str) {
        for warning in self.warnings.iter_mut().filter(|of| of.kind == kind) {
            let (what, _) = warning.text.split_once(". ").unwrap_or((&warning.text, ""));
            warning.text = format!("{what}. {how}");
        }
    }
}

impl WarningKind {
    fn sentence(self, count: u32) -> String {
        self.text().replacen("{}", &grouped(count), 1)
    }
}

/// Counts drops and warnings while rows are read; the first of each kind is kept as example.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    file: String,
    /// In order of appearance; there are few kinds, so they are looked up one by one.
    dropped: Vec<(DropReason, u32, Example)>,
    warnings: Vec<(WarningKind, u32, Example)>,
}

impl Tally {
    pub(crate) fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            ..Self::default()
        }
    }

    /// The file it counts for.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The examples that follow are of this file.
    pub(crate) fn set_file(&mut self, file: &str) {
        file.clone_into(&mut self.file);
    }

    /// One row is left out; `detail` is asked only for the first of its kind.
    pub(crate) fn drop(&mut self, reason: DropReason, line: u32, detail: &dyn Fn() -> String) {
        match self.dropped.iter_mut().find(|entry| entry.0 == reason) {
            Some((_, count, _)) => *count = count.saturating_add(1),
            None => {
                let example = self.example(line, detail());
                self.dropped.push((reason, 1, example));
            }
        }
    }

    /// `more` rows or files of a kind.
    pub(crate) fn warn(
        &mut self,
        kind: WarningKind,
        more: u32,
        line: u32,
        detail: &dyn Fn() -> String,
    ) {
        if more == 0 {
            return;
        }
        match self.warnings.iter_mut().find(|entry| entry.0 == kind) {
            Some((_, count, _)) => *count = count.saturating_add(more),
            None => {
                let example = self.example(line, detail());
                self.warnings.push((kind, more, example));
            }
        }
    }

    /// A file beside the trace was not used.
    pub(crate) fn left_out(&mut self, file: &str, why: String) {
        self.set_file(file);
        self.warn(WarningKind::FileLeftOut, 1, 0, &|| why.clone());
    }

    /// Takes in what another file counted.
    pub(crate) fn merge(&mut self, other: Tally) {
        for (reason, more, example) in other.dropped {
            match self.dropped.iter_mut().find(|entry| entry.0 == reason) {
                Some((_, count, _)) => *count = count.saturating_add(more),
                None => self.dropped.push((reason, more, example)),
            }
        }
        for (kind, more, example) in other.warnings {
            match self.warnings.iter_mut().find(|entry| entry.0 == kind) {
                Some((_, count, _)) => *count = count.saturating_add(more),
                None => self.warnings.push((kind, more, example)),
            }
        }
    }

    fn example(&self, line: u32, detail: String) -> Example {
        Example {
            file: self.file.clone(),
            line,
            detail,
        }
    }

    /// In the order of [`DropReason`].
    pub(crate) fn dropped(&self) -> Vec<Dropped> {
        let mut dropped = Vec::new();
        for &reason in DropReason::ALL {
            if let Some((_, count, example)) = self.dropped.iter().find(|e| e.0 == reason) {
                let (count, example) = (*count, example.clone());
                dropped.push(Dropped {
                    reason,
                    count,
                    example,
                });
            }
        }
        dropped
    }

    /// In the order of [`WarningKind`].
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for &kind in WarningKind::ALL {
            if let Some((_, count, example)) = self.warnings.iter().find(|e| e.0 == kind) {
                let (count, example) = (*count, example.clone());
                warnings.push(Warning {
                    kind,
                    text: kind.sentence(count),
                    count,
                    example,
                });
            }
        }
        warnings
    }
}

/// `column is 'cell'`, the usual detail of an example.
pub(crate) fn cell_is(column: &str, cell: &str) -> String {
    if cell.is_empty() {
        format!("{} is empty", shorten(column))
    } else {
        format!("{} is '{}'", shorten(column), shorten(cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_what_is_serialised_and_unique() {
        let mut seen = std::collections::BTreeSet::new();
        for &reason in DropReason::ALL {
            let json = serde_json::to_string(&reason).unwrap();
            assert_eq!(json, format!("\"{}\"", reason.id()));
            assert!(seen.insert(reason.id()));
        }
        for &kind in WarningKind::ALL {
            let json = serde_json::to_string(&kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.id()));
            assert!(seen.insert(kind.id()));
            assert!(kind.text().contains("{}"), "{kind:?}");
        }
    }

    #[test]
    fn the_first_of_a_kind_is_the_example() {
        let mut tally = Tally::new("a.csv");
        tally.drop(DropReason::NoGpus, 7, &|| cell_is("gpus", "0"));
        tally.drop(DropReason::NoGpus, 9, &|| unreachable!());
        let shown = tally.dropped()[0].to_string();
        assert_eq!(
            shown,
            "2 × no GPU requested, first in a.csv, line 7: gpus is '0'"
        );
    }
}
