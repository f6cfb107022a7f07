//! The two objectives of the search, both to be maximised.
//!
//! F0 is the power mean of the jobs' scaled speedups, OSDI'21 eq. 14 as in the artifact:
//! F0 = (mean_j (s_j + 10⁻³)^p)^(1/p), for p = 0 the geometric mean of max(s_j, 10⁻³);
//! s_j = speedup_j × dominant share × nodes, × REALLOC_FACTOR where the row is not the current one.
//!
//! F1 is the cluster's utility, for diversity: Σ_j (speedup_j / K_j) · share_j, where a job's share
//! is K_j over the GPUs of the nodes in use; so Σ_j speedup_j over those GPUs.

use super::genome::{self, ANY};
use super::problem::{Allocation, Problem, Row};

/// How good an allocation is; both greater is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitness {
    /// F0: power mean of the jobs' scaled speedups.
    pub mean_speedup: f64,
    /// F1: speedup per GPU of the nodes in use.
    pub utility: f64,
}

impl Problem {
    /// How good an allocation is.
    pub fn fitness(&self, allocation: &Allocation) -> Fitness {
        evaluate(self, &self.genome(allocation)).1
    }
}

/// The genome's hash, and its fitness.
pub(super) fn evaluate(problem: &Problem, genome: &[u64]) -> (u64, Fitness) {
    let layout = problem.layout;
    let mut sums = Sums::default();
    for (job, record) in genome.chunks_exact(layout.record()).enumerate() {
        sums.add::<ANY>(problem, job, record);
    }
    let (hash, mut fitness) = sums.weigh(problem);
    if layout.masks > 1 {
        let gpus = (0..layout.masks).map(|mask| {
            let in_use = genome
                .chunks_exact(layout.record())
                .fold(0, |all, record| all | record[layout.words + mask]);
            problem.gpus_of(mask, in_use)
        });
        fitness.utility = utility(sums.speedups, gpus.sum());
    }
    (hash, fitness)
}

fn utility(speedups: f64, gpus: u32) -> f64 {
    if gpus == 0 {
        0.0
    } else {
        speedups / f64::from(gpus)
    }
}

/// Sums over a genome's records.
#[derive(Default)]
pub(super) struct Sums {
    hash: u64,
    /// Nodes in use, of the first mask.
    in_use: u64,
    terms: f64,
    speedups: f64,
}

impl Sums {
    /// Adds a record that is up to date.
    #[inline]
    pub(super) fn add<const W: usize>(&mut self, problem: &Problem, job: usize, record: &[u64]) {
        let layout = problem.layout.with_words::<W>();
        if layout.is_short() {
            self.add_short::<W>(problem, problem.row::<W>(job), job, record);
        } else {
            let end = layout.end_of_masks();
            self.add_cell(
                problem,
                record[end],
                record[layout.words],
                record[end + 1] as usize,
            );
        }
    }

    /// Adds a short record.
    #[inline]
    pub(super) fn add_short<const W: usize>(
        &mut self,
        problem: &Problem,
        row: Row<'_>,
        job: usize,
        record: &[u64],
    ) {
        let layout = problem.layout.with_words::<W>();
        let (words, masks) = record.split_at(layout.words);
        let hash = genome::hash_short(words, job);
        self.add_cell(
            problem,
            hash,
            masks[0],
            problem.cell::<W>(row, words, masks),
        );
    }

    #[inline]
    fn add_cell(&mut self, problem: &Problem, hash: u64, mask: u64, cell: usize) {
        self.hash = self.hash.wrapping_add(hash);
        self.in_use |= mask;
        let [term, speedup] = problem.cells[cell];
        self.terms += term;
        self.speedups += speedup;
    }

    /// The hash, and the fitness if one mask covers all nodes.
    #[inline(always)]
    pub(super) fn weigh(&self, problem: &Problem) -> (u64, Fitness) {
        let jobs = problem.layout.jobs;
        let fitness = Fitness {
            mean_speedup: if jobs == 0 {
                0.0
            } else {
                problem.mean.of(self.terms, jobs)
            },
            utility: utility(self.speedups, problem.gpus_of(0, self.in_use)),
        };
        (self.hash, fitness)
    }
}
