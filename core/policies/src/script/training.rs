//! What scripts can ask of what a job trains.

use super::job::Job;
use super::refusal::refuse;
use crate::trainees::{self, Trainee};
use rhai::{Engine, EvalAltResult, INT};
use std::sync::MutexGuard;

fn of(job: &Job) -> Result<MutexGuard<'_, Trainee>, Box<EvalAltResult>> {
    let trainee = job.seat()?.trainee.as_ref();
    trainees::of(trainee, job.named()).map_err(refuse)
}

/// How many GPUs a script means.
pub(super) fn count(gpus: INT) -> Result<u32, Box<EvalAltResult>> {
    trainees::count(gpus).map_err(refuse)
}

/// Has an engine know what jobs train.
pub(super) fn register(engine: &mut Engine) {
    engine.register_get("adaptive", |job: &mut Job| {
        job.seat().map(|seat| seat.trainee.is_some())
    });
    engine.register_get("application", |job: &mut Job| {
        of(job).map(|of| of.application().to_owned())
    });
    engine.register_get("batch", |job: &mut Job| {
        of(job).map(|of| INT::from(of.asked()))
    });
    engine.register_get("epochs", |job: &mut Job| {
        of(job).map(|of| INT::from(of.epochs()))
    });
    engine.register_get("epochs_done", |job: &mut Job| {
        of(job).map(|of| of.epochs_done())
    });
    engine.register_get("max_gpus", |job: &mut Job| {
        of(job).map(|of| INT::from(of.max_gpus()))
    });
    engine.register_fn("speedup", |job: &mut Job, gpus: INT| {
        let (of, gpus) = (of(job)?, count(gpus)?);
        Ok::<_, Box<EvalAltResult>>(of.speedup(gpus))
    });
    engine.register_fn("goodput", |job: &mut Job, gpus: INT| {
        let (of, gpus) = (of(job)?, count(gpus)?);
        Ok::<_, Box<EvalAltResult>>(of.goodput(gpus))
    });
    engine.register_fn("best_batch", |job: &mut Job, gpus: INT| {
        let (of, gpus) = (of(job)?, count(gpus)?);
        Ok::<_, Box<EvalAltResult>>(of.best_batch(gpus) as INT)
    });
}
