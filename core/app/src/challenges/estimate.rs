//! A score with its interval: Student's ("The probable error of a mean", Biometrika 6, 1908), of the logarithms of
//! scores over workloads.

use serde::{Deserialize, Serialize};

/// The most workloads of a challenge that a score may be over.
pub const MOST_WORKLOADS: usize = 200;

/// A score and its 95 % confidence interval. 100: as good as Tiresias; more is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The geometric mean.
    pub score: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// Of the logarithms of scores over 100, two or more.
    pub(super) fn of(logs: &[f64]) -> Self {
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let squares: f64 = logs.iter().map(|log| (log - mean) * (log - mean)).sum();
        let half = student(logs.len() - 1) * libm::sqrt(squares / (count - 1.0) / count);
        let score = |log| tenths(100.0 * libm::exp(log));
        Self {
            score: score(mean),
            low: score(mean - half),
            high: score(mean + half),
        }
    }
}

/// With one decimal: less is no difference.
fn tenths(score: f64) -> f64 {
    libm::round(score * 10.0) / 10.0
}

/// Student's t for 95 %, by degrees of freedom from 1 on.
const STUDENT: [f64; 9] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157,
];

/// The same for any number: beyond the table by its expansion (Abramowitz and Stegun, 26.7.5), which is right to four
/// decimals there.
fn student(freedom: usize) -> f64 {
    if let Some(known) = STUDENT.get(freedom.saturating_sub(1)) {
        return *known;
    }
    let (z, n) = (1.959_963_985_f64, freedom as f64);
    let power = |exponent| libm::pow(z, exponent);
    let terms = [
        (power(3.0) + z) / 4.0,
        (5.0 * power(5.0) + 16.0 * power(3.0) + 3.0 * z) / 96.0,
        (3.0 * power(7.0) + 19.0 * power(5.0) + 17.0 * power(3.0) - 15.0 * z) / 384.0,
    ];
    let mut t = z;
    let mut by = 1.0;
    for term in terms {
        by *= n;
        t += term / by;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As tables have them.
    #[test]
    fn students_t_is_that_of_the_tables() {
        let tables = [
            (1, 12.7062),
            (7, 2.3646),
            (9, 2.2622),
            (10, 2.2281),
            (19, 2.0930),
            (30, 2.0423),
            (199, 1.9720),
        ];
        for (freedom, t) in tables {
            assert!(
                (student(freedom) - t).abs() < 2e-4,
                "{freedom}: {}",
                student(freedom)
            );
        }
    }

    #[test]
    fn scores_that_are_alike_have_no_interval() {
        let of = Estimate::of(&[0.0; 8]);
        assert_eq!((of.low, of.score, of.high), (100.0, 100.0, 100.0));
    }
}
