//! What is known of a job, and what each configuration is worth to it by that. In: what it has seen of its training,
//! type by type. Out: rows of goodput, and batches.

use super::kinds::Kinds;
use crate::application::packed;
use crate::goodput::{Fits, GradientStats, LocalBatch, Observation, ThroughputParams, batch};
use crate::job::JobId;
use std::rc::Rc;
use switchyard_engine::{TrainingView, View};
use switchyard_sia::configurations::Configuration;
use switchyard_sia::rows::{self, NOTHING, OnType, restart_factor};

/// The most GPUs of a job that adapts, as far as applications were measured.
const MOST_REPLICAS: u32 = 64;

/// What a job has seen on one type.
#[derive(Default)]
struct Seen {
    observations: Vec<Observation>,
    model: Option<ThroughputParams>,
}

/// A job.
pub(super) struct Member {
    pub(super) job: JobId,
    /// By pool.
    seen: Vec<Seen>,
    stats: Option<GradientStats>,
    /// What each configuration was worth to it, until what that hangs on changes.
    row: Option<Worth>,
}

/// What configurations are worth to a job, and what that comes from.
type Worth = (Vec<f32>, Rc<Basis>);

/// What the worth of configurations comes from.
pub(super) enum Basis {
    /// Nothing was seen: one GPU of any type is worth 1.
    Nothing,
    /// The goodput of each as models predict it, samples per second, and the least.
    Goodput(Vec<f32>, f32),
    /// Of a gang of so many GPUs, how fast each is, and the slowest.
    Speed(u32, Vec<f64>, f64),
}

/// What of another configuration's worth is left after a restart, and what that comes from.
#[derive(Clone, Copy)]
pub(super) struct Moving {
    /// ρ.
    pub(super) factor: f64,
    /// Seconds since the job came.
    pub(super) age: f64,
    /// How often it has restarted.
    pub(super) restarts: u32,
    /// What a restart is expected to take.
    pub(super) seconds: f64,
}

impl Member {
    pub(super) fn new(job: JobId, pools: usize) -> Self {
        Self {
            job,
            seen: (0..pools).map(|_| Seen::default()).collect(),
            stats: None,
            row: None,
        }
    }

    /// Forgets its row: other configurations are there now.
    pub(super) fn forget_row(&mut self) {
        self.row = None;
    }

    /// How many configurations it has run in, on all types.
    pub(super) fn observations(&self) -> usize {
        self.seen.iter().map(|of| of.observations.len()).sum()
    }

    /// Its last gradient statistics.
    pub(super) fn stats(&self) -> Option<&GradientStats> {
        self.stats.as_ref()
    }

    /// The most GPUs it may have: twice what it has run on, on any type.
    pub(super) fn most_replicas(&self, training: &TrainingView<'_>) -> u32 {
        let seen = self.seen.iter().flat_map(|of| &of.observations);
        let most = seen.map(|of| of.replicas).max().unwrap_or(0);
        let explored = training.limits().explored_replicas(most);
        explored.min(MOST_REPLICAS)
    }

    /// Takes in what it sees on the GPUs that it has. Where its application was not measured on types apart, a step
    /// takes longer on a slower type.
    pub(super) fn observe(&mut self, view: &View<'_>, fits: &mut Fits) {
        let first = view.ledger().parts(self.job).first();
        let pool = first.map(|part| view.pool_of(part.node));
        let training = view.training(self.job);
        let observed = training.and_then(|training| training.observed());
        let (Some(pool), Some((observation, stats))) = (pool, observed) else {
            return;
        };
        if self.stats != Some(stats) {
            self.stats = Some(stats);
            self.row = None;
        }
        let seen = &mut self.seen[pool];
        let key = |of: &Observation| (of.nodes, of.replicas, of.m);
        if seen
            .observations
            .iter()
            .any(|of| key(of) == key(&observation))
        {
            return;
        }
        let apart = training.and_then(|training| training.one_gpu(pool));
        let speed = apart.map_or_else(|| view.speed_on(self.job, pool), |_| 1.0);
        seen.observations.push(Observation {
            step: observation.step / speed,
            sync: observation.sync / speed,
            ..observation
        });
        match fits.fit(&seen.observations) {
            Ok(model) => {
                seen.model = Some(model);
                self.row = None;
            }
            // What a profile says is sound; what is not would teach nothing.
            Err(_) => drop(seen.observations.pop()),
        }
    }

