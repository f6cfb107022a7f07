//! Tables that lie beside workloads of adaptive jobs: the measured profiles of the applications
//! they train. They are told by their names, held as a whole, and read by `measured`.

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
pub enum TableName {
    /// Step times by placement.
    Placements,
    /// Step times by nodes and replicas.
    Scalability,
    /// Statistics of training with this total batch.
    Validation(u32),
}

impl TableName {
    /// By the name of the file at a path.
    pub fn of(path: &str) -> Option<Self> {
        match path.rsplit('/').next().unwrap_or(path) {
            "placements.csv" => Some(Self::Placements),
            "scalability.csv" => Some(Self::Scalability),
            name => {
                let batch = name.strip_prefix("validation-")?.strip_suffix(".csv")?;
                batch.parse().ok().map(Self::Validation)
            }
        }
    }
}
