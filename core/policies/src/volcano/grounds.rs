//! By which action of Volcano a job was evicted, and what its queue had then.

use switchyard_queues::tree::QueueId;
use switchyard_queues::volcano::queues::Queues;

/// Which action evicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// A job of lower priority gives way to one of its own queue.
    Preempt,
    /// A queue takes back what it deserves.
    Reclaim,
}

/// What decided an eviction.
#[derive(Clone, Debug)]
pub(super) struct Grounds {
    pub(super) rule: Rule,
    /// The evicting job's queue.
    pub(super) queue: QueueId,
    /// What the victim's queue had, and what it deserved.
    pub(super) had: Vec<f64>,
    pub(super) deserved: Vec<f64>,
}

impl Grounds {
    /// By a job of a queue, of one of another queue (or the same) as it stands.
    pub(super) fn new(rule: Rule, queue: QueueId, (queues, of): (&Queues, QueueId)) -> Self {
        Self {
            rule,
            queue,
            had: queues.allocated(of).to_vec(),
            deserved: queues.deserved(of).to_vec(),
        }
    }
}
