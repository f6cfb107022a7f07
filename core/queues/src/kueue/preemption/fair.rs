//! Victims by fair sharing: the queue with the largest share gives first, as long as shares come closer.
//!
//! From the root downwards, the child with the largest dominant resource share is the next to give. A first strategy
//! goes through its candidates; what it refuses, a second strategy may look at again. The preemptor's request counts as
//! used while shares are compared, and does not while it is tried whether it fits.
//!
//! Source: `pkg/scheduler/preemption/preemption.go`, `fairsharing/ordering.go`, `fairsharing/least_common_ancestor.go`,
//! `fairsharing/strategy.go`. Where children have equal shares and Kueue takes any, the last one given is taken here.

use super::super::share::Share;
use super::super::state::{State, WorkloadId};
use super::victims::{self, Comparison, Found, Preemptor, Reason, Strategy, Victim, Why};
use crate::tree::{Evicts, QueueId};
use std::collections::VecDeque;

/// How fair sharing evicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairSharing {
    /// One strategy, or two: the second one looks at what the first refused, and its rule is that of the initial share.
    pub strategies: Vec<Strategy>,
    /// A queue that stays within its nominal quota need not compare shares.
    pub reclaims_nominal: bool,
    /// In the order of heads, those whose side does not borrow come first.
    pub prefers_nominal: bool,
}

impl Default for FairSharing {
    fn default() -> Self {
        Self {
            strategies: vec![
                Strategy::LessThanOrEqualToFinalShare,
                Strategy::LessThanInitialShare,
            ],
            reclaims_nominal: true,
            prefers_nominal: true,
        }
    }
}

/// Looks for victims. The state is afterwards as it was.
pub fn find(state: &mut State, preemptor: &Preemptor, fair: &FairSharing) -> Found {
    let candidates = candidates(state, preemptor);
    let mut found = Found {
        candidates: candidates.len(),
        ..Found::default()
    };
    if candidates.is_empty() {
        return found;
    }
    state.book_mut().add(preemptor.queue, preemptor.uses);
    let mut search = Search {
        preemptor,
        victims: Vec::new(),
        refused: None,
    };
    let (mut fits, retry) = search.first(state, &candidates, fair);
    if !fits && fair.strategies.len() > 1 {
        fits = search.second(state, &retry);
    }
    state.book_mut().remove(preemptor.queue, preemptor.uses);
    found.refused = search.refused;
    if fits {
        found.victims = victims::settle(state, preemptor, true, search.victims);
    } else {
        victims::restore(state, &search.victims);
    }
    found
}

/// Who may be evicted at all, in order: those of the own queue that its rule allows, and those of other queues of the
/// tree that borrow something contested.
fn candidates(state: &State, preemptor: &Preemptor) -> Vec<WorkloadId> {
    let (book, quotas, own) = (state.book(), state.quotas(), preemptor.queue);
    let mut found = Vec::new();
    let mut look = |queue: QueueId, rule: Evicts| {
        let fitting = state.running(queue).filter(|(_, workload)| {
            victims::allows(rule, preemptor, workload)
                && victims::uses_any(workload, preemptor.contested)
        });
        found.extend(fitting);
    };
    look(own, quotas.within(own));
    if quotas.parent(own).is_some() && quotas.reclaims(own) != Evicts::Never {
        for queue in quotas.leaves_below(quotas.root(own)) {
            if queue != own && book.borrows_any(queue, preemptor.contested) {
                look(queue, quotas.reclaims(own));
            }
        }
    }
    found.sort_by(|(_, a), (_, b)| victims::order(a, b, own));
    found.into_iter().map(|(id, _)| id).collect()
}

struct Search<'a> {
    preemptor: &'a Preemptor<'a>,
    victims: Vec<Victim>,
    refused: Option<Comparison>,
}

impl Search<'_> {
    /// The first strategy. Whether the preemptor fits, and whom the strategy refused.
    fn first(
        &mut self,
        state: &mut State,
        candidates: &[WorkloadId],
        fair: &FairSharing,
    ) -> (bool, Vec<WorkloadId>) {
        let own = self.preemptor.queue;
        let first = fair.strategies.first().copied();
        let strategy = first.unwrap_or(Strategy::LessThanOrEqualToFinalShare);
        let within_nominal =
            fair.reclaims_nominal && !state.book().borrows_any(own, self.preemptor.contested);
        let mut targets = Targets::new(state, own, candidates);
        let mut retry = Vec::new();
        while let Some(queue) = targets.next(state) {
            if queue == own || within_nominal {
                let Some(id) = targets.pop(queue) else {
                    continue;
                };
                let (reason, why) = self.without_shares(state, queue, id);
                if self.take(state, id, reason, why) {
                    return (true, retry);
                }
                continue;
            }
            let mut comparison = targets.compare(state, queue, strategy);
            if comparison.preemptor.is_infinite() && !comparison.before.is_infinite() {
                // No removal makes the other side infinite.
                self.refused = Some(comparison);
                while let Some(id) = targets.pop(queue) {
                    retry.push(id);
                }
                continue;
            }
            while let Some(id) = targets.pop(queue) {
                state.take(id);
                comparison.after = Some(state.book().share(comparison.victim_side));
                state.put_back(id);
                if comparison.holds() {
                    if self.take(
                        state,
                        id,
                        Reason::InCohortFairSharing,
                        Why::Shares(comparison),
                    ) {
                        return (true, retry);
                    }
                    // Shares have changed, and perhaps another queue gives next.
                    break;
                }
                self.refused = Some(comparison);
                retry.push(id);
            }
        }
        (false, retry)
    }

    /// The second strategy, over those that the first refused. Whether the preemptor fits.
    fn second(&mut self, state: &mut State, candidates: &[WorkloadId]) -> bool {
        let mut targets = Targets::new(state, self.preemptor.queue, candidates);
        while let Some(queue) = targets.next(state) {
            let comparison = targets.compare(state, queue, Strategy::LessThanInitialShare);
            if comparison.holds() {
                let Some(id) = targets.pop(queue) else {
                    continue;
                };
                if self.take(
                    state,
                    id,
                    Reason::InCohortFairSharing,
                    Why::Shares(comparison),
                ) {
                    return true;
                }
            } else {
                self.refused = Some(comparison);
            }
            targets.drop(queue);
        }
        false
    }

    fn without_shares(&self, state: &State, queue: QueueId, id: WorkloadId) -> (Reason, Why) {
        let own = self.preemptor.queue;
        if queue == own {
            let priority = state.get(id).map_or(0, |workload| workload.priority);
            let why = Why::Priority {
                preemptor: self.preemptor.priority,
                victim: priority,
            };
            return (Reason::InClusterQueue, why);
        }
        let preemptor = victims::used(state, own, self.preemptor.contested);
        (
            Reason::InCohortReclamation,
            Why::WithinNominal { preemptor },
        )
    }

    /// Takes a victim. Whether the preemptor fits then.
    fn take(&mut self, state: &mut State, id: WorkloadId, reason: Reason, why: Why) -> bool {
        state.take(id);
        self.victims.push(Victim { id, reason, why });
        let Preemptor { queue, uses, .. } = *self.preemptor;
        state.book_mut().remove(queue, uses);
        let fits = victims::fits(state, self.preemptor, true);
        state.book_mut().add(queue, uses);
        fits
    }
}

