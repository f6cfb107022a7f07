//! A job that may be picked, and the moment at which one is.

use crate::job::JobId;

/// A waiting job, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Which.
    pub job: JobId,
    /// When it was submitted, seconds.
    pub submit: f64,
    /// Its gang.
    pub gpus: u32,
    /// The time it asks for, seconds; the true one where its trace tells none.
    pub seconds: f64,
}

/// When one is picked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds, on the clock of [`Candidate::submit`].
    pub now: f64,
    /// Free GPUs.
    pub free: u32,
    /// All GPUs.
    pub gpus: u32,
}
