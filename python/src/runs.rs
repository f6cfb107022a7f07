//! Runs, one after the other or several at once, while Python goes on.

use crate::functions::{Fault, Function, Functions, ends_all};
use crate::table::Table;
use crate::telling::{Elsewhere, Ending, Here, Listening, Reached, Said};
use crate::trace::Trace;
use crate::watch::{EVERY, Watch};
use crate::{RunError, asked, json, refused};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;
use switchyard::RunSpec;
use switchyard::engine::{LogBudget, RunError as EngineError};
use switchyard::report::RunResult;
use switchyard_app::driver::{Budget, Cancel, Driver, Step};
use switchyard_app::study::{Ended, Prepared};
use switchyard_sweep::options;

/// Of a run: which of those asked for it is, its jobs, who held GPUs when, and the queue and the GPUs held over time.
type Done = (usize, Table, Option<Table>, Table);

/// Of a run without an end: which it is, its policy, and what went wrong.
type Failed = (usize, String, PyErr);

/// The results' JSON, what came of each run that has ended, and of those that have not; and what somebody has ended
/// the rest with, if so.
type Told = (String, Vec<Done>, Vec<Failed>, Option<PyErr>);

/// How runs are gone about, which changes nothing of them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct How {
    /// Bytes that the log of each may take.
    log_budget: Option<u64>,
    /// Whether to keep who held GPUs when.
    stays: bool,
    /// How many run at once.
    threads: usize,
}

/// What is to be run, and how.
struct Asked {
    prepared: Prepared,
    functions: Functions,
    budget: LogBudget,
    stays: bool,
}

/// What is kept of a run.
type Kept = (RunResult, Done);

/// Runs what `options_json` asks for; `functions`: what decides in the place of each of its policies, where it is a
/// function; `weights`: a file of safetensors for what has learned.
#[pyfunction]
#[pyo3(signature = (trace, options_json, functions, weights, how, progress))]
pub(crate) fn run(
    py: Python<'_>,
    trace: &Bound<'_, Trace>,
    options_json: &str,
    functions: Vec<Option<Function>>,
    weights: Option<Vec<u8>>,
    how: How,
    progress: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let running = asked(options_json, weights)?;
    let study = trace.get().study.clone();
    let mut watch = Watch::new(progress);
    let (text, ended, failed) = py.detach(|| -> PyResult<_> {
        let asked = Asked {
            prepared: options::prepare(running, study).map_err(refused)?,
            functions: functions.into(),
            budget: how
                .log_budget
                .map_or_else(LogBudget::default, LogBudget::of_bytes),
            stays: how.stays,
        };
        let outcomes = match how.threads.min(asked.prepared.runs.len()) {
            0 | 1 => one_by_one(&asked, &mut watch),
            threads => at_once(&asked, threads, &mut watch)?,
        };
        let mut results = Vec::new();
        let mut ended = Vec::new();
        let mut failed = Vec::new();
        for (at, outcome) in outcomes {
            match outcome {
                Ok((result, done)) => {
                    results.push(result);
                    ended.push(done);
                }
                // The others are none the worse for it.
                Err(why) => failed.push((at, asked.policy(at), why)),
            }
        }
        Ok((json(&asked.prepared.results(results))?, ended, failed))
    })?;
    Ok((text, ended, failed, watch.done().err()))
}

/// What came of runs that were not interrupted, by which they are.
type Outcomes = BTreeMap<usize, PyResult<Kept>>;

fn one_by_one(asked: &Asked, watch: &mut Watch) -> Outcomes {
    let runs = asked.prepared.runs.len();
    let mut outcomes = BTreeMap::new();
    let mut here = Here { watch, runs };
    for at in 0..runs {
        match asked.simulate(at, &mut here).transpose() {
            Some(outcome) => outcomes.insert(at, outcome),
            None => break,
        };
        if here.watch.has_stopped() {
            break;
        }
    }
    outcomes
}

