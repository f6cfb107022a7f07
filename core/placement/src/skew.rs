//! Tiresias' rule (NSDI'19 §4.3): a gang whose model has a skewed tensor is [consolidated] or waits,
//! any other takes the place of [least fragmentation](least_fragmentation).

use super::{Entry, Gang, Registered, Strategy, Way, consolidated, least_fragmentation};
use crate::cluster::{FreeGpus, Part};

impl Strategy {
    /// Consolidated or least fragmentation, by the model's skew.
    pub const SKEW: Self = Self::of(&PLACEMENT);
}

pub(super) const PLACEMENT: Registered = Registered {
    entry: Entry {
        name: "skew",
        summary: "Tiresias' rule: a gang whose model is dominated by one tensor is consolidated, or waits for that; any other takes the place that least-fragmentation gives it.",
        may_wait: true,
        by_skew: true,
        ..Entry::PLAIN
    },
    way: Way { lay, ..Way::PLAIN },
};

fn lay(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
    if gang.skewed {
        consolidated::lay(free, node_size, gang, parts)
    } else {
        least_fragmentation::lay(free, node_size, gang, parts)
    }
}
