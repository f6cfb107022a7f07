//! Who was evicted, when and for whom, how often for each; and how that is told. What decided is each policy's own.

use super::Fact;
use crate::Time;
use crate::job::JobId;
use std::collections::BTreeMap;
use switchyard_engine::View;
use switchyard_explain::{Said, Unit};

/// From how many evictions of a job by one other job on they are called a loop.
const LOOP: u32 = 2;

/// The evictions of a run, with what decided each job's last one.
#[derive(Debug)]
pub(super) struct Evictions<Why>(BTreeMap<JobId, Evicted<Why>>);

/// A job that was evicted.
#[derive(Debug)]
pub(super) struct Evicted<Why> {
    at: Time,
    /// How often at that moment.
    at_once: u32,
    by: JobId,
    why: Why,
    /// How often by each.
    times: BTreeMap<JobId, u32>,
}

impl<Why> Default for Evictions<Why> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Why> Evictions<Why> {
    /// A job was evicted at a moment, for another one.
    pub(super) fn note(&mut self, job: JobId, (at, by): (Time, JobId), why: Why) {
        let at_once = self.at_once(job, at) + 1;
        let before = self.0.remove(&job);
        let mut times = before.map_or_else(BTreeMap::new, |before| before.times);
        *times.entry(by).or_default() += 1;
        let evicted = Evicted {
            at,
            at_once,
            by,
            why,
            times,
        };
        self.0.insert(job, evicted);
    }

    /// How often a job was evicted at this moment.
    pub(super) fn at_once(&self, job: JobId, now: Time) -> u32 {
        let evicted = self.of(job).filter(|evicted| evicted.at == now);
        evicted.map_or(0, |evicted| evicted.at_once)
    }

    /// What is known of a job that was evicted.
    pub(super) fn of(&self, job: JobId) -> Option<&Evicted<Why>> {
        self.0.get(&job)
    }
}

impl<Why> Evicted<Why> {
    /// By whom and when, what decided in the policy's words, how often, and who does so over and over.
    pub(super) fn tell(
        &self,
        view: &View<'_>,
        facts: &mut Vec<Fact>,
        decided: impl FnOnce(&Why, &mut Vec<Fact>),
    ) {
        let name = |job| view.name(job);
        facts.push(Fact::jobs("last evicted by", vec![self.by], name));
        facts.push(Fact::of("evicted at", vec![Said::Moment(self.at)]));
        decided(&self.why, facts);
        let times: u32 = self.times.values().sum();
        facts.push(Fact::count("evictions so far", times, Unit::None));
        let again = self.times.iter().filter(|&(_, &times)| times >= LOOP);
        let again: Vec<JobId> = again.map(|(&job, _)| job).collect();
        if !again.is_empty() {
            facts.push(Fact::jobs("evicted over and over by", again, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evictions_count_within_one_moment() {
        let (job, other) = (JobId(0), JobId(1));
        let mut evictions = Evictions::default();
        assert_eq!(evictions.at_once(job, Time(5.0)), 0);
        evictions.note(job, (Time(5.0), other), ());
        evictions.note(job, (Time(5.0), other), ());
        assert_eq!(evictions.at_once(job, Time(5.0)), 2);
        assert_eq!(
            evictions.at_once(job, Time(6.0)),
            0,
            "a later moment begins anew"
        );
        assert_eq!(evictions.at_once(other, Time(5.0)), 0);
        evictions.note(job, (Time(6.0), other), ());
        assert_eq!(evictions.at_once(job, Time(6.0)), 1);
        assert_eq!(
            evictions.of(job).unwrap().times[&other],
            3,
            "all count for a loop"
        );
    }
}
