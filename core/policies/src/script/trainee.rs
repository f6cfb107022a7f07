//! An adaptive job as a script sees it: what its agent has observed of it, as for Pollux (`goodput`).

use super::jobs::Job;
use super::language::refuse;
use crate::goodput::{Agent, CandidateTable, Fits, LocalBatch};
use rhai::{Engine, EvalAltResult, INT, ImmutableString};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use switchyard_engine::TrainingView;

/// What is known of one, and what it has been seen to do.
pub(super) struct Trainee {
    pub(super) agent: Agent,
    application: ImmutableString,
    /// The total batch its owner asks for, samples.
    asked: u32,
    /// The batch on its present or last GPUs.
    pub(super) batch: LocalBatch,
    epochs: u32,
    epochs_done: f64,
    /// GPUs of the largest node.
    per_node: u32,
}

/// The adaptive jobs, and what they share.
#[derive(Default)]
pub(super) struct Trainees {
    jobs: BTreeMap<u32, Rc<RefCell<Trainee>>>,
    /// By application.
    tables: BTreeMap<u32, Arc<CandidateTable>>,
    fits: Fits,
}

impl Trainees {
    /// An adaptive job as it stands, having observed what there is to observe. `gpus`: the
    /// cluster's; `per_node`: the largest node's.
    pub(super) fn follow(
        &mut self,
        training: &TrainingView<'_>,
        gpus: u32,
        per_node: u32,
    ) -> Rc<RefCell<Trainee>> {
        let tables = &mut self.tables;
        let trainee = self.jobs.entry(training.job().0).or_insert_with(|| {
            let table = tables.entry(training.application()).or_insert_with(|| {
                Arc::new(CandidateTable::new(*training.limits(), gpus, per_node))
            });
            Rc::new(RefCell::new(Trainee {
                agent: Agent::new(Arc::clone(table)),
                application: training.name().into(),
                asked: training.batch(),
                batch: training.configuration(),
                epochs: training.epochs(),
                epochs_done: 0.0,
                per_node,
            }))
        });
        let mut now = trainee.borrow_mut();
        now.batch = training.configuration();
        now.epochs_done = training.epochs_done();
        if let Some((observation, stats)) = training.observed() {
            // Of an impossible observation nothing is kept.
            let _ = now.agent.observe(observation, stats, &mut self.fits);
        }
        drop(now);
        Rc::clone(trainee)
    }

    /// A job is done.
    pub(super) fn forget(&mut self, job: u32) {
        self.jobs.remove(&job);
    }
}

impl Trainee {
    /// The fewest nodes for so many GPUs.
    pub(super) fn nodes(&self, gpus: u32) -> u32 {
        gpus.div_ceil(self.per_node.max(1)).max(1)
    }
}

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
