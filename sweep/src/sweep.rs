//! A sweep: the runs of a grid that its folder does not know yet, on the threads of this machine, or point by
//! point for whoever has others. What comes of a run depends on its point alone.

use crate::files::{self, FileError, Source};
use crate::folder::{Folder, FolderError, checksum};
use crate::grid::{Grid, GridTrace, Point};
use crate::kept;
use crate::options::{opening, prepare, running};
use crate::table::{SweepRow, figures};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use switchyard::report::Summary;
use switchyard::trace::OpeningProgress;
use switchyard::{SETTINGS, Settings};
use switchyard_app::Permalink;
use switchyard_app::driver::{Budget, Cancel, Step};
use switchyard_app::options::Refused;
use switchyard_app::study::Study;

/// What marks the name of an embedded sample.
const SAMPLE: &str = "sample:";

/// A part is written once it has so many rows, or is so old: what a kill can cost.
const ROWS: usize = 256;
const AGE: Duration = Duration::from_secs(5);

/// How often whoever watches is asked.
const TICK: Duration = Duration::from_millis(50);

/// A trace of a sweep, ready to be run.
#[derive(Clone, Debug)]
pub struct SweptTrace {
    /// What the table calls it.
    pub name: String,
    /// The jobs.
    pub study: Arc<Study>,
    /// [`kept::fingerprint`].
    pub hash: u64,
    /// What names it in a link: `sample=NAME`, or `file=NAME`.
    pub link: Permalink,
}

/// Why a trace of a sweep is not there.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A file cannot be read, or is not what it should be.
    #[error("{name}: {why}")]
    File {
        /// What the grid calls the trace.
        name: String,
        /// What is wrong.
        why: Box<FileError>,
    },
    /// Something that is asked of it.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// A grid, its traces, and what is known of its runs.
#[derive(Debug)]
pub struct Sweep {
    grid: Grid,
    traces: Vec<SweptTrace>,
    folder: Folder,
    /// By point.
    rows: Vec<Option<SweepRow>>,
    /// Rows that are in no part yet, and since when.
    unwritten: Vec<SweepRow>,
    since: Instant,
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// Runs that are over, those of an earlier time included.
    pub done: usize,
    /// Of them, those that failed.
    pub failed: usize,
    /// All runs.
    pub points: usize,
}

/// Opens a trace of a grid; a file that is not absolute lies in `base`, `~` is home. `goes_on` hears how far that is,
/// and says whether it goes on.
///
/// # Errors
///
/// It cannot be opened: which, and why.
pub fn open_one(
    trace: &GridTrace,
    base: &Path,
    goes_on: impl FnMut(OpeningProgress) -> bool,
) -> Result<SweptTrace, TraceError> {
    let refused = |why: &dyn std::fmt::Display| Refused(format!("{}: {why}", trace.name));
    let asked = opening(&trace.options)?;
    let (options, choices) = (&asked.options, &asked.choices);
    let study = match trace.files.as_slice() {
        [file] if let Some(name) = file.strip_prefix(SAMPLE) => {
            Study::of_sample(name, options, choices, asked.cluster)
        }
        files => {
            let sources = files
                .iter()
                .map(|file| Source::File(base.join(files::expanded(Path::new(file)))));
            let sources: Vec<Source> = sources.collect();
            let opened = files::open_with(&sources, &asked, goes_on);
            let opened = opened.map_err(|why| TraceError::File {
                name: trace.name.clone(),
                why: Box::new(why),
            })?;
            Study::of(opened, &sources[0].name(), options, choices, asked.cluster)
        }
    };
    let mut swept = SweptTrace::new(
        &trace.name,
        &trace.files,
        study.map_err(|why| refused(&why))?,
    )?;
    // Without them a link would show other jobs.
    if let Some(member) = &options.member {
        swept.link.add("member", member);
    }
    if let Some(columns) = &options.mapping {
        swept.link.add("columns", &columns.to_string());
    }
    if !options.unit.is_default() {
        swept.link.add("unit", options.unit.name());
    }
    for (key, value) in choices
        .in_words()
        .iter()
        .filter_map(|of| of.split_once('='))
    {
        swept.link.add(key, value);
    }
    Ok(swept)
}

impl SweptTrace {
    /// A trace by this name.
    ///
    /// # Errors
    ///
    /// The engine's fault: it cannot be written down.
    pub fn new(name: &str, files: &[String], study: Study) -> Result<Self, Refused> {
        let sample = match files {
            [file] => file.strip_prefix(SAMPLE),
            _ => None,
        };
        let mut link = Permalink::default();
        match (sample, files.first()) {
            (Some(sample), _) => link.add("sample", sample),
            (None, Some(file)) => {
                let file = Path::new(file).file_name();
                let file = file.map_or(name.to_owned(), |of| of.to_string_lossy().into_owned());
                link.add("file", &file)
            }
            (None, None) => link.add("file", name),
        };
        Ok(Self {
            name: name.to_owned(),
            hash: kept::fingerprint(&study)?,
            study: Arc::new(study),
            link,
        })
    }
}

