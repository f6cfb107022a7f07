//! Differences in words: "3.0× longer", "1.2× shorter", "same".

use crate::draw::format;

/// What is compared, for the right pair of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Spans: longer, shorter.
    Time,
    /// Things that are counted: more, fewer.
    Count,
    /// Anything else: higher, lower.
    Level,
}

impl Direction {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Time => ("longer", "shorter"),
            Self::Count => ("more", "fewer"),
            Self::Level => ("higher", "lower"),
        }
    }
}

/// Closer than this is the same, as a ratio.
pub(super) const SAME: f64 = 1.005;

/// How `value` differs from `baseline`; both at least 0. `None` if there is no ratio: either is
/// unknown, or just one of them is nothing.
pub(super) fn difference(value: f64, baseline: f64, direction: Direction) -> Option<String> {
    if value.is_nan() || baseline.is_nan() {
        return None;
    }
    let (up, down) = direction.words();
    let (larger, smaller, word) = if value >= baseline {
        (value, baseline, up)
    } else {
        (baseline, value, down)
    };
    if larger == smaller {
        return Some("same".into());
    }
    if smaller <= 0.0 {
        return None;
    }
    let ratio = larger / smaller;
    if ratio < SAME {
        return Some("same".into());
    }
    let digits = if ratio < 1.95 { 2 } else { 1 };
    let times = if ratio < 99.5 {
        format!("{ratio:.digits$}")
    } else {
        format::figures(ratio)
    };
    Some(format!("{times}× {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_ratios_with_a_direction() {
        let of =
            |value, baseline, direction| difference(value, baseline, direction).unwrap_or_default();
        assert_eq!(of(30.0, 10.0, Direction::Time), "3.0× longer");
        assert_eq!(of(10.0, 12.0, Direction::Time), "1.20× shorter");
        assert_eq!(of(1000.0, 1001.0, Direction::Time), "same");
        assert_eq!(of(104.0, 100.0, Direction::Level), "1.04× higher");
        assert_eq!(of(5.0, 1000.0, Direction::Count), "200× fewer");
        assert_eq!(of(0.0, 0.0, Direction::Count), "same");
        assert_eq!(difference(f64::NAN, 1.0, Direction::Time), None);
        assert_eq!(difference(12.0, 0.0, Direction::Count), None);
        assert_eq!(difference(0.0, 12.0, Direction::Count), None);
    }
}
