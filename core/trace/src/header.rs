//! What stands above the table of one of our own files, as text: opening knows where settings stand,
//! whoever runs the jobs what they mean.

use super::error::OpenError;
use crate::Resource;
use crate::cluster::{ClusterSpec, NodeGroup};
use serde::{Deserialize, Serialize};

/// The settings above a table of ours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The file, for messages.
    pub file: String,
    /// The cluster, if it names one.
    pub cluster: Option<ClusterSpec>,
    /// What its jobs occupy.
    #[serde(default)]
    pub unit: Resource,
    /// All other settings, in the file's order.
    pub lines: Vec<HeaderLine>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderLine {
    /// The line in its file, from 1.
    pub line: u32,
    /// What is set.
    pub key: String,
    /// To what; may be empty.
    pub value: String,
}

impl Header {
    /// The version of the format that is written, and the latest that is read.
    pub const VERSION: u32 = 1;

    /// Its cluster by so counted nodes, if it names one and says that of them.
    pub(crate) fn cluster_in(&self, unit: Resource) -> Option<ClusterSpec> {
        let cluster = self.cluster.as_ref()?;
        let says = |group: &NodeGroup| group.kind.cores.is_some();
        match unit {
            _ if unit == self.unit => Some(cluster.clone()),
            Resource::Cores if cluster.groups().iter().all(says) => cluster.in_cores().ok(),
            _ => None,
        }
    }

    /// The refusal of a setting on a line.
    pub fn refuse(&self, line: u32, why: String) -> OpenError {
        OpenError::BadExperiment {
            file: self.file.clone(),
            line,
            why,
        }
    }
}
