//! An adaptive job as a script sees it: what its agent has observed of it, as for Pollux (`goodput`).

use crate::goodput::{Agent, CandidateTable, Fits, LocalBatch};
use rhai::ImmutableString;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use switchyard_engine::TrainingView;

/// What is known of one, and what it has been seen to do.
pub(super) struct Trainee {
    pub(super) agent: Agent,
    pub(super) application: ImmutableString,
    /// The total batch its owner asks for, samples.
    pub(super) asked: u32,
    /// The batch on its present or last GPUs.
    pub(super) batch: LocalBatch,
    pub(super) epochs: u32,
    pub(super) epochs_done: f64,
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
