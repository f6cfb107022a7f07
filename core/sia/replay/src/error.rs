//! Why a replay stops.

use switchyard_model::goodput::FitError;
use switchyard_policies::pollux::ProblemError;
use switchyard_sia::program::ProgramError;
use thiserror::Error;

/// Why a workload cannot be run.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ReplayError {
    /// An application without profiles.
    #[error(
        "job {job} is of {application}, which has no profile: put its tables beside the others"
    )]
    Application {
        /// The job.
        job: String,
        /// Its application.
        application: String,
    },
    /// More GPUs than any type has.
    #[error(
        "job {job} asks for {gpus} GPUs, but no type has more than {most}: it would wait forever"
    )]
    Wide {
        /// The job.
        job: String,
        /// GPUs.
        gpus: u32,
        /// The GPUs of the largest type.
        most: u32,
    },
    /// Times that no model fits.
    #[error("job {job}: {error}")]
    Fit {
        /// The job.
        job: String,
        /// Why not.
        error: FitError,
    },
    /// A round without a plan.
    #[error("the round at {at} s has no plan: {error}")]
    Round {
        /// When, s.
        at: f64,
        /// Why.
        error: ProgramError,
    },
    /// A round that cannot be searched.
    #[error("the round at {at} s cannot be searched: {error}")]
    Search {
        /// When, s.
        at: f64,
        /// Why.
        error: ProblemError,
    },
    /// Work that does not end.
    #[error(
        "after {rounds} rounds {left} jobs are not done, {job} among them: the cluster is too small for them"
    )]
    Endless {
        /// Rounds so far.
        rounds: u32,
        /// Jobs left.
        left: usize,
        /// One of them.
        job: String,
    },
}
