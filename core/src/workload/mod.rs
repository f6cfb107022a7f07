//! From a trace's records to jobs that are ready to run.

mod adaptive;
pub mod application;
mod binding;
pub mod export;
mod fit;
mod from_trace;
mod generator;
mod models;
mod sample;
mod settings;
mod suggest;

pub use application::Application;
pub use binding::{BindError, BindingRule, Bound, GpuTimeClass};
pub use fit::Fit;
pub use generator::{GeneratorError, MIX, PolluxGenerator, adaptdl_csv};
pub(crate) use models::TraitsByJob;
pub use models::{DEFAULT_PACKLIMIT, GpuGeneration, ModelTraits};
pub use sample::{SAMPLES, Sample};
pub use settings::{ApplicationSettings, PAPER_RULE, RuleError, SettingsError};

use crate::job::Job;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

impl Workload {
    /// The same jobs arriving `factor` times as fast.
    pub fn at_load(&self, factor: f64) -> Self {
        let mut faster = self.clone();
        for job in &mut faster.jobs {
            job.submit = crate::Time(job.submit.seconds() / factor);
        }
        faster
    }
}

/// Jobs in order of submission, the first at time 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Sorted by (submit, row of the trace); a job's index is its [`JobId`](crate::job::JobId).
    pub jobs: Vec<Job>,
    /// Names of the tenants that jobs refer to.
    pub tenants: Vec<String>,
    /// Names of the models that jobs refer to.
    pub models: Vec<String>,
    /// What [adaptive](crate::job::Work::Adaptive) jobs train. Does not travel: where it is
    /// needed, [`bind`](Self::bind) gives it back by the names of the jobs' models.
    #[serde(skip)]
    pub applications: Vec<Arc<Application>>,
}
