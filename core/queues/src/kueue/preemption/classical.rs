//! Victims without fair sharing: a queue takes back what is its own, and evicts by priority.
//!
//! Three kinds of candidates, in this order: those whose quota lies in a subtree of the preemptor that has enough for
//! it, whatever their priority; others of the tree that borrow; those of the own queue. They are evicted until the
//! preemptor fits, as long as their queues borrow. Candidates above the priority threshold may be evicted only if the
//! preemptor's queue then stays within its own quota: so both ways are tried.
//!
//! Source: `pkg/scheduler/preemption/preemption.go`, `classical/candidate_generator.go`,
//! `classical/hierarchical_preemption.go`.

use super::super::quotas::Use;
use super::super::state::{State, Workload, WorkloadId};
use super::victims::{self, Found, Preemptor, Reason, Victim, Why};
use crate::tree::{Evicts, QueueId, WhileBorrowing};

/// Which claim the preemptor has on a candidate, in the order in which they are evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// Its subtree has quota enough.
    Hierarchy,
    /// The candidate's queue borrows.
    Borrowed {
        /// The preemptor's queue may borrow meanwhile.
        may_borrow: bool,
    },
    /// They are of one queue.
    Own,
}

impl Claim {
    fn kind(self) -> u8 {
        match self {
            Self::Hierarchy => 0,
            Self::Borrowed { .. } => 1,
            Self::Own => 2,
        }
    }
}

struct Candidate<'a> {
    id: WorkloadId,
    workload: &'a Workload,
    /// The lowest queue that is above both.
    above: QueueId,
    claim: Claim,
}

/// Looks for victims. The state is afterwards as it was.
pub fn find(state: &mut State, preemptor: &Preemptor) -> Found {
    let own = preemptor.queue;
    let candidates: Vec<(WorkloadId, QueueId, Claim)> = {
        let mut candidates = own_candidates(state, preemptor);
        candidates.extend(others(state, preemptor));
        candidates.sort_by(|a, b| {
            let of = |one: &Candidate| (!one.workload.is_evicted, one.claim.kind());
            let first = of(a).cmp(&of(b));
            first.then_with(|| victims::order(a.workload, b.workload, own))
        });
        candidates
            .iter()
            .map(|one| (one.id, one.above, one.claim))
            .collect()
    };
    let has = |kind: u8| candidates.iter().any(|(_, _, claim)| claim.kind() == kind);
    let (hierarchy, borrowed) = (has(Claim::Hierarchy.kind()), has(1));
    let is_forbidden = state.quotas().while_borrowing(own) == WhileBorrowing::Never;
    let is_under = preemptor.contested.iter().all(|&slot| {
        let nominal = state.quotas().nominal(own, slot);
        nominal > state.book().used(own, slot)
    });
    let ways: &[bool] = if !hierarchy && !borrowed || is_forbidden && !is_under {
        &[true]
    } else if is_forbidden && !hierarchy {
        &[false, true]
    } else {
        &[true, false]
    };
    let mut found = Found {
        candidates: candidates.len(),
        ..Found::default()
    };
    for &may_borrow in ways {
        let mut taken = Vec::new();
        for &(id, above, claim) in &candidates {
            if !is_valid(state, preemptor, id, above, claim, may_borrow) {
                continue;
            }
            taken.push(victim(state, preemptor, id, claim));
            state.take(id);
            if victims::fits(state, preemptor, may_borrow) {
                found.victims = victims::settle(state, preemptor, may_borrow, taken);
                return found;
            }
        }
        victims::restore(state, &taken);
    }
    found
}

fn own_candidates<'a>(state: &'a State, preemptor: &Preemptor) -> Vec<Candidate<'a>> {
    let own = preemptor.queue;
    let rule = state.quotas().within(own);
    let fitting = state
        .running(own)
        .filter(|(_, workload)| is_candidate(preemptor, rule, workload));
    let candidates = fitting.map(|(id, workload)| Candidate {
        id,
        workload,
        above: own,
        claim: Claim::Own,
    });
    candidates.collect()
}

