//! Waiting jobs in an order that is made anew at every round, and changes by itself meanwhile: who is first is found
//! without looking at all. Jobs of one gang that may lie on the same nodes are one [`Class`], which knows its first.

use super::waiting_room::{Waiter, Waiters, WaitingRoom};
use crate::job::JobId;
use std::collections::BTreeMap;
use switchyard_engine::View;
use switchyard_placement::Budget;

/// Where a job stands: by its rank at the last round, behind that by when it has come since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place<R> {
    Ranked(R),
    Came(u32),
}

/// Jobs alike to a walk, by their ranks.
pub(super) trait Class: Default {
    /// Least first, equal ones by job id.
    type Rank: Ord + Copy;
    /// What ranks hang on at a round besides jobs.
    type Round: Copy;

    fn enter(&mut self, job: JobId, view: &View<'_>);

    /// Whether the job was there, which it is no longer.
    fn leave(&mut self, job: JobId) -> bool;

    /// Who is first at this round; rounds come in the order of time.
    fn first(&mut self, round: Self::Round) -> Option<(Self::Rank, JobId)>;
}

/// All who wait.
pub(super) struct RankedRoom<C: Class> {
    /// Those whose places are their own until the next round, since they have come or lost their GPUs.
    aside: WaitingRoom<Place<C::Rank>>,
    /// By gang and where it may lie.
    classes: BTreeMap<(u32, u64), C>,
    round: Option<C::Round>,
    /// Jobs in `classes`, and GPUs that they want.
    jobs: u32,
    gpus: u64,
}

impl<C: Class> Default for RankedRoom<C> {
    fn default() -> Self {
        Self {
            aside: WaitingRoom::default(),
            classes: BTreeMap::new(),
            round: None,
            jobs: 0,
            gpus: 0,
        }
    }
}

impl<C: Class> RankedRoom<C> {
    /// Puts all into their classes, for a round now.
    pub(super) fn gather(&mut self, view: &View<'_>) {
        for waiter in self.aside.take_all() {
            let class = self.classes.entry((waiter.gpus, waiter.pools));
            class.or_default().enter(waiter.job, view);
            self.jobs += 1;
            self.gpus += u64::from(waiter.gpus);
        }
    }

    /// Ranks them.
    pub(super) fn rank(&mut self, round: C::Round) {
        self.round = Some(round);
    }

    pub(super) fn classes(&mut self) -> impl Iterator<Item = &mut C> {
        self.classes.values_mut()
    }

    /// How many wait.
    pub(super) fn len(&self) -> u32 {
        self.jobs + self.aside.len()
    }

    fn first_of(
        &mut self,
        fits: impl Fn(u32, u64) -> bool,
        after: Option<(Place<C::Rank>, JobId)>,
    ) -> Option<Waiter<Place<C::Rank>>> {
        let mut best: Option<Waiter<Place<C::Rank>>> = None;
        let round = self.round?;
        let classes = self.classes.iter_mut();
        for (&(gpus, pools), class) in classes.filter(|&(&(gpus, pools), _)| fits(gpus, pools)) {
            while let Some((rank, job)) = class.first(round) {
                let key = Place::Ranked(rank);
                let waiter = Waiter {
                    key,
                    job,
                    gpus,
                    pools,
                };
                if after.is_some_and(|after| (key, job) <= after) {
                    class.leave(job);
                    self.jobs -= 1;
                    self.gpus -= u64::from(gpus);
                    self.aside.insert(waiter);
                    continue;
                }
                if best.is_none_or(|best| (key, job) < (best.key, best.job)) {
                    best = Some(waiter);
                }
                break;
            }
        }
        best
    }
}

impl<C: Class> Waiters<Place<C::Rank>> for RankedRoom<C> {
    fn insert(&mut self, waiter: Waiter<Place<C::Rank>>) {
        self.aside.insert(waiter);
    }

    fn remove(&mut self, waiter: Waiter<Place<C::Rank>>) {
        let class = self.classes.get_mut(&(waiter.gpus, waiter.pools));
        if class.is_some_and(|class| class.leave(waiter.job)) {
            self.jobs -= 1;
            self.gpus -= u64::from(waiter.gpus);
        } else {
            self.aside.remove(waiter);
        }
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn gpus(&self) -> u64 {
        self.gpus + self.aside.gpus()
    }

    fn first(&mut self) -> Option<Waiter<Place<C::Rank>>> {
        let ranked = self.first_of(|_, _| true, None);
        earlier(ranked, self.aside.first())
    }

    fn first_fitting(
        &mut self,
        left: &Budget,
        after: Option<(Place<C::Rank>, JobId)>,
    ) -> Option<Waiter<Place<C::Rank>>> {
        let ranked = self.first_of(|gpus, pools| gpus <= left.most(pools), after);
        earlier(ranked, self.aside.first_fitting(left, after))
    }
}

fn earlier<K: Ord + Copy>(a: Option<Waiter<K>>, b: Option<Waiter<K>>) -> Option<Waiter<K>> {
    [a, b]
        .into_iter()
        .flatten()
        .min_by_key(|waiter| (waiter.key, waiter.job))
}
