//! The usual numbers of a sample.

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

/// The `percent`-th percentile of ascending `sorted` values, linear between neighbours (the
/// definition of NumPy's default); 0 for no values.
pub fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let rank = percent / 100.0 * last as f64;
    let below = (rank as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (rank - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_interpolate() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(percentile(&sorted, 0.0), 1.0);
        assert_eq!(percentile(&sorted, 50.0), 2.5);
        assert_eq!(percentile(&sorted, 90.0), 3.7);
        assert_eq!(percentile(&sorted, 100.0), 4.0);
        assert_eq!(percentile(&[], 50.0), 0.0);
    }

    #[test]
    fn an_empty_sample_is_all_zero() {
        assert_eq!(Distribution::of(Vec::new()), Distribution::default());
    }
}
