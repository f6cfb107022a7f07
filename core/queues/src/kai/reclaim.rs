//! Who may take back from whom, between queues.
//!
//! In: a tree, how its queues stand, a job that waits, and jobs that would be evicted for it. Out: yes, or no with the
//! rule and the numbers that decided. Source: `plugins/proportion/reclaimable`.

use super::standing::{Standing, Standings};
use crate::tree::{QueueId, QueueTree};
use serde::Serialize;
use std::collections::BTreeMap;

/// A job that wants what others have.
#[derive(Clone, Copy, Debug)]
pub struct Reclaimer<'a> {
    /// Its queue.
    pub queue: QueueId,
    /// What it asks for, in the order of the tree's resources.
    pub request: &'a [f64],
    /// Whether others may evict it.
    pub preemptible: bool,
}

/// Jobs of one queue that would be evicted: what each gives back, in the order in which they would be.
#[derive(Clone, Debug, PartialEq)]
pub struct Victims {
    /// Their queue.
    pub queue: QueueId,
    /// What each gives back, in the order of the tree's resources.
    pub amounts: Vec<Vec<f64>>,
}

/// Why a job may not reclaim.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Its queue would have more than its fair share.
    OverFairShare {
        /// The queue.
        queue: QueueId,
        /// The resource: its place in the tree.
        resource: usize,
        /// What the queue would have.
        would_have: f64,
        /// Its fair share.
        fair: f64,
    },
    /// Jobs that nobody may evict would have more than their queue deserves.
    FixedOverDeserved {
        /// The queue.
        queue: QueueId,
        /// The resource: its place in the tree.
        resource: usize,
        /// What such jobs would have.
        would_have: f64,
        /// What the queue deserves.
        deserved: f64,
    },
    /// Neither is the victim's queue over its share, nor the reclaimer starved while the victim is over what it deserves.
    VictimProtected {
        /// The queue that wants, below the last one above both.
        reclaimer: QueueId,
        /// The queue that would lose, below the last one above both.
        victim: QueueId,
        /// Which of its victims, counted over its leaf, from 0.
        nth: usize,
        /// Whether the reclaimer stays within what it deserves.
        reclaimer_starved: bool,
    },
    /// Afterwards its side would be over its share, and not less so than the side that lost.
    MoreOverThanSibling {
        /// The queue that wins.
        reclaimer: QueueId,
        /// The queue beside it that loses.
        sibling: QueueId,
        /// The resource: its place in the tree.
        resource: usize,
        /// What it would have, as a part of its share.
        ratio: f64,
        /// What the sibling would keep, as a part of its own.
        sibling_ratio: f64,
    },
}

/// Whether a job's queue is poor enough to try.
///
/// # Errors
/// Its queue would have more than its fair share, or more that nobody may evict than it deserves.
pub fn may_try(standings: &Standings, reclaimer: &Reclaimer) -> Result<(), Refusal> {
    let queue = reclaimer.queue;
    for (resource, standing) in standings.of(queue).iter().enumerate() {
        let would_have = standing.allocated + amount(reclaimer.request, resource);
        if would_have > standing.fair {
            let fair = standing.fair;
            return Err(Refusal::OverFairShare {
                queue,
                resource,
                would_have,
                fair,
            });
        }
    }
    if reclaimer.preemptible {
        return Ok(());
    }
    fixed_within(queue, standings.of(queue), reclaimer.request)
}

/// Whether jobs that nobody may evict stay within what a queue deserves, with one more of them.
fn fixed_within(queue: QueueId, standings: &[Standing], request: &[f64]) -> Result<(), Refusal> {
    for (resource, standing) in standings.iter().enumerate() {
        let would_have = standing.fixed + amount(request, resource);
        if would_have > standing.deserved {
            let deserved = standing.deserved;
            return Err(Refusal::FixedOverDeserved {
                queue,
                resource,
                would_have,
                deserved,
            });
        }
    }
    Ok(())
}

/// Whether jobs of a queue can be victims at all: a look before any scenario is tried.
pub fn can_lose(
    tree: &QueueTree,
    standings: &Standings,
    reclaimer: &Reclaimer,
    victim: QueueId,
) -> bool {
    let (upper, lower) = below_common(tree, reclaimer.queue, victim);
    let of_victim = standings.of(lower);
    if !is_starved(standings.of(upper), reclaimer.request) {
        let mut standings = of_victim.iter();
        return standings.any(|standing| standing.allocated > standing.allocatable());
    }
    let mut is_under = false;
    for (resource, standing) in of_victim.iter().enumerate() {
        if amount(reclaimer.request, resource) <= 0.0 || standing.deserved == f64::INFINITY {
            continue;
        }
        if standing.allocated > standing.deserved {
            return true;
        }
        is_under |= standing.allocated < standing.deserved;
    }
    !is_under
}

