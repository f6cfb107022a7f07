//! One scheduling cycle: the heads of all queues, one after another.
//!
//! In: who runs, and the heads. Out: a decision for each head, in the order in which they were looked at. Whoever holds
//! the waiting lines admits, evicts and puts heads back as it says: nothing of it is done here, and the state is
//! afterwards as it was. What one head takes, later ones of the cycle do not get: a head that fits reserves its quota; so
//! does one that waits for its victims. Victims belong to one head of a cycle only.
//!
//! A strict line keeps a head that was not admitted at its front; a best-effort line may set aside one that does not fit
//! until something of its tree changes ([`Decision::may_be_set_aside`]), and keeps one that waits for its victims
//! ([`Decision::stays_first`]).
//!
//! Source: `schedule` and what it calls in `pkg/scheduler/scheduler.go`; `requeueIfNotPresent` in
//! `pkg/cache/queue/cluster_queue.go`.

use super::amount::Amount;
use super::assignment::{self, Assignment, Head, Mode, Refusal};
use super::preemption::fair::FairSharing;
use super::preemption::victims::{Found, Victim};
use super::quotas::Use;
use super::share::Share;
use super::state::{State, WorkloadId};
use super::tournament::{self, Tournament};
use crate::tree::{Evicts, QueueId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How cycles decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Fair sharing; none: off.
    pub fair: Option<FairSharing>,
    /// A head whose victims another head took looks for others in the same cycle.
    pub recomputes: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fair: None,
            recomputes: true,
        }
    }
}

/// What happens to a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It has quota.
    Admitted,
    /// Its victims are evicted, and it waits for their quota.
    Preempting,
    /// It will fit once the victims of others are gone.
    WaitsForOthers,
    /// Heads before it took what it would have needed.
    NoLongerFits,
    /// Another head of the cycle has its victims.
    VictimsTaken,
    /// It would fit if others were evicted, and nobody may be.
    NoVictims,
    /// It does not fit.
    NoFit,
}

/// What was decided of a head.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Its place among the heads.
    pub head: usize,
    /// What happens to it.
    pub outcome: Outcome,
    /// The flavors, and what refused it.
    pub assignment: Assignment,
    /// Who is evicted for it, if it preempts; whom the search looked at.
    pub found: Found,
    /// With fair sharing: the share of its queue, with it.
    pub share: Option<Share>,
    /// If it no longer fits: of what heads before it left too little.
    pub short: Option<Refusal>,
}

impl Decision {
    /// Whether a best-effort line may set the head aside until something of its tree changes. Not while flavors are
    /// left to try.
    pub fn may_be_set_aside(&self) -> bool {
        let is_refused = matches!(self.outcome, Outcome::NoVictims | Outcome::NoFit);
        is_refused && self.next().iter().all(|&next| next == 0)
    }

    /// Whether the head stays first in a best-effort line, whoever comes: victims are evicted for it.
    pub fn stays_first(&self) -> bool {
        matches!(self.outcome, Outcome::Preempting | Outcome::WaitsForOthers)
    }

    /// Where the search for flavors goes on in the next cycle: [`Head::from`].
    pub fn next(&self) -> &[usize] {
        match self.outcome {
            Outcome::Preempting | Outcome::WaitsForOthers | Outcome::Admitted => &[],
            _ => &self.assignment.next,
        }
    }
}

/// Decides about the heads of one cycle.
pub fn run(state: &mut State, settings: &Settings, heads: &[Head]) -> Vec<Decision> {
    let fair = settings.fair.as_ref();
    let mut cycle = Cycle {
        settings,
        heads,
        taken: BTreeSet::new(),
        reserved: Vec::new(),
    };
    let mut found = Vec::with_capacity(heads.len());
    let mut victims = Vec::with_capacity(heads.len());
    for head in heads {
        let (assignment, of_it) = assignment::nominate(state, head, fair, None);
        found.push(assignment);
        victims.push(of_it);
    }
    let mut decisions = Vec::with_capacity(heads.len());
    if let Some(fair) = fair.filter(|_| heads.len() > 1) {
        let mut tournament = Tournament::new(state, heads, &found, fair.prefers_nominal);
        while let Some((at, share)) = tournament.next() {
            let mut decision = cycle.decide(
                state,
                at,
                found[at].clone(),
                std::mem::take(&mut victims[at]),
            );
            decision.share = Some(share);
            decisions.push(decision);
            tournament.replay(state, at);
        }
    } else {
        for at in tournament::classical(heads, &found) {
            let share = fair.map(|_| {
                let (queue, uses) = (heads[at].queue, &found[at].uses);
                state.book_mut().add(queue, uses);
                let share = state.book().share(queue);
                state.book_mut().remove(queue, uses);
                share
            });
            let of_it = std::mem::take(&mut victims[at]);
            let decision = cycle.decide(state, at, found[at].clone(), of_it);
            decisions.push(Decision { share, ..decision });
        }
    }
    for (queue, uses) in &cycle.reserved {
        state.book_mut().remove(*queue, uses);
    }
    decisions
}