/// Candidates of other queues, from the preemptor's cohort to the root.
fn others<'a>(state: &'a State, preemptor: &Preemptor) -> Vec<Candidate<'a>> {
    let (quotas, own) = (state.quotas(), preemptor.queue);
    let mut candidates = Vec::new();
    let rule = quotas.reclaims(own);
    if rule == Evicts::Never {
        return candidates;
    }
    let mut rest = preemptor.uses.to_vec();
    let mut has_advantage = fits_in_quota(state, own, &mut rest);
    let mut below = own;
    for above in quotas.path(own).skip(1) {
        let mut open = vec![above];
        while let Some(cohort) = open.pop() {
            for &child in quotas.children(cohort) {
                if child == below || !state.book().borrows_any(child, preemptor.contested) {
                    continue;
                }
                if !quotas.is_leaf(child) {
                    open.push(child);
                    continue;
                }
                let fitting = state
                    .running(child)
                    .filter(|(_, workload)| is_candidate(preemptor, rule, workload));
                candidates.extend(fitting.map(|(id, workload)| Candidate {
                    id,
                    workload,
                    above,
                    claim: claim(state, preemptor, workload, has_advantage),
                }));
            }
        }
        has_advantage |= fits_in_quota(state, above, &mut rest);
        below = above;
    }
    candidates
}

fn is_candidate(preemptor: &Preemptor, rule: Evicts, workload: &Workload) -> bool {
    victims::allows(rule, preemptor, workload) && victims::uses_any(workload, preemptor.contested)
}

fn claim(state: &State, preemptor: &Preemptor, candidate: &Workload, has_advantage: bool) -> Claim {
    if has_advantage {
        return Claim::Hierarchy;
    }
    let may_borrow = match state.quotas().while_borrowing(preemptor.queue) {
        WhileBorrowing::Never => false,
        WhileBorrowing::LowerPriority { up_to } => {
            let is_lower = candidate.priority < preemptor.priority;
            is_lower && up_to.is_none_or(|limit| candidate.priority <= limit)
        }
    };
    Claim::Borrowed { may_borrow }
}

/// Whether what is asked fits into a queue's quota beside what it uses. What it keeps to itself is taken off.
fn fits_in_quota(state: &State, queue: QueueId, uses: &mut [Use]) -> bool {
    let book = state.book();
    let mut fits = true;
    for one in uses {
        fits &= !book.borrows_with(queue, one.slot, one.amount);
        one.amount = (one.amount - book.local_available(queue, one.slot)).or_zero();
    }
    fits
}

/// Whether a candidate may be evicted now: victims before it may have ended what its queue borrowed.
fn is_valid(
    state: &State,
    preemptor: &Preemptor,
    id: WorkloadId,
    above: QueueId,
    claim: Claim,
    may_borrow: bool,
) -> bool {
    if claim == Claim::Own {
        return true;
    }
    if may_borrow && claim == (Claim::Borrowed { may_borrow: false }) {
        return false;
    }
    let Some(workload) = state.get(id) else {
        return false;
    };
    let mut path = state
        .quotas()
        .path(workload.queue)
        .take_while(|&queue| queue != above);
    path.all(|queue| state.book().borrows_any(queue, preemptor.contested))
}

fn victim(state: &State, preemptor: &Preemptor, id: WorkloadId, claim: Claim) -> Victim {
    let workload = state.get(id);
    let priority = workload.map_or(0, |workload| workload.priority);
    let queue = workload.map_or(preemptor.queue, |workload| workload.queue);
    let used = victims::used(state, queue, preemptor.contested);
    let (reason, why) = match claim {
        Claim::Own => {
            let why = Why::Priority {
                preemptor: preemptor.priority,
                victim: priority,
            };
            (Reason::InClusterQueue, why)
        }
        Claim::Hierarchy | Claim::Borrowed { may_borrow: false } => {
            let why = Why::Borrowed {
                victim: used,
                has_advantage: claim == Claim::Hierarchy,
            };
            (Reason::InCohortReclamation, why)
        }
        Claim::Borrowed { may_borrow: true } => {
            let up_to = match state.quotas().while_borrowing(preemptor.queue) {
                WhileBorrowing::LowerPriority { up_to } => up_to,
                WhileBorrowing::Never => None,
            };
            let why = Why::LowPriority {
                victim: used,
                priority,
                below: preemptor.priority,
                up_to,
            };
            (Reason::InCohortReclaimWhileBorrowing, why)
        }
    };
    Victim { id, reason, why }
}
