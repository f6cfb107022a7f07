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

/// Seconds in the unit that suits them: `90.0 s`, `12.40 h`, `–` where nothing is known.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "–".to_owned(),
        s if s < 120.0 => format!("{} s", figure(s, 1)),
        s if s < 7_200.0 => format!("{} min", figure(s / 60.0, 1)),
        s if s < 172_800.0 => format!("{} h", figure(s / 3_600.0, 2)),
        s => format!("{} d", figure(s / 86_400.0, 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_take_the_unit_that_suits_them() {
        for (seconds, text) in [
            (0.0, "0.0 s"),
            (119.9, "119.9 s"),
            (120.0, "2.0 min"),
            (7_200.0, "2.00 h"),
            (44_640.0, "12.40 h"),
            (172_800.0, "2.00 d"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

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
