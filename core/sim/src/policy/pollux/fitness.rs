//! The two objectives of the search, both to be maximised.
//!
//! F0 is the power mean of the jobs' scaled speedups, OSDI'21 eq. 14 as in the artifact:
//! F0 = (mean_j (s_j + 10⁻³)^p)^(1/p), for p = 0 the geometric mean of max(s_j, 10⁻³);
//! s_j = speedup_j × dominant share × nodes, × REALLOC_FACTOR where the row is not the current one.
//!
//! F1 is the cluster's utility, for diversity: Σ_j (speedup_j / K_j) · share_j, where a job's share
//! is K_j over the GPUs of the nodes in use; so Σ_j speedup_j over those GPUs.

use super::genome::{self, Changes};
use super::problem::Problem;

/// How good an allocation is; both greater is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitness {
    /// F0: power mean of the jobs' scaled speedups.
    pub mean_speedup: f64,
    /// F1: speedup per GPU of the nodes in use.
    pub utility: f64,
}

/// What keeps a job without GPUs from deciding the mean alone.
const FLOOR: f64 = 1e-3;

/// Exponents nearer to 0 are 0, the limit: their reciprocals would blow rounding up.
const LEAST_EXPONENT: f64 = 1e-6;

/// The power mean with exponent p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PowerMean {
    Harmonic,
    Geometric,
    Arithmetic,
    Power(f64),
}

impl PowerMean {
    pub(super) fn new(p: f64) -> Self {
        if p == -1.0 {
            Self::Harmonic
        } else if p.abs() < LEAST_EXPONENT {
            Self::Geometric
        } else if p == 1.0 {
            Self::Arithmetic
        } else {
            Self::Power(p)
        }
    }

    /// What a job adds to the sum.
    pub(super) fn term(self, speedup: f64) -> f64 {
        match self {
            Self::Harmonic => 1.0 / (speedup + FLOOR),
            Self::Geometric => libm::log(if speedup > FLOOR { speedup } else { FLOOR }),
            Self::Arithmetic => speedup + FLOOR,
            Self::Power(p) => libm::pow(speedup + FLOOR, p),
        }
    }

    /// The mean of what `jobs` jobs have added.
    pub(super) fn of(self, sum: f64, jobs: usize) -> f64 {
        let jobs = jobs as f64;
        match self {
            Self::Harmonic => jobs / sum,
            Self::Geometric => libm::exp(sum / jobs),
            Self::Arithmetic => sum / jobs,
            Self::Power(p) => libm::pow(sum / jobs, 1.0 / p),
        }
    }

    /// Whether a smaller sum is a greater mean.
    pub(super) fn falls(self) -> bool {
        match self {
            Self::Harmonic => true,
            Self::Geometric | Self::Arithmetic => false,
            Self::Power(p) => p < 0.0,
        }
    }
}

/// Brings hash and cell of the changed rows up to date.
pub(super) fn refresh<const W: usize>(
    problem: &Problem,
    genome: &mut [u64],
    changes: &mut Changes,
) {
    let layout = problem.layout.with_words::<W>();
    changes.for_each(|job| {
        let record = &mut genome[job * layout.record()..][..layout.record()];
        let (words, rest) = record.split_at_mut(layout.words);
        rest[layout.masks] = genome::hash(words, job);
        rest[layout.masks + 1] = problem.cell::<W>(job, words, &rest[..layout.masks]) as u64;
    });
    changes.clear();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(p: f64, speedups: &[f64]) -> f64 {
        let mean = PowerMean::new(p);
        let sum = speedups.iter().map(|&s| mean.term(s)).sum();
        mean.of(sum, speedups.len())
    }

    /// Worked by hand for speedups 1, 2 and 4, and with a job that has nothing.
    #[test]
    fn the_power_mean_is_the_papers() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * b;
        // 3 / (1/1.001 + 1/2.001 + 1/4.001)
        assert!(close(mean(-1.0, &[1.0, 2.0, 4.0]), 1.715_571_275_602));
        assert!(close(mean(0.0, &[1.0, 2.0, 4.0]), 2.0));
        assert!(close(mean(1.0, &[1.0, 2.0, 4.0]), 7.003 / 3.0));
        assert!(close(
            mean(2.0, &[1.0, 2.0, 4.0]),
            libm::sqrt((1.001 * 1.001 + 2.001 * 2.001 + 4.001 * 4.001) / 3.0)
        ));
        // 2 / (1000 + 1/4.001), √(0.001 · 4), (0.001 + 4.001) / 2
        assert!(close(mean(-1.0, &[0.0, 4.0]), 2.0 / (1000.0 + 1.0 / 4.001)));
        assert!(close(mean(0.0, &[0.0, 4.0]), libm::sqrt(0.004)));
        assert!(close(mean(1.0, &[0.0, 4.0]), 2.001));
    }

    #[test]
    fn the_mean_never_falls_when_a_job_gains() {
        for p in [-10.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0] {
            let mut last = mean(p, &[0.3, 0.0, 2.0]);
            for step in 1..40 {
                let now = mean(p, &[0.3, f64::from(step) * 0.2, 2.0]);
                assert!(now >= last, "{p} {step}");
                last = now;
            }
        }
    }
}
