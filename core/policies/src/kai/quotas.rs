//! A tree of queues as KAI counts: GPUs of all types together, cores in thousandths, memory in MiB.
//!
//! In: any tree. Out: the same queues with a quota of each of those that the tree limits. What KAI knows nothing of is left
//! out: lending limits, whose jobs a queue may evict, flavors.

use switchyard_queues::tree::{Kind, Queue, QueueId, QueueTree, Quota, Resource};

/// The most kinds of resources.
pub(super) const KINDS: usize = 3;

/// Amounts of resources, in the order of the tree's; the rest are 0.
pub(super) type Amounts = [f64; KINDS];

/// How many of KAI's units are one of the tree's.
pub(super) fn units(kind: Kind) -> f64 {
    match kind {
        Kind::Gpus => 1.0,
        Kind::Cores => 1000.0,
        Kind::Memory => 1024.0,
    }
}

/// The tree, with quotas of the kinds that will do.
///
/// An inner queue without a quota of its own deserves what those below it do, so that a cohort of Kueue divides like a
/// parent queue of KAI.
pub(super) fn counted(tree: &QueueTree, will_do: impl Fn(Kind) -> bool) -> QueueTree {
    let kinds = [Kind::Gpus, Kind::Cores, Kind::Memory];
    // GPUs are counted always: who says nothing of them deserves none, and has a weight.
    let known = |kind: &Kind| {
        let mut resources = tree.resources().iter();
        let is_limited = resources.any(|resource| resource.kind == *kind);
        *kind == Kind::Gpus || is_limited && will_do(*kind)
    };
    let kinds: Vec<Kind> = kinds.into_iter().filter(known).collect();
    let mut queues: Vec<Queue> = tree.queues().to_vec();
    for queue in &mut queues {
        let quotas = kinds.iter().map(|&kind| together(tree, queue, kind));
        queue.quotas = quotas.collect();
    }
    for &id in tree.upwards() {
        for at in 0..kinds.len() {
            let below = tree.children(id).iter();
            let sum: f64 = below
                .map(|child| queues[child.index()].quotas[at].nominal)
                .sum();
            let quota = &mut queues[id.index()].quotas[at];
            if quota.nominal == 0.0 && quota.borrowing_limit.is_none() {
                quota.nominal = sum;
            }
        }
    }
    let resources = kinds.iter().map(|&kind| Resource { kind, flavor: None });
    QueueTree::new(resources.collect(), queues).unwrap_or_default()
}

/// The quotas of all types of one kind.
fn together(tree: &QueueTree, queue: &Queue, kind: Kind) -> Quota {
    let resources = tree.resources().iter().zip(&queue.quotas);
    let of_kind = resources.filter(|(resource, _)| resource.kind == kind);
    let mut quotas = of_kind.map(|(_, quota)| *quota);
    let mut sum = quotas.next().unwrap_or_default();
    for quota in quotas {
        sum.nominal += quota.nominal;
        let both = sum.borrowing_limit.zip(quota.borrowing_limit);
        sum.borrowing_limit = both.map(|(one, other)| one + other);
        sum.weight = sum.weight.max(quota.weight);
    }
    sum.lending_limit = None;
    sum.nominal *= units(kind);
    sum.borrowing_limit = sum.borrowing_limit.map(|limit| limit * units(kind));
    sum
}

/// Queues in which something is, and how much: those right below each queue, in the order of the tree.
#[derive(Debug)]
pub(super) struct Members {
    counts: Vec<u32>,
    /// Those at the top first, then those below each queue.
    below: Vec<Vec<QueueId>>,
}

impl Members {
    pub(super) fn new(tree: &QueueTree) -> Self {
        let queues = tree.queues().len();
        Self {
            counts: vec![0; queues],
            below: vec![Vec::new(); queues + 1],
        }
    }

    /// Those below a queue; or at the top.
    pub(super) fn below(&self, parent: Option<QueueId>) -> &[QueueId] {
        &self.below[place(parent)]
    }

    /// One more in a leaf.
    pub(super) fn add(&mut self, tree: &QueueTree, leaf: QueueId) {
        for queue in tree.path(leaf) {
            self.counts[queue.index()] += 1;
            if self.counts[queue.index()] == 1 {
                let beside = &mut self.below[place(tree.queue(queue).parent)];
                let at = beside.partition_point(|&other| other < queue);
                beside.insert(at, queue);
            }
        }
    }

    /// One less.
    pub(super) fn remove(&mut self, tree: &QueueTree, leaf: QueueId) {
        for queue in tree.path(leaf) {
            self.counts[queue.index()] -= 1;
            if self.counts[queue.index()] == 0 {
                let beside = &mut self.below[place(tree.queue(queue).parent)];
                let at = beside.partition_point(|&other| other < queue);
                beside.remove(at);
            }
        }
    }

    /// Whether there is anything in a queue.
    pub(super) fn has(&self, queue: QueueId) -> bool {
        self.counts[queue.index()] > 0
    }

    /// Whether all is in one leaf, so that no order of queues matters.
    pub(super) fn is_one(&self) -> bool {
        let mut parent = None;
        loop {
            match self.below(parent) {
                [] => return true,
                [only] => parent = Some(*only),
                _ => return false,
            }
        }
    }
}

fn place(parent: Option<QueueId>) -> usize {
    parent.map_or(0, |parent| parent.index() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_queues::text;

    #[test]
    fn types_count_together_and_a_cohort_deserves_what_its_queues_do() {
        let tree = "lab\na parent=lab gpus.v100=4 borrow=1 over=3 gpus.t4=2 borrow=1 cores=2\nb parent=lab gpus.v100=1";
        let tree = text::read(tree).expect("a tree");
        let tree = counted(&tree, |kind| kind != Kind::Memory);
        let of = |name: &str| &tree.queue(tree.find(name).expect("a queue")).quotas;
        assert_eq!(of("a")[0].nominal, 6.0);
        assert_eq!(of("a")[0].borrowing_limit, Some(2.0));
        assert_eq!(of("a")[0].weight, 3.0);
        assert_eq!(of("a")[1].nominal, 2000.0);
        assert_eq!(of("b")[0].borrowing_limit, None);
        assert_eq!(of("lab")[0].nominal, 7.0);
    }

    #[test]
    fn gpus_are_counted_where_nothing_is_said_of_them() {
        let tree = text::read("a\nb").expect("a tree");
        let tree = counted(&tree, |_| true);
        assert_eq!(tree.queues()[0].quotas, [Quota::default()]);
    }

    #[test]
    fn members_are_in_the_order_of_the_tree() {
        let tree = text::read("a\nb\nb1 parent=b\nb2 parent=b").expect("a tree");
        let ids = |name: &str| tree.find(name).expect("a queue");
        let mut members = Members::new(&tree);
        assert!(members.is_one());
        members.add(&tree, ids("b2"));
        members.add(&tree, ids("b2"));
        assert!(members.is_one());
        members.add(&tree, ids("a"));
        assert!(!members.is_one());
        assert_eq!(members.below(None), [ids("a"), ids("b")]);
        assert_eq!(members.below(Some(ids("b"))), [ids("b2")]);
        members.remove(&tree, ids("b2"));
        members.remove(&tree, ids("b2"));
        assert!(members.is_one() && !members.has(ids("b")));
    }
}
