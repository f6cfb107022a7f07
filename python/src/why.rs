//! What jobs spent their whole lives on, while Python goes on.

use crate::functions::{Fault, Function, Functions};
use crate::runs::{ended_by, policy, start};
use crate::trace::Trace;
use crate::watch::Watch;
use crate::{asked, json, refused};
use pyo3::prelude::*;
use std::sync::Arc;
use switchyard_app::driver::{Budget, Driver, Step};
use switchyard_app::lives::{JobLife, RunLives, lives_of, parts_of};
use switchyard_app::start::Asked;
use switchyard_app::study::{Prepared, Whom};
use switchyard_sweep::options;

/// What `switchyard why --whole --json` says, of the policies that `options_json` asks for, or what decides in their
/// place: of one job, or of all, by group or together.
#[pyfunction]
#[pyo3(signature = (trace, options_json, functions, job, by, weights, progress))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are Python's, by name there"
)]
pub(crate) fn why(
    py: Python<'_>,
    trace: &Bound<'_, Trace>,
    options_json: &str,
    functions: Vec<Option<Function>>,
    job: Option<String>,
    by: Option<String>,
    weights: Option<Vec<u8>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let running = asked(options_json, weights)?;
    let whom: Option<Whom> = by.map(|by| by.parse()).transpose().map_err(refused)?;
    let study = trace.get().study.clone();
    let functions = Functions::from(functions);
    let mut watch = Watch::new(progress);
    let told = py.detach(|| -> PyResult<_> {
        let prepared = options::prepare(running, study).map_err(refused)?;
        let workload = &prepared.workload;
        let runs = prepared.runs.iter().enumerate();
        let mut run = Run {
            prepared: &prepared,
            watch: &mut watch,
        };
        let Some(name) = job else {
            let mut told = Vec::new();
            for (at, spec) in runs {
                let noting = |run: Driver| run.noting_lives(lives_of(whom, spec, workload));
                let function = functions.of_run(at);
                let Some(mut ended) = run.carried(at, function, noting)? else {
                    break;
                };
                told.push(RunLives {
                    policy: policy(&prepared, at, function),
                    ..RunLives::of(&ended.take_lives(), spec, workload)
                });
            }
            return json(&told);
        };
        let job = Asked::named(workload, &name).map_err(refused)?;
        let mut told = Vec::new();
        for (at, spec) in runs {
            let function = functions.of_run(at);
            let noting = |run: Driver| run.noting_life_of(job);
            let Some(mut ended) = run.carried(at, function, noting)? else {
                break;
            };
            let (parts, _) = parts_of(&mut ended, job, spec, workload);
            told.push(JobLife {
                policy: policy(&prepared, at, function),
                ..JobLife::of(&parts, job, spec, workload)
            });
        }
        json(&told)
    })?;
    watch.done()?;
    Ok(told)
}

/// What runs are carried out of, and who is told how far they are.
struct Run<'a> {
    prepared: &'a Prepared,
    watch: &'a mut Watch,
}

impl Run<'_> {
    /// A run that is over, noted so; `None` if it was interrupted.
    fn carried(
        &mut self,
        at: usize,
        function: Option<&Arc<Function>>,
        noting: impl FnOnce(Driver) -> Driver,
    ) -> PyResult<Option<Driver>> {
        let (prepared, watch) = (self.prepared, &mut *self.watch);
        let fault = Fault::default();
        let mut run = noting(start(prepared, &prepared.runs[at], function, &fault)?);
        let policy = policy(prepared, at, function);
        loop {
            let step = run.step_for(Budget::unlimited().or_time_is_up(|| watch.is_due()));
            match step {
                Ok(Step::Progress(reached)) => {
                    let goes_on = watch.goes_on(|said| {
                        said.set_item("stage", "why")?;
                        said.set_item("policy", &policy)?;
                        said.set_item("run", at)?;
                        said.set_item("runs", prepared.runs.len())?;
                        said.set_item("done", reached.done)?;
                        said.set_item("jobs", reached.jobs)
                    });
                    if !goes_on {
                        return Ok(None);
                    }
                }
                Ok(Step::Cancelled) => return Ok(None),
                Ok(Step::Done(_)) => return Ok(Some(run)),
                Err(why) => return ended_by(why, &fault, watch).map(|()| None),
            }
        }
    }
}
