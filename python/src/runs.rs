//! Runs, one after the other, while Python goes on.

use crate::table::Table;
use crate::trace::Trace;
use crate::watch::Watch;
use crate::{RunError, asked, json, refused};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;
use switchyard::engine::LogBudget;
use switchyard_app::driver::{Budget, RunProgress, Step};
use switchyard_app::study::{Ended, Prepared};
use switchyard_sweep::options;

/// Of a run: which of those asked for it is, its jobs, and who held GPUs when.
type Done = (usize, Table, Option<Table>);

/// Of a run without an end: which it is, its policy, and what went wrong.
type Failed = (usize, String, PyErr);

/// The results' JSON, what came of each run that has ended, and of those that have not; and what somebody has ended
/// the rest with, if so.
type Told = (String, Vec<Done>, Vec<Failed>, Option<PyErr>);

/// Runs what `options_json` asks for; `weights`: a file of safetensors for what has learned.
#[pyfunction]
#[pyo3(signature = (trace, options_json, log_budget, weights, stays, progress))]
pub(crate) fn run(
    py: Python<'_>,
    trace: &Bound<'_, Trace>,
    options_json: &str,
    log_budget: Option<u64>,
    weights: Option<Vec<u8>>,
    stays: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let running = asked(options_json, weights)?;
    let study = trace.get().study.clone();
    let mut watch = Watch::new(progress);
    let budget = log_budget.map_or_else(LogBudget::default, LogBudget::of_bytes);
    let (text, ended, failed) = py.detach(|| -> PyResult<_> {
        let prepared = options::prepare(running, study).map_err(refused)?;
        let mut results = Vec::new();
        let mut ended = Vec::new();
        let mut failed = Vec::new();
        for at in 0..prepared.runs.len() {
            if watch.has_stopped() {
                break;
            }
            match simulate(&prepared, at, budget, &mut watch) {
                Ok(Some(run)) => {
                    let stays = stays.then(|| Table::of_stays(&run.log)).transpose()?;
                    let jobs = Table::of_run(&prepared.workload, &run.outcomes)?;
                    results.push(run.result);
                    ended.push((at, jobs, stays));
                }
                Ok(None) => break,
                // The others are none the worse for it.
                Err(why) => failed.push((at, prepared.runs[at].policy.to_string(), why)),
            }
        }
        Ok((json(&prepared.results(results))?, ended, failed))
    })?;
    Ok((text, ended, failed, watch.done().err()))
}

/// What gives a log more room here.
const MORE_ROOM: &str = "raise log_budget";

/// One run to its end; `None` if it was interrupted.
fn simulate(
    prepared: &Prepared,
    at: usize,
    budget: LogBudget,
    watch: &mut Watch,
) -> PyResult<Option<Ended>> {
    let mut spec = prepared.runs[at].clone();
    spec.options.log_budget = budget;
    let policy = spec.policy.to_string();
    let mut run = prepared.start(&spec).map_err(refused)?;
    let tell = |reached: RunProgress, said: &Bound<'_, PyDict>| {
        said.set_item("stage", "run")?;
        said.set_item("policy", &policy)?;
        said.set_item("run", at)?;
        said.set_item("runs", prepared.runs.len())?;
        said.set_item("done", reached.done)?;
        said.set_item("jobs", reached.jobs)?;
        said.set_item("now", reached.now.seconds())
    };
    let begin = Instant::now();
    loop {
        let step = run.step_for(Budget::unlimited().or_time_is_up(|| watch.is_due()));
        match step.map_err(|why| RunError::new_err(why.with_ways(MORE_ROOM)))? {
            Step::Progress(reached) if watch.goes_on(|said| tell(reached, said)) => {}
            Step::Progress(_) | Step::Cancelled => return Ok(None),
            Step::Done(reached) => {
                watch.ended(|said| tell(reached, said));
                break;
            }
        }
    }
    let wall_ms = begin.elapsed().as_secs_f64() * 1e3;
    Ok(Some(prepared.ended(&spec, run, wall_ms)))
}
