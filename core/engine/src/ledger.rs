//! Who runs where. The engine keeps it and policies read it, so that none keeps a list of its own,
//! which would be wrong once something else than its plan has taken a job's GPUs. Whatever
//! changes costs the same however many jobs run.

use crate::cluster::{Part, Share};
use crate::job::{Job, JobId};
use smallvec::SmallVec;
use std::iter;

/// The running jobs, what each holds, and what tenants hold together.
#[derive(Debug)]
pub struct Ledger {
    /// By job.
    entries: Vec<Entry>,
    /// The running jobs with the oldest and the newest present GPUs.
    oldest: Option<JobId>,
    newest: Option<JobId>,
    running: u32,
    gpus: u32,
    /// By tenant; the last is of jobs without one.
    by_tenant: Vec<u32>,
}

/// One job, a link of the chain of those that run.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// Most gangs are on one node.
    parts: SmallVec<[Part; 1]>,
    gpus: u32,
    starts: u32,
    older: Option<JobId>,
    newer: Option<JobId>,
}

impl Ledger {
    /// Nobody runs yet, of so many jobs and tenants.
    pub(super) fn new(jobs: usize, tenants: usize) -> Self {
        Self {
            entries: vec![Entry::default(); jobs],
            oldest: None,
            newest: None,
            running: 0,
            gpus: 0,
            by_tenant: vec![0; tenants + 1],
        }
    }

    /// The running jobs, in the order in which they got their present GPUs.
    pub fn running(&self) -> impl Iterator<Item = JobId> {
        iter::successors(self.oldest, |job| self.entries[job.index()].newer)
    }

    /// How many run.
    pub fn len(&self) -> u32 {
        self.running
    }

    /// Whether nobody runs.
    pub fn is_empty(&self) -> bool {
        self.running == 0
    }

    /// GPUs that all running jobs hold whole.
    pub fn gpus_in_use(&self) -> u32 {
        self.gpus
    }

    /// GPUs that a tenant's jobs hold, or those of jobs without a tenant.
    pub fn gpus_of(&self, tenant: Option<u32>) -> u32 {
        self.by_tenant[self.account(tenant)]
    }

    /// The share of a GPU that a job holds, and its node.
    pub fn share(&self, job: JobId) -> Option<(u32, Share)> {
        let mut parts = self.parts(job).iter();
        parts.find_map(|part| Some((part.node, part.share?)))
    }

    /// GPUs that a job holds, whole or not; 0 unless it runs.
    pub fn gpus(&self, job: JobId) -> u32 {
        self.entries[job.index()].gpus
    }

    /// The nodes a job runs on, and its GPUs there; empty unless it runs.
    pub fn parts(&self, job: JobId) -> &[Part] {
        &self.entries[job.index()].parts
    }

    /// How often the job has been given GPUs: starts, resumes and moves.
    pub fn starts(&self, job: JobId) -> u32 {
        self.entries[job.index()].starts
    }

    /// The job has been given GPUs, so many of which nobody else has. It did not run.
    pub(super) fn enter(&mut self, id: JobId, job: &Job, parts: &[Part], taken: u32) {
        self.gpus += taken;
        let whole = Part::gpus_of(parts);
        // A share counts as a GPU to its job and tenant, and as none of those that are taken whole.
        let gpus = whole.max(1);
        let entry = &mut self.entries[id.index()];
        entry.parts = SmallVec::from_slice(parts);
        entry.gpus = gpus;
        entry.starts += 1;
        entry.older = self.newest;
        entry.newer = None;
        match self.newest.replace(id) {
            Some(before) => self.entries[before.index()].newer = Some(id),
            None => self.oldest = Some(id),
        }
        self.running += 1;
        let account = self.account(job.tenant);
        self.by_tenant[account] += gpus;
    }

    /// The job has lost its GPUs, so many of which nobody else has.
    pub(super) fn leave(&mut self, id: JobId, job: &Job, freed: u32) {
        let entry = &mut self.entries[id.index()];
        let gpus = std::mem::take(&mut entry.gpus);
        entry.parts.clear();
        let (older, newer) = (entry.older.take(), entry.newer.take());
        match older {
            Some(older) => self.entries[older.index()].newer = newer,
            None => self.oldest = newer,
        }
        match newer {
            Some(newer) => self.entries[newer.index()].older = older,
            None => self.newest = older,
        }
        self.running -= 1;
        self.gpus -= freed;
        let account = self.account(job.tenant);
        self.by_tenant[account] -= gpus;
    }

    fn account(&self, tenant: Option<u32>) -> usize {
        let last = self.by_tenant.len() - 1;
        tenant.map_or(last, |tenant| (tenant as usize).min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use crate::job::{Demand, Work};

    fn job(tenant: Option<u32>) -> Job {
        Job {
            name: "".into(),
            submit: Time::ZERO,
            gpus: 2,
            tenant,
            model: None,
            demand: Demand::default(),
            work: Work::Fixed { duration: 1.0 },
        }
    }

    fn running(ledger: &Ledger) -> Vec<u32> {
        ledger.running().map(|job| job.0).collect()
    }

    #[test]
    fn who_runs_stands_in_the_order_of_starts() {
        let (named, nameless) = (job(Some(0)), job(None));
        let mut ledger = Ledger::new(4, 1);
        for (id, job) in [(2, &named), (0, &nameless), (3, &named)] {
            ledger.enter(JobId(id), job, &[Part::new(id, 2)], 2);
        }
        assert_eq!(running(&ledger), [2, 0, 3]);
        assert_eq!((ledger.len(), ledger.gpus_in_use()), (3, 6));
        assert_eq!((ledger.gpus_of(Some(0)), ledger.gpus_of(None)), (4, 2));

        ledger.leave(JobId(0), &nameless, 2);
        ledger.leave(JobId(2), &named, 2);
        ledger.enter(JobId(2), &named, &[Part::new(1, 1), Part::new(2, 1)], 2);
        assert_eq!(running(&ledger), [3, 2]);
        assert_eq!((ledger.gpus(JobId(2)), ledger.starts(JobId(2))), (2, 2));
        assert_eq!(
            (ledger.parts(JobId(0)), ledger.starts(JobId(0))),
            (&[][..], 1)
        );

        ledger.leave(JobId(3), &named, 2);
        ledger.leave(JobId(2), &named, 2);
        assert!(ledger.is_empty() && running(&ledger).is_empty());
        assert_eq!(
            ledger.gpus_in_use() + ledger.gpus_of(Some(0)) + ledger.gpus_of(None),
            0
        );
    }
}
