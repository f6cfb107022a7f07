//! In which order the heads of queues are looked at.
//!
//! With fair sharing a tournament, from the leaves up: in every cohort the nominees of its children meet, and who wins is
//! the cohort's nominee. One comes first if its side does not borrow what is asked for; if its side has the smaller
//! dominant resource share, with the request; by priority; by age. After every head the usage may have changed: then the
//! path from its leaf to the root plays again, and no other, since other sides have neither usage nor nominees that
//! changed. Roots are independent, and Kueue takes them in any order: here one after another, as they were given.
//!
//! Without fair sharing: those that borrow least far, by priority, by age.
//!
//! Source: `pkg/scheduler/fair_sharing_iterator.go`, `makeClassicalIterator` in `pkg/scheduler/scheduler.go`.

use super::assignment::{Assignment, Head};
use super::quotas::{Slot, Use};
use super::share::Share;
use super::state::State;
use crate::tree::QueueId;
use std::collections::BTreeMap;

/// A head that stands for a queue, its own or one above.
#[derive(Clone, Copy, Debug)]
struct Nominee {
    /// Its place among the heads.
    head: usize,
    /// The queue's share with the head.
    share: Share,
    /// Whether the queue borrows something that the head asks for.
    borrows: bool,
}

/// A tournament of heads.
pub(super) struct Tournament<'a> {
    heads: &'a [Head],
    uses: Vec<Vec<Use>>,
    prefers_nominal: bool,
    nominees: BTreeMap<QueueId, Nominee>,
    /// Heads that were not called, by leaf.
    waiting: BTreeMap<QueueId, usize>,
    /// By cohort: its children that have heads below, cohorts first.
    children: BTreeMap<QueueId, Vec<QueueId>>,
    roots: Vec<QueueId>,
}

impl<'a> Tournament<'a> {
    /// Everybody plays once. Of two heads of one queue, the first plays.
    pub(super) fn new(
        state: &mut State,
        heads: &'a [Head],
        found: &[Assignment],
        prefers_nominal: bool,
    ) -> Self {
        let mut tournament = Self {
            heads,
            uses: found
                .iter()
                .map(|assignment| assignment.uses.clone())
                .collect(),
            prefers_nominal,
            nominees: BTreeMap::new(),
            waiting: BTreeMap::new(),
            children: BTreeMap::new(),
            roots: Vec::new(),
        };
        for (at, head) in heads.iter().enumerate() {
            tournament.waiting.entry(head.queue).or_insert(at);
        }
        let leaves: Vec<QueueId> = tournament.waiting.keys().copied().collect();
        let mut queues = Vec::new();
        for &leaf in &leaves {
            let mut below = leaf;
            queues.push(leaf);
            for queue in state.quotas().path(leaf).skip(1) {
                let is_new = !tournament.children.contains_key(&queue);
                tournament.children.entry(queue).or_default().push(below);
                if !is_new {
                    break;
                }
                queues.push(queue);
                below = queue;
            }
        }
        for children in tournament.children.values_mut() {
            children.sort_by_key(|&child| (state.quotas().is_leaf(child), child));
        }
        queues.sort_by_key(|&queue| (std::cmp::Reverse(state.quotas().depth(queue)), queue));
        for &queue in &queues {
            tournament.play(state, queue);
        }
        tournament.roots = queues
            .into_iter()
            .filter(|&queue| state.quotas().parent(queue).is_none())
            .collect();
        tournament.roots.reverse();
        tournament
    }

    /// Calls the next head, with the share of its queue.
    pub(super) fn next(&mut self) -> Option<(usize, Share)> {
        while let Some(&root) = self.roots.last() {
            let Some(nominee) = self.nominees.get(&root) else {
                self.roots.pop();
                continue;
            };
            let head = nominee.head;
            let leaf = self.heads[head].queue;
            let share = self
                .nominees
                .get(&leaf)
                .map_or(nominee.share, |own| own.share);
            self.waiting.remove(&leaf);
            return Some((head, share));
        }
        None
    }

    /// The path of a head that was called plays again.
    pub(super) fn replay(&mut self, state: &mut State, head: usize) {
        let path: Vec<QueueId> = state.quotas().path(self.heads[head].queue).collect();
        for queue in path {
            self.play(state, queue);
        }
    }

    fn play(&mut self, state: &mut State, queue: QueueId) {
        let winner = match self.children.get(&queue) {
            None => self.waiting.get(&queue).copied(),
            Some(children) => {
                let mut best: Option<Nominee> = None;
                for nominee in children.iter().filter_map(|child| self.nominees.get(child)) {
                    if best.is_none_or(|best| self.goes_first(nominee, &best)) {
                        best = Some(*nominee);
                    }
                }
                best.map(|best| best.head)
            }
        };
        let Some(head) = winner else {
            self.nominees.remove(&queue);
            return;
        };
        let (leaf, uses) = (self.heads[head].queue, &self.uses[head]);
        let asked: Vec<Slot> = uses.iter().map(|one| one.slot).collect();
        state.book_mut().add(leaf, uses);
        let share = state.book().share(queue);
        let borrows = share.borrows && state.book().borrows_any(queue, &asked);
        state.book_mut().remove(leaf, uses);
        let nominee = Nominee {
            head,
            share,
            borrows,
        };
        self.nominees.insert(queue, nominee);
    }

    fn goes_first(&self, a: &Nominee, b: &Nominee) -> bool {
        if self.prefers_nominal && a.borrows != b.borrows {
            return !a.borrows;
        }
        let (one, other) = (&self.heads[a.head], &self.heads[b.head]);
        let shares = a.share.compare(&b.share);
        let order = shares.then(other.priority.cmp(&one.priority));
        order.then(one.created.cmp(&other.created)).is_lt()
    }
}

/// The order without fair sharing.
pub(super) fn classical(heads: &[Head], found: &[Assignment]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..heads.len()).collect();
    order.sort_by_key(|&at| {
        let head = &heads[at];
        (
            found[at].borrowing,
            std::cmp::Reverse(head.priority),
            head.created,
        )
    });
    order
}
