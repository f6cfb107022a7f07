//! YARN's CapacityScheduler: whose turn it is, and what capacities allow.
//!
//! In: a tree, what its leaves use, which of them ask. Out: the next leaf, and which queue on its path is at its maximum
//! capacity. A queue's nominal quota is its guaranteed capacity (at least that of the queues below it); with its borrowing
//! limit it is its maximum capacity. At each level the queue goes first that uses the least part of its capacity; of
//! equals, the one with more capacity, then the one that was given first.
//!
//! Sources: Hadoop's `PriorityUtilizationQueueOrderingPolicy`, `CSQueueUtils`; documentation of the CapacityScheduler.

use crate::tree::{QueueId, QueueTree};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A capacity may be exceeded by so much, which is rounding.
const SLACK: f64 = 1e-9;

/// What decides between the queues below one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnOrder {
    /// The least used one first.
    #[default]
    Utilization,
    /// Those within their capacity first; of these, and of the others, by priority, then the least used one.
    PriorityUtilization,
}

/// A queue at its maximum capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exceeded {
    /// The queue.
    pub queue: QueueId,
    /// Of which resource.
    pub resource: usize,
    /// What it uses.
    pub used: f64,
    /// What it may use.
    pub most: f64,
}

/// Where a queue stands among its siblings: whether it uses its capacity up, its priority, the part of its capacity that
/// it uses, its capacity, its place in the tree. (Numbers that are not negative are in the order of their bits.)
type Turn = (bool, Reverse<i64>, u64, Reverse<u64>, QueueId);

/// What each queue has and uses.
#[derive(Clone, Debug)]
pub struct Capacities {
    parents: Vec<Option<QueueId>>,
    priorities: Vec<i64>,
    /// By queue, then by resource.
    guaranteed: Vec<Vec<f64>>,
    most: Vec<Vec<f64>>,
    used: Vec<Vec<f64>>,
    totals: Vec<f64>,
    /// By queue, and at the end of those with nothing above them: the queues below, or, of a leaf, nobody.
    asking: Vec<BTreeSet<Turn>>,
    /// By queue, while something in it asks.
    turns: Vec<Option<Turn>>,
}

impl Capacities {
    /// Of a tree, in a cluster that has so much of each of its resources; what is not known is infinite.
    pub fn new(tree: &QueueTree, totals: &[f64], order: TurnOrder) -> Self {
        let queues = tree.queues();
        let zero = vec![0.0; totals.len()];
        let mut guaranteed = vec![zero.clone(); queues.len()];
        for &id in tree.upwards() {
            let below = tree.children(id).iter();
            let mut sum = zero.clone();
            for child in below {
                for (sum, part) in sum.iter_mut().zip(&guaranteed[child.index()]) {
                    *sum += part;
                }
            }
            let quotas = tree.queue(id).quotas.iter().zip(totals).zip(sum);
            guaranteed[id.index()] = quotas
                .map(|((quota, total), sum)| quota.nominal.max(sum).min(*total))
                .collect();
        }
        let ids = (0..queues.len()).map(|at| QueueId(at as u32));
        let most = ids.zip(&guaranteed).map(|(id, guaranteed)| {
            let queue = tree.queue(id);
            let quotas = queue.quotas.iter().zip(guaranteed).zip(totals);
            let most = quotas.map(|((quota, guaranteed), total)| {
                // A queue with nothing above it has nobody to borrow from. An inner one that says nothing limits nothing.
                let limit = match (queue.parent, quota.borrowing_limit) {
                    (None, _) if quota.nominal > 0.0 || tree.is_leaf(id) => 0.0,
                    (_, limit) => limit.unwrap_or(f64::INFINITY),
                };
                (guaranteed + limit).min(*total)
            });
            most.collect()
        });
        let most = most.collect();
        let by_priority = order == TurnOrder::PriorityUtilization;
        Self {
            parents: queues.iter().map(|queue| queue.parent).collect(),
            priorities: queues
                .iter()
                .map(|queue| if by_priority { queue.priority } else { 0 })
                .collect(),
            most,
            guaranteed,
            used: vec![zero; queues.len()],
            totals: totals.to_vec(),
            asking: vec![BTreeSet::new(); queues.len() + 1],
            turns: vec![None; queues.len()],
        }
    }

