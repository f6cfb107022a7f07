//! What is open, where it comes from, and what is being opened.

use super::Source;
use crate::bridge::protocol::{Choice, Facets};
use crate::stored_traces::{Held, StoredTrace};
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::trace::{ColumnMapping, ImportReport, Member, TableHead};
use switchyard::weights::WeightsChoice;
use switchyard_app::figures::Bars;
use switchyard_app::study::Origin;

/// The part of the state that opening files changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Where the jobs come from, or will.
    pub source: Source,
    /// The opened trace.
    pub trace: Option<Rc<TraceInfo>>,
    /// Why the cluster is the one it is.
    pub cluster_origin: Origin,
    /// Whether what a link shows is being looked for in this browser.
    pub is_sought: bool,
    /// What is being opened right now.
    pub progress: Option<Progressing>,
    /// Why the last file or address could not be opened, until something else is or somebody has read it.
    pub refused: Option<Refused>,
    /// The table of which a person may say which columns are which.
    pub columns: Option<Rc<ColumnsAsked>>,
    /// Whether they are being asked.
    pub asks_columns: bool,
    /// The traces saved in this browser.
    pub saved: Vec<StoredTrace>,
    /// Whether a reload finds the files that are open.
    pub held: Held,
    /// Weights of one's own that are at hand, with the names of their files.
    pub weights: Vec<(WeightsChoice, String)>,
}

impl Opening {
    /// Tells the opened trace from others.
    pub fn trace_id(&self) -> Option<usize> {
        let trace = self.trace.as_ref();
        trace.map(|trace| Rc::as_ptr(trace) as usize)
    }
}

/// What can happen to it alone.
#[derive(Debug)]
pub enum OpeningAction {
    /// What a link shows is being looked for in this browser, or no longer.
    Seeking(bool),
    /// A trace is being opened: its name and bytes.
    Begun(String, u64),
    /// So many of its bytes have come from its host, of so many.
    Fetching(u64, u64),
    /// So many bytes and rows of it are read.
    Reading(u64, u64),
    /// It is not wanted any more.
    Cancelled,
    /// Other jobs of the trace are on their way, or these are still those taken.
    Choosing(Choice),
    /// Why something could not be opened has been read.
    ReadRefusal,
    /// A person is asked which columns are which.
    AskColumns(Rc<ColumnsAsked>),
    /// They do not answer now.
    LeaveColumns,
    /// These traces are saved in this browser.
    Saved(Vec<StoredTrace>),
    /// Whether a reload finds the files that are open.
    Held(Held),
    /// The one that is open is saved under this number.
    SavedThis(f64),
}

impl Opening {
    /// Nothing is open, and this is to be.
    pub(super) fn of(source: Source, cluster_origin: Origin) -> Self {
        Self {
            source,
            trace: None,
            cluster_origin,
            is_sought: false,
            progress: None,
            refused: None,
            columns: None,
            asks_columns: false,
            saved: Vec::new(),
            held: Held::No,
            weights: Vec::new(),
        }
    }

    pub(super) fn apply(&mut self, action: OpeningAction) {
        match action {
            OpeningAction::Seeking(is_sought) => self.is_sought = is_sought,
            OpeningAction::Begun(name, total) => {
                self.progress = Some(Progressing {
                    name,
                    total,
                    bytes: 0,
                    rows: 0,
                });
                self.clear_refusal();
            }
            OpeningAction::Fetching(bytes, total) => {
                if let Some(progress) = &mut self.progress {
                    (progress.bytes, progress.total) = (bytes, total);
                }
            }
            OpeningAction::Reading(bytes, rows) => {
                if let Some(progress) = &mut self.progress {
                    (progress.bytes, progress.rows) = (bytes, rows);
                }
            }
            OpeningAction::Cancelled => self.progress = None,
            OpeningAction::Choosing(choice) => {
                self.refused = None;
                if let Some(trace) = &mut self.trace {
                    Rc::make_mut(trace).choice = choice;
                }
            }
            OpeningAction::ReadRefusal => self.refused = None,
            OpeningAction::AskColumns(asked) => {
                self.columns = Some(asked);
                self.asks_columns = true;
            }
            OpeningAction::LeaveColumns => self.asks_columns = false,
            OpeningAction::Saved(saved) => self.saved = saved,
            OpeningAction::Held(held) => self.held = held,
            OpeningAction::SavedThis(id) => {
                if let Some(trace) = &mut self.trace {
                    Rc::make_mut(trace).stored = Some(id);
                }
            }
        }
    }

