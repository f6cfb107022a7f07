//! The queue of waiting jobs, in priority order, that can skip what does not fit without
//! looking at it: one ordered set per gang size and
//! the GPU types that will do.

use crate::job::JobId;
use std::collections::BTreeSet;
use switchyard_engine::View;
use switchyard_placement::Budget;

/// Waiting jobs, for a walk down their priorities: least key first, equal ones by job id.
pub(super) trait Waiters<K> {
    fn insert(&mut self, waiter: Waiter<K>);

    fn remove(&mut self, waiter: Waiter<K>);

    fn is_empty(&self) -> bool;

    /// GPUs that all waiting jobs want together.
    fn gpus(&self) -> u64;

    /// The first job of all.
    fn first(&mut self) -> Option<Waiter<K>>;

    /// The first job, after `after` if given, for whose gang GPUs are left. Within one walk `after` only rises.
    fn first_fitting(&mut self, left: &Budget, after: Option<(K, JobId)>) -> Option<Waiter<K>>;
}

/// Waiting jobs by priority key (least first; equal keys by job id).
#[derive(Clone, Debug)]
pub(super) struct WaitingRoom<K> {
    /// Ascending by gang size, then by where it may lie; what was once seen stays.
    classes: Vec<Class<K>>,
    /// Sum of all gangs.
    gpus: u64,
    jobs: u32,
}

#[derive(Clone, Debug)]
struct Class<K> {
    gpus: u32,
    pools: u64,
    jobs: BTreeSet<(K, JobId)>,
    /// The least element of `jobs`.
    front: Option<(K, JobId)>,
}

/// A waiting job found by [`Waiters::first_fitting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiter<K> {
    pub(super) key: K,
    pub(super) job: JobId,
    pub(super) gpus: u32,
    /// Where its gang may lie ([`Needs::pools`](crate::cluster::Needs::pools)).
    pub(super) pools: u64,
}

impl<K> Waiter<K> {
    pub(super) fn of(key: K, job: JobId, view: &View<'_>) -> Self {
        Self {
            key,
            job,
            gpus: view.whole_gpus(job),
            pools: view.needs(job).pools(),
        }
    }
}

impl<K> Default for WaitingRoom<K> {
    fn default() -> Self {
        Self {
            classes: Vec::new(),
            gpus: 0,
            jobs: 0,
        }
    }
}

impl<K: Ord + Copy> WaitingRoom<K> {
    pub(super) fn insert(&mut self, waiter: Waiter<K>) {
        let of = (waiter.gpus, waiter.pools);
        let at = self.class(of);
        let there = self.classes.get(at);
        if there.is_none_or(|class| (class.gpus, class.pools) != of) {
            let class = Class {
                gpus: waiter.gpus,
                pools: waiter.pools,
                jobs: BTreeSet::new(),
                front: None,
            };
            self.classes.insert(at, class);
        }
        let class = &mut self.classes[at];
        let entry = (waiter.key, waiter.job);
        class.jobs.insert(entry);
        if class.front.is_none_or(|front| entry < front) {
            class.front = Some(entry);
        }
        self.gpus += u64::from(waiter.gpus);
        self.jobs += 1;
    }

    fn class(&self, of: (u32, u64)) -> usize {
        (self.classes).partition_point(|class| (class.gpus, class.pools) < of)
    }

    pub(super) fn remove(&mut self, waiter: Waiter<K>) {
        let at = self.class((waiter.gpus, waiter.pools));
        let Some(class) = self.classes.get_mut(at) else {
            return;
        };
        let entry = (waiter.key, waiter.job);
        if class.jobs.remove(&entry) {
            self.gpus -= u64::from(waiter.gpus);
            self.jobs -= 1;
            if class.front == Some(entry) {
                class.front = class.jobs.first().copied();
            }
        }
    }

    /// Empties the room: who was in it, in no particular order.
    pub(super) fn take_all(&mut self) -> Vec<Waiter<K>> {
        let mut all = Vec::new();
        for class in &mut self.classes {
            let (gpus, pools) = (class.gpus, class.pools);
            class.front = None;
            let jobs = std::mem::take(&mut class.jobs);
            let waiter = |(key, job)| Waiter {
                key,
                job,
                gpus,
                pools,
            };
            all.extend(jobs.into_iter().map(waiter));
        }
        self.gpus = 0;
        self.jobs = 0;
        all
    }

