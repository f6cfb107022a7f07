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
    /// What each of them could have had, where a scheduler chooses from a list.
    pub choices: Option<Choices>,
}

/// What jobs could have had in a round: a matrix of jobs and configurations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choices {
    /// What there was to have, in the scheduler's order.
    pub columns: Vec<ChoiceColumn>,
    /// Of each of the round's rows, in their order.
    pub rows: Vec<ChoiceRow>,
}

/// A configuration: so many GPUs of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceColumn {
    /// The GPUs' type; empty: they have no name.
    pub gpu: String,
    /// How many.
    pub gpus: u32,
    /// On so many nodes.
    pub nodes: u32,
}

/// What configurations are worth to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChoiceRow {
    /// By column, relative to the least; none: the job cannot use it, or must not yet.
    pub worth: Vec<Option<f32>>,
    /// By what the worth of another column than the former one is multiplied, for the restart that it takes.
    pub moving: f64,
    /// The column that it had.
    pub former: Option<u32>,
    /// The column that it is given.
    pub chosen: Option<u32>,
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
