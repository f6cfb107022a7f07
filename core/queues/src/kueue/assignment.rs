//! Which flavors a workload takes, and whether it fits, would fit if others were evicted, or cannot fit.
//!
//! In: who runs, and what a workload asks for. Out: a flavor for each resource, how far away it borrows, and what refused
//! it. Resources of one group take one flavor. Flavors are tried in the order of the queue; where the search may stop
//! follows from the queue's [`Fungibility`]. Of what would need evictions, a search for victims tells whether there are
//! any, and whether all are of other queues.
//!
//! Source: `pkg/scheduler/flavorassigner/flavorassigner.go`, `pkg/scheduler/preemption/preemption_oracle.go`. One set of
//! pods: all of a workload's pods take the same flavors.

use super::amount::Amount;
use super::book::Bound;
use super::preemption::fair::FairSharing;
use super::preemption::victims::{Found, Preemptor};
use super::preemption::{self};
use super::quotas::{Fungibility, Group, Search, Slot, Use};
use super::state::State;
use crate::tree::{QueueId, WhileBorrowing};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a workload asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// How much of which kind, as places in [`Resources::kinds`](super::quotas::Resources::kinds).
    pub asks: Vec<(usize, Amount)>,
    /// The flavors that will do, as places in [`Resources::flavors`](super::quotas::Resources::flavors); none: all.
    pub flavors: Option<Vec<usize>>,
}

/// A workload that waits at the head of its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its leaf.
    pub queue: QueueId,
    /// What it asks for.
    pub request: Request,
    /// Higher ones go first.
    pub priority: i64,
    /// When it came, or was evicted: older ones go first.
    pub created: i64,
    /// Where the search for flavors goes on, by group; empty: from the first. See [`Assignment::next`].
    pub from: Vec<usize>,
}

/// Whether something fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// It cannot, as quotas are, or nobody may be evicted for it.
    NoFit,
    /// It would if others were evicted.
    Preempt,
    /// It does.
    Fit,
}

/// Why a flavor does not fit now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The queue offers no such kind of resource.
    NotOffered {
        /// The kind.
        kind: usize,
    },
    /// It is more than the queue could ever have.
    AbovePotential {
        /// Of what.
        slot: Slot,
        /// What is asked for.
        asked: Amount,
        /// What the queue could have if nobody used anything.
        potential: Amount,
    },
    /// It is more than the queue may use now.
    AboveAvailable {
        /// Of what.
        slot: Slot,
        /// What is asked for.
        asked: Amount,
        /// What the queue may still use.
        available: Amount,
        /// What keeps it from using more.
        bound: Bound,
        /// Whether a search for victims found some.
        has_victims: bool,
    },
}

/// The flavors that a workload takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// What it would use.
    pub uses: Vec<Use>,
    /// Of what there is too little now.
    pub contested: Vec<Slot>,
    /// Whether it fits.
    pub mode: Mode,
    /// The height of the lowest subtree whose quota holds it: zero if the queue does not borrow.
    pub borrowing: u32,
    /// Why flavors were refused, in the order in which they were tried.
    pub refusals: Vec<Refusal>,
    /// Where the next search goes on, by group, if this one led to nothing.
    pub next: Vec<usize>,
}

/// What could be done with a flavor, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FlavorFit {
    NoFit,
    NoVictims,
    Preempt,
    Reclaim,
    Fit,
}