/// What a run is known by.
fn key(trace: &SweptTrace, point: &Point) -> String {
    // Keys are sorted: the same options have the same text.
    let options = serde_json::Value::Object(point.options.clone());
    let text = format!(
        "{} {:016x} {options}",
        env!("CARGO_PKG_VERSION"),
        trace.hash
    );
    checksum(text.as_bytes())
}

/// A row of which nothing is known yet but what was asked.
fn asked(trace: &SweptTrace, at: usize, point: &Point) -> SweepRow {
    SweepRow {
        point: at as u32,
        trace: trace.name.clone(),
        trace_hash: format!("{:016x}", trace.hash),
        cluster: point.cluster.clone().unwrap_or_default(),
        scheduler: point.scheduler.clone(),
        policy: point.policy.clone(),
        load: point.load,
        seed: point.seed,
        settings: point.settings.clone(),
        key: key(trace, point),
        ..SweepRow::default()
    }
}

/// Runs a point of a grid, to its end or until it is cancelled, which gives `None`. Whatever goes wrong is in the
/// row.
pub fn run(trace: &SweptTrace, at: usize, point: &Point, cancel: &Cancel) -> Option<SweepRow> {
    let mut row = asked(trace, at, point);
    let begin = Instant::now();
    let failed = |mut row: SweepRow, failure: &str, error: String| {
        (row.failure, row.error) = (failure.to_owned(), error);
        Some(row)
    };
    let running = match running(&point.options) {
        Ok(running) => running,
        Err(why) => return failed(row, "input", why.to_string()),
    };
    let prepared = match prepare(running, Study::clone(&trace.study)) {
        Ok(prepared) => prepared,
        Err(why) => return failed(row, "input", why.to_string()),
    };
    let spec = &prepared.runs[0];
    row.policy = spec.policy.to_string();
    row.cluster = spec.cluster.to_string();
    row.link = link(trace, point, &row, &prepared.experiment.settings).into_string();
    let mut run = match prepared.start(spec) {
        Ok(run) => run.cancelled_by(cancel.clone()),
        Err(why) => return failed(row, "input", why.to_string()),
    };
    match run.step_for(Budget::unlimited()) {
        Ok(Step::Cancelled) => return None,
        Ok(_) => {}
        Err(why) => return failed(row, "run", why.to_string()),
    }
    let log = run.into_log();
    let summary = Summary::of(&prepared.workload, &spec.cluster, &log);
    row.log_hash = format!("{:016x}", log.hash());
    row.figures = figures(&summary);
    row.wall_ms = begin.elapsed().as_secs_f64() * 1e3;
    Some(row)
}

/// What shows a run on the page, where its trace is open.
fn link(trace: &SweptTrace, point: &Point, row: &SweepRow, settings: &Settings) -> Permalink {
    let mut link = trace.link.clone();
    if point.load != 1.0 {
        link.add("load", &point.load.to_string());
    }
    link.add("cluster", &row.cluster);
    link.add_settings(SETTINGS, settings);
    link.add("run", &row.policy);
    link
}

impl Sweep {
    /// A grid's runs into a folder, those known there left out.
    ///
    /// # Errors
    ///
    /// The folder cannot be used, or has results of runs that the grid does not ask for.
    pub fn new(grid: Grid, traces: Vec<SweptTrace>, folder: &Path) -> Result<Self, FolderError> {
        let folder = Folder::open(folder)?;
        let mut keys = BTreeSet::new();
        let rows = grid.points.iter().enumerate().map(|(at, point)| {
            let trace = &traces[point.trace];
            let key = key(trace, point);
            // The same run may stand elsewhere in a larger grid, and its trace have another name.
            let row = folder.known(&key).map(|known| SweepRow {
                point: at as u32,
                trace: trace.name.clone(),
                ..known.clone()
            });
            keys.insert(key);
            row
        });
        let rows = rows.collect();
        folder.leaves_none_out(&keys)?;
        Ok(Self {
            grid,
            traces,
            rows,
            folder,
            unwritten: Vec::new(),
            since: Instant::now(),
        })
    }

    /// The points that are to be run, by number.
    pub fn pending(&self) -> Vec<usize> {
        let missing = |at: &usize| self.rows[*at].is_none();
        (0..self.rows.len()).filter(missing).collect()
    }

