//! What a scheduler that decides by rounds over all jobs decided in its last one.

use super::Plot;
use crate::Time;
use crate::cluster::Part;
use crate::job::JobId;
use serde::{Deserialize, Serialize};

/// One round: who held what, and who is given what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundReport {
    /// When.
    pub at: Time,
    /// How it was decided, such as a search's fitness by generation.
    pub plots: Vec<Plot>,
    /// The jobs it was decided over, in order of submission.
    pub rows: Vec<RoundRow>,
}

/// One job in a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRow {
    /// The job.
    pub job: JobId,
    /// What it held until then.
    pub before: Vec<Part>,
    /// What it was given.
    pub after: Vec<Part>,
    /// What the scheduler predicts for what it held, in its own measure of speedup (Pollux: goodput
    /// over that of the fair share; Optimus: speed over that on one GPU); 0 where it held none, or
    /// a plain gang has taken it.
    pub speedup_before: f64,
    /// The same for what it was given.
    pub speedup: f64,
}
