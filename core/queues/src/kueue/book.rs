//! What is used of the quotas, and what is left.
//!
//! In: quotas, and workloads that come and go. Out, per queue n and resource, with X⁺ for what of X is above zero:
//! - usage(leaf) = Σ over its workloads; usage(cohort) = Σ over children of (usage − local)⁺. Kept along the path from
//!   leaf to root: a workload costs as many steps as the tree is deep.
//! - available(root) = subtree − usage; available(n) = (local − usage)⁺ + min(available(parent), subtree − local −
//!   (usage − local)⁺ + borrowing limit). It is below zero where more is used than there is.
//!
//! Source: `pkg/cache/scheduler/resource_node.go`, `clusterqueue_snapshot.go`.

use super::amount::Amount;
use super::quotas::{Quotas, Slot, Use};
use crate::tree::QueueId;
use serde::{Deserialize, Serialize};

/// What keeps a queue from using more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The quota of a whole tree is used.
    Tree {
        /// Its root.
        root: QueueId,
        /// Its quota.
        quota: Amount,
        /// What is used of it.
        used: Amount,
    },
    /// A queue on the way up may borrow no more.
    BorrowingLimit {
        /// The queue.
        queue: QueueId,
        /// Its own quota, with what those below it lend.
        quota: Amount,
        /// How much more it may use.
        limit: Amount,
        /// What it uses.
        used: Amount,
    },
}

/// Quotas, and what is used of them.
#[derive(Clone, Debug)]
pub struct Book {
    quotas: Quotas,
    /// By queue, then by slot.
    used: Vec<Amount>,
}

impl Book {
    /// Quotas of which nothing is used.
    pub fn new(quotas: Quotas) -> Self {
        let used = vec![Amount::ZERO; quotas.queues() * quotas.resources().slots.len()];
        Self { quotas, used }
    }

    /// The quotas.
    pub fn quotas(&self) -> &Quotas {
        &self.quotas
    }

    /// What is used of a queue's quota: by a leaf all, by a cohort what its children do not have to themselves.
    pub fn used(&self, queue: QueueId, slot: Slot) -> Amount {
        self.used[self.at(queue, slot)]
    }

    /// Adds what a workload of a leaf uses.
    pub fn add(&mut self, leaf: QueueId, uses: &[Use]) {
        for &Use { slot, mut amount } in uses {
            let mut next = Some(leaf);
            while let Some(queue) = next {
                let free = self.local_available(queue, slot);
                let at = self.at(queue, slot);
                self.used[at] += amount;
                if amount <= free {
                    break;
                }
                amount -= free;
                next = self.quotas.parent(queue);
            }
        }
    }

    /// Takes away what a workload of a leaf used.
    pub fn remove(&mut self, leaf: QueueId, uses: &[Use]) {
        for &Use { slot, mut amount } in uses {
            let mut next = Some(leaf);
            while let Some(queue) = next {
                let at = self.at(queue, slot);
                let in_parent = self.used[at] - self.quotas.local(queue, slot);
                self.used[at] -= amount;
                if in_parent <= Amount::ZERO {
                    break;
                }
                amount = amount.min(in_parent);
                next = self.quotas.parent(queue);
            }
        }
    }

    /// What is free of what nobody else may use.
    pub fn local_available(&self, queue: QueueId, slot: Slot) -> Amount {
        (self.quotas.local(queue, slot) - self.used(queue, slot)).or_zero()
    }

    /// How much more a queue may use now. Below zero: more is used than there is.
    pub fn available(&self, queue: QueueId, slot: Slot) -> Amount {
        self.available_within(queue, slot).0
    }

    /// The same, and what keeps it from using more: of several bounds the lowest in the tree.
    pub fn available_within(&self, queue: QueueId, slot: Slot) -> (Amount, Bound) {
        // From the leaf up, the answer is always `own + min(cap, what the queue above has)`. Wide numbers keep the sums
        // exact where a quota has no limit.
        let (mut own, mut cap) = (0, i128::MAX / 2);
        let (mut root, mut bound) = (queue, None);
        for queue in self.quotas.path(queue) {
            root = queue;
            if self.quotas.parent(queue).is_none() {
                break;
            }
            let (subtree, used) = (self.quotas.subtree(queue, slot), self.used(queue, slot));
            let local = self.quotas.local(queue, slot);
            let free = wide((local - used).or_zero());
            own += free;
            cap -= free;
            let limit = self.quotas.borrowing_limit(queue, slot);
            let most = wide(subtree - local - (used - local).or_zero() + limit);
            if !limit.is_unlimited() && most < cap {
                cap = most;
                let quota = subtree;
                bound = Some(Bound::BorrowingLimit {
                    queue,
                    quota,
                    limit,
                    used,
                });
            }
        }
        let (quota, used) = (self.quotas.subtree(root, slot), self.used(root, slot));
        let of_root = wide(quota - used);
        let bound = bound.filter(|_| cap <= of_root);
        let available = narrow(own + cap.min(of_root));
        (
            available,
            bound.unwrap_or(Bound::Tree { root, quota, used }),
        )
    }

    /// Whether a workload fits into a queue now.
    pub fn fits(&self, leaf: QueueId, uses: &[Use]) -> bool {
        let mut uses = uses.iter();
        uses.all(|one| one.amount <= self.available(leaf, one.slot).or_zero())
    }

    /// Whether a queue uses more than it is entitled to, with so much more.
    pub fn borrows_with(&self, queue: QueueId, slot: Slot, more: Amount) -> bool {
        self.quotas.subtree(queue, slot) < self.used(queue, slot) + more
    }

    /// Whether a queue uses more than it is entitled to of one of these.
    pub fn borrows_any(&self, queue: QueueId, slots: &[Slot]) -> bool {
        let mut slots = slots.iter();
        slots.any(|&slot| self.borrows_with(queue, slot, Amount::ZERO))
    }

    /// The height of the lowest subtree whose quota holds so much more, and whether it is not the whole tree. The whole
    /// tree's height, if none does.
    pub fn height_that_fits(&self, leaf: QueueId, slot: Slot, amount: Amount) -> (u32, bool) {
        let mut rest = amount;
        let mut height = 0;
        for queue in self.quotas.path(leaf) {
            let has_parent = self.quotas.parent(queue).is_some();
            height = self.quotas.height(queue);
            if !self.borrows_with(queue, slot, rest) {
                return (height, has_parent);
            }
            rest -= self.local_available(queue, slot);
        }
        (height, false)
    }

    fn at(&self, queue: QueueId, slot: Slot) -> usize {
        queue.index() * self.quotas.resources().slots.len() + slot.index()
    }
}

fn wide(amount: Amount) -> i128 {
    i128::from(amount.thousandths())
}

fn narrow(thousandths: i128) -> Amount {
    let bounded = thousandths.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    Amount::of_thousandths(bounded as i64)
}
