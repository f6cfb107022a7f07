//! Tiresias' rule (NSDI'19 §4.3): a gang whose model has a skewed tensor is [consolidated] or waits,
//! any other takes the place of [least fragmentation](least_fragmentation).

use crate::cluster::{FreeGpus, Part};
use crate::consolidated::Consolidated;
use crate::gang::Gang;
use crate::least_fragmentation::LeastFragmentation;
use crate::placement::{Description, Placement};

/// Consolidated or least fragmentation, by the model's skew.
pub(crate) struct Skew;

impl Placement for Skew {
    const DESCRIPTION: Description = Description {
        may_wait: true,
        by_skew: true,
        ..Description::new(
            "skew",
            "Tiresias' rule: a gang whose model is dominated by one tensor is consolidated, or waits for that; any other takes the place that least-fragmentation gives it.",
        )
    };

    fn lay(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
        if gang.skewed {
            Consolidated::lay(free, node_size, gang, parts)
        } else {
            LeastFragmentation::lay(free, node_size, gang, parts)
        }
    }
}
