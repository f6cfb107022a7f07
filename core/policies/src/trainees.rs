//! Adaptive jobs as somebody's own policy sees them, a script or a function of a program that runs the engine: what an
//! agent has observed of each, as for Pollux (`goodput`), and how one is given GPUs and a batch.

use crate::board::{Answer, Board, Named};
use crate::goodput::{Agent, CandidateTable, Fits, LocalBatch};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use switchyard_engine::TrainingView;

/// What is known of an adaptive job, and what it has been seen to do.
pub struct Trainee {
    agent: Agent,
    application: Arc<str>,
    asked: u32,
    batch: LocalBatch,
    epochs: u32,
    epochs_done: f64,
    /// GPUs of the largest node.
    per_node: u32,
}

/// One of them, for whoever keeps it until its job is done.
pub type Shared = Arc<Mutex<Trainee>>;

/// The adaptive jobs, and what they share.
#[derive(Default)]
pub struct Trainees {
    jobs: BTreeMap<u32, Shared>,
    /// By application.
    tables: BTreeMap<u32, Arc<CandidateTable>>,
    fits: Fits,
}

impl Trainees {
    /// An adaptive job as it stands, having observed what there is to observe. `gpus`: the
    /// cluster's; `per_node`: the largest node's.
    pub fn follow(&mut self, training: &TrainingView<'_>, gpus: u32, per_node: u32) -> Shared {
        let tables = &mut self.tables;
        let trainee = self.jobs.entry(training.job().0).or_insert_with(|| {
            let table = tables.entry(training.application()).or_insert_with(|| {
                Arc::new(CandidateTable::new(*training.limits(), gpus, per_node))
            });
            Arc::new(Mutex::new(Trainee {
                agent: Agent::new(Arc::clone(table)),
                application: training.name().into(),
                asked: training.batch(),
                batch: training.configuration(),
                epochs: training.epochs(),
                epochs_done: 0.0,
                per_node,
            }))
        });
        let mut now = look(trainee);
        now.batch = training.configuration();
        now.epochs_done = training.epochs_done();
        if let Some((observation, stats)) = training.observed() {
            // Of an impossible observation nothing is kept.
            let _ = now.agent.observe(observation, stats, &mut self.fits);
        }
        drop(now);
        Arc::clone(trainee)
    }

    /// A job is done.
    pub fn forget(&mut self, job: u32) {
        self.jobs.remove(&job);
    }
}

/// Looks at one.
pub fn look(trainee: &Shared) -> MutexGuard<'_, Trainee> {
    trainee.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trainee {
    /// What it trains.
    pub fn application(&self) -> &str {
        &self.application
    }

    /// The total batch its owner asks for, samples.
    pub fn asked(&self) -> u32 {
        self.asked
    }

    /// Epochs in all.
    pub fn epochs(&self) -> u32 {
        self.epochs
    }

    /// Those that are complete.
    pub fn epochs_done(&self) -> f64 {
        self.epochs_done
    }

    /// The most GPUs to try: twice what it has run on.
    pub fn max_gpus(&self) -> u32 {
        self.agent.max_replicas()
    }

    /// Its goodput on so many GPUs over that on one, as its agent expects it.
    pub fn speedup(&self, gpus: u32) -> f64 {
        self.agent.speedup(self.nodes(gpus), gpus)
    }

    /// Its goodput on so many GPUs, samples of use per second.
    pub fn goodput(&self, gpus: u32) -> f64 {
        let choice = self.agent.choose(self.nodes(gpus), gpus);
        choice.map_or(0.0, |choice| choice.goodput)
    }

    /// The best total batch on so many GPUs, samples.
    pub fn best_batch(&self, gpus: u32) -> f64 {
        self.agent.configure(self.nodes(gpus), gpus).total(gpus)
    }

    /// The fewest nodes for so many GPUs.
    fn nodes(&self, gpus: u32) -> u32 {
        gpus.div_ceil(self.per_node.max(1)).max(1)
    }
}

/// What is known of a job that has to be adaptive.
///
/// # Errors
///
/// It is not.
pub fn of<'a>(trainee: Option<&'a Shared>, job: Named<'_>) -> Answer<MutexGuard<'a, Trainee>> {
    let trainee = trainee.ok_or_else(|| {
        format!(
            "{} is a gang with a fixed duration: ask job.adaptive first",
            job.called()
        )
    })?;
    Ok(look(trainee))
}

/// How many GPUs somebody means.
///
/// # Errors
///
/// That is no number of GPUs.
pub fn count(gpus: i64) -> Answer<u32> {
    let count = u32::try_from(gpus)
        .ok()
        .filter(|gpus| (1..=1 << 20).contains(gpus));
    count.ok_or_else(|| format!("{gpus} is no number of GPUs: it takes 1 or more"))
}

/// Runs an adaptive job on so many GPUs, with the best total batch or this one; `false`: there is no room.
///
/// # Errors
///
/// It is not adaptive, something has been decided about it, or it cannot train so.
pub fn train(
    board: &mut Board,
    job: Named<'_>,
    trainee: Option<&Shared>,
    gpus: i64,
    batch: Option<i64>,
) -> Answer<bool> {
    let seat = board.untouched(job)?;
    let gpus = count(gpus)?;
    let Some(trainee) = trainee.filter(|_| seat.gang.share.is_none()) else {
        return Err(format!(
            "{} is a gang with a fixed duration: start(job) starts it, ask job.adaptive first",
            job.called()
        ));
    };
    let trainee = look(trainee);
    let limits = trainee.agent.limits();
    let most = limits.max_replicas().max(seat.gang.gpus);
    if gpus > most {
        return Err(format!("{} can use {most} GPUs, not {gpus}", job.called()));
    }
    let split = match batch {
        None => trainee.agent.configure(trainee.nodes(gpus), gpus),
        Some(batch) => {
            let total = u32::try_from(batch).unwrap_or(0).max(1);
            limits.split(total, gpus)
        }
    };
    if !(1..=limits.max_local).contains(&split.m) || split.total(gpus) > f64::from(limits.max_batch)
    {
        return Err(format!(
            "{} cannot train a batch of {} samples on {gpus} GPUs: it takes {} per GPU at most, and {} in all",
            job.called(),
            split.total(gpus),
            limits.max_local,
            limits.max_batch
        ));
    }
    board.train(job, gpus, split, trainee.batch)
}
