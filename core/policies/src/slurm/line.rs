//! Who waits, in the order in which Slurm looks at them: who may evict others, then the tier of the partition, then
//! the priority, then who came first.

use crate::job::JobId;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Where a job stands: the least first.
pub(super) type Key = (Reverse<u32>, Reverse<u32>, Reverse<u32>, JobId);

/// A job that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Waiter {
    /// Of its QOS or partition, where that lets it evict others; else 0.
    pub(super) rank: u32,
    /// Of its partition.
    pub(super) tier: u32,
    pub(super) priority: u32,
    pub(super) job: JobId,
    pub(super) gpus: u32,
    /// When its priority was computed.
    pub(super) as_of: f64,
}

impl Waiter {
    fn key(&self) -> Key {
        let Self {
            rank,
            tier,
            priority,
            ..
        } = *self;
        (Reverse(rank), Reverse(tier), Reverse(priority), self.job)
    }
}

/// All who wait.
#[derive(Debug, Default)]
pub(super) struct WaitingJobs {
    waiters: Vec<Waiter>,
    /// How many want so many GPUs.
    sizes: BTreeMap<u32, u32>,
}

impl WaitingJobs {
    pub(super) fn waiters(&self) -> &[Waiter] {
        &self.waiters
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    /// The smallest gang.
    pub(super) fn fewest_gpus(&self) -> Option<u32> {
        self.sizes.first_key_value().map(|(&gpus, _)| gpus)
    }

    pub(super) fn join(&mut self, waiter: Waiter) {
        let key = waiter.key();
        let at = self.waiters.partition_point(|other| other.key() < key);
        self.waiters.insert(at, waiter);
        *self.sizes.entry(waiter.gpus).or_default() += 1;
    }

    /// Some of the first leave, by their places in line, ascending.
    pub(super) fn leave(&mut self, places: &[usize]) {
        let mut gone = places.iter().copied().peekable();
        let mut at = 0;
        let sizes = &mut self.sizes;
        self.waiters.retain(|waiter| {
            let leaves = gone.next_if_eq(&at).is_some();
            at += 1;
            if leaves && let Some(left) = sizes.get_mut(&waiter.gpus) {
                *left -= 1;
                if *left == 0 {
                    sizes.remove(&waiter.gpus);
                }
            }
            !leaves
        });
    }

    /// Everybody's priority is computed anew.
    pub(super) fn reorder(&mut self, now: f64, priority: impl Fn(JobId) -> u32) {
        for waiter in &mut self.waiters {
            waiter.priority = priority(waiter.job);
            waiter.as_of = now;
        }
        // Most stand where they stood.
        self.waiters.sort_by_key(Waiter::key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiter(job: u32, rank: u32, tier: u32, priority: u32) -> Waiter {
        Waiter {
            rank,
            tier,
            priority,
            job: JobId(job),
            gpus: job + 1,
            as_of: 0.0,
        }
    }

    #[test]
    fn evictors_come_first_then_tiers_then_priorities_then_who_came_first() {
        let mut line = WaitingJobs::default();
        for of in [
            waiter(0, 0, 0, 9),
            waiter(1, 0, 1, 5),
            waiter(2, 1, 0, 1),
            waiter(3, 0, 0, 9),
            waiter(4, 0, 1, 7),
        ] {
            line.join(of);
        }
        let order =
            |line: &WaitingJobs| -> Vec<u32> { line.waiters().iter().map(|of| of.job.0).collect() };
        assert_eq!(order(&line), [2, 4, 1, 0, 3]);
        line.reorder(1.0, |job| job.0);
        assert_eq!(order(&line), [2, 4, 1, 3, 0]);
        line.leave(&[1, 4]);
        assert_eq!(order(&line), [2, 1, 3]);
        assert_eq!(line.fewest_gpus(), Some(2));
    }
}