    pub(super) fn is_empty(&self) -> bool {
        self.jobs == 0
    }

    /// How many wait.
    pub(super) fn len(&self) -> u32 {
        self.jobs
    }

    /// GPUs that all waiting jobs want together.
    pub(super) fn gpus(&self) -> u64 {
        self.gpus
    }

    /// The first job of all.
    pub(super) fn first(&self) -> Option<Waiter<K>> {
        self.first_of(u32::MAX, |_| true, None)
    }

    /// The first job, after `after` if given, for whose gang GPUs are left.
    pub(super) fn first_fitting(
        &self,
        left: &Budget,
        after: Option<(K, JobId)>,
    ) -> Option<Waiter<K>> {
        if left.is_by_pool() {
            let fits = |class: &Class<K>| class.gpus <= left.most(class.pools);
            self.first_of(left.total(), fits, after)
        } else {
            self.first_of(left.total(), |_| true, after)
        }
    }

    fn first_of(
        &self,
        gpus: u32,
        fits: impl Fn(&Class<K>) -> bool,
        after: Option<(K, JobId)>,
    ) -> Option<Waiter<K>> {
        let mut best: Option<Waiter<K>> = None;
        let small = self.classes.iter().take_while(|class| class.gpus <= gpus);
        for class in small.filter(|class| fits(class)) {
            let first = match after {
                Some(after) if class.front.is_some_and(|front| front <= after) => {
                    use std::ops::Bound::{Excluded, Unbounded};
                    class
                        .jobs
                        .range((Excluded(after), Unbounded))
                        .next()
                        .copied()
                }
                _ => class.front,
            };
            if let Some((key, job)) = first
                && best.is_none_or(|best| (key, job) < (best.key, best.job))
            {
                best = Some(Waiter {
                    key,
                    job,
                    gpus: class.gpus,
                    pools: class.pools,
                });
            }
        }
        best
    }
}

impl<K: Ord + Copy> Waiters<K> for WaitingRoom<K> {
    fn insert(&mut self, waiter: Waiter<K>) {
        self.insert(waiter);
    }

    fn remove(&mut self, waiter: Waiter<K>) {
        self.remove(waiter);
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn gpus(&self) -> u64 {
        self.gpus()
    }

    fn first(&mut self) -> Option<Waiter<K>> {
        Self::first(self)
    }

    fn first_fitting(&mut self, left: &Budget, after: Option<(K, JobId)>) -> Option<Waiter<K>> {
        Self::first_fitting(self, left, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Agrees with a walk through one sorted list.
        #[test]
        fn finds_what_a_plain_list_finds(
            jobs in prop::collection::vec((0u32..20, 1u32..9, 1u64..4), 1..60),
            removed in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
            left in prop::collection::vec(0u32..10, 1..3),
            after in prop::option::of((0u32..20, 0u32..60)),
        ) {
            let mut room = WaitingRoom::default();
            let mut list: Vec<Waiter<u32>> = (0u32..)
                .zip(&jobs)
                .map(|(id, &(key, gpus, pools))| Waiter { key, job: JobId(id), gpus, pools })
                .collect();
            list.iter().for_each(|&waiter| room.insert(waiter));
            for index in removed {
                if !list.is_empty() {
                    room.remove(list.swap_remove(index.index(list.len())));
                }
            }
            list.sort_by_key(|waiter| (waiter.key, waiter.job));
            let after = after.map(|(key, id)| (key, JobId(id)));
            let left = match left[..] {
                [total] => Budget::of(total),
                _ => Budget::by_pool(left),
            };
            let expected = list
                .iter()
                .find(|waiter| waiter.gpus <= left.most(waiter.pools) && after.is_none_or(|after| (waiter.key, waiter.job) > after));
            prop_assert_eq!(room.first_fitting(&left, after), expected.copied());
            prop_assert_eq!(room.is_empty(), list.is_empty());
            prop_assert_eq!(room.gpus(), list.iter().map(|waiter| u64::from(waiter.gpus)).sum::<u64>());
        }
    }
}
