//! The usual numbers of a sample.

use crate::{order, percentile};
use serde::{Deserialize, Serialize};

/// Mean, percentiles and maximum of a sample; all NaN for an empty one, of which nothing can be known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

impl Default for Distribution {
    /// Of nothing.
    fn default() -> Self {
        let unknown = f64::NAN;
        Self {
            mean: unknown,
            median: unknown,
            p90: unknown,
            p95: unknown,
            p99: unknown,
            max: unknown,
        }
    }
}

impl Distribution {
    /// Of `values`, in any order.
    pub fn of(mut values: Vec<f64>) -> Self {
        let Some(n) = std::num::NonZeroUsize::new(values.len()) else {
            return Self::default();
        };
        values.sort_unstable_by(order::by_value);
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
    fn nothing_is_known_of_an_empty_sample() {
        let none = Distribution::of(Vec::new());
        assert!(none.mean.is_nan() && none.p95.is_nan() && none.max.is_nan());
        let json = serde_json::to_value(none).unwrap();
        assert!(json["mean"].is_null());
    }
}
