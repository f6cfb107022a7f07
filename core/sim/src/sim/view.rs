//! What a scheduler can know at one moment.

use super::attained::Held;
use super::engine::{JobStates, at_least_zero};
use super::ledger::Ledger;
use super::news::News;
use super::training::{Training, TrainingView};
use crate::Time;
use crate::cluster::FreeGpus;
use crate::job::{Job, JobId};
use crate::placement::{Gang, Strategy};
use crate::workload::{ModelTraits, TraitsByJob};

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not yet submitted.
    Future,
    /// In the queue.
    Waiting,
    /// On GPUs.
    Running,
    /// Done.
    Finished,
    /// Wants more GPUs than the cluster has: never admitted.
    Rejected,
}

/// What a real scheduler could know at one moment; an oracle policy also sees
/// [`remaining`](Self::remaining).
///
/// [`news`](Self::news) is what has happened since the policy was last asked, so that it can keep
/// queues instead of looking through every job; who runs where is in the [`ledger`](Self::ledger).
pub struct View<'a> {
    pub(super) now: Time,
    pub(super) jobs: &'a [Job],
    pub(super) states: &'a JobStates,
    pub(super) traits: &'a TraitsByJob,
    pub(super) is_round: bool,
    pub(super) trainings: &'a [Option<Training>],
    pub(super) free: &'a FreeGpus,
    pub(super) node_size: u32,
    pub(super) oracle: bool,
    pub(super) news: &'a [News],
    pub(super) ledger: &'a Ledger,
}

impl View<'_> {
    /// The moment.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether a round of the policy's [cadence](super::Cadence) is due now.
    pub fn is_round(&self) -> bool {
        self.is_round
    }

    /// What has happened since the policy was last asked, in that order.
    pub fn news(&self) -> &[News] {
        self.news
    }

    /// Who runs where, before any change the policy is about to make.
    pub fn ledger(&self) -> &Ledger {
        self.ledger
    }

    /// Free GPUs, before any change the policy is about to make.
    pub fn free(&self) -> &FreeGpus {
        self.free
    }

    /// GPUs of the largest node.
    pub fn node_size(&self) -> u32 {
        self.node_size
    }

    /// The job's gang.
    pub fn gpus(&self, job: JobId) -> u32 {
        self.jobs[job.index()].gpus
    }

    /// The job's name in the trace.
    pub fn name(&self, job: JobId) -> &str {
        &self.jobs[job.index()].name
    }

    /// What is known of the job's model.
    pub fn model(&self, job: JobId) -> ModelTraits {
        self.traits.get(self.jobs[job.index()].model, job)
    }

    /// The job's gang, for a placement to lay; skewed beyond this share of its largest tensor.
    pub fn gang(&self, job: JobId, strategy: Strategy, packlimit: f64) -> Gang {
        Gang {
            gpus: self.gpus(job),
            skewed: strategy.is_by_skew() && self.model(job).skew() > packlimit,
        }
    }

    /// The progress observed on the job's present GPUs (of a job that has just finished: its
    /// last), seconds per second: below 1 where its placement slows it.
    pub fn rate(&self, job: JobId) -> f64 {
        self.states.rate[job.index()]
    }

    /// Whether the job's present GPUs (of a job that has just finished: its last) are on more
    /// nodes than its gang needs.
    pub fn is_spread(&self, job: JobId) -> bool {
        self.states.spread[job.index()]
    }

    /// When the job was submitted.
    pub fn submit(&self, job: JobId) -> Time {
        self.jobs[job.index()].submit
    }

    /// The job's tenant, if the trace names one.
    pub fn tenant(&self, job: JobId) -> Option<u32> {
        self.jobs[job.index()].tenant
    }

    /// Where the job is in its life.
    pub fn phase(&self, job: JobId) -> Phase {
        self.states.phase[job.index()]
    }

    /// Attained service so far, GPU·s: GPUs held × time held (restarts included).
    pub fn attained(&self, job: JobId) -> f64 {
        self.held(job).service()
    }

    /// The job's stays on GPUs so far.
    pub fn held(&self, job: JobId) -> Held {
        self.states.held(job, self.now, self.ledger.gpus(job))
    }

    fn training_of(&self, job: JobId) -> Option<&Training> {
        self.trainings.get(job.index())?.as_ref()
    }

    /// What is known of an adaptive job; `None` for a plain one.
    pub fn training(&self, job: JobId) -> Option<TrainingView<'_>> {
        let training = self.training_of(job)?;
        Some(TrainingView {
            training,
            now: self.now,
            oracle: self.oracle,
            job,
        })
    }

    /// Seconds on GPUs so far (restarts included).
    pub fn held_seconds(&self, job: JobId) -> f64 {
        self.held(job).seconds()
    }

    /// When the job last changed between waiting and running (or was submitted).
    pub fn since(&self, job: JobId) -> Time {
        self.states.since[job.index()]
    }

    /// True seconds of execution at the requested GPUs: `None` unless the policy declares itself
    /// an oracle.
    pub fn duration(&self, job: JobId) -> Option<f64> {
        self.oracle.then(|| self.jobs[job.index()].work.seconds())
    }

    /// True remaining seconds of execution at the requested GPUs: `None` unless the policy
    /// declares itself an oracle.
    pub fn remaining(&self, job: JobId) -> Option<f64> {
        let duration = self.jobs[job.index()].work.seconds();
        let executed = || match self.training_of(job) {
            Some(training) => training.executed_seconds(self.now),
            None => self.states.executed_seconds(job, self.now),
        };
        self.oracle.then(|| at_least_zero(duration - executed()))
    }
}
