//! Tables that lie beside workloads of adaptive jobs: the measured profiles of the applications
//! they train. They are told by their names, held as a whole, and read by
//! [`workload::application`](crate::workload::application).

use super::container::base;
use serde::{Deserialize, Serialize};

/// A table of an application's profile, unread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileTable {
    /// Its name for messages.
    pub file: String,
    /// Its path; the folder is the application's name.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// What a profile's table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableName {
    Placements,
    Scalability,
    /// Statistics of training with this total batch.
    Validation(u32),
}

impl TableName {
    /// By the name of the file at a path.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match base(path) {
            "placements.csv" => Some(Self::Placements),
            "scalability.csv" => Some(Self::Scalability),
            name => {
                let batch = name.strip_prefix("validation-")?.strip_suffix(".csv")?;
                batch.parse().ok().map(Self::Validation)
            }
        }
    }
}
