//! The vocabulary of jobs, shared by every room of the engine.

pub use crate::demand::{Demand, Servers, TypeSet};

use crate::Time;
use crate::meant::hint;
use serde::{Deserialize, Serialize};

/// A job's dense index in its [`Workload`](crate::workload::Workload), in order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u32);

impl JobId {
    /// The index as a `usize`, for arrays indexed by job.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A job's name. Short ones lie within it: a trace has millions.
pub type JobName = compact_str::CompactString;

/// One job, ready to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The trace's own name of the job (not necessarily unique).
    pub name: JobName,
    /// When it enters the queue.
    pub submit: Time,
    /// GPUs requested: the gang, all or nothing. None: it runs on cores alone, beside what a scheduler decides.
    pub gpus: u32,
    /// Tenant or virtual cluster: an index into `Workload::tenants`.
    pub tenant: Option<u32>,
    /// Model or application, where the trace names one: an index into `Workload::models`.
    pub model: Option<u32>,
    /// What it asks for besides its GPUs.
    pub demand: Demand,
    /// What it has to do.
    pub work: Work,
}

impl Job {
    /// A gang for so many seconds (> 0 and finite), submitted at `submit` seconds: of no name and nobody, and
    /// it asks for nothing besides.
    pub fn plain(submit: f64, gpus: u32, duration: f64) -> Self {
        Self {
            name: JobName::default(),
            submit: Time(submit),
            gpus,
            tenant: None,
            model: None,
            demand: Demand::default(),
            work: Work::Fixed { duration },
        }
    }

    /// Whether it asks for no GPU.
    pub fn is_on_cores(&self) -> bool {
        self.gpus == 0
    }
}

/// What a job has to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// A plain record: it needs `duration` seconds at its requested GPUs.
    Fixed {
        /// Seconds of execution at the requested GPUs; > 0 and finite.
        duration: f64,
    },
    /// Training whose speed depends on its GPUs, its batch and the phase it is in.
    Adaptive {
        /// What it trains: an index into `Workload::applications`.
        application: u32,
        /// The total batch its owner asks for, samples.
        batch: u32,
        /// By what the application's progress is multiplied; > 0.
        scale: f64,
        /// Seconds of execution at the requested GPUs, packed on nodes, and batch; > 0 and
        /// finite.
        duration: f64,
    },
}

impl Work {
    /// Seconds of execution at the requested GPUs.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Fixed { duration } | Self::Adaptive { duration, .. } => duration,
        }
    }
}

/// How a job ended in the trace it came from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Status {
    /// Ran to its end.
    Completed,
    /// Stopped by its owner.
    Cancelled,
    /// Ended with an error.
    Failed,
    /// Ended because its node failed.
    NodeFailed,
    /// Had not ended when the trace was taken.
    Running,
    /// The trace does not say.
    #[default]
    Unknown,
}

/// Not the word for a [`Status`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error(
    "'{0}' is not a status{meant}: use {words}",
    meant = hint(.0, Status::ALL.iter().map(|(word, _)| *word)),
    words = Status::ALL.map(|(word, _)| word).join(", ")
)]
pub struct UnknownStatus(pub String);

impl Status {
    /// Every status and its word.
    pub const ALL: [(&str, Self); 6] = [
        ("completed", Self::Completed),
        ("cancelled", Self::Cancelled),
        ("failed", Self::Failed),
        ("node_fail", Self::NodeFailed),
        ("running", Self::Running),
        ("unknown", Self::Unknown),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, status)| *status == self);
        found.map_or("unknown", |(word, _)| word)
    }
}

impl std::str::FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, UnknownStatus> {
        let found = Self::ALL.iter().find(|(word, _)| *word == text);
        let found = found.map(|(_, status)| *status);
        found.ok_or_else(|| UnknownStatus(text.to_owned()))
    }
}
