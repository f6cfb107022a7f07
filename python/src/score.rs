//! What a scheduler makes of challenges, while Python goes on.

use crate::functions::{Fault, Function, ends_all};
use crate::watch::Watch;
use crate::{RunError, json, refused};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use switchyard::engine::RunError as EngineError;
use switchyard::policies::PolicySpec;
use switchyard_app::challenges::{
    CHALLENGES, Challenge, Contender, Contest, ScoreError, score_watched,
};
use switchyard_app::driver::{Budget, Driver, Step};

/// The label of a policy, or of what decides in its place, and what `switchyard score --json` says of it: on these challenges
/// (none: on all), on so many workloads of each, drawn from this number.
#[pyfunction]
#[pyo3(signature = (policy, function, challenges, workloads, draw, progress))]
pub(crate) fn score(
    py: Python<'_>,
    policy: &str,
    function: Option<Function>,
    challenges: Vec<String>,
    workloads: usize,
    draw: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let policy: PolicySpec = policy.parse().map_err(refused)?;
    let named = challenges.iter().map(|name| Challenge::named(name));
    let challenges = match challenges.as_slice() {
        [] => CHALLENGES.iter().collect(),
        _ => named.collect::<Result<Vec<_>, _>>().map_err(refused)?,
    };
    let contest = Contest {
        draw,
        workloads,
        challenges,
    };
    let fault = Fault::default();
    let deciding = function.map(|of| Arc::new(of).deciding(&fault));
    let mut watch = Watch::new(progress);
    let scored = py.detach(|| {
        let contender = Contender {
            policy: &policy,
            deciding: deciding.as_ref(),
        };
        let mut runs = Runs {
            watch: &mut watch,
            run: 0,
            runs: contest.runs(),
        };
        score_watched(contender, &contest, &mut |run| runs.carry(run))
    });
    let raised = fault.take();
    if let Some(raised) = raised.as_ref().filter(|of| ends_all(py, of)) {
        return Err(raised.clone_ref(py));
    }
    watch.done()?;
    let score = scored.map_err(|why| {
        let error = match why {
            ScoreError::Oracle(_) | ScoreError::Spec(_) => refused(why),
            why => RunError::new_err(why.to_string()),
        };
        error.set_cause(py, raised);
        error
    })?;
    let label = deciding.map_or_else(|| policy.label(), |of| of.called);
    Ok((label, json(&score)?))
}

/// The runs of a score, one after the other.
struct Runs<'w> {
    watch: &'w mut Watch,
    /// Which is next, of how many.
    run: usize,
    runs: usize,
}

impl Runs<'_> {
    /// Carries the next one to its end, or until somebody interrupts.
    fn carry(&mut self, driver: &mut Driver) -> Result<(), EngineError> {
        let (run, runs) = (self.run, self.runs);
        self.run += 1;
        while !self.watch.has_stopped() {
            let watch = &mut *self.watch;
            let budget = Budget::unlimited().or_time_is_up(|| watch.is_due());
            let (reached, is_over) = match driver.step_for(budget)? {
                Step::Progress(reached) => (reached, false),
                Step::Done(reached) => (reached, true),
                Step::Cancelled => break,
            };
            let tell = |said: &Bound<'_, PyDict>| {
                said.set_item("stage", "score")?;
                said.set_item("run", run)?;
                said.set_item("runs", runs)?;
                said.set_item("done", reached.done)?;
                said.set_item("jobs", reached.jobs)
            };
            // The last one's end is told, whenever something was told before.
            match is_over && run + 1 == runs {
                true => self.watch.ended(tell),
                false => self.watch.goes_on(tell),
            };
            if is_over {
                break;
            }
        }
        Ok(())
    }
}