impl FlavorFit {
    fn mode(self) -> Mode {
        match self {
            Self::NoFit => Mode::NoFit,
            Self::NoVictims | Self::Preempt | Self::Reclaim => Mode::Preempt,
            Self::Fit => Mode::Fit,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Rank {
    way: FlavorFit,
    height: u32,
}

impl Rank {
    /// Whether it is better than another one.
    fn beats(self, other: Self, fungibility: Fungibility) -> bool {
        if self.way == FlavorFit::NoFit || other.way == FlavorFit::NoFit {
            return self.way != FlavorFit::NoFit;
        }
        let has_victims = |rank: Self| rank.way != FlavorFit::NoVictims;
        if has_victims(self) != has_victims(other) {
            return has_victims(self);
        }
        let ways = self.way.cmp(&other.way);
        let heights = other.height.cmp(&self.height);
        let order = if fungibility.prefers_preemption {
            heights.then(ways)
        } else {
            ways.then(heights)
        };
        order.is_gt()
    }

    fn goes_on(self, fungibility: Fungibility) -> bool {
        let preempts = matches!(self.way, FlavorFit::Preempt | FlavorFit::Reclaim);
        matches!(self.way, FlavorFit::NoFit | FlavorFit::NoVictims)
            || preempts && fungibility.when_can_preempt == Search::GoesOn
            || self.height > 0 && fungibility.when_can_borrow == Search::GoesOn
    }
}

/// One resource of one flavor, as it would be taken.
#[derive(Clone, Copy, Debug)]
struct Taken {
    one: Use,
    way: FlavorFit,
    height: u32,
}

/// Chooses flavors, and looks for victims if the workload does not fit. `pinned`: only flavors that an earlier search
/// chose. The state is afterwards as it was.
pub fn nominate(
    state: &mut State,
    head: &Head,
    fair: Option<&FairSharing>,
    pinned: Option<&[Use]>,
) -> (Assignment, Found) {
    let mut chooser = Chooser {
        head,
        fair,
        pinned,
        searches: Vec::new(),
    };
    let assignment = chooser.assign(state);
    let mut found = Found::default();
    if assignment.mode == Mode::Preempt {
        // With one resource, the search that ranked its flavor is the search for all.
        let mut searches = chooser.searches.into_iter();
        let same = searches.find(|(one, _)| assignment.uses == [*one]);
        found = match same {
            Some((_, found)) => found,
            None => {
                let preemptor = preemptor(head, &assignment.uses, &assignment.contested);
                preemption::find(state, &preemptor, fair)
            }
        };
    }
    (assignment, found)
}

struct Chooser<'a> {
    head: &'a Head,
    fair: Option<&'a FairSharing>,
    pinned: Option<&'a [Use]>,
    /// Searches for victims for one resource of one flavor.
    searches: Vec<(Use, Found)>,
}

impl Chooser<'_> {
    /// The flavors of all groups.
    fn assign(&mut self, state: &mut State) -> Assignment {
        let mut assignment = Assignment {
            uses: Vec::new(),
            contested: Vec::new(),
            mode: Mode::Fit,
            borrowing: 0,
            refusals: Vec::new(),
            next: Vec::new(),
        };
        let head = self.head;
        let groups = Arc::clone(state.quotas().groups(head.queue));
        for &(kind, amount) in &head.request.asks {
            if amount > Amount::ZERO && !groups.iter().any(|group| group.kinds.contains(&kind)) {
                assignment.refusals.push(Refusal::NotOffered { kind });
                assignment.mode = Mode::NoFit;
            }
        }
        for (at, group) in groups.iter().enumerate() {
            let from = head.from.get(at).copied().unwrap_or(0);
            let is_first = |kind: &usize| {
                groups.iter().position(|group| group.kinds.contains(kind)) == Some(at)
            };
            let asks = head
                .request
                .asks
                .iter()
                .filter(|(kind, _)| group.kinds.contains(kind) && is_first(kind));
            let asks: Vec<(usize, Amount)> = asks.copied().collect();
            if asks.is_empty() || assignment.mode == Mode::NoFit {
                assignment.next.push(0);
                continue;
            }
            let (taken, next) = self.choose(state, group, &asks, from, &mut assignment.refusals);
            assignment.next.push(next);
            if taken.is_empty() {
                assignment.mode = Mode::NoFit;
            }
            for Taken { one, way, height } in taken {
                assignment.mode = assignment.mode.min(way.mode());
                assignment.borrowing = assignment.borrowing.max(height);
                if way != FlavorFit::Fit {
                    assignment.contested.push(one.slot);
                }
                assignment.uses.push(one);
            }
        }
        if assignment.mode == Mode::NoFit {
            assignment.uses.clear();
            assignment.contested.clear();
            assignment.borrowing = 0;
        }
        assignment
    }

    /// The best flavor of a group, and where a next search goes on. Nothing: none fits.
    fn choose(
        &mut self,
        state: &mut State,
        group: &Group,
        asks: &[(usize, Amount)],
        from: usize,
        refusals: &mut Vec<Refusal>,
    ) -> (Vec<Taken>, usize) {
        let fungibility = state.quotas().fungibility(self.head.queue);
        let mut best = Vec::new();
        let mut best_rank = Rank {
            way: FlavorFit::NoFit,
            height: u32::MAX,
        };
        let mut next = 0;
        for (at, &flavor) in group.flavors.iter().enumerate().skip(from) {
            next = at + 1;
            if !self.may_take(state, flavor, asks) {
                continue;
            }
            let mut rank = Rank {
                way: FlavorFit::Fit,
                height: 0,
            };
            let mut taken = Vec::new();
            for &(kind, amount) in asks {
                let Some(slot) = state.quotas().resources().slot(kind, flavor) else {
                    rank.way = FlavorFit::NoFit;
                    continue;
                };
                let one = Use { slot, amount };
                let (way, height) = self.look(state, one, refusals);
                let this = Rank { way, height };
                if rank.beats(this, fungibility) {
                    rank = this;
                }
                taken.push(Taken { one, way, height });
            }
            let stops = !rank.goes_on(fungibility);
            if stops || rank.beats(best_rank, fungibility) {
                best = taken;
                best_rank = rank;
            }
            if stops {
                break;
            }
        }
        (best, if next == group.flavors.len() { 0 } else { next })
    }

    fn may_take(&self, state: &State, flavor: usize, asks: &[(usize, Amount)]) -> bool {
        let will_do = &self.head.request.flavors;
        if will_do
            .as_ref()
            .is_some_and(|will_do| !will_do.contains(&flavor))
        {
            return false;
        }
        let resources = state.quotas().resources();
        self.pinned.is_none_or(|pinned| {
            let mut pinned = pinned.iter().map(|one| one.slot);
            let first = asks.first().map(|(kind, _)| *kind);
            pinned
                .any(|slot| resources.flavor(slot) == flavor && Some(resources.kind(slot)) == first)
        })
    }

    /// What could be done with one resource of one flavor.
    fn look(
        &mut self,
        state: &mut State,
        one: Use,
        refusals: &mut Vec<Refusal>,
    ) -> (FlavorFit, u32) {
        let Use { slot, amount } = one;
        let queue = self.head.queue;
        let potential = state.quotas().potential(queue, slot);
        if amount > potential {
            refusals.push(Refusal::AbovePotential {
                slot,
                asked: amount,
                potential,
            });
            return (FlavorFit::NoFit, 0);
        }
        let (available, bound) = state.book().available_within(queue, slot);
        let available = available.or_zero();
        let (height, is_below_root) = state.book().height_that_fits(queue, slot, amount);
        if amount <= available {
            return (FlavorFit::Fit, height);
        }
        let quotas = state.quotas();
        let may_while_borrowing = quotas.while_borrowing(queue) != WhileBorrowing::Never
            || self.fair.is_some() && quotas.seeks_while_borrowing(queue);
        let may_preempt =
            quotas.nominal(queue, slot) >= amount || is_below_root || may_while_borrowing;
        let (way, height) = if may_preempt {
            self.victims(state, one)
        } else {
            (FlavorFit::NoFit, height)
        };
        refusals.push(Refusal::AboveAvailable {
            slot,
            asked: amount,
            available,
            bound,
            has_victims: matches!(way, FlavorFit::Preempt | FlavorFit::Reclaim),
        });
        (way, height)
    }

    /// Whether there are victims for one resource, and how far the workload would borrow without them.
    fn victims(&mut self, state: &mut State, one: Use) -> (FlavorFit, u32) {
        let (uses, contested) = ([one], [one.slot]);
        let preemptor = preemptor(self.head, &uses, &contested);
        let found = preemption::find(state, &preemptor, self.fair);
        for victim in &found.victims {
            state.take(victim.id);
        }
        let (height, _) = state
            .book()
            .height_that_fits(self.head.queue, one.slot, one.amount);
        for victim in &found.victims {
            state.put_back(victim.id);
        }
        let mut victims = found
            .victims
            .iter()
            .filter_map(|victim| state.get(victim.id));
        let way = if found.victims.is_empty() {
            FlavorFit::NoVictims
        } else if victims.any(|victim| victim.queue == self.head.queue) {
            FlavorFit::Preempt
        } else {
            FlavorFit::Reclaim
        };
        self.searches.push((one, found));
        (way, height)
    }
}

/// A head that needs room.
fn preemptor<'a>(head: &Head, uses: &'a [Use], contested: &'a [Slot]) -> Preemptor<'a> {
    Preemptor {
        queue: head.queue,
        uses,
        contested,
        priority: head.priority,
        created: head.created,
    }
}
