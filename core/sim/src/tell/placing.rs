//! How a placer that learned laid a job, decision by decision.

use serde::{Deserialize, Serialize};

/// Its decisions about one job, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Placing {
    /// One after the other.
    pub steps: Vec<PlacingStep>,
}

/// One decision of one partition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacingStep {
    /// What is to be placed.
    pub role: Role,
    /// The partition that is asked.
    pub partition: u32,
    /// How good each partition would be for the job, as the network sees it.
    pub values: Vec<f32>,
    /// What each partition told the others.
    pub told: Vec<Vec<f32>>,
    /// Its choices, each with its probability.
    pub choices: Vec<(Choice, f32)>,
    /// What it chose.
    pub chosen: Choice,
}

/// What a part of a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// On a GPU.
    Worker,
    /// On cores.
    ParameterServer,
}

/// What can be done with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// It goes there.
    Group {
        /// The server.
        node: u32,
        /// Which of its sockets, from 0.
        group: u32,
    },
    /// Another partition is asked.
    Forward {
        /// Which.
        partition: u32,
    },
    /// The job waits.
    Wait,
}
