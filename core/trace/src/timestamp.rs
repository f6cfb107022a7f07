//! Units of time as traces write them.

use serde::{Deserialize, Serialize};
use switchyard_model::time_unit;

/// No time in a trace is longer than this many seconds (317 years): beyond it a number is in
/// another unit, or nonsense, and sums of times would lose their precision.
pub(crate) const MAX_SECONDS: f64 = 1e10;

/// Units of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// 10⁻⁹ s.
    Nanoseconds,
    /// 10⁻⁶ s.
    Microseconds,
    /// 10⁻³ s.
    Milliseconds,
    /// 1 s.
    Seconds,
    /// 60 s.
    Minutes,
    /// 3600 s.
    Hours,
    /// 86 400 s.
    Days,
}

impl TimeUnit {
    /// `value` of this unit in seconds. Divisions, because 0.001 is no exact number.
    pub(crate) fn seconds(self, value: f64) -> f64 {
        match self {
            TimeUnit::Nanoseconds => value / 1e9,
            TimeUnit::Microseconds => value / 1e6,
            TimeUnit::Milliseconds => value / 1e3,
            TimeUnit::Seconds => value,
            TimeUnit::Minutes => value * 60.0,
            TimeUnit::Hours => value * 3600.0,
            TimeUnit::Days => value * 86_400.0,
        }
    }

    /// The unit's plural in words.
    pub fn text(self) -> &'static str {
        match self {
            TimeUnit::Nanoseconds => "nanoseconds",
            TimeUnit::Microseconds => "microseconds",
            TimeUnit::Milliseconds => "milliseconds",
            TimeUnit::Seconds => "seconds",
            TimeUnit::Minutes => "minutes",
            TimeUnit::Hours => "hours",
            TimeUnit::Days => "days",
        }
    }

    /// Every unit, and its short name.
    pub const ALL: [(TimeUnit, &'static str); 7] = [
        (TimeUnit::Nanoseconds, "ns"),
        (TimeUnit::Microseconds, "us"),
        (TimeUnit::Milliseconds, "ms"),
        (TimeUnit::Seconds, "s"),
        (TimeUnit::Minutes, "min"),
        (TimeUnit::Hours, "h"),
        (TimeUnit::Days, "d"),
    ];

    /// The unit's short name.
    pub fn short(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(unit, _)| *unit == self).map_or("", |e| e.1)
    }

    /// The unit that a column's name ends in, as in `duration_ms`: the last of its words.
    pub(crate) fn of_word(word: &str) -> Option<TimeUnit> {
        // In names of columns, `m` is more than minutes.
        let short = time_unit(word).filter(|_| word != "m")?;
        let unit = Self::ALL.into_iter().find(|(_, name)| *name == short);
        unit.map(|(unit, _)| unit)
    }

    /// The unit in which a number is a Unix time between 1973 and 2096, if any.
    pub(crate) fn of_unix_time(value: f64) -> Option<TimeUnit> {
        let units = [
            TimeUnit::Seconds,
            TimeUnit::Milliseconds,
            TimeUnit::Microseconds,
            TimeUnit::Nanoseconds,
        ];
        units
            .into_iter()
            .find(|unit| (1e8..=4e9).contains(&unit.seconds(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_numbers_tell_their_unit() {
        assert_eq!(TimeUnit::of_unix_time(1.5e9), Some(TimeUnit::Seconds));
        assert_eq!(TimeUnit::of_unix_time(1.5e12), Some(TimeUnit::Milliseconds));
        assert_eq!(TimeUnit::of_unix_time(1.5e15), Some(TimeUnit::Microseconds));
        assert_eq!(TimeUnit::of_unix_time(1.5e18), Some(TimeUnit::Nanoseconds));
        assert_eq!(TimeUnit::of_unix_time(5e7), None);
        assert_eq!(TimeUnit::of_unix_time(8.6e9), None);
    }
}
