//! The jobs that wait in a [`Queue`](super::Queue): in the order of their submission, and by what a
//! [`Pick`](super::Pick) looks for in many. Each is kept as jobs come and go, so that a pick costs no more
//! where many wait.

use super::candidate::Candidate;
use crate::job::JobId;
use crate::order::ByValue;
use std::collections::{BTreeMap, BTreeSet};

/// Who waits.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    jobs: BTreeMap<JobId, Candidate>,
    shortest: BTreeSet<(ByValue, JobId)>,
    smallest: BTreeSet<(u32, JobId)>,
}

impl Waiting {
    pub(super) fn insert(&mut self, job: Candidate) {
        self.jobs.insert(job.job, job);
        self.shortest.insert((ByValue::of(job.seconds), job.job));
        self.smallest.insert((job.gpus, job.job));
    }

    pub(super) fn remove(&mut self, job: JobId) -> Option<Candidate> {
        let job = self.jobs.remove(&job)?;
        self.shortest.remove(&(ByValue::of(job.seconds), job.job));
        self.smallest.remove(&(job.gpus, job.job));
        Some(job)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// In the order of their submission.
    pub fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.jobs.values()
    }

    /// The first submitted.
    pub fn first(&self) -> Option<&Candidate> {
        self.jobs.values().next()
    }

    /// One of them.
    pub fn get(&self, job: JobId) -> Option<&Candidate> {
        self.jobs.get(&job)
    }

    /// The least gang.
    pub(super) fn fewest_gpus(&self) -> Option<u32> {
        self.smallest.first().map(|of| of.0)
    }

    /// The one that asks for the least time and the one with the fewest GPUs, then the second of each, and so
    /// on; of equal ones who was submitted first.
    pub(super) fn shortest_and_smallest(&self) -> impl Iterator<Item = &Candidate> {
        let shortest = self.shortest.iter().map(|of| of.1);
        let by_turns = shortest.zip(self.smallest.iter().map(|of| of.1));
        let by_turns = by_turns.flat_map(|(shortest, smallest)| [shortest, smallest]);
        by_turns.filter_map(|job| self.get(job))
    }
}

/// Of jobs in any order.
impl FromIterator<Candidate> for Waiting {
    fn from_iter<I: IntoIterator<Item = Candidate>>(jobs: I) -> Self {
        let mut waiting = Self::default();
        for job in jobs {
            waiting.insert(job);
        }
        waiting
    }
}