/// On so many threads; this one looks after Python meanwhile.
fn at_once(asked: &Asked, threads: usize, watch: &mut Watch) -> PyResult<Outcomes> {
    let runs = asked.prepared.runs.len();
    let (next, cancel) = (&AtomicUsize::new(0), Cancel::default());
    let (said, heard) = mpsc::channel();
    let mut outcomes = BTreeMap::new();
    std::thread::scope(|scope| -> PyResult<()> {
        for _ in 0..threads {
            let mut elsewhere = Elsewhere::new(said.clone(), cancel.clone());
            let work = move || {
                while !elsewhere.is_cancelled() {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= runs {
                        break;
                    }
                    let ran = asked.simulate(at, &mut elsewhere);
                    elsewhere.ended(at, ran);
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            if let Err(why) = thread.spawn_scoped(scope, work) {
                cancel.cancel();
                return Err(refused(format!("threads: {why}: take fewer")));
            }
        }
        drop(said);
        let mut here = Here { watch, runs };
        loop {
            match heard.recv_timeout(EVERY) {
                Ok(Said::Reached(reached)) => drop(here.reached(reached)),
                Ok(Said::Over(reached)) => here.over(reached),
                Ok(Said::Stop(why)) => here.stop(why),
                Ok(Said::Ended(at, ran)) => {
                    outcomes.extend(ran.transpose().map(|outcome| (at, outcome)));
                }
                Err(RecvTimeoutError::Timeout) => drop(here.watch.goes_on_quietly()),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if here.watch.has_stopped() {
                cancel.cancel();
            }
        }
    })?;
    Ok(outcomes)
}

/// What a run may nest: as much as on the main thread.
const STACK: usize = 8 << 20;

/// What gives a log more room here.
const MORE_ROOM: &str = "raise log_budget";

/// A run's policy, as results have it. A function's is no spec: no other program can read it.
pub(crate) fn policy(prepared: &Prepared, at: usize, function: Option<&Arc<Function>>) -> String {
    match function {
        Some(function) => format!("function:{}", function.name()),
        None => prepared.runs[at].policy.to_string(),
    }
}

/// A run at its beginning.
pub(crate) fn start(
    prepared: &Prepared,
    spec: &RunSpec,
    function: Option<&Arc<Function>>,
    fault: &Fault,
) -> PyResult<Driver> {
    let run = match function {
        None => prepared.start(spec),
        Some(function) => {
            let policy = function.policy(spec.policy.placement(spec.placement), fault);
            prepared.start_deciding(spec, function.name(), policy)
        }
    };
    run.map_err(refused)
}

/// What has ended a run early is its error, with what its function has raised as the cause; what is meant to end all goes
/// to the watch.
pub(crate) fn ended_by(why: EngineError, fault: &Fault, watch: &mut impl Ending) -> PyResult<()> {
    Python::attach(|py| match fault.take() {
        Some(raised) if ends_all(py, &raised) => {
            watch.stop(raised);
            Ok(())
        }
        raised => {
            let error = RunError::new_err(why.with_ways(MORE_ROOM));
            error.set_cause(py, raised);
            Err(error)
        }
    })
}

impl Asked {
    fn policy(&self, at: usize) -> String {
        policy(&self.prepared, at, self.functions.of_run(at))
    }

    /// One run to its end; `None` if it was interrupted.
    fn simulate(&self, at: usize, watch: &mut impl Listening) -> PyResult<Option<Kept>> {
        let Self {
            prepared,
            functions,
            ..
        } = self;
        let function = functions.of_run(at);
        let mut spec = prepared.runs[at].clone();
        spec.options.log_budget = self.budget;
        let fault = Fault::default();
        let mut run = start(prepared, &spec, function, &fault)?;
        let reached = |progress| Reached {
            run: at,
            policy: self.policy(at),
            progress,
        };
        let begin = Instant::now();
        loop {
            match run.step_for(Budget::unlimited().or_time_is_up(|| watch.is_due())) {
                Ok(Step::Progress(progress)) if watch.reached(reached(progress)) => {}
                Ok(Step::Progress(_) | Step::Cancelled) => return Ok(None),
                Ok(Step::Done(progress)) => {
                    watch.over(reached(progress));
                    break;
                }
                Err(why) => return ended_by(why, &fault, watch).map(|()| None),
            }
        }
        let wall_ms = begin.elapsed().as_secs_f64() * 1e3;
        let Ended {
            mut result,
            outcomes,
            log,
            ..
        } = prepared.ended(&spec, run, wall_ms);
        if let Some(function) = function {
            result.policy = self.policy(at);
            result.label = function.name().to_owned();
        }
        let stays = self.stays.then(|| Table::of_stays(&log)).transpose()?;
        let jobs = Table::of_run(&prepared.workload, &outcomes)?;
        let over_time = Table::over_time(&log)?;
        Ok(Some((result, (at, jobs, stays, over_time))))
    }
}
