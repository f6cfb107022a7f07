//! How a tree of queues divides a cluster: the top queues divide it, the queues below one divide its share.
//!
//! In: a tree, what there is of each resource, what each queue asks for, and what it had lately. Out: a share per queue
//! and resource, and every step with its numbers.
//! Source: `plugins/proportion/proportion.go`.

use super::division::{Claim, Share, Step, divide_into};
use crate::tree::{QueueId, QueueTree};

/// What is divided, and what queues ask for. Numbers per queue lie queue by queue, in the order of the tree's resources.
#[derive(Clone, Copy, Debug)]
pub struct Demands<'a> {
    /// What there is of each resource.
    pub totals: &'a [f64],
    /// How much history counts.
    pub k: f64,
    /// What each queue uses and waits for, those below it included.
    pub requests: &'a [f64],
    /// What each queue had lately, as a part of the capacity; none: nothing is known of it.
    pub usage: Option<&'a [f64]>,
    /// When each queue was made; none: in the order of the tree.
    pub created: Option<&'a [f64]>,
}

/// The shares of all queues of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeShares {
    resources: usize,
    shares: Vec<Share>,
}

impl TreeShares {
    /// What a queue got, in the order of the tree's resources.
    pub fn of(&self, queue: QueueId) -> &[Share] {
        let start = queue.index() * self.resources;
        &self.shares[start..start + self.resources]
    }
}

/// What a queue claims of one resource: its place among the tree's resources.
pub fn claim(tree: &QueueTree, asked: &Demands, queue: QueueId, resource: usize) -> Claim {
    let of = tree.queue(queue);
    let quota = of.quotas[resource];
    let at = queue.index() * tree.resources().len() + resource;
    let age = |created: &[f64]| created.get(queue.index()).copied();
    Claim {
        deserved: quota.nominal,
        limit: limit(tree, queue, resource),
        weight: quota.weight,
        request: asked.requests.get(at).copied().unwrap_or(0.0),
        usage: asked
            .usage
            .and_then(|usage| usage.get(at))
            .copied()
            .unwrap_or(0.0),
        priority: of.priority,
        created: asked.created.and_then(age).unwrap_or(queue.0 as f64),
    }
}

/// What a queue may have of a resource at most; infinite: no limit.
pub fn limit(tree: &QueueTree, queue: QueueId, resource: usize) -> f64 {
    let quota = tree.queue(queue).quotas[resource];
    let over = quota.borrowing_limit.unwrap_or(f64::INFINITY);
    quota.nominal + over
}

/// Adds what the leaves of a tree have or ask for to all queues above them.
pub fn sum_up(tree: &QueueTree, amounts: &mut [f64]) {
    let resources = tree.resources().len();
    for &queue in tree.upwards() {
        let Some(parent) = tree.queue(queue).parent else {
            continue;
        };
        for resource in 0..resources {
            amounts[parent.index() * resources + resource] +=
                amounts[queue.index() * resources + resource];
        }
    }
}

/// Divides a cluster among the queues of a tree, and tells every step: the queue, the resource, what it got and why.
pub fn divide_tree(
    tree: &QueueTree,
    asked: &Demands,
    mut tell: impl FnMut(QueueId, usize, Step),
) -> TreeShares {
    let resources = tree.resources().len();
    let mut all = TreeShares {
        resources,
        shares: vec![Share::default(); tree.queues().len() * resources],
    };
    let roots: Vec<QueueId> = tree.roots().collect();
    let mut claims = Vec::new();
    let mut shares = Vec::new();
    // Every queue before those below it.
    let parents = tree.upwards().iter().rev().copied().map(Some);
    for parent in std::iter::once(None).chain(parents) {
        let queues = parent.map_or(&roots[..], |parent| tree.children(parent));
        if queues.is_empty() {
            continue;
        }
        for resource in 0..resources {
            let total = match parent {
                Some(parent) => all.of(parent)[resource].total,
                None => asked.totals.get(resource).copied().unwrap_or(0.0),
            };
            claims.clear();
            claims.extend(
                queues
                    .iter()
                    .map(|&queue| claim(tree, asked, queue, resource)),
            );
            divide_into(total, asked.k, &claims, &mut shares, |step| {
                tell(queues[place(&step)], resource, step);
            });
            for (&queue, share) in queues.iter().zip(&shares) {
                all.shares[queue.index() * resources + resource] = *share;
            }
        }
    }
    all
}

/// The place of a step's queue among the claims.
fn place(step: &Step) -> usize {
    match *step {
        Step::Deserved { queue, .. }
        | Step::OverQuota { queue, .. }
        | Step::Leftover { queue, .. } => queue,
    }
}
