//! A score with its interval: [Student's](crate::student), of the logarithms of scores over workloads.

use crate::student::Mean;
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
        let Mean { mean, low, high } = Mean::of(logs.iter().copied());
        let score = |log| tenths(100.0 * libm::exp(log));
        Self {
            score: score(mean),
            low: score(low),
            high: score(high),
        }
    }
}

/// With one decimal: less is no difference.
fn tenths(score: f64) -> f64 {
    libm::round(score * 10.0) / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_are_alike_have_no_interval() {
        let of = Estimate::of(&[0.0; 8]);
        assert_eq!((of.low, of.score, of.high), (100.0, 100.0, 100.0));
    }
}
