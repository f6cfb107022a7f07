//! Why a job runs or waits at one moment, in its policy's own numbers, while Python goes on.

use crate::functions::{Fault, Function, Functions};
use crate::runs::{ended_by, policy, start};
use crate::trace::Trace;
use crate::watch::Watch;
use crate::{asked, json, refused};
use pyo3::prelude::*;
use std::sync::Arc;
use switchyard::Time;
use switchyard::job::JobId;
use switchyard_app::Explained;
use switchyard_app::driver::{Budget, Step};
use switchyard_app::start::Asked;
use switchyard_app::study::Prepared;
use switchyard_sweep::options;

/// Why a job runs or waits at a moment, under each policy that `options_json` asks for, as `switchyard why --at --json` has it.
#[pyfunction]
#[pyo3(signature = (trace, options_json, functions, job, at, weights))]
pub(crate) fn explain(
    py: Python<'_>,
    trace: &Bound<'_, Trace>,
    options_json: &str,
    functions: Vec<Option<Function>>,
    job: String,
    at: f64,
    weights: Option<Vec<u8>>,
) -> PyResult<String> {
    let running = asked(options_json, weights)?;
    if at.is_nan() || at < 0.0 {
        return Err(refused(format!(
            "at is {at}: it takes seconds since the first submission"
        )));
    }
    let study = trace.get().study.clone();
    let functions = Functions::from(functions);
    let mut watch = Watch::new(None);
    let told = py.detach(|| -> PyResult<_> {
        let prepared = options::prepare(running, study).map_err(refused)?;
        let job = Asked::named(&prepared.workload, &job).map_err(refused)?;
        let mut answers = Vec::new();
        for run in 0..prepared.runs.len() {
            match answer(
                &prepared,
                run,
                functions.of_run(run),
                (job, Time(at)),
                &mut watch,
            )? {
                Some(answer) => answers.push(answer),
                None => break,
            }
        }
        json(&answers)
    })?;
    watch.done()?;
    Ok(told)
}

/// `None`: somebody has interrupted.
fn answer(
    prepared: &Prepared,
    run: usize,
    function: Option<&Arc<Function>>,
    (job, at): (JobId, Time),
    watch: &mut Watch,
) -> PyResult<Option<Explained>> {
    let fault = Fault::default();
    let mut driver = start(prepared, &prepared.runs[run], function, &fault)?;
    driver.simulation().watch(job);
    loop {
        let step = driver.step_for(Budget::until(at).or_time_is_up(|| watch.is_due()));
        match step {
            Ok(Step::Progress(_)) if watch.goes_on(|_| Ok(())) => {}
            Ok(Step::Progress(_) | Step::Cancelled) => return Ok(None),
            Ok(Step::Done(_)) => break,
            Err(why) => return ended_by(why, &fault, watch).map(|()| None),
        }
    }
    let explanation = driver.simulation().explain(job, at);
    let policy = policy(prepared, run, function);
    Ok(Some(Explained::new(policy, explanation)))
}
