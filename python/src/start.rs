//! When would a job start, while Python goes on.

use crate::functions::{Fault, Function, Functions, ends_all};
use crate::runs::policy;
use crate::trace::Trace;
use crate::watch::Watch;
use crate::{RunError, asked, json, refused};
use pyo3::prelude::*;
use std::num::NonZeroUsize;
use std::thread;
use switchyard_app::start::{Asked, Draw, Inquiry, Question, Refused, Told, Wish};
use switchyard_sweep::options;

/// What the job wishes: GPUs, user, queue, and seconds that it asks for.
type Wished = (Option<u32>, Option<String>, Option<String>, Option<f64>);

/// What `switchyard start --json` says, of the policies that `options_json` asks for, or what decides in their place.
#[pyfunction]
#[pyo3(signature = (trace, options_json, functions, at, job, wished, draws, helps, weights, progress))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are Python's, by name there"
)]
pub(crate) fn start(
    py: Python<'_>,
    trace: &Bound<'_, Trace>,
    options_json: &str,
    functions: Vec<Option<Function>>,
    at: f64,
    job: Option<String>,
    wished: Wished,
    draws: u32,
    helps: bool,
    weights: Option<Vec<u8>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let running = asked(options_json, weights)?;
    let study = trace.get().study.clone();
    let functions = Functions::from(functions);
    let mut watch = Watch::new(progress);
    let (gpus, user, queue, limit) = wished;
    let answers = py.detach(|| -> PyResult<_> {
        let prepared = options::prepare(running, study).map_err(refused)?;
        let job = job.map(|name| Asked::named(&prepared.workload, &name));
        let asked = Asked {
            job: job.transpose().map_err(failed)?,
            wish: Wish {
                gpus,
                user,
                queue,
                limit,
            },
        };
        let mut answers = Vec::new();
        for (run, spec) in prepared.runs.iter().enumerate() {
            let function = functions.of_run(run);
            let fault = Fault::default();
            let deciding = function.map(|of| of.deciding(&fault));
            let question = Question {
                spec,
                deciding: deciding.as_ref(),
                workload: &prepared.workload,
                weights: &prepared.weights,
                moment: at,
                draws,
            };
            let policy = policy(&prepared, run, function);
            let seed = spec.options.seed;
            let told = question.told(&asked, helps, &mut |inquiry, draws| {
                drawn(inquiry, draws, seed, &policy, &mut watch)
            });
            let Some(raised) = fault.take() else {
                match told.map_err(failed)? {
                    Some(told) => answers.push(Told { policy, ..told }),
                    None => break,
                }
                continue;
            };
            if Python::attach(|py| ends_all(py, &raised)) {
                watch.stop(raised);
                break;
            }
            // Also where it is one of the draws of what would help, which has nothing to say of it.
            let error = match told {
                Err(why) => failed(why),
                Ok(_) => RunError::new_err(format!("{policy} raises in some draws")),
            };
            Python::attach(|py| error.set_cause(py, Some(raised)));
            return Err(error);
        }
        json(&answers)
    })?;
    watch.done()?;
    Ok(answers)
}

/// So many draws, on all cores; `None` if it was interrupted.
fn drawn(
    inquiry: &Inquiry,
    draws: u32,
    seed: u64,
    policy: &str,
    watch: &mut Watch,
) -> Option<Result<Vec<Draw>, Refused>> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut drawn = Vec::new();
    for first in (0..draws).step_by(cores) {
        let some = thread::scope(|scope| {
            let numbers = first..draws.min(first + cores as u32);
            let threads: Vec<_> = numbers
                .map(|number| scope.spawn(move || inquiry.draw(number, seed)))
                .collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .map(|draw| draw.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect::<Result<Vec<Draw>, Refused>>()
        });
        match some {
            Ok(some) => drawn.extend(some),
            Err(refused) => return Some(Err(refused)),
        }
        let goes_on = watch.goes_on(|said| {
            said.set_item("stage", "start")?;
            said.set_item("policy", policy)?;
            said.set_item("done", drawn.len())?;
            said.set_item("draws", draws)
        });
        if !goes_on {
            return None;
        }
    }
    Some(Ok(drawn))
}

fn failed(refused: Refused) -> PyErr {
    match refused {
        Refused::Run(error) => RunError::new_err(error.to_string()),
        other => crate::refused(other),
    }
}
