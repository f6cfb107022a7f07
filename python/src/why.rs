//! What jobs spent their whole lives on, while Python goes on.

use crate::trace::Trace;
use crate::watch::Watch;
use crate::{RunError, asked, json, refused};
use pyo3::prelude::*;
use switchyard::RunSpec;
use switchyard_app::driver::{Budget, Driver, Step};
use switchyard_app::lives::{JobLife, RunLives, lives_of, parts_of};
use switchyard_app::start::Asked;
use switchyard_app::study::{Prepared, Whom};
use switchyard_sweep::options;

/// What `switchyard why --whole --json` says, of the policies that `options_json` asks for: of one job, or of all, by
/// group or together.
#[pyfunction]
#[pyo3(signature = (trace, options_json, job, by, weights, progress))]
pub(crate) fn why(
    py: Python<'_>,
    trace: &Bound<'_, Trace>,
    options_json: &str,
    job: Option<String>,
    by: Option<String>,
    weights: Option<Vec<u8>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let running = asked(options_json, weights)?;
    let whom: Option<Whom> = by.map(|by| by.parse()).transpose().map_err(refused)?;
    let study = trace.get().study.clone();
    let mut watch = Watch::new(progress);
    let told = py.detach(|| -> PyResult<_> {
        let prepared = options::prepare(running, study).map_err(refused)?;
        let workload = &prepared.workload;
        let runs = prepared.runs.iter().enumerate();
        let Some(name) = job else {
            let mut told = Vec::new();
            for (at, spec) in runs {
                let lives = lives_of(whom, spec, workload);
                let run = prepared.start(spec).map_err(refused)?.noting_lives(lives);
                let Some(mut run) = carried(run, at, spec, &prepared, &mut watch)? else {
                    break;
                };
                told.push(RunLives::of(&run.take_lives(), spec, workload));
            }
            return json(&told);
        };
        let job = Asked::named(workload, &name).map_err(refused)?;
        let mut told = Vec::new();
        for (at, spec) in runs {
            let run = prepared.start(spec).map_err(refused)?.noting_life_of(job);
            let Some(mut run) = carried(run, at, spec, &prepared, &mut watch)? else {
                break;
            };
            let (parts, _) = parts_of(&mut run, job, spec, workload);
            told.push(JobLife::of(&parts, job, spec, workload));
        }
        json(&told)
    })?;
    watch.done()?;
    Ok(told)
}

/// A run that is over; `None` if it was interrupted.
fn carried(
    mut run: Driver,
    at: usize,
    spec: &RunSpec,
    prepared: &Prepared,
    watch: &mut Watch,
) -> PyResult<Option<Driver>> {
    let policy = spec.policy.to_string();
    loop {
        let step = run.step_for(Budget::unlimited().or_time_is_up(|| watch.is_due()));
        match step.map_err(|why| RunError::new_err(why.to_string()))? {
            Step::Progress(reached) => {
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
            Step::Cancelled => return Ok(None),
            Step::Done(_) => return Ok(Some(run)),
        }
    }
}
