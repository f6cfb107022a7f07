//! What adaptive jobs train: their [progress](super::progress) is counted in the application's
//! iterations at M0, their full speed depends on placement, batch and epoch, and where the application was measured on
//! all of the cluster's types, on the type of GPUs. A job's `scale` divides its speed.

use super::plan::PlanErrorKind;
use super::progress::JobProgress;
use super::setting::Setting;
use super::types::Trained;
use crate::Time;
use crate::application::{Application, StepTimes, packed};
use crate::cluster::{ClusterSpec, Part, Pools};
use crate::goodput::{GradientStats, Limits, LocalBatch, Observation};
use crate::job::{Job, JobId, Work};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One adaptive job.
#[derive(Clone, Debug)]
pub(super) struct Training {
    pub(super) application: Arc<Application>,
    index: u32,
    /// The application by pool, and the pool of each node; `None`: on all GPUs it is the same.
    on: Option<(Trained, Arc<Pools>)>,
    /// The total batch its owner asks for.
    pub(super) asked: u32,
    scale: f64,
    duration: f64,
    pace: Arc<Pace>,
    /// Epochs complete.
    pub(super) epoch: u32,
    pub(super) batch: LocalBatch,
    times: StepTimes,
    replicas: u32,
    nodes: u32,
}

/// How training passes at the requested GPUs and batch.
#[derive(Debug)]
struct Pace {
    /// Seconds until so many epochs are complete, before scaling; the first is 0.
    seconds: Vec<f64>,
}

impl Pace {
    fn new(application: &Application, placement: &[u32], batch: u32) -> Self {
        let batch = application.limits.split(batch, placement.iter().sum());
        let mut sum = 0.0;
        let mut seconds = vec![0.0];
        for epoch in 0..application.epochs() {
            let progress =
                application.progress_after(epoch + 1) - application.progress_after(epoch);
            sum += progress / application.speed(placement, batch, epoch);
            seconds.push(sum);
        }
        Self { seconds }
    }

    fn at(&self, epoch: u32) -> f64 {
        let at = self.seconds.get(epoch as usize).or(self.seconds.last());
        at.copied().unwrap_or(0.0)
    }
}

/// Every adaptive job of a run, by job; empty where there is none.
pub(super) fn trainings(setting: &Setting, cluster: &ClusterSpec) -> Vec<Option<Training>> {
    let workload = &setting.workload;
    if !workload.is_adaptive() {
        return Vec::new();
    }
    // Many jobs share application, GPUs and batch.
    let mut paces: BTreeMap<(u32, u32, u32), Arc<Pace>> = BTreeMap::new();
    let per_node = cluster.largest_node();
    let mut training = |job: &Job| {
        let Work::Adaptive {
            application: index,
            batch,
            scale,
            duration,
        } = job.work
        else {
            return None;
        };
        let application = Arc::clone(workload.applications.get(index as usize)?);
        let pace = paces.entry((index, job.gpus, batch)).or_insert_with(|| {
            Arc::new(Pace::new(&application, &packed(job.gpus, per_node), batch))
        });
        let on = setting.types.trained(job).zip(setting.pools.as_ref());
        Some(Training {
            index,
            on: on.map(|(on, pools)| (Arc::clone(on), Arc::clone(pools))),
            asked: batch,
            scale,
            duration,
            pace: Arc::clone(pace),
            application,
            epoch: 0,
            batch: LocalBatch::default(),
            times: StepTimes::default(),
            replicas: 0,
            nodes: 0,
        })
    };
    workload.jobs.iter().map(&mut training).collect()
}

impl Training {
    /// The application as it is on each of these GPUs' types.
    fn on(&self, parts: &[Part]) -> impl Iterator<Item = &Application> {
        let pools = self.on.as_ref().map(|(by_pool, pools)| {
            let workers = parts.iter().filter(|part| part.has_workers());
            workers.filter_map(|part| by_pool.get(pools.of_node(part.node)))
        });
        let everywhere = self.on.is_none().then_some(&self.application);
        pools
            .into_iter()
            .flatten()
            .chain(everywhere)
            .map(Arc::as_ref)
    }

    /// What batch sizes it allows on these GPUs: what fits into the smallest.
    pub(super) fn limits_on(&self, parts: &[Part]) -> Limits {
        let most = self.on(parts).map(|of| of.limits.max_local).min();
        let limits = self.application.limits;
        Limits {
            max_local: most.unwrap_or(limits.max_local),
            ..limits
        }
    }

    /// Takes GPUs and a batch. All wait for the slowest.
    pub(super) fn configure(&mut self, parts: &[Part], batch: LocalBatch) {
        let workers = parts.iter().filter(|part| part.has_workers());
        let placement: Vec<u32> = workers.map(|part| part.gpus).collect();
        let times = self.on(parts).map(|of| of.step_times(&placement, batch.m));
        let slowest = times.reduce(|a, b| if b.step > a.step { b } else { a });
        self.times = slowest.unwrap_or_default();
        self.replicas = placement.iter().sum();
        self.nodes = placement.len() as u32;
        self.batch = batch;
    }

    /// Where the present epoch ends, iterations at M0.
    pub(super) fn end_of_epoch(&self) -> f64 {
        self.application.progress_after(self.epoch + 1)
    }