    /// What a queue is guaranteed, by resource.
    pub fn guaranteed(&self, queue: QueueId) -> &[f64] {
        &self.guaranteed[queue.index()]
    }

    /// The most that it may use.
    pub fn most(&self, queue: QueueId) -> &[f64] {
        &self.most[queue.index()]
    }

    /// What it uses.
    pub fn used(&self, queue: QueueId) -> &[f64] {
        &self.used[queue.index()]
    }

    /// The part of its capacity that it uses: by the resource of which it uses, and of which it has, most of the cluster.
    pub fn used_capacity(&self, queue: QueueId) -> f64 {
        let part = |of: &[f64]| {
            let parts = of.iter().zip(&self.totals);
            parts.fold(0.0, |most: f64, (amount, total)| {
                let part = if *total > 0.0 { amount / total } else { 0.0 };
                if part > most { part } else { most }
            })
        };
        // Without a capacity it counts as if it had YARN's least container, here one of something.
        let largest = self.totals.iter().filter(|total| total.is_finite());
        let largest = largest.fold(1.0, |most: f64, &total| most.max(total));
        part(self.used(queue)) / part(self.guaranteed(queue)).max(1.0 / largest)
    }

    /// A leaf asks, or asks no longer.
    pub fn set_asking(&mut self, leaf: QueueId, asks: bool) {
        if asks != self.turns[leaf.index()].is_some() {
            self.stand(leaf, asks);
        }
    }

    /// The leaf whose turn it is.
    pub fn next(&self) -> Option<QueueId> {
        let mut level = self.asking.last()?;
        let mut found = None;
        while let Some(&(.., queue)) = level.first() {
            found = Some(queue);
            level = &self.asking[queue.index()];
        }
        found
    }

    /// The first queue on the way up, and its resource, of which it would use more than it may.
    pub fn exceeded(&self, leaf: QueueId, asks: &[f64]) -> Option<Exceeded> {
        self.path(leaf).find_map(|queue| {
            let (used, most) = (self.used(queue), self.most(queue));
            let over = |&resource: &usize| {
                asks[resource] > 0.0 && used[resource] + asks[resource] > most[resource] + SLACK
            };
            let resource = (0..asks.len()).find(over)?;
            Some(Exceeded {
                queue,
                resource,
                used: used[resource],
                most: most[resource],
            })
        })
    }

    /// A leaf, and all above it, use so much more.
    pub fn take(&mut self, leaf: QueueId, amounts: &[f64]) {
        self.change(leaf, amounts, 1.0);
    }

    /// A leaf, and all above it, use so much less.
    pub fn give(&mut self, leaf: QueueId, amounts: &[f64]) {
        self.change(leaf, amounts, -1.0);
    }

    fn change(&mut self, leaf: QueueId, amounts: &[f64], sign: f64) {
        let mut at = Some(leaf);
        while let Some(queue) = at {
            for (used, amount) in self.used[queue.index()].iter_mut().zip(amounts) {
                *used = (*used + sign * amount).max(0.0);
            }
            if self.turns[queue.index()].is_some() {
                self.stand(queue, true);
            }
            at = self.parents[queue.index()];
        }
    }

    /// A queue takes its place among its siblings, or leaves it; those above it follow.
    fn stand(&mut self, queue: QueueId, asks: bool) {
        let mut at = Some((queue, asks));
        while let Some((queue, asks)) = at {
            let turn = asks.then(|| self.turn(queue));
            let parent = self.parents[queue.index()];
            let level = parent.map_or(self.parents.len(), QueueId::index);
            let siblings = &mut self.asking[level];
            if let Some(before) = std::mem::replace(&mut self.turns[queue.index()], turn) {
                siblings.remove(&before);
            }
            siblings.extend(turn);
            let is_level_asking = !siblings.is_empty();
            at = parent
                .filter(|parent| self.turns[parent.index()].is_some() != is_level_asking)
                .map(|parent| (parent, is_level_asking));
        }
    }

