//! The usual numbers of a sample.

use crate::percentile;
use serde::{Deserialize, Serialize};

/// Mean, percentiles and maximum of a sample; all 0 for an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Arithmetic mean.
    pub mean: f64,
    /// 50th percentile.
    pub median: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Greatest value.
    pub max: f64,
}

impl Distribution {
    /// Of `values`, in any order.
    pub fn of(mut values: Vec<f64>) -> Self {
        let Some(n) = std::num::NonZeroUsize::new(values.len()) else {
            return Self::default();
        };
        values.sort_unstable_by(f64::total_cmp);
        Self {
            mean: values.iter().sum::<f64>() / n.get() as f64,
            median: percentile(&values, 50.0),
            p90: percentile(&values, 90.0),
            p95: percentile(&values, 95.0),
            p99: percentile(&values, 99.0),
            max: percentile(&values, 100.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_sample_is_all_zero() {
        assert_eq!(Distribution::of(Vec::new()), Distribution::default());
    }
}
