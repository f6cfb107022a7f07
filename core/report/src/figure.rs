//! Numbers as people read them, none longer than a column is wide.

/// From here on a number has an exponent.
const LONG: f64 = 1e12;

/// A number with so many decimals, `1.85e19` where it is long, `–` where it is none.
pub fn figure(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        "–".to_owned()
    } else if value.abs() < LONG {
        // Sums of nothing are −0.
        format!("{:.decimals$}", value + 0.0)
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_long() {
        for (value, decimals, text) in [
            (0.0, 1, "0.0"),
            (-0.0, 0, "0"),
            (1_234.567, 2, "1234.57"),
            (-12.0, 1, "-12.0"),
            (999_999_999_999.0, 0, "999999999999"),
            (1e12, 2, "1.00e12"),
            (f64::MAX, 2, "1.80e308"),
            (-1e300, 0, "-1.00e300"),
            (f64::INFINITY, 1, "–"),
            (f64::NAN, 1, "–"),
        ] {
            assert_eq!(figure(value, decimals), text);
        }
    }
}
