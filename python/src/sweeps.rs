//! Sweeps: a grid's runs on the threads of this machine, or point by point on whatever workers Python has.

use crate::table::Table;
use crate::trace::{Trace, not_opened};
use crate::watch::Watch;
use crate::{InputError, SwitchyardError, refused};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use switchyard_app::Permalink;
use switchyard_app::driver::Cancel;
use switchyard_sweep::folder::FolderError;
use switchyard_sweep::grid::{Grid, Point};
use switchyard_sweep::kept;
use switchyard_sweep::sweep::{self, SweptTrace as Swept, TraceError};
use switchyard_sweep::table::SweepRow;

/// A folder that cannot be used: the disk's fault, or another sweep's.
fn unwritten(why: FolderError) -> PyErr {
    match why {
        FolderError::Unreadable { .. } | FolderError::Unwritten { .. } => {
            SwitchyardError::new_err(why.to_string())
        }
        _ => InputError::new_err(why.to_string()),
    }
}

/// A trace of a grid that is not there.
fn unopened(why: TraceError) -> PyErr {
    let said = why.to_string();
    match why {
        TraceError::File { why, .. } => Python::attach(|py| not_opened(py, &why, &said)),
        TraceError::Refused(why) => refused(why),
    }
}

/// A trace as a worker gets it, once.
#[pyclass(frozen, module = "switchyard._engine")]
pub(crate) struct SweptTrace {
    trace: Swept,
}

#[derive(Serialize, Deserialize)]
struct Travelling<'a> {
    name: String,
    hash: u64,
    link: Permalink,
    #[serde(borrow)]
    study: &'a [u8],
}

#[pymethods]
impl SweptTrace {
    /// All of it, as bytes.
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let study = kept::write(&self.trace.study).map_err(refused)?;
        let bytes = postcard::to_allocvec(&Travelling {
            name: self.trace.name.clone(),
            hash: self.trace.hash,
            link: self.trace.link.clone(),
            study: &study,
        });
        let bytes = bytes.map_err(|why| SwitchyardError::new_err(why.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A trace of its bytes.
    #[staticmethod]
    fn of(bytes: &[u8]) -> PyResult<Self> {
        let other = |_| refused("a trace of another version of switchyard");
        let came: Travelling<'_> = postcard::from_bytes(bytes).map_err(other)?;
        Ok(Self {
            trace: Swept {
                name: came.name,
                study: Arc::new(kept::read(came.study).map_err(refused)?),
                hash: came.hash,
                link: came.link,
            },
        })
    }
}

/// Runs points of a sweep, each as [`Sweep::point`] gives it; of each the row as bytes.
#[pyfunction]
pub(crate) fn run_points<'py>(
    py: Python<'py>,
    trace: &Bound<'py, SweptTrace>,
    points: Vec<(usize, Vec<u8>)>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let trace = &trace.get().trace;
    let cancel = Cancel::default();
    let mut rows = Vec::new();
    for (at, point) in points {
        py.check_signals()?;
        let point: Point = serde_json::from_slice(&point).map_err(refused)?;
        let row = py.detach(|| sweep::run(trace, at, &point, &cancel));
        let bytes = postcard::to_allocvec(&row);
        let bytes = bytes.map_err(|why| SwitchyardError::new_err(why.to_string()))?;
        rows.push(PyBytes::new(py, &bytes));
    }
    Ok(rows)
}

/// A grid and what is known of its runs.
#[pyclass(module = "switchyard._engine")]
pub(crate) struct Sweep {
    sweep: sweep::Sweep,
}

#[pymethods]
impl Sweep {
    /// Of a grid (TOML, or JSON), files in `base`; `given`: traces that are open already, by name.
    #[new]
    fn new(
        py: Python<'_>,
        grid: &str,
        is_toml: bool,
        base: PathBuf,
        given: HashMap<String, Bound<'_, Trace>>,
        folder: PathBuf,
    ) -> PyResult<Self> {
        let grid = match is_toml {
            true => Grid::of_toml(grid, &base),
            false => Grid::of(&serde_json::from_str(grid).map_err(refused)?, &base),
        };
        let grid = grid.map_err(refused)?;
        let given: HashMap<String, Arc<_>> = given
            .into_iter()
            .map(|(name, trace)| (name, Arc::new(trace.get().study.clone())))
            .collect();
        let sweep = py.detach(|| -> PyResult<_> {
            let traces = grid
                .traces
                .iter()
                .map(|asked| match given.get(&asked.name) {
                    Some(study) => Ok(Swept::new(&asked.name, &[], (**study).clone())?),
                    None => sweep::open_one(asked, &base, |_| true),
                });
            let traces: Result<Vec<Swept>, TraceError> = traces.collect();
            let traces = traces.map_err(unopened)?;
            sweep::Sweep::new(grid.clone(), traces, &folder).map_err(unwritten)
        })?;
        Ok(Self { sweep })
    }