    /// Iterations at M0 per second, at this part of full speed.
    pub(super) fn speed(&self, factor: f64) -> f64 {
        let total = self.batch.total(self.replicas);
        let stats = self.application.stats(total, self.epoch);
        let gain = stats.gain(self.application.limits.scale(total));
        gain / self.times.iteration(self.batch.s) * factor / self.scale
    }

    /// Whether a batch is within the limits on these GPUs.
    pub(super) fn check_batch(
        &self,
        parts: &[Part],
        batch: LocalBatch,
    ) -> Result<(), PlanErrorKind> {
        let limits = self.limits_on(parts);
        let replicas = Part::gpus_of(parts);
        let local = 1..=limits.max_local;
        if local.contains(&batch.m) && batch.total(replicas) <= f64::from(limits.max_batch) {
            return Ok(());
        }
        let LocalBatch { m, s } = batch;
        Err(PlanErrorKind::BadBatch { m, s })
    }

    /// Epochs complete, with the part of the present one.
    pub(super) fn epochs_at(&self, progress: &JobProgress, now: Time) -> f64 {
        let from = self.application.progress_after(self.epoch);
        let span = progress.goal() - from;
        let part = if span > 0.0 {
            (progress.at(now) - from) / span
        } else {
            0.0
        };
        f64::from(self.epoch) + part
    }

    /// Progress so far as seconds at the requested GPUs and batch.
    pub(super) fn executed_seconds(&self, progress: &JobProgress, now: Time) -> f64 {
        let all = self.pace.at(self.application.epochs());
        let (from, to) = (self.pace.at(self.epoch), self.pace.at(self.epoch + 1));
        let part = self.epochs_at(progress, now) - f64::from(self.epoch);
        self.duration * ((from + (to - from) * part) / all)
    }

    /// Seconds of progress at the requested GPUs and batch per second.
    pub(super) fn rate(&self, progress: &JobProgress) -> f64 {
        let from = self.application.progress_after(self.epoch);
        let seconds = self.pace.at(self.epoch + 1) - self.pace.at(self.epoch);
        let pace = seconds / (progress.goal() - from);
        progress.speed() * pace * self.duration / self.pace.at(self.application.epochs())
    }
}

/// What is known of an adaptive job.
#[derive(Clone, Copy, Debug)]
pub struct TrainingView<'a> {
    pub(super) training: &'a Training,
    pub(super) progress: &'a JobProgress,
    pub(super) now: Time,
    pub(super) oracle: bool,
    pub(super) job: JobId,
}

impl<'a> TrainingView<'a> {
    /// The job.
    pub fn job(&self) -> JobId {
        self.job
    }

    /// Which application it trains: an index into the workload's.
    pub fn application(&self) -> u32 {
        self.training.index
    }

    /// What its application is called.
    pub fn name(&self) -> &'a str {
        &self.training.application.name
    }

    /// What batch sizes it allows.
    pub fn limits(&self) -> &'a Limits {
        &self.training.application.limits
    }

    /// What batch sizes it allows on a pool's GPUs.
    pub fn limits_on(&self, pool: usize) -> &'a Limits {
        self.on(pool).map_or(self.limits(), |on| &on.limits)
    }

    /// What one GPU of a pool does, samples per second with the largest batch that fits, profiled beforehand. `None`
    /// where the application was not measured on types apart: then [`observed`](Self::observed) says what a step takes
    /// on the fastest.
    pub fn one_gpu(&self, pool: usize) -> Option<f64> {
        let on = self.on(pool)?;
        let m = on.limits.max_local;
        Some(f64::from(m) / on.step_times(&[1], m).step)
    }

    fn on(&self, pool: usize) -> Option<&'a Application> {
        let (by_pool, _) = self.training.on.as_ref()?;
        by_pool.get(pool).map(Arc::as_ref)
    }

    /// The total batch its owner asks for, samples.
    pub fn batch(&self) -> u32 {
        self.training.asked
    }

    /// How many epochs it takes.
    pub fn epochs(&self) -> u32 {
        self.training.application.epochs()
    }

    /// Epochs complete, with the part of the present one.
    pub fn epochs_done(&self) -> f64 {
        self.training.epochs_at(self.progress, self.now)
    }

    /// Epochs complete.
    pub fn epoch(&self) -> u32 {
        self.training.epoch
    }

    /// The batch on its present or last GPUs.
    pub fn configuration(&self) -> LocalBatch {
        self.training.batch
    }

    /// What it has observed of itself since it got its present GPUs, batch or epoch: a step, and
    /// gradient statistics. `None` before the first step.
    pub fn observed(&self) -> Option<(Observation, GradientStats)> {
        let training = self.training;
        if !self.progress.has_moved(self.now) {
            return None;
        }
        let observation = Observation {
            nodes: training.nodes,
            replicas: training.replicas,
            m: training.batch.m,
            step: training.times.step,
            sync: training.times.sync,
        };
        let total = training.batch.total(training.replicas);
        Some((
            observation,
            training.application.stats(total, training.epoch),
        ))
    }

    /// The true profile: `None` unless the policy declares itself an oracle.
    pub fn truth(&self) -> Option<&'a Arc<Application>> {
        self.oracle.then_some(&self.training.application)
    }

    /// By what the application's progress is multiplied: `None` unless the policy declares itself
    /// an oracle.
    pub fn scale(&self) -> Option<f64> {
        self.oracle.then_some(self.training.scale)
    }
}
