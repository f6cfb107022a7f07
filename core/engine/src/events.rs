//! What is due when, other than arrivals.

use super::scheduler::Every;
use crate::Time;
use crate::job::JobId;
use crate::order::ByValue;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// The end of an epoch; void unless the job is still in this stretch.
    Epoch { job: JobId, stretch: u32 },
    /// Void unless the job has its GPUs, or none, since the same change of placement.
    Alarm { job: JobId, version: u32 },
    /// The job's time is up. Void unless it has its GPUs since the same change of placement.
    Limit { job: JobId, version: u32 },
    /// A round of the policy's cadence.
    Round,
}

/// Events to come, ordered by time and sequence number.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// By time; at one time, those that rounding put before their true time come last.
    heap: BinaryHeap<Reverse<(ByValue, bool, u64, Due)>>,
    sequence: u64,
    round_pending: bool,
    /// From how many on stale ones are looked for.
    many: usize,
}

impl Events {
    pub(super) fn push(&mut self, time: Time, due: Due) {
        self.push_at(time, false, due);
    }

    /// The same, after all else of that moment.
    pub(super) fn push_last(&mut self, time: Time, due: Due) {
        self.push_at(time, true, due);
    }

    pub(super) fn push_at(&mut self, time: Time, early: bool, due: Due) {
        let at = ByValue::of(time.seconds());
        self.heap.push(Reverse((at, early, self.sequence, due)));
        self.sequence += 1;
    }

    /// Whether all that is left of the next moment is early.
    pub(super) fn is_early(&self) -> bool {
        self.heap
            .peek()
            .is_some_and(|Reverse((_, early, _, _))| *early)
    }

    pub(super) fn next_time(&self) -> Time {
        self.heap
            .peek()
            .map_or(Time::NEVER, |Reverse((at, ..))| Time(at.value()))
    }

    /// When the first of such is due.
    pub(super) fn next_of(&self, is_such: impl Fn(Time, Due) -> bool) -> Time {
        let all = self.heap.iter();
        let due = all.map(|Reverse((at, _, _, due))| (Time(at.value()), *due));
        due.filter(|&(time, due)| is_such(time, due))
            .map(|(time, _)| time)
            .min()
            .unwrap_or(Time::NEVER)
    }

    pub(super) fn pop_at(&mut self, time: Time, early: bool) -> Option<Due> {
        if self.next_time() != time || self.is_early() != early {
            return None;
        }
        let due = self.heap.pop().map(|Reverse((.., due))| due);
        if due == Some(Due::Round) {
            self.round_pending = false;
        }
        due
    }

    /// Sees to it that a round is due at the first multiple of its length at or after `from`, but
    /// after `now`, unless one is due already.
    pub(super) fn schedule_round(&mut self, every: Every, from: Time, now: Time) {
        if !self.round_pending && from < Time::NEVER {
            self.push(first_multiple(every.seconds, from, now), Due::Round);
            self.round_pending = true;
        }
    }

    /// Keeps the queue from growing with every restart and alarm: what is due to jobs that have
    /// moved on since may lie years ahead.
    pub(super) fn forget_stale(&mut self, is_live: impl Fn(Time, Due) -> bool) {
        if self.heap.len() >= self.many {
            self.heap
                .retain(|&Reverse((at, _, _, due))| is_live(Time(at.value()), due));
            // As many have to come anew as are looked at.
            self.many = 64 + 2 * self.heap.len();
        }
    }
}

/// The first multiple of `every` seconds that is not before `from`, but after `now`; `now` where
/// numbers so great have no such multiple.
fn first_multiple(every: f64, from: Time, now: Time) -> Time {
    let rounds = libm::floor(from.seconds() / every);
    // Rounding may have brought the quotient to the next whole number, or kept it below its own.
    (0..3)
        .map(|more| Time((rounds + f64::from(more)) * every))
        .find(|&at| at >= from && at > now)
        .unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_events_do_not_pile_up() {
        let mut events = Events::default();
        for job in 0..10_000 {
            // One in a hundred still stands.
            let due = Due::Epoch {
                job: JobId(job),
                stretch: job % 100,
            };
            events.push(Time(f64::from(job)), due);
            events.forget_stale(|_, due| matches!(due, Due::Epoch { stretch: 0, .. }));
            let live = job as usize / 100 + 1;
            assert!(events.heap.len() <= 64 + 2 * live, "{job}");
        }
    }
}