    /// What was being opened is open.
    pub(super) fn end(&mut self) {
        (self.progress, self.refused) = (None, None);
    }

    /// What could not be opened, and what a person was asked about it, matter no more.
    pub(super) fn clear_refusal(&mut self) {
        (self.refused, self.columns, self.asks_columns) = (None, None, false);
    }

    /// Jobs of the trace that is open; 0 without one.
    pub(super) fn jobs(&self) -> usize {
        self.trace.as_ref().map_or(0, |trace| trace.jobs)
    }
}

/// Files on their way to being a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progressing {
    /// The first file's name, or the sample's.
    pub name: String,
    /// Bytes of all files; 0 for samples, which are there at once.
    pub total: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Rows read.
    pub rows: u64,
}

/// Why something could not be opened, and what helps.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Why, a sentence.
    pub why: String,
    /// What helps.
    pub next: NextStep,
}

/// What helps where something could not be opened.
#[derive(Clone, Debug, PartialEq)]
pub enum NextStep {
    /// To open a file; how the button says it.
    Open(&'static str),
    /// To say which columns are which of the table in [`Opening::columns`].
    Columns,
    /// To count the cores of its jobs, which ask for no GPU.
    CountCores,
    /// To fetch the same again.
    Fetch(Source),
    /// Nothing is needed: what was open is as it was.
    Nothing,
}

impl Refused {
    /// Another file helps.
    pub fn file(why: String) -> Self {
        let next = NextStep::Open("Open another file");
        Self { why, next }
    }
}

/// A table, and which of its columns are taken for what.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnsAsked {
    /// The table's beginning.
    pub head: Rc<TableHead>,
    /// What a person has said so far, or what was guessed.
    pub mapping: ColumnMapping,
    /// Why a person is asked; "" if it was their wish.
    pub why: String,
}

/// What is known of the opened trace besides its jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceInfo {
    /// Where it comes from.
    pub source: Source,
    /// The cluster that it came with or fits on, and which of both.
    pub file_cluster: (ClusterSpec, Origin),
    /// The file's or sample's name.
    pub name: String,
    /// The format's stable name, or `sample`.
    pub format: String,
    /// The format's name for people.
    pub title: String,
    /// What was kept, dropped and assumed; samples have none.
    pub report: Option<ImportReport>,
    /// How durations, GPUs and submissions are distributed.
    pub charts: Vec<Bars>,
    /// What one can choose the jobs by.
    pub facets: Facets,
    /// Which jobs are taken.
    pub choice: Choice,
    /// Which columns hold what, where that was said, as `--map` has it.
    pub columns: Option<String>,
    /// Whether its columns are those said of an earlier file with the same header.
    pub remembered: bool,
    /// The number of the kept trace that it is, if it was kept.
    pub stored: Option<f64>,
    /// The clusters or files inside an archive.
    pub members: Vec<Member>,
    /// The member that is open; all of them if none is named.
    pub member: Option<String>,
    /// Whether its jobs train applications.
    pub adaptive: bool,
    /// Whether it tells when its jobs ran.
    pub tells_runs: bool,
    /// How many jobs.
    pub jobs: usize,
    /// GPU-hours the jobs ask for.
    pub gpu_hours: f64,
    /// Days from the first submission to the last.
    pub span_days: f64,
    /// Unix seconds of time 0, where its jobs come at times that have dates.
    pub epoch: Option<f64>,
}
