//! Jobs beside which others may run on the same GPUs: those that are guaranteed them, and those that use what these leave
//! (AntMan, OSDI'20). In: who gets which GPUs with which standing, and who leaves. Out: who is beside whom, and which GPUs
//! nobody of them has any more.

use crate::cluster::Gpus;
use crate::job::JobId;
use crate::order;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// As what a job has GPUs on which another one may run, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// They are its own: it is as fast as alone.
    Guaranteed,
    /// It has them as far as others leave them idle.
    Opportunistic,
}

/// Those that run with a standing.
#[derive(Debug, Default)]
pub(super) struct Standings {
    of: BTreeMap<JobId, (Standing, SmallVec<[Gpus; 1]>)>,
    /// By node and number there.
    on: BTreeMap<(u32, u32), SmallVec<[JobId; 2]>>,
}

impl Standings {
    /// How many may have a GPU, each an equal part of it.
    pub(super) const MOST: usize = 2;

    /// A job has got GPUs.
    pub(super) fn enter(&mut self, job: JobId, standing: Standing, gpus: &[Gpus]) {
        for of in gpus.iter().flat_map(|&gpus| each(gpus)) {
            self.on.entry(of).or_default().push(job);
        }
        self.of.insert(job, (standing, SmallVec::from_slice(gpus)));
    }

    /// A job has lost its GPUs. Which of them nobody else has; `None`: it has no standing.
    pub(super) fn leave(&mut self, job: JobId) -> Option<SmallVec<[Gpus; 1]>> {
        let (_, mut gpus) = self.of.remove(&job)?;
        for gpus in &mut gpus {
            for (node, gpu) in each(*gpus) {
                let Some(there) = self.on.get_mut(&(node, gpu)) else {
                    continue;
                };
                there.retain(|of| *of != job);
                if there.is_empty() {
                    self.on.remove(&(node, gpu));
                } else {
                    gpus.mask &= !(1 << gpu);
                }
            }
        }
        Some(gpus)
    }

    /// A job's standing, while it has one.
    pub(super) fn of(&self, job: JobId) -> Option<Standing> {
        self.of.get(&job).map(|of| of.0)
    }

    /// How many have a GPU.
    pub(super) fn count(&self, node: u32, gpu: u32) -> usize {
        self.on.get(&(node, gpu)).map_or(0, |there| there.len())
    }

    /// Who has some of a job's GPUs, too. In order.
    pub(super) fn co_located(&self, job: JobId) -> Vec<JobId> {
        let gpus = self.of.get(&job).map_or(&[][..], |of| &of.1);
        let there = gpus.iter().flat_map(|&gpus| each(gpus));
        let there = there.filter_map(|of| self.on.get(&of)).flatten().copied();
        let mut others: Vec<JobId> = there.filter(|&other| other != job).collect();
        order::sort(&mut others);
        others.dedup();
        others
    }
}

/// Each of these GPUs: its node, and its number there.
fn each(gpus: Gpus) -> impl Iterator<Item = (u32, u32)> {
    gpus.numbers().map(move |gpu| (gpus.node, gpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpus(node: u32, mask: u64) -> Gpus {
        Gpus { node, mask }
    }

    #[test]
    fn gpus_are_free_once_both_have_left() {
        let [a, b, c] = [0, 1, 2].map(JobId);
        let mut standings = Standings::default();
        standings.enter(a, Standing::Guaranteed, &[gpus(0, 0b1111)]);
        standings.enter(b, Standing::Guaranteed, &[gpus(1, 0b0011)]);
        standings.enter(
            c,
            Standing::Opportunistic,
            &[gpus(0, 0b1100), gpus(1, 0b0110)],
        );
        assert_eq!(
            (standings.co_located(a), standings.co_located(c)),
            (vec![c], vec![a, b])
        );
        assert_eq!((standings.count(0, 3), standings.count(1, 2)), (2, 1));
        assert_eq!(standings.of(c), Some(Standing::Opportunistic));
        assert_eq!(standings.leave(a).as_deref(), Some(&[gpus(0, 0b0011)][..]));
        assert_eq!(standings.leave(a), None);
        let left = standings.leave(c);
        assert_eq!(
            left.as_deref(),
            Some(&[gpus(0, 0b1100), gpus(1, 0b0100)][..])
        );
        assert_eq!(
            (standings.co_located(b), standings.count(0, 3)),
            (vec![], 0)
        );
    }
}