/// Whether a job may have what its victims give back. `multiplier` (at least 1) makes its own side look fuller.
///
/// # Errors
/// A victim is protected, or the reclaimer's side would be fuller than one that lost.
pub fn may_reclaim(
    tree: &QueueTree,
    standings: &Standings,
    reclaimer: &Reclaimer,
    victims: &[Victims],
    multiplier: f64,
) -> Result<(), Refusal> {
    let resources = tree.resources().len();
    let mut left: BTreeMap<QueueId, Vec<f64>> = BTreeMap::new();
    let mut involved: BTreeMap<QueueId, Vec<bool>> = BTreeMap::new();
    let allocated = |queue| -> Vec<f64> {
        let standings = standings.of(queue).iter();
        standings.map(|standing| standing.allocated).collect()
    };
    for of in victims {
        let (upper, lower) = below_common(tree, reclaimer.queue, of.queue);
        let reclaimer_starved = is_starved(standings.of(upper), reclaimer.request);
        let mut touched = vec![false; resources];
        for amounts in &of.amounts {
            for (touched, amount) in touched.iter_mut().zip(amounts) {
                *touched |= *amount > 0.0;
            }
        }
        for (nth, amounts) in of.amounts.iter().enumerate() {
            let kept = left.entry(lower).or_insert_with(|| allocated(lower));
            let fits = |bound: fn(&Standing) -> f64| {
                let mut pairs = standings.of(lower).iter().zip(kept.iter());
                pairs.all(|(standing, &kept)| kept <= bound(standing))
            };
            let over_share = !fits(Standing::allocatable);
            let over_deserved = !fits(|standing| standing.deserved);
            let may_lose = over_share || (reclaimer_starved && over_deserved);
            if !may_lose {
                return Err(Refusal::VictimProtected {
                    reclaimer: upper,
                    victim: lower,
                    nth,
                    reclaimer_starved,
                });
            }
            for queue in tree.path(of.queue) {
                let kept = left.entry(queue).or_insert_with(|| allocated(queue));
                for (kept, amount) in kept.iter_mut().zip(amounts) {
                    *kept -= amount;
                }
                let of_queue = involved
                    .entry(queue)
                    .or_insert_with(|| vec![false; resources]);
                for (of_queue, touched) in of_queue.iter_mut().zip(&touched) {
                    *of_queue |= touched;
                }
            }
        }
    }
    for queue in tree.path(reclaimer.queue) {
        let mut would_have = left
            .get(&queue)
            .cloned()
            .unwrap_or_else(|| allocated(queue));
        for (resource, would_have) in would_have.iter_mut().enumerate() {
            *would_have += amount(reclaimer.request, resource);
        }
        for (&sibling, kept) in &left {
            let is_beside = tree.queue(sibling).parent == tree.queue(queue).parent;
            if !is_beside || sibling == queue {
                continue;
            }
            for resource in 0..resources {
                let touched = involved.get(&sibling).is_some_and(|of| of[resource]);
                if !touched && amount(reclaimer.request, resource) <= 0.0 {
                    continue;
                }
                let of_sibling = standings.of(sibling)[resource].fair;
                let ratio = filled(would_have[resource], standings.of(queue)[resource].fair);
                let sibling_ratio = filled(kept[resource], of_sibling);
                if ratio > 1.0 && of_sibling > 0.0 && ratio * multiplier >= sibling_ratio {
                    return Err(Refusal::MoreOverThanSibling {
                        reclaimer: queue,
                        sibling,
                        resource,
                        ratio,
                        sibling_ratio,
                    });
                }
            }
        }
        if !reclaimer.preemptible {
            fixed_within(queue, standings.of(queue), reclaimer.request)?;
        }
    }
    Ok(())
}

/// How the tasks of a job give back: those above the minimum of its gang one by one, first, the others together.
pub fn parts(tasks: &[&[f64]], minimum: usize) -> Vec<Vec<f64>> {
    let (core, elastic) = tasks.split_at(minimum.min(tasks.len()));
    let mut parts: Vec<Vec<f64>> = elastic.iter().map(|task| task.to_vec()).collect();
    if let Some((first, others)) = core.split_first() {
        let mut sum = first.to_vec();
        for task in others {
            for (sum, amount) in sum.iter_mut().zip(*task) {
                *sum += amount;
            }
        }
        parts.push(sum);
    }
    parts
}

/// The queues above two, right below the last one above both. Top queues lie below one that is not there.
pub fn below_common(tree: &QueueTree, left: QueueId, right: QueueId) -> (QueueId, QueueId) {
    let depth = |queue| tree.path(queue).count();
    let (of_left, of_right) = (depth(left), depth(right));
    let shorter = of_left.min(of_right);
    let lefts = tree.path(left).skip(of_left - shorter);
    let rights = tree.path(right).skip(of_right - shorter);
    // Upwards: the last pair that differs is the highest one. Where one queue lies below the other, no pair does.
    let mut pairs = lefts.zip(rights);
    let lowest = pairs.next().unwrap_or((left, right));
    let differing = pairs.take_while(|(left, right)| left != right);
    differing.last().unwrap_or(lowest)
}

/// What a queue has, as a part of its fair share.
fn filled(allocated: f64, fair: f64) -> f64 {
    if fair == f64::INFINITY || (fair == 0.0 && allocated <= 0.0) {
        0.0
    } else if fair == 0.0 {
        f64::INFINITY
    } else {
        allocated / fair
    }
}

/// Whether a queue stays within what it deserves, with one more job.
fn is_starved(standings: &[Standing], request: &[f64]) -> bool {
    let mut places = standings.iter().enumerate();
    places.all(|(at, standing)| standing.allocated + amount(request, at) <= standing.deserved)
}

fn amount(of: &[f64], at: usize) -> f64 {
    of.get(at).copied().unwrap_or(0.0)
}
