//! Student's t ("The probable error of a mean", Biometrika 6, 1908): how far the mean of a few draws is from the truth. By hand: the
//! crates that have it use the platform's logarithms, and scores are the same natively and in wasm.

use serde::Serialize;

/// For 95 %, by degrees of freedom from 1 on.
const TABLE: [f64; 9] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157,
];

/// By how many standard errors a 95 % interval reaches each way, by degrees of freedom: the number of values less one. Beyond
/// the table by its expansion (Abramowitz and Stegun, 26.7.5), which is right to four decimals there.
fn student(freedom: usize) -> f64 {
    if let Some(known) = TABLE.get(freedom.saturating_sub(1)) {
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

/// A mean, and the ends of its 95 % interval: unknown of one value, as all are of none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Mean {
    /// Of these values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        if values.len() < 2 {
            let [low, high] = [f64::NAN; 2];
            return Self { mean, low, high };
        }
        let squares: f64 = values.iter().map(|of| (of - mean) * (of - mean)).sum();
        let reach = student(values.len() - 1) * libm::sqrt(squares / (count - 1.0) / count);
        Self {
            mean,
            low: mean - reach,
            high: mean + reach,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As tables have them.
    #[test]
    fn t_is_that_of_the_tables() {
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
            let found = student(freedom);
            assert!((found - t).abs() < 2e-4, "{freedom}: {found}");
        }
    }

    #[test]
    fn an_interval_is_that_of_a_textbook() {
        // n = 4, mean 5, s = 2.582.
        let Mean { mean, low, high } = Mean::of([2.0, 4.0, 6.0, 8.0]);
        assert_eq!(mean, 5.0);
        let reach = 3.182 * 2.582 / 2.0;
        assert!((high - mean - reach).abs() < 1e-3 && (mean - low - reach).abs() < 1e-3);
    }

    #[test]
    fn one_value_has_no_interval() {
        let Mean { mean, low, high } = Mean::of([2.0]);
        assert_eq!(mean, 2.0);
        assert!(low.is_nan() && high.is_nan());
        assert!(Mean::of([]).mean.is_nan());
    }
}