    /// How far it is.
    pub fn swept(&self) -> Swept {
        let known = || self.rows.iter().flatten();
        Swept {
            done: known().count(),
            failed: known().filter(|row| !row.failure.is_empty()).count(),
            points: self.rows.len(),
        }
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Its traces, as points number them.
    pub fn traces(&self) -> &[SweptTrace] {
        &self.traces
    }

    /// The rows so far, by point.
    pub fn rows(&self) -> impl Iterator<Item = &SweepRow> {
        self.rows.iter().flatten()
    }

    /// Where seeds change nothing, so that several say no more than one: a sentence about it.
    pub fn idle_seeds(&self) -> Option<String> {
        let mut runs: BTreeMap<_, BTreeMap<u64, &str>> = BTreeMap::new();
        for row in self.rows().filter(|row| row.failure.is_empty()) {
            let asked = (&row.trace, &row.cluster, &row.policy, &row.settings);
            let of = runs.entry((asked, row.load.to_bits())).or_default();
            of.insert(row.seed, &row.log_hash);
        }
        let seeds = runs
            .values()
            .map(BTreeMap::len)
            .max()
            .filter(|&of| of > 1)?;
        let differ = |of: &BTreeMap<u64, &str>| of.values().collect::<BTreeSet<_>>().len() > 1;
        (!runs.values().any(differ)).then(|| {
            format!(
                "the {seeds} seeds changed nothing: each run is the same under all of them, so one says as much. A seed matters where something is drawn: failures by chance (settings.mtbf: the mean hours that a node is up, so 500 and not 1800000), the applications of plain jobs, a policy or placement that draws"
            )
        })
    }

    /// Lets others sweep into the folder.
    pub fn release(&mut self) {
        self.folder.release();
    }

    /// Puts down what came of a run.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to.
    pub fn put(&mut self, row: SweepRow) -> Result<(), FolderError> {
        let at = row.point as usize;
        if self.rows.get(at).is_none_or(Option::is_some) {
            return Ok(());
        }
        if self.unwritten.is_empty() {
            self.since = Instant::now();
        }
        self.unwritten.push(row.clone());
        self.rows[at] = Some(row);
        match self.unwritten.len() >= ROWS {
            true => self.flush(),
            false => self.flush_old(),
        }
    }

    /// Puts down that a run's worker has died; it is tried again when the sweep goes on.
    ///
    /// # Errors
    ///
    /// As of [`put`](Self::put).
    pub fn lose(&mut self, at: usize, why: &str) -> Result<(), FolderError> {
        let Some(point) = self.grid.points.get(at) else {
            return Ok(());
        };
        let row = asked(&self.traces[point.trace], at, point);
        self.put(SweepRow {
            failure: "lost".to_owned(),
            error: why.to_owned(),
            ..row
        })
    }

    /// Writes what is in no part yet.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to; nothing is forgotten.
    pub fn flush(&mut self) -> Result<(), FolderError> {
        self.folder.add(self.unwritten.clone())?;
        self.unwritten.clear();
        self.since = Instant::now();
        Ok(())
    }

    fn flush_old(&mut self) -> Result<(), FolderError> {
        match !self.unwritten.is_empty() && self.since.elapsed() > AGE {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes the table, if no run is missing; its Parquet and its CSV.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to.
    pub fn finish(&mut self) -> Result<Option<[PathBuf; 2]>, FolderError> {
        self.flush()?;
        let rows: Option<Vec<SweepRow>> = self.rows.iter().cloned().collect();
        rows.map(|rows| self.folder.finish(&rows)).transpose()
    }

    /// Runs what is pending on so many threads (`None`: one for each core) until `goes_on` says no, which is
    /// asked every now and then.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to; no more runs are begun then.
    pub fn run_here(
        &mut self,
        threads: Option<NonZeroUsize>,
        mut goes_on: impl FnMut(Swept) -> bool,
    ) -> Result<(), FolderError> {
        let pending = self.pending();
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = threads.unwrap_or_else(cores).get().min(pending.len());
        let (next, cancel) = (AtomicUsize::new(0), Cancel::default());
        let (grid, traces) = (self.grid.clone(), self.traces.clone());
        let (sender, rows) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next, cancel) = (sender.clone(), &next, &cancel);
                let (pending, grid, traces) = (&pending, &grid, &traces);
                scope.spawn(move || {
                    while let Some(&at) = pending.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let point = &grid.points[at];
                        let row = run(&traces[point.trace], at, point, cancel);
                        let Some(row) = row.filter(|_| !cancel.is_cancelled()) else {
                            return;
                        };
                        if sender.send(row).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            loop {
                let written = match rows.recv_timeout(TICK) {
                    Ok(row) => self.put(row),
                    Err(mpsc::RecvTimeoutError::Timeout) => self.flush_old(),
                    Err(mpsc::RecvTimeoutError::Disconnected) => return self.flush(),
                };
                if let Err(why) = written {
                    cancel.cancel();
                    return Err(why);
                }
                if !goes_on(self.swept()) {
                    cancel.cancel();
                }
            }
        })
    }
}
