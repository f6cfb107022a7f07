//! By which rule of Kueue, or by which order within a leaf, a job was evicted.

use super::super::leaf_lines::Rank;
use super::super::within::Within;
use switchyard_queues::kueue::preemption::victims::{Reason, Victim, Why};
use switchyard_queues::tree::QueueId;

/// What decided an eviction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grounds {
    /// The evicting job's queue.
    pub(super) queue: QueueId,
    pub(super) cause: Cause,
}

/// What decided.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause {
    Rule { reason: Reason, why: Why },
    Order { by: Within, numbers: [f64; 2] },
}

impl Grounds {
    /// A victim's, by a job of a queue.
    pub(super) fn of(queue: QueueId, victim: &Victim) -> Self {
        let cause = Cause::Rule {
            reason: victim.reason,
            why: victim.why,
        };
        Self { queue, cause }
    }

    /// By a job that goes before the victim in their leaf, both with their ranks.
    pub(super) fn by_order(queue: QueueId, order: Within, ranks: [Rank; 2]) -> Self {
        let numbers = ranks.map(Rank::number);
        let cause = Cause::Order { by: order, numbers };
        Self { queue, cause }
    }
}
