//! What scripts can ask of what a job trains.

use super::job::Job;
use super::refusal::refuse;
use super::trainee::Trainee;
use rhai::{Engine, EvalAltResult, INT};
use std::cell::RefCell;
use std::rc::Rc;

fn of(job: &Job) -> Result<&Rc<RefCell<Trainee>>, Box<EvalAltResult>> {
    let trainee = job.seat()?.trainee.as_ref();
    trainee.ok_or_else(|| {
        refuse(format!(
            "{} is a gang with a fixed duration: ask job.adaptive first",
            job.called()
        ))
    })
}

/// How many GPUs a script means.
pub(super) fn count(gpus: INT) -> Result<u32, Box<EvalAltResult>> {
    let count = u32::try_from(gpus)
        .ok()
        .filter(|gpus| (1..=1 << 20).contains(gpus));
    count.ok_or_else(|| refuse(format!("{gpus} is no number of GPUs: it takes 1 or more")))
}

/// Has an engine know what jobs train.
pub(super) fn register(engine: &mut Engine) {
    engine.register_get("adaptive", |job: &mut Job| {
        job.seat().map(|seat| seat.trainee.is_some())
    });
    engine.register_get("application", |job: &mut Job| {
        of(job).map(|of| of.borrow().application.clone())
    });
    engine.register_get("batch", |job: &mut Job| {
        of(job).map(|of| INT::from(of.borrow().asked))
    });
    engine.register_get("epochs", |job: &mut Job| {
        of(job).map(|of| INT::from(of.borrow().epochs))
    });
    engine.register_get("epochs_done", |job: &mut Job| {
        of(job).map(|of| of.borrow().epochs_done)
    });
    engine.register_get("max_gpus", |job: &mut Job| {
        of(job).map(|of| INT::from(of.borrow().agent.max_replicas()))
    });
    engine.register_fn("speedup", |job: &mut Job, gpus: INT| {
        let (of, gpus) = (of(job)?.borrow(), count(gpus)?);
        Ok::<_, Box<EvalAltResult>>(of.agent.speedup(of.nodes(gpus), gpus))
    });
    engine.register_fn("goodput", |job: &mut Job, gpus: INT| {
        let (of, gpus) = (of(job)?.borrow(), count(gpus)?);
        let choice = of.agent.choose(of.nodes(gpus), gpus);
        Ok::<_, Box<EvalAltResult>>(choice.map_or(0.0, |choice| choice.goodput))
    });
    engine.register_fn("best_batch", |job: &mut Job, gpus: INT| {
        let (of, gpus) = (of(job)?.borrow(), count(gpus)?);
        let batch = of.agent.configure(of.nodes(gpus), gpus);
        Ok::<_, Box<EvalAltResult>>(batch.total(gpus) as INT)
    });
}