    fn turn(&self, queue: QueueId) -> Turn {
        let part = self.used_capacity(queue);
        let capacity: f64 = (self.guaranteed(queue).iter().zip(&self.totals))
            .map(|(amount, total)| if *total > 0.0 { amount / total } else { 0.0 })
            .fold(0.0, f64::max);
        (
            part >= 1.0,
            Reverse(self.priorities[queue.index()]),
            part.to_bits(),
            Reverse(capacity.to_bits()),
            queue,
        )
    }

    /// A queue, the one above it, and so on.
    fn path(&self, queue: QueueId) -> impl Iterator<Item = QueueId> + '_ {
        std::iter::successors(Some(queue), |queue| self.parents[queue.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn capacities(tree: &str, order: TurnOrder) -> (QueueTree, Capacities) {
        let tree = text::read(tree).expect("a tree");
        let capacities = Capacities::new(&tree, &[16.0], order);
        (tree, capacities)
    }

    /// 16 GPUs: research has 12 (vision 8, speech 4), default has 4.
    const TREE: &str = "root gpus=16\nresearch parent=root gpus=12\nvision parent=research gpus=8\nspeech parent=research gpus=4\ndefault parent=root gpus=4 priority=1";

    #[test]
    fn at_each_level_the_queue_goes_first_that_uses_least_of_its_capacity() {
        let (tree, mut all) = capacities(TREE, TurnOrder::Utilization);
        let [vision, speech, default] =
            ["vision", "speech", "default"].map(|name| tree.find(name).expect("it is there"));
        assert_eq!(all.next(), None);
        for leaf in [vision, speech, default] {
            all.set_asking(leaf, true);
        }
        // All use nothing: research has more than default, vision more than speech.
        assert_eq!(all.next(), Some(vision));
        all.take(vision, &[2.0]);
        // research 2/12, default 0/4.
        assert_eq!(all.next(), Some(default));
        all.take(default, &[1.0]);
        // research 2/12 < 1/4; in it, vision 2/8 > speech 0/4.
        assert_eq!(all.next(), Some(speech));
        all.set_asking(speech, false);
        assert_eq!(all.next(), Some(vision));
        all.set_asking(vision, false);
        assert_eq!(all.next(), Some(default));
        all.give(default, &[1.0]);
        assert_eq!(all.used(tree.find("root").expect("it is there")), [2.0]);
    }

    #[test]
    fn priority_counts_among_those_within_their_capacity_and_among_the_others() {
        let (tree, mut all) = capacities(TREE, TurnOrder::PriorityUtilization);
        let [vision, default] =
            ["vision", "default"].map(|name| tree.find(name).expect("it is there"));
        all.set_asking(vision, true);
        all.set_asking(default, true);
        all.take(default, &[3.0]);
        // 3/4 of default's, nothing of research's: both within.
        assert_eq!(all.next(), Some(default));
        all.take(default, &[1.0]);
        assert_eq!(all.next(), Some(vision));
        all.take(vision, &[12.0]);
        assert_eq!(all.next(), Some(default));
    }

    #[test]
    fn a_maximum_holds_for_all_below_it() {
        let tree = "root gpus=16\nresearch parent=root gpus=8 borrow=2\nvision parent=research gpus=4\nspeech parent=research gpus=4 borrow=0\ndefault parent=root gpus=8";
        let (tree, mut all) = capacities(tree, TurnOrder::Utilization);
        let [research, vision, speech] =
            ["research", "vision", "speech"].map(|name| tree.find(name).expect("it is there"));
        assert_eq!(all.exceeded(vision, &[10.0]), None);
        all.take(speech, &[3.0]);
        let over = all.exceeded(speech, &[2.0]).expect("it is full");
        assert_eq!((over.queue, over.used, over.most), (speech, 3.0, 4.0));
        all.take(vision, &[7.0]);
        let over = all.exceeded(vision, &[1.0]).expect("the one above is full");
        assert_eq!((over.queue, over.used, over.most), (research, 10.0, 10.0));
    }

    #[test]
    fn an_inner_queue_without_a_quota_has_those_of_the_queues_below_it() {
        let (tree, all) = capacities(
            "lab\na parent=lab gpus=4\nb parent=lab gpus=6",
            TurnOrder::Utilization,
        );
        let lab = tree.find("lab").expect("it is there");
        assert_eq!(all.guaranteed(lab), [10.0]);
        assert_eq!(all.most(lab), [16.0]);
    }
}