    /// What each of these columns is worth to it, relative to the least that it can use, and what that comes from. The
    /// first columns are those of jobs that adapt; gangs may use all.
    pub(super) fn goodputs(
        &mut self,
        view: &View<'_>,
        kinds: &Kinds,
        adaptive: &[Configuration],
        columns: &[Configuration],
    ) -> Worth {
        let Some(training) = view.training(self.job) else {
            return gang_row(view, kinds, self.job, columns);
        };
        let mut row = match self.row.take() {
            Some(row) => row,
            None => self.row_of(view, &training, kinds, adaptive),
        };
        self.row = Some(row.clone());
        row.0.resize(columns.len(), NOTHING);
        row
    }

    fn row_of(
        &self,
        view: &View<'_>,
        training: &TrainingView<'_>,
        kinds: &Kinds,
        columns: &[Configuration],
    ) -> Worth {
        let on = (0..kinds.len()).map(|kind| {
            let pool = kinds.pool(kind);
            OnType {
                model: self.seen[pool].model,
                limits: *training.limits_on(pool),
                // What one GPU does is measured of every job on every type beforehand.
                one_gpu: (training.one_gpu(pool)).unwrap_or_else(|| view.speed_on(self.job, pool)),
            }
        });
        let on: Vec<OnType> = on.collect();
        let most = self.most_replicas(training);
        let row = rows::goodputs(kinds.types(), columns, &on, self.stats.as_ref(), most);
        let basis = row.predicted.map_or(Basis::Nothing, |(predicted, least)| {
            Basis::Goodput(predicted, least)
        });
        (row.worth, Rc::new(basis))
    }

    /// What a restart that is expected to take so many seconds leaves.
    pub(super) fn moving(&self, view: &View<'_>, seconds: f64) -> Moving {
        let is_gang = view.training(self.job).is_none();
        let age = view.now() - view.submit(self.job);
        let restarts = view.ledger().starts(self.job).saturating_sub(1);
        let factor = match is_gang && view.held_seconds(self.job) < seconds {
            true => 1.0,
            false => restart_factor(age, restarts, seconds),
        };
        Moving {
            factor,
            age,
            restarts,
            seconds,
        }
    }

    /// The batch for so many GPUs of a type on so many nodes: the best by the model of that type, else the smallest.
    pub(super) fn batch(
        &self,
        training: &TrainingView<'_>,
        pool: usize,
        nodes: u32,
        replicas: u32,
    ) -> LocalBatch {
        let limits = training.limits_on(pool);
        let model = self.seen.get(pool).and_then(|of| of.model.as_ref());
        let known = model.zip(self.stats.as_ref());
        let best =
            known.and_then(|(model, stats)| batch::choose(model, stats, limits, nodes, replicas));
        best.map_or_else(
            || {
                let least = limits.min_local.saturating_mul(replicas);
                limits.split(limits.m0.max(least), replicas)
            },
            |choice| choice.batch,
        )
    }

    /// Its model of a type: samples per second by GPUs, packed on nodes, each number with its best batch.
    pub(super) fn goodput_by_gpus(
        &self,
        view: &View<'_>,
        training: &TrainingView<'_>,
        pool: usize,
    ) -> Vec<(f64, f64)> {
        let model = self.seen.get(pool).and_then(|of| of.model.as_ref());
        let Some((model, stats)) = model.zip(self.stats.as_ref()) else {
            return Vec::new();
        };
        let goodput = |replicas: u32| {
            let nodes = packed(replicas, view.node_size()).len() as u32;
            let best = batch::choose(model, stats, training.limits_on(pool), nodes, replicas)?;
            Some((f64::from(replicas), best.goodput))
        };
        (1..=self.most_replicas(training))
            .filter_map(goodput)
            .collect()
    }
}

/// What columns are worth to a gang: its own number of GPUs, the more the faster the type.
fn gang_row(view: &View<'_>, kinds: &Kinds, job: JobId, columns: &[Configuration]) -> Worth {
    let gpus = view.gpus(job);
    let speed = |column: &Configuration| match column.gpus == gpus {
        true => view.speed_on(job, kinds.pool(column.kind)),
        false => 0.0,
    };
    let speeds: Vec<f64> = columns.iter().map(speed).collect();
    let valid = speeds.iter().copied().filter(|speed| *speed > 0.0);
    let least = valid.fold(f64::INFINITY, |a, b| if b < a { b } else { a });
    let worth = |&speed: &f64| match speed {
        0.0 => NOTHING,
        speed => (f64::from(gpus) * speed / least) as f32,
    };
    let worth = speeds.iter().map(worth).collect();
    (worth, Rc::new(Basis::Speed(gpus, speeds, least)))
}
