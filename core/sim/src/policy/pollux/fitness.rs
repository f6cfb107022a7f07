//! The two objectives of the search, both to be maximised.
//!
//! F0 is the power mean of the jobs' scaled speedups, OSDI'21 eq. 14 as in the artifact:
//! F0 = (mean_j (s_j + 10⁻³)^p)^(1/p), for p = 0 the geometric mean of max(s_j, 10⁻³);
//! s_j = speedup_j × dominant share × nodes, × REALLOC_FACTOR where the row is not the current one.
//!
//! F1 is the cluster's utility, for diversity: Σ_j (speedup_j / K_j) · share_j, where a job's share
//! is K_j over the GPUs of the nodes in use; so Σ_j speedup_j over those GPUs.

use super::genome::ANY;
use super::problem::{Allocation, Problem};

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
        evaluate::<ANY>(self, &self.genome(allocation)).1
    }
}

/// The genome's hash, and its fitness.
pub(super) fn evaluate<const W: usize>(problem: &Problem, genome: &[u64]) -> (u64, Fitness) {
    let layout = problem.layout.with_words::<W>();
    let (mut hash, mut in_use) = (0_u64, 0_u64);
    let (mut terms, mut speedups) = (0.0, 0.0);
    for record in genome.chunks_exact(layout.record()) {
        hash = hash.wrapping_add(record[layout.hash()]);
        in_use |= record[layout.words];
        let [term, speedup] = problem.cells[record[layout.cell()] as usize];
        terms += term;
        speedups += speedup;
    }
    let gpus = if layout.masks == 1 {
        problem.gpus_of(0, in_use)
    } else {
        (0..layout.masks)
            .map(|mask| {
                let in_use = genome
                    .chunks_exact(layout.record())
                    .fold(0, |all, record| all | record[layout.words + mask]);
                problem.gpus_of(mask, in_use)
            })
            .sum()
    };
    let fitness = Fitness {
        mean_speedup: if layout.jobs == 0 {
            0.0
        } else {
            problem.mean.of(terms, layout.jobs)
        },
        utility: if gpus == 0 {
            0.0
        } else {
            speedups / f64::from(gpus)
        },
    };
    (hash, fitness)
}
