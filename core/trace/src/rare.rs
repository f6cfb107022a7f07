//! What few jobs of a trace have.

use serde::{Deserialize, Serialize};

/// What few records tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rare {
    /// As [`Record::batch`](super::Record::batch) has it.
    pub batch: Option<u32>,
    /// As [`Record::attempts`](super::Record::attempts) has them.
    pub attempts: Vec<f64>,
}
