//! Units of time as traces write them.

use serde::{Deserialize, Serialize};

/// No time in a trace is longer than this many seconds (317 years): beyond it a number is in
/// another unit, or nonsense, and sums of times would lose their precision.
pub(crate) const MAX_SECONDS: f64 = 1e10;

/// Units of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
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

impl Unit {
    /// `value` of this unit in seconds. Divisions, because 0.001 is no exact number.
    pub(crate) fn seconds(self, value: f64) -> f64 {
        match self {
            Unit::Nanoseconds => value / 1e9,
            Unit::Microseconds => value / 1e6,
            Unit::Milliseconds => value / 1e3,
            Unit::Seconds => value,
            Unit::Minutes => value * 60.0,
            Unit::Hours => value * 3600.0,
            Unit::Days => value * 86_400.0,
        }
    }

    /// The unit's plural in words.
    pub fn text(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "nanoseconds",
            Unit::Microseconds => "microseconds",
            Unit::Milliseconds => "milliseconds",
            Unit::Seconds => "seconds",
            Unit::Minutes => "minutes",
            Unit::Hours => "hours",
            Unit::Days => "days",
        }
    }

    /// Every unit, and its short name.
    pub const ALL: [(Unit, &'static str); 7] = [
        (Unit::Nanoseconds, "ns"),
        (Unit::Microseconds, "us"),
        (Unit::Milliseconds, "ms"),
        (Unit::Seconds, "s"),
        (Unit::Minutes, "min"),
        (Unit::Hours, "h"),
        (Unit::Days, "d"),
    ];

    /// The unit's short name.
    pub fn short(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(unit, _)| *unit == self).map_or("", |e| e.1)
    }

    /// The unit that a column's name ends in, as in `duration_ms`: the last of its words.
    pub(crate) fn of_word(word: &str) -> Option<Unit> {
        Some(match word {
            "ns" | "nanos" | "nanoseconds" => Unit::Nanoseconds,
            "us" | "micros" | "microseconds" => Unit::Microseconds,
            "ms" | "millis" | "milliseconds" => Unit::Milliseconds,
            "s" | "sec" | "secs" | "second" | "seconds" => Unit::Seconds,
            "min" | "mins" | "minute" | "minutes" => Unit::Minutes,
            "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hours,
            "d" | "day" | "days" => Unit::Days,
            _ => return None,
        })
    }

    /// The unit in which a number is a Unix time between 1973 and 2096, if any.
    pub(crate) fn of_unix_time(value: f64) -> Option<Unit> {
        let units = [
            Unit::Seconds,
            Unit::Milliseconds,
            Unit::Microseconds,
            Unit::Nanoseconds,
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
        assert_eq!(Unit::of_unix_time(1.5e9), Some(Unit::Seconds));
        assert_eq!(Unit::of_unix_time(1.5e12), Some(Unit::Milliseconds));
        assert_eq!(Unit::of_unix_time(1.5e15), Some(Unit::Microseconds));
        assert_eq!(Unit::of_unix_time(1.5e18), Some(Unit::Nanoseconds));
        assert_eq!(Unit::of_unix_time(5e7), None);
        assert_eq!(Unit::of_unix_time(8.6e9), None);
    }
}
