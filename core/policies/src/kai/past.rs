//! What was tried for jobs in vain, and what decided evictions: the action, and how queues stood then.

use crate::Time;
use switchyard_queues::kai::cycle::facts::Action;
use switchyard_queues::kai::reclaim::{Refusal, below_common};
use switchyard_queues::kai::standing::{Standing, Standings};
use switchyard_queues::tree::{QueueId, QueueTree};

/// What was last tried in vain for a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tried {
    pub(super) at: Time,
    pub(super) action: Action,
    pub(super) scenarios: u32,
    pub(super) refused: Option<Refusal>,
    /// When the first of those that are too young may be evicted.
    pub(super) ready: Option<Time>,
}

/// A queue's side of an eviction, before it, in GPUs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) queue: QueueId,
    pub(super) standing: Standing,
}

/// What decided an eviction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grounds {
    /// GPUs that the evicting job asks for.
    pub(super) asked: u32,
    pub(super) priority: i64,
    pub(super) action: Action,
    /// The sides of the two queues, right below the last one above both.
    pub(super) winner: Option<Side>,
    pub(super) loser: Option<Side>,
}

impl Grounds {
    /// Of a job of the second leaf, for one of the first, in a tree that stood so before.
    pub(super) fn between(
        self,
        tree: &QueueTree,
        before: &Standings,
        gpus: Option<usize>,
        (winner, loser): (QueueId, QueueId),
    ) -> Self {
        let (winner, loser) = below_common(tree, winner, loser);
        let side = |queue: QueueId| {
            let standing = before.of(queue)[gpus?];
            Some(Side { queue, standing })
        };
        Self {
            winner: side(winner),
            loser: side(loser),
            ..self
        }
    }
}
