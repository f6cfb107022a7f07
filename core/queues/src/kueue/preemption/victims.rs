//! What every search for victims needs: who asks, who may be evicted in which order, whether it fits, and who can stay
//! after all.
//!
//! Source: `pkg/scheduler/preemption/preemption.go`, `common/ordering.go`, `common/preemption_policy.go`.

use super::super::amount::Amount;
use super::super::quotas::{Slot, Use};
use super::super::share::Share;
use super::super::state::{State, Workload, WorkloadId};
use crate::tree::{Evicts, QueueId};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A workload that needs room.
#[derive(Clone, Copy, Debug)]
pub struct Preemptor<'a> {
    /// Its leaf.
    pub queue: QueueId,
    /// What it would use.
    pub uses: &'a [Use],
    /// Of what there is too little: workloads that use none of it are no candidates.
    pub contested: &'a [Slot],
    /// Its priority.
    pub priority: i64,
    /// When it came into its queue.
    pub created: i64,
}

/// Why a workload is evicted, in Kueue's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// The preemptor comes first in their queue.
    InClusterQueue,
    /// The preemptor's queue takes back what is its own.
    InCohortReclamation,
    /// The shares of the two sides are closer afterwards.
    InCohortFairSharing,
    /// The preemptor's queue borrows, and the victim's priority is low.
    InCohortReclaimWhileBorrowing,
}

impl Reason {
    /// Its name in Kueue's interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::InClusterQueue => "InClusterQueue",
            Self::InCohortReclamation => "InCohortReclamation",
            Self::InCohortFairSharing => "InCohortFairSharing",
            Self::InCohortReclaimWhileBorrowing => "InCohortReclaimWhileBorrowing",
        }
    }
}

/// How shares decide whether a workload of another queue may be evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Strategy {
    /// The preemptor's side has no larger share than the victim's side without the victim.
    LessThanOrEqualToFinalShare,
    /// The preemptor's side has a smaller share than the victim's side with it.
    LessThanInitialShare,
}

/// Two shares that were compared, of the queues right below the lowest one that is above both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The rule.
    pub strategy: Strategy,
    /// The preemptor's side.
    pub preemptor_side: QueueId,
    /// Its share with the preemptor.
    pub preemptor: Share,
    /// The victim's side.
    pub victim_side: QueueId,
    /// Its share with the victim.
    pub before: Share,
    /// Its share without the victim, where the rule asks for it.
    pub after: Option<Share>,
}

impl Comparison {
    /// Whether the rule allows to evict.
    pub fn holds(&self) -> bool {
        match self.strategy {
            Strategy::LessThanInitialShare => self.preemptor.compare(&self.before).is_lt(),
            Strategy::LessThanOrEqualToFinalShare => {
                let after = self.after.unwrap_or(self.before);
                self.preemptor.compare(&after).is_le()
            }
        }
    }
}

/// What a queue uses of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Whose quota.
    pub queue: QueueId,
    /// Of what.
    pub slot: Slot,
    /// What is used.
    pub used: Amount,
    /// The quota.
    pub quota: Amount,
}

/// The numbers behind a victim.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Both are of one queue.
    Priority {
        /// The preemptor's priority.
        preemptor: i64,
        /// The victim's.
        victim: i64,
    },
    /// The preemptor's queue uses no more than its own, the preemptor included.
    WithinNominal {
        /// What it uses.
        preemptor: Used,
    },
    /// Shares were compared.
    Shares(Comparison),
    /// The victim's queue uses more than its own, and the preemptor has a claim on it.
    Borrowed {
        /// What the victim's queue uses.
        victim: Used,
        /// Whether the preemptor's subtree has quota enough, so that priorities do not count.
        has_advantage: bool,
    },
    /// The preemptor's queue borrows; it may evict low priorities.
    LowPriority {
        /// What the victim's queue uses.
        victim: Used,
        /// The victim's priority.
        priority: i64,
        /// It must be below this one, the preemptor's.
        below: i64,
        /// And not above this one.
        up_to: Option<i64>,
    },
}

/// A workload that is evicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Victim {
    /// The workload.
    pub id: WorkloadId,
    /// The rule.
    pub reason: Reason,
    /// Its numbers.
    pub why: Why,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Who is evicted; nobody: it would not help, or is not allowed.
    pub victims: Vec<Victim>,
    /// How many workloads the rules let it look at.
    pub candidates: usize,
    /// The last comparison of shares that did not allow to evict.
    pub refused: Option<Comparison>,
}

/// Whether a rule lets a preemptor evict a candidate.
pub fn allows(rule: Evicts, preemptor: &Preemptor, candidate: &Workload) -> bool {
    let is_lower = candidate.priority < preemptor.priority;
    match rule {
        Evicts::Never => false,
        Evicts::Any => true,
        Evicts::LowerPriority => is_lower,
        Evicts::LowerOrNewerEqualPriority => {
            let is_equal = candidate.priority == preemptor.priority;
            is_lower || is_equal && preemptor.created < candidate.created
        }
    }
}

/// Whether a workload uses something of what there is too little.
pub fn uses_any(workload: &Workload, contested: &[Slot]) -> bool {
    workload
        .uses
        .iter()
        .any(|one| contested.contains(&one.slot))
}

/// Who is evicted first: those that are already being evicted, those of other queues, low priorities, those that got
/// their quota late.
pub fn order(a: &Workload, b: &Workload, own: QueueId) -> Ordering {
    let of = |workload: &Workload| {
        (
            !workload.is_evicted,
            workload.queue == own,
            workload.priority,
        )
    };
    let first = of(a).cmp(&of(b));
    first
        .then(b.reserved.cmp(&a.reserved))
        .then(a.uid.cmp(&b.uid))
}

/// Whether the preemptor fits now, with its queue borrowing or without.
pub fn fits(state: &State, preemptor: &Preemptor, may_borrow: bool) -> bool {
    let (book, queue) = (state.book(), preemptor.queue);
    let mut uses = preemptor.uses.iter();
    let mut borrows = || uses.any(|one| book.borrows_with(queue, one.slot, one.amount));
    (may_borrow || !borrows()) && book.fits(queue, preemptor.uses)
}

/// Lets victims stay without whom it fits too, the last taken first, and puts everybody back into the state.
pub fn settle(
    state: &mut State,
    preemptor: &Preemptor,
    may_borrow: bool,
    mut victims: Vec<Victim>,
) -> Vec<Victim> {
    for at in (0..victims.len().saturating_sub(1)).rev() {
        let id = victims[at].id;
        state.put_back(id);
        if fits(state, preemptor, may_borrow) {
            victims.swap_remove(at);
        } else {
            state.take(id);
        }
    }
    restore(state, &victims);
    victims
}

/// Puts victims back into the state.
pub fn restore(state: &mut State, victims: &[Victim]) {
    for victim in victims {
        state.put_back(victim.id);
    }
}

/// What a queue uses of the first contested quota that it exceeds; of the first at all, if it exceeds none.
pub fn used(state: &State, queue: QueueId, contested: &[Slot]) -> Used {
    let book = state.book();
    let exceeded = contested
        .iter()
        .find(|&&slot| book.borrows_with(queue, slot, Amount::ZERO));
    let slot = exceeded.or(contested.first()).copied().unwrap_or(Slot(0));
    Used {
        queue,
        slot,
        used: book.used(queue, slot),
        quota: book.quotas().subtree(queue, slot),
    }
}
