//! Jobs that are ready to run, and what is known of them: embedded samples, the data centre's, a cluster for those
//! that come without one, how many fit on a cluster, what is known of a model's structure, which
//! application a job trains.

mod adaptive;
mod binding;
mod data_centre;
mod fit;
mod labels;
mod models;
mod recorded;
mod sample;
mod settings;
mod suggest;
mod theme;
mod varied;

pub use binding::{BindError, BindingRule, Bound, GpuTimeClass, Unbound};
pub use data_centre::{DataCentre, Split};
pub use fit::Fit;
pub use labels::{Label, LabelSet, Labels};
pub use models::{DEFAULT_PACKLIMIT, GpuGeneration, ModelTraits, TraitsByJob};
pub use recorded::{Recorded, RecordedRun};
pub use sample::{CHALLENGES, SAMPLES, Sample};
pub use settings::{ApplicationSettings, PAPER_RULE, RuleError, SettingsError};
pub use suggest::{Basis, Suggestion};

use crate::Resource;
use crate::application::Application;
use crate::job::{Job, Work};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Jobs in order of submission, the first at time 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Sorted by (submit, row of the trace); a job's index is its [`JobId`](crate::job::JobId).
    pub jobs: Vec<Job>,
    /// Names of the tenants that jobs refer to.
    pub tenants: Vec<String>,
    /// Names of the models that jobs refer to.
    pub models: Vec<String>,
    /// Names of the GPU types that jobs refer to, [canonical](crate::cluster::type_name); at most
    /// [`MAX_TYPES`](crate::cluster::MAX_TYPES).
    pub gpu_types: Vec<String>,
    /// What jobs occupy: their `gpus` are so many of it.
    #[serde(default)]
    pub unit: Resource,
    /// What the trace records of how they ran and ended.
    #[serde(default)]
    pub recorded: Recorded,
    /// Unix seconds of time 0, where the trace tells absolute time and its jobs come when they came then.
    #[serde(default)]
    pub epoch: Option<f64>,
    /// What [adaptive](crate::job::Work::Adaptive) jobs train. Does not travel: where it is
    /// needed, [`bind`](Self::bind) gives it back by the names of the jobs' models.
    #[serde(skip)]
    pub applications: Vec<Arc<Application>>,
}

impl Workload {
    /// The same jobs arriving `factor` times as fast. When they ran says nothing of these.
    pub fn at_load(&self, factor: f64) -> Self {
        let mut faster = self.clone();
        if factor != 1.0 {
            faster.recorded.runs.clear();
            faster.epoch = None;
        }
        for job in &mut faster.jobs {
            job.submit = crate::Time(job.submit.seconds() / factor);
        }
        faster
    }

    /// Its jobs that ask for GPUs: those that schedulers decide about.
    pub fn gangs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(|job| !job.is_on_cores())
    }

    /// How many of its jobs ask for none.
    pub fn on_cores(&self) -> usize {
        self.jobs.iter().filter(|job| job.is_on_cores()).count()
    }

    /// Whether any of its jobs can use other GPUs than it asks for.
    pub fn is_adaptive(&self) -> bool {
        let adapts = |work| matches!(work, Work::Adaptive { .. });
        self.jobs.iter().any(|job| adapts(job.work))
    }
}
