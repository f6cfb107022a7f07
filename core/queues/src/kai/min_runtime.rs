//! How long a job runs before others may evict it.
//!
//! In: a tree with minimum run times. Out: the seconds that hold between two queues, and the queue that sets them.
//! Source: `plugins/minruntime`. There a queue may set zero against a longer time above it; here zero means not set.

use super::reclaim::below_common;
use crate::tree::{QueueId, QueueTree};
use serde::{Deserialize, Serialize};

/// Where the time for reclaims is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resolve {
    /// From the victim's side right below the last queue above both, upwards.
    #[default]
    CommonAncestor,
    /// From the victim's own queue upwards.
    Queue,
}

/// A minimum run time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MinRuntime {
    /// In seconds.
    pub seconds: f64,
    /// The queue that sets it; none: the default.
    pub queue: Option<QueueId>,
}

/// How long a job of the queue `victim` runs before a job of another queue may evict it.
pub fn for_reclaim(
    tree: &QueueTree,
    resolve: Resolve,
    default: f64,
    reclaimer: QueueId,
    victim: QueueId,
) -> MinRuntime {
    let start = match resolve {
        Resolve::CommonAncestor => below_common(tree, reclaimer, victim).1,
        Resolve::Queue => victim,
    };
    first_above(tree, start, default, |queue| {
        tree.queue(queue).reclaim_min_runtime
    })
}

/// How long a job of a queue runs before another one of that queue may evict it.
pub fn for_preempt(tree: &QueueTree, default: f64, victim: QueueId) -> MinRuntime {
    first_above(tree, victim, default, |queue| {
        tree.queue(queue).preempt_min_runtime
    })
}

fn first_above(
    tree: &QueueTree,
    start: QueueId,
    default: f64,
    of: impl Fn(QueueId) -> f64,
) -> MinRuntime {
    let mut path = tree.path(start);
    let queue = path.find(|&queue| of(queue) > 0.0);
    let seconds = queue.map_or(default, of);
    MinRuntime { seconds, queue }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Queue;

    /// `top` above `left` and `right`, `leaf` below `right`.
    fn tree(times: [f64; 4]) -> QueueTree {
        let names = [
            ("top", None),
            ("left", Some(0)),
            ("right", Some(0)),
            ("leaf", Some(2)),
        ];
        let queues = names
            .into_iter()
            .zip(times)
            .map(|((name, parent), time)| Queue {
                reclaim_min_runtime: time,
                preempt_min_runtime: time,
                ..Queue::new(name, parent.map(QueueId))
            });
        QueueTree::new(vec![], queues.collect()).expect("a tree")
    }

    #[test]
    fn between_queues_the_side_below_the_common_one_decides() {
        let (left, leaf) = (QueueId(1), QueueId(3));
        let time = |times, resolve| {
            let found = for_reclaim(&tree(times), resolve, 7.0, left, leaf);
            (found.seconds, found.queue.map(|queue| queue.0))
        };
        let times = [10.0, 20.0, 30.0, 40.0];
        assert_eq!(time(times, Resolve::CommonAncestor), (30.0, Some(2)));
        assert_eq!(time(times, Resolve::Queue), (40.0, Some(3)));
        let above = [10.0, 20.0, 0.0, 40.0];
        assert_eq!(time(above, Resolve::CommonAncestor), (10.0, Some(0)));
        let nowhere = [0.0, 20.0, 0.0, 0.0];
        assert_eq!(time(nowhere, Resolve::CommonAncestor), (7.0, None));
        assert_eq!(time(nowhere, Resolve::Queue), (7.0, None));
    }

    #[test]
    fn within_a_queue_the_nearest_one_decides() {
        let found = for_preempt(&tree([10.0, 20.0, 30.0, 0.0]), 7.0, QueueId(3));
        assert_eq!((found.seconds, found.queue), (30.0, Some(QueueId(2))));
    }
}
