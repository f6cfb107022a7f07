//! What numbers are of.

use crate::Resource;
use serde::{Deserialize, Serialize};

/// What a number is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Nothing: a ratio, a score, a place in an order.
    None,
    /// GPUs.
    Gpus,
    /// GPUs × seconds.
    GpuSeconds,
    /// A thousand of those.
    ThousandGpuSeconds,
    /// One for each thousand of those.
    PerThousandGpuSeconds,
    /// Cores, where those are counted.
    Cores,
    /// Cores × seconds.
    CoreSeconds,
    /// A thousand of those.
    ThousandCoreSeconds,
    /// One for each thousand of those.
    PerThousandCoreSeconds,
    /// Nodes.
    Nodes,
    /// Jobs.
    Jobs,
    /// Places in a round.
    Slots,
    /// Samples to train on.
    Samples,
    /// 2^30 bytes.
    GiB,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// Its word behind so many.
    pub fn word(self, is_one: bool) -> &'static str {
        match (self, is_one) {
            (Self::None, _) => "",
            (Self::Gpus, true) => "GPU",
            (Self::Gpus, false) => "GPUs",
            (Self::GpuSeconds, _) => "GPU·s",
            (Self::ThousandGpuSeconds, _) => "× 1,000 GPU·s",
            (Self::PerThousandGpuSeconds, _) => "per 1,000 GPU·s",
            (Self::Cores, true) => "core",
            (Self::Cores, false) => "cores",
            (Self::CoreSeconds, _) => "core·s",
            (Self::ThousandCoreSeconds, _) => "× 1,000 core·s",
            (Self::PerThousandCoreSeconds, _) => "per 1,000 core·s",
            (Self::Nodes, true) => "node",
            (Self::Nodes, false) => "nodes",
            (Self::Jobs, true) => "job",
            (Self::Jobs, false) => "jobs",
            (Self::Slots, true) => "slot",
            (Self::Slots, false) => "slots",
            (Self::Samples, true) => "sample",
            (Self::Samples, false) => "samples",
            (Self::GiB, _) => "GiB",
            (Self::Seconds, _) => "s",
        }
    }

    /// The same where another resource is counted.
    pub(super) fn counted_in(self, resource: Resource) -> Self {
        match (resource, self) {
            (Resource::Cores, Self::Gpus) => Self::Cores,
            (Resource::Cores, Self::GpuSeconds) => Self::CoreSeconds,
            (Resource::Cores, Self::ThousandGpuSeconds) => Self::ThousandCoreSeconds,
            (Resource::Cores, Self::PerThousandGpuSeconds) => Self::PerThousandCoreSeconds,
            _ => self,
        }
    }

    /// A number and its unit.
    pub(super) fn behind(self, number: String) -> String {
        match self.word(number == "1") {
            "" => number,
            word => format!("{number} {word}"),
        }
    }
}