    /// Runs that are over, of them failed, and all.
    fn swept(&self) -> (usize, usize, usize) {
        let swept = self.sweep.swept();
        (swept.done, swept.failed, swept.points)
    }

    /// The points that are to be run: their numbers and their traces'.
    fn pending(&self) -> Vec<(usize, usize)> {
        let points = &self.sweep.grid().points;
        let pending = self.sweep.pending().into_iter();
        pending.map(|at| (at, points[at].trace)).collect()
    }

    /// A point, for [`run_points`].
    fn point<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyBytes>> {
        let point = self.sweep.grid().points.get(at);
        let bytes = serde_json::to_vec(&point).map_err(refused)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A trace, for workers.
    fn trace(&self, at: usize) -> Option<SweptTrace> {
        let trace = self.sweep.traces().get(at)?.clone();
        Some(SweptTrace { trace })
    }

    /// Runs all that is pending on so many threads.
    fn run_here(
        &mut self,
        py: Python<'_>,
        threads: Option<NonZeroUsize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let mut watch = Watch::new(progress);
        let tell = |swept: sweep::Swept, said: &Bound<'_, PyDict>| {
            said.set_item("stage", "sweep")?;
            said.set_item("done", swept.done)?;
            said.set_item("failed", swept.failed)?;
            said.set_item("runs", swept.points)
        };
        let swept = py.detach(|| {
            let ran = self
                .sweep
                .run_here(threads, |swept| watch.goes_on(|said| tell(swept, said)));
            if ran.is_ok() {
                let swept = self.sweep.swept();
                watch.ended(|said| tell(swept, said));
            }
            ran
        });
        watch.done()?;
        swept.map_err(unwritten)
    }

    /// Puts down a row of [`run_points`].
    fn put(&mut self, row: &[u8]) -> PyResult<()> {
        let other =
            |_| refused("a row of another version of switchyard: workers and driver differ");
        let row: Option<SweepRow> = postcard::from_bytes(row).map_err(other)?;
        row.map_or(Ok(()), |row| self.sweep.put(row).map_err(unwritten))
    }

    /// Puts down that the worker of a point has died.
    fn lose(&mut self, at: usize, why: &str) -> PyResult<()> {
        self.sweep.lose(at, why).map_err(unwritten)
    }

    /// Writes what is known; the paths of the tables, if no run is missing.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Option<(PathBuf, PathBuf)>> {
        let written = py.detach(|| self.sweep.finish()).map_err(unwritten)?;
        Ok(written.map(|[parquet, csv]| (parquet, csv)))
    }

    /// Where seeds change nothing, a sentence about it.
    fn idle_seeds(&self) -> Option<String> {
        self.sweep.idle_seeds()
    }

    /// Lets others sweep into the folder.
    fn release(&mut self) {
        self.sweep.release();
    }

    /// The rows so far.
    fn table(&self) -> PyResult<Table> {
        Table::of_sweep(&self.sweep.rows().collect::<Vec<_>>())
    }

    fn __repr__(&self) -> String {
        let swept = self.sweep.swept();
        format!(
            "<switchyard sweep: {} of {} runs>",
            swept.done, swept.points
        )
    }
}