/// Which queue gives next.
struct Targets {
    own: QueueId,
    root: QueueId,
    /// The preemptor's queue and all above it.
    path: Vec<QueueId>,
    /// By queue: its candidates, in order.
    lines: Vec<VecDeque<WorkloadId>>,
    /// By queue: nothing more comes from there.
    is_pruned: Vec<bool>,
}

impl Targets {
    fn new(state: &State, own: QueueId, candidates: &[WorkloadId]) -> Self {
        let quotas = state.quotas();
        let mut lines = vec![VecDeque::new(); quotas.queues()];
        for &id in candidates {
            if let Some(workload) = state.get(id) {
                lines[workload.queue.index()].push_back(id);
            }
        }
        Self {
            own,
            root: quotas.root(own),
            path: quotas.path(own).collect(),
            lines,
            is_pruned: vec![false; quotas.queues()],
        }
    }

    fn pop(&mut self, queue: QueueId) -> Option<WorkloadId> {
        self.lines[queue.index()].pop_front()
    }

    fn drop(&mut self, queue: QueueId) {
        self.is_pruned[queue.index()] = true;
    }

    fn next(&mut self, state: &State) -> Option<QueueId> {
        while !self.is_pruned[self.root.index()] {
            if state.quotas().is_leaf(self.root) {
                let has_more = !self.lines[self.root.index()].is_empty();
                return has_more.then_some(self.root);
            }
            let target = self.descend(state);
            if target.is_some() {
                return target;
            }
        }
        None
    }

    /// One way down. None: something was pruned on it.
    fn descend(&mut self, state: &State) -> Option<QueueId> {
        let (book, quotas) = (state.book(), state.quotas());
        let mut cohort = self.root;
        loop {
            let mut leaf: Option<(QueueId, Share)> = None;
            let mut inner: Option<(QueueId, Share)> = None;
            for &child in quotas.children(cohort) {
                if self.is_pruned[child.index()] {
                    continue;
                }
                let is_leaf = quotas.is_leaf(child);
                let share = book.share(child);
                let is_empty = is_leaf && self.lines[child.index()].is_empty();
                if is_empty || !share.borrows && !self.path.contains(&child) {
                    self.drop(child);
                } else if is_leaf {
                    if leaf.is_none_or(|(other, of_other)| {
                        let order = share.compare(&of_other);
                        order.is_gt() || order.is_eq() && self.goes_first(state, child, other)
                    }) {
                        leaf = Some((child, share));
                    }
                } else if inner.is_none_or(|(_, of_other)| share.compare(&of_other).is_ge()) {
                    inner = Some((child, share));
                }
            }
            match (inner, leaf) {
                (None, None) => {
                    self.drop(cohort);
                    return None;
                }
                (Some((inner, share)), leaf)
                    if leaf.is_none_or(|(_, of_leaf)| share.compare(&of_leaf).is_ge()) =>
                {
                    cohort = inner;
                }
                (_, leaf) => return leaf.map(|(queue, _)| queue),
            }
        }
    }

    /// Whether the first candidate of a queue comes before that of another one.
    fn goes_first(&self, state: &State, queue: QueueId, other: QueueId) -> bool {
        let head = |queue: QueueId| state.get(*self.lines[queue.index()].front()?);
        let heads = head(queue).zip(head(other));
        heads.is_some_and(|(a, b)| victims::order(a, b, self.own).is_lt())
    }

    /// The shares right below the lowest queue that is above both.
    fn compare(&self, state: &State, queue: QueueId, strategy: Strategy) -> Comparison {
        let mut victim_side = queue;
        let mut preemptor_side = self.own;
        for above in state.quotas().path(queue).skip(1) {
            if let Some(at) = self.path.iter().position(|&other| other == above) {
                preemptor_side = self.path[at.saturating_sub(1)];
                break;
            }
            victim_side = above;
        }
        Comparison {
            strategy,
            preemptor_side,
            preemptor: state.book().share(preemptor_side),
            victim_side,
            before: state.book().share(victim_side),
            after: None,
        }
    }
}
