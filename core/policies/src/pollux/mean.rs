//! The power mean of the jobs' scaled speedups (OSDI'21, eq. 14), term by term.

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
