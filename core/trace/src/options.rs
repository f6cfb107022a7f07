//! How files are opened: [`OpenOptions`].

use super::mapping::ColumnMapping;
use crate::Resource;
use serde::{Deserialize, Serialize};

/// How to open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenOptions {
    /// The archive's member to open, by its path, its file name, or that without ending;
    /// `None`: all members, merged.
    pub member: Option<String>,
    /// Bytes that all files together may have, decompressed; more is
    /// [`OpenError::TooLarge`](super::OpenError::TooLarge).
    pub max_bytes: u64,
    /// Rows that all files together may have; more is [`OpenError::TooManyRows`](super::OpenError::TooManyRows). A row that
    /// becomes a record takes about two hundred bytes with its name.
    pub max_rows: u64,
    /// Bytes that may be held at once of what cannot be read in slices: zip archives, JSON
    /// objects, rows that do not end; more is [`OpenError::TooLargeToHold`](super::OpenError::TooLargeToHold).
    pub max_held: u64,
    /// Which columns of a table hold what, where it is not to be told from the file itself.
    pub mapping: Option<ColumnMapping>,
    /// What jobs are counted in.
    pub unit: Resource,
    /// Whether jobs that ask for cores and no GPU are kept, where GPUs are counted.
    #[serde(default)]
    pub keep_on_cores: bool,
}

impl Default for OpenOptions {
    /// All members; 2 GiB, of which all may be held, and 16 million rows, or 1 GiB, half of it,
    /// and 5 million where addresses have 32 bits. The largest published trace has 7.5 million.
    fn default() -> Self {
        let (max_bytes, max_held, max_rows) = if usize::BITS > 32 {
            (2 << 30, 2 << 30, 16_000_000)
        } else {
            (1 << 30, 1 << 29, 5_000_000)
        };
        Self {
            member: None,
            max_bytes,
            max_rows,
            max_held,
            mapping: None,
            unit: Resource::default(),
            keep_on_cores: false,
        }
    }
}
