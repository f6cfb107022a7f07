//! What page and worker say to each other.
//!
//! A worker first says [`Reply::Ready`]. One worker opens traces; each run has a worker of its
//! own, which gets one [`RunRequest::Run`] and then streams [`Reply::Log`] until [`Reply::Done`]
//! or [`Reply::Failed`]. Cancelling is ending the worker.

use serde::{Deserialize, Serialize};
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::playground::{Answer, Question};
use switchyard::policy::{Explanation, RoundReport};
use switchyard::sim::{LogDelta, Progress};
use switchyard::trace::{ImportReport, Member, ProfileTable};
use switchyard::workload::{ApplicationSettings, Workload};
use switchyard::{RunSpec, Time};

/// Page and worker must be of the same build: counts changes of this file.
pub const PROTOCOL: u32 = 5;

/// What the page asks of the worker that opens traces.
#[derive(Debug, Serialize, Deserialize)]
#[allow(
    clippy::large_enum_variant,
    reason = "a few are made per run, and each is sent at once"
)]
pub enum OpenRequest {
    /// Open the files of these names; their bytes follow the message in the same order.
    Open {
        /// File names.
        names: Vec<String>,
        /// The archive member wanted; all of them if none is named.
        member: Option<String>,
    },
    /// Make the embedded sample of this name.
    Sample(String),
}

/// What the page asks of a worker that carries a run.
#[derive(Debug, Serialize, Deserialize)]
pub enum RunRequest {
    /// Run this.
    Run {
        /// The settings.
        spec: Box<RunSpec>,
        /// The jobs.
        workload: Workload,
        /// What adaptive jobs train; `None`: plain jobs stay plain.
        applications: Option<Box<ApplicationSettings>>,
    },
    /// Tell what the policy thought of a job at a time: runs again up to there.
    Explain {
        /// The job.
        job: JobId,
        /// The time.
        at: Time,
    },
    /// Tell what the policy decided in its last round up to a time: runs again up to there.
    Round {
        /// The time.
        at: Time,
    },
    /// Ask the goodput model, run or no run.
    Model(Question),
}

/// What a worker says to the page.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// It can take requests.
    Ready {
        /// Its [`PROTOCOL`].
        protocol: u32,
    },
    /// The trace is open.
    Opened(Box<OpenedTrace>),
    /// The files were a cluster's description and no trace.
    OpenedCluster(ClusterSpec),
    /// The files were profiles of applications and no trace.
    OpenedProfiles(Vec<ProfileTable>),
    /// The files cannot be opened; why, where, what to do.
    Refused(String),
    /// More of the run's log.
    Log {
        /// What was added.
        delta: Box<LogDelta>,
        /// How far the run has come.
        progress: Progress,
    },
    /// The run is over, its log complete.
    Done {
        /// Fingerprint of the log.
        log_hash: u64,
        /// Milliseconds of simulation alone.
        wall_ms: f64,
    },
    /// The run broke off.
    Failed(String),
    /// The answer to [`RunRequest::Explain`].
    Explained {
        /// The job.
        job: JobId,
        /// The time.
        at: Time,
        /// The policy's word.
        explanation: Explanation,
    },
    /// The answer to [`RunRequest::Round`].
    Round {
        /// The time.
        at: Time,
        /// The round; `None` where the policy has none.
        report: Option<Box<RoundReport>>,
    },
    /// The answer to [`RunRequest::Model`], or why there is none.
    Modelled(Box<Result<Answer, String>>),
    /// The worker is dying.
    Crashed(String),
}

/// A trace, ready to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenedTrace {
    /// The format's stable name, or `sample`.
    pub format: String,
    /// The format's name for people.
    pub title: String,
    /// What was kept, dropped, assumed; samples have none.
    pub report: Option<ImportReport>,
    /// The clusters or files inside an archive.
    pub members: Vec<Member>,
    /// Profiles of applications that came with the trace.
    pub profiles: Vec<ProfileTable>,
    /// The cluster that came with the trace.
    pub cluster: Option<ClusterSpec>,
    /// The cluster to use if none came.
    pub suggested: ClusterSpec,
    /// The jobs.
    pub workload: Workload,
}
