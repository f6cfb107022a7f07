//! Gandiva as Gavel's evaluation has it (Narayanan et al., OSDI'20, §7.1, after Xiao et al., OSDI'18):
//! all have the same share of time on every type. Where more GPUs are asked for than there are, jobs are
//! put on GPUs two by two, whoever chance brings together, and stay so unless that turns out to get less
//! done than one of them alone, or does not fit. Only jobs that ask for one GPU and were measured are
//! tried, for of others it is not known what they do to one another.

use super::allocator::{Allocate, Asking};
use super::combination::Combination;
use crate::job::JobId;
use std::collections::BTreeMap;
use switchyard_model::draw::{Rng, below};

/// Who was put with whom.
#[derive(Default)]
pub(crate) struct PackingByTrial {
    /// Either of two by the other.
    partners: BTreeMap<JobId, JobId>,
}

impl PackingByTrial {
    /// Parts those of whom one is gone, and who get less done together.
    fn part(&mut self, asking: &Asking<'_>) {
        let is_active = |job: &JobId| asking.active.binary_search(job).is_ok();
        let stay = |a: JobId, b: JobId| {
            let mut done = 0.0;
            for pool in 0..asking.gpus.len() {
                let runs = |job| asking.view.speed_on(job, pool) > 0.0;
                if runs(a) && runs(b) {
                    match asking.view.rates_together(a, b, pool) {
                        Some(keeps) => done += keeps.iter().sum::<f64>(),
                        None => return false,
                    }
                }
            }
            // Over all types, as the released simulator sums it.
            done >= 1.0
        };
        self.partners
            .retain(|&a, &mut b| is_active(&a) && is_active(&b) && stay(a.min(b), a.max(b)));
    }

    /// Puts those who are alone together, as chance has it.
    fn try_some(&mut self, asking: &Asking<'_>, rng: &mut Rng) {
        let is_alone =
            |job: &JobId| !self.partners.contains_key(job) && asking.view.measured(*job).is_some();
        let mut alone: Vec<JobId> = asking.active.iter().copied().filter(is_alone).collect();
        while alone.len() > 1 {
            let mut draw = || alone.swap_remove(below(rng, alone.len() as u32) as usize);
            let (a, b) = (draw(), draw());
            self.partners.insert(a, b);
            self.partners.insert(b, a);
        }
    }
}

impl Allocate for PackingByTrial {
    fn is_blind(&self) -> bool {
        false
    }

    fn allocate(&mut self, asking: &Asking<'_>, rng: &mut Rng) -> Vec<Combination> {
        self.part(asking);
        let gang = |job: JobId| asking.view.gpus(job);
        let wanted: u64 = asking.active.iter().map(|&job| u64::from(gang(job))).sum();
        let packs = wanted > asking.gpus.iter().map(|&gpus| u64::from(gpus)).sum();
        if packs {
            self.try_some(asking, rng);
        }
        let partner = |job: &JobId| self.partners.get(job).filter(|_| packs).copied();
        let mut combinations: Vec<(JobId, Option<JobId>)> = Vec::new();
        for job in asking.active {
            match partner(job) {
                Some(other) if other < *job => {}
                other => combinations.push((*job, other)),
            }
        }
        let count = combinations.len() as f64;
        let shares = |job: JobId| {
            let each = f64::from(gang(job)) * count;
            let shares = asking.gpus.iter().map(move |&gpus| f64::from(gpus) / each);
            let sum = shares.clone().sum::<f64>().max(1.0);
            shares.map(move |share| share / sum)
        };
        let mut all: Vec<Combination> = (combinations.iter())
            .map(|&jobs| Combination::new(jobs, shares(jobs.0)))
            .collect();
        // Who is put with another runs alone on what is left of GPUs.
        let packed = asking.active.iter().filter(|job| partner(job).is_some());
        let none = || asking.gpus.iter().map(|_| 0.0);
        all.extend(packed.map(|&job| Combination::new((job, None), none())));
        all
    }
}
