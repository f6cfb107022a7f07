//! The dominant resource share: how much of what could be borrowed a queue borrows.
//!
//! In: a book. Out, per queue: for each kind of resource, what is borrowed of all flavors over what its parent could have
//! of all flavors, in thousandths; the largest of these; that divided by the queue's weight. A root, and a queue that
//! borrows nothing, have a share of zero. Weight zero makes every borrower's share infinite.
//!
//! Source: `pkg/cache/scheduler/fair_sharing.go`.

use super::amount::Amount;
use super::book::Book;
use crate::tree::QueueId;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The kind of resource of which a queue has the largest part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dominant {
    /// Its place in [`Resources::kinds`](super::quotas::Resources::kinds).
    pub kind: usize,
    /// What is borrowed of it, of all flavors.
    pub borrowed: Amount,
    /// What could be had, of all flavors, without quota of one's own.
    pub lendable: Amount,
}

/// The share of a queue, and the numbers that it came from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The queue's weight.
    pub weight: f64,
    /// Borrowed of lendable, in thousandths, before the weight.
    pub ratio: f64,
    /// The kind that decided; none: nothing is borrowed, or nothing can be.
    pub dominant: Option<Dominant>,
    /// Whether anything is borrowed.
    pub borrows: bool,
}

impl Share {
    /// What is compared, and shown: the ratio divided by the weight.
    pub fn weighted(&self) -> f64 {
        if self.ratio == 0.0 {
            0.0
        } else if self.weight == 0.0 {
            f64::INFINITY
        } else {
            self.ratio / self.weight
        }
    }

    /// Whether it is infinite: the queue borrows, and its weight is zero.
    pub fn is_infinite(&self) -> bool {
        self.weighted() == f64::INFINITY
    }

    /// The smaller one is admitted first, the larger one gives first. Infinite ones are compared before the weight.
    pub fn compare(&self, other: &Self) -> Ordering {
        let both = self.is_infinite() && other.is_infinite();
        let (a, b) = if both {
            (self.ratio, other.ratio)
        } else {
            (self.weighted(), other.weighted())
        };
        a.partial_cmp(&b).unwrap_or(Ordering::Equal)
    }
}

impl Book {
    /// The dominant resource share of a queue now.
    pub fn share(&self, queue: QueueId) -> Share {
        let quotas = self.quotas();
        let mut share = Share {
            weight: quotas.weight(queue),
            ratio: 0.0,
            dominant: None,
            borrows: false,
        };
        let Some(parent) = quotas.parent(queue) else {
            return share;
        };
        let resources = quotas.resources();
        for kind in 0..resources.kinds.len() {
            let mut borrowed = Amount::ZERO;
            for slot in resources.ids().filter(|&slot| resources.kind(slot) == kind) {
                borrowed += (self.used(queue, slot) - quotas.subtree(queue, slot)).or_zero();
            }
            if borrowed == Amount::ZERO {
                continue;
            }
            share.borrows = true;
            let lendable = quotas.lendable(parent, kind);
            if lendable <= Amount::ZERO {
                continue;
            }
            // Whole numbers below 2⁵³ are exact as floats, and thousandths cancel: the ratio is that of the units.
            let ratio = borrowed.thousandths() as f64 * 1000.0 / lendable.thousandths() as f64;
            if ratio > share.ratio {
                share.ratio = ratio;
                share.dominant = Some(Dominant {
                    kind,
                    borrowed,
                    lendable,
                });
            }
        }
        share
    }
}
