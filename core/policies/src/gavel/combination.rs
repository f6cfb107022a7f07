//! Who runs together, and how it stands on each type: its share of the time, and what it has had of it.
//! Out: whom a type serves first (Narayanan et al., OSDI'20 §5).

use crate::job::JobId;
use crate::order::ByValue;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use switchyard_engine::{Phase, View};

/// A job alone, or two on one GPU.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    pub(super) jobs: (JobId, Option<JobId>),
    /// What is known of it on each type.
    pub(super) on: Vec<Standing>,
    /// Where it ran in the last round.
    pub(super) ran: Option<usize>,
}

/// A combination on one type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// The share of time that it is to run.
    pub(super) share: f64,
    /// Seconds that it has run since shares were last found, and half a round.
    pub(super) received: f64,
    /// Seconds that it should have run before, less those that it did.
    pub(super) denied: f64,
}

impl Combination {
    pub(crate) fn new(jobs: (JobId, Option<JobId>), shares: impl Iterator<Item = f64>) -> Self {
        let on = shares.map(|share| Standing {
            share,
            ..Standing::default()
        });
        Self {
            jobs,
            on: on.collect(),
            ran: None,
        }
    }

    pub(super) fn members(&self) -> impl Iterator<Item = JobId> + use<> {
        [Some(self.jobs.0), self.jobs.1].into_iter().flatten()
    }

    /// Whether none of them has finished.
    pub(super) fn is_active(&self, view: &View<'_>) -> bool {
        let is_active = |job| matches!(view.phase(job), Phase::Running | Phase::Waiting);
        self.members().all(is_active)
    }
}

/// When a type serves a combination: the greatest share ÷ time received first, then the greatest denied, then in
/// their order.
pub(super) type Turn = (Reverse<ByValue>, Reverse<ByValue>, usize);

/// The turns of all combinations on each type, by gang.
#[derive(Debug, Default)]
pub(super) struct Turns(Vec<BTreeMap<u32, BTreeSet<Turn>>>);

impl Turns {
    /// Of these, and their gangs, on so many types.
    pub(super) fn of(
        all: &[Combination],
        gang: impl Fn(&Combination) -> u32,
        types: usize,
    ) -> Self {
        let on = |pool: usize| {
            let mut by_gang: BTreeMap<u32, Vec<Turn>> = BTreeMap::new();
            for (at, of) in all.iter().enumerate() {
                let turns = by_gang.entry(gang(of)).or_default();
                turns.push(of.on[pool].turn(at));
            }
            // A set that is made from a list is sorted once.
            let sets = by_gang.into_iter();
            sets.map(|(gang, turns)| (gang, turns.into_iter().collect()))
                .collect()
        };
        Self((0..types).map(on).collect())
    }

    /// A combination of such a gang has another turn on a type.
    pub(super) fn change(&mut self, pool: usize, gang: u32, before: Turn, after: Turn) {
        if let Some(turns) = self.0[pool].get_mut(&gang) {
            turns.remove(&before);
            turns.insert(after);
        }
    }

    /// The first after `after`, if given, whose gang is not larger than what is left.
    pub(super) fn next(&self, pool: usize, left: u32, after: Option<Turn>) -> Option<Turn> {
        let after = after.map_or(Unbounded, Excluded);
        let fitting = self.0[pool].range(..=left);
        let first = fitting.filter_map(|(_, turns)| turns.range((after, Unbounded)).next());
        first.min().copied()
    }
}

impl Standing {
    pub(super) fn turn(&self, at: usize) -> Turn {
        let lag = self.share / self.received;
        (
            Reverse(ByValue::of(lag)),
            Reverse(ByValue::of(self.denied)),
            at,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Agree with a look through all, after some have received time.
        #[test]
        fn turns_come_as_in_a_list(
            rows in prop::collection::vec((0u8..3, 1u8..4, 0u8..3, 1u32..5), 1..40),
            received in prop::collection::vec((any::<prop::sample::Index>(), 1u8..4), 0..20),
            lefts in prop::collection::vec(0u32..6, 1..60),
        ) {
            let combination = |(job, &(share, received, denied, _)): (u32, &(u8, u8, u8, u32))| {
                let mut of = Combination::new((JobId(job), None), [f64::from(share)].into_iter());
                of.on[0].received = f64::from(received);
                of.on[0].denied = f64::from(denied);
                of
            };
            let mut all: Vec<Combination> = (0..).zip(&rows).map(combination).collect();
            let gang = |of: &Combination| rows[of.jobs.0.index()].3;
            let mut turns = Turns::of(&all, gang, 1);
            for (at, more) in received {
                let at = at.index(all.len());
                let before = all[at].on[0].turn(at);
                all[at].on[0].received += f64::from(more);
                turns.change(0, gang(&all[at]), before, all[at].on[0].turn(at));
            }
            let mut list: Vec<usize> = (0..all.len()).collect();
            list.sort_by(|&a, &b| {
                let (a, b) = (&all[a].on[0], &all[b].on[0]);
                let lag = |of: &Standing| of.share / of.received;
                let by_lag = lag(b).partial_cmp(&lag(a)).unwrap();
                by_lag.then_with(|| b.denied.partial_cmp(&a.denied).unwrap())
            });
            let (mut list, mut after) = (list.into_iter(), None);
            for left in lefts {
                let next = turns.next(0, left, after);
                let expected = list.find(|&at| gang(&all[at]) <= left);
                prop_assert_eq!(next.map(|turn| turn.2), expected);
                if next.is_none() {
                    break;
                }
                after = next;
            }
        }
    }
}
