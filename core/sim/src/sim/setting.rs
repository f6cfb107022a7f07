//! What a run is given, and what stays.

use super::halt::LogBudget;
use crate::job::{Job, JobId};
use crate::workload::{GpuGeneration, ModelTraits, TraitsByJob, Workload};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What does not belong to trace, cluster or policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimOptions {
    /// Seconds without progress after every resume or move (checkpoint, restore, re-join). GPUs
    /// are held meanwhile. A first start is free.
    pub restart_cost: f64,
    /// Adds to the restart cost what checkpoint and resume of the job's model take
    /// ([`ModelTraits::restart_seconds`](crate::workload::ModelTraits::restart_seconds)).
    #[serde(default)]
    pub restart_by_model: bool,
    /// GPUs of this generation train slower when a gang is on more nodes than it needs
    /// ([`ModelTraits::spread_rate`](crate::workload::ModelTraits::spread_rate)); `None`: the
    /// placement does not matter.
    #[serde(default)]
    pub spread_slowdown: Option<GpuGeneration>,
    /// A first start costs what every other does.
    #[serde(default)]
    pub first_start_pays: bool,
    /// By this share an adaptive job on several nodes is slower while another such job shares one
    /// of them; below 1.
    #[serde(default)]
    pub interference: f64,
    /// Jobs that send over the same links, or want more cores than their node has, slow one another
    /// ([`contention`](crate::contention)).
    #[serde(default)]
    pub contention: bool,
    /// Epochs of adaptive jobs take whole seconds, as in the simulator of Pollux.
    #[serde(default)]
    pub whole_second_epochs: bool,
    /// Seed of the policy's random generator.
    pub seed: u64,
    /// How much the run may write into its log before it is ended.
    #[serde(default)]
    pub log_budget: LogBudget,
}

/// Jobs and options of one run.
pub(super) struct Setting {
    pub(super) workload: Arc<Workload>,
    pub(super) options: SimOptions,
    traits: TraitsByJob,
    /// Whether the policy may see what no real scheduler knows.
    pub(super) oracle: bool,
}

impl Setting {
    pub(super) fn new(workload: Arc<Workload>, options: SimOptions, oracle: bool) -> Self {
        Self {
            traits: TraitsByJob::of(&workload),
            workload,
            options,
            oracle,
        }
    }

    pub(super) fn job(&self, job: JobId) -> &Job {
        &self.workload.jobs[job.index()]
    }

    /// What is known of the job's model.
    pub(super) fn model(&self, job: JobId) -> ModelTraits {
        self.traits.get(self.job(job).model, job)
    }

    /// Seconds without progress after a resume or a move.
    pub(super) fn restart_seconds(&self, job: JobId) -> f64 {
        let by_model = if self.options.restart_by_model {
            self.model(job).restart_seconds()
        } else {
            0.0
        };
        self.options.restart_cost + by_model
    }
}