struct Cycle<'a> {
    settings: &'a Settings,
    heads: &'a [Head],
    /// Victims of heads before.
    taken: BTreeSet<WorkloadId>,
    /// What heads before have reserved.
    reserved: Vec<(QueueId, Vec<Use>)>,
}

impl Cycle<'_> {
    fn decide(
        &mut self,
        state: &mut State,
        at: usize,
        mut assignment: Assignment,
        mut found: Found,
    ) -> Decision {
        let head = &self.heads[at];
        let mut waits = false;
        if self.settings.recomputes && self.overlaps(&found.victims) {
            for &id in &self.taken {
                state.send_away(id);
            }
            let first = Head {
                from: Vec::new(),
                ..head.clone()
            };
            let fair = self.settings.fair.as_ref();
            (assignment, found) = assignment::nominate(state, &first, fair, Some(&assignment.uses));
            for &id in &self.taken {
                state.bring_back(id);
            }
            waits = assignment.mode == Mode::Fit;
        }
        let mut short = None;
        let outcome = self.outcome(state, head, &assignment, &found.victims, waits, &mut short);
        Decision {
            head: at,
            outcome,
            assignment,
            found,
            share: None,
            short,
        }
    }

    fn outcome(
        &mut self,
        state: &mut State,
        head: &Head,
        assignment: &Assignment,
        victims: &[Victim],
        waits: bool,
        short: &mut Option<Refusal>,
    ) -> Outcome {
        if assignment.mode == Mode::NoFit {
            return Outcome::NoFit;
        }
        if assignment.mode == Mode::Preempt && victims.is_empty() {
            if state.quotas().reclaims(head.queue) != Evicts::Any {
                // It could not take this back from a later head.
                let uses = unreclaimable(state, head, assignment);
                self.reserve(state, head, uses);
            }
            return Outcome::NoVictims;
        }
        if waits {
            self.reserve(state, head, assignment.uses.clone());
            return Outcome::WaitsForOthers;
        }
        if self.overlaps(victims) {
            return Outcome::VictimsTaken;
        }
        *short = self.short(state, head, assignment, victims);
        if short.is_some() {
            return Outcome::NoLongerFits;
        }
        self.taken.extend(victims.iter().map(|victim| victim.id));
        self.reserve(state, head, assignment.uses.clone());
        if assignment.mode == Mode::Preempt {
            Outcome::Preempting
        } else {
            Outcome::Admitted
        }
    }

    fn overlaps(&self, victims: &[Victim]) -> bool {
        victims.iter().any(|victim| self.taken.contains(&victim.id))
    }

    /// Of what there is too little for a head once all victims of the cycle and its own are gone.
    fn short(
        &self,
        state: &mut State,
        head: &Head,
        assignment: &Assignment,
        victims: &[Victim],
    ) -> Option<Refusal> {
        let own = victims.iter().map(|victim| victim.id);
        let gone: BTreeSet<WorkloadId> = self.taken.iter().copied().chain(own).collect();
        for &id in &gone {
            state.take(id);
        }
        let short = assignment.uses.iter().find_map(|one| {
            let (available, bound) = state.book().available_within(head.queue, one.slot);
            (one.amount > available.or_zero()).then_some(Refusal::AboveAvailable {
                slot: one.slot,
                asked: one.amount,
                available: available.or_zero(),
                bound,
                has_victims: !victims.is_empty(),
            })
        });
        for &id in &gone {
            state.put_back(id);
        }
        short
    }

    fn reserve(&mut self, state: &mut State, head: &Head, uses: Vec<Use>) {
        state.book_mut().add(head.queue, &uses);
        self.reserved.push((head.queue, uses));
    }
}

/// What a head without victims keeps for itself: what its queue may still use, up to its own quota or, if it would
/// borrow, up to the borrowing limit.
fn unreclaimable(state: &State, head: &Head, assignment: &Assignment) -> Vec<Use> {
    let quotas = state.quotas();
    let kept = assignment.uses.iter().map(|&Use { slot, amount }| {
        let limit = quotas.borrowing_limit(head.queue, slot);
        let more = if assignment.borrowing > 0 {
            limit
        } else {
            Amount::ZERO
        };
        let most = quotas.nominal(head.queue, slot) + more - state.book().used(head.queue, slot);
        Use {
            slot,
            amount: amount.min(most).or_zero(),
        }
    });
    kept.collect()
}
