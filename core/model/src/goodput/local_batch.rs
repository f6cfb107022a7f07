//! What one GPU works on.

use serde::{Deserialize, Serialize};

/// What each GPU works on in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalBatch {
    /// Samples per GPU and pass.
    pub m: u32,
    /// Accumulation passes, before the one after which GPUs synchronise.
    pub s: u32,
}

impl LocalBatch {
    /// So many samples per GPU and pass, and accumulation passes.
    pub const fn new(m: u32, s: u32) -> Self {
        Self { m, s }
    }

    /// M, the total over `replicas`, samples.
    pub fn total(self, replicas: u32) -> f64 {
        f64::from(replicas) * f64::from(self.m) * (f64::from(self.s) + 1.0)
    }
}
