//! Simulated time.

use crate::order;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Sub};

/// A moment of a simulation: seconds since the trace's start, totally ordered.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub f64);

impl Time {
    /// The trace's start.
    pub const ZERO: Time = Time(0.0);
    /// Later than every event.
    pub const NEVER: Time = Time(f64::INFINITY);

    /// Seconds since the trace's start.
    pub fn seconds(self) -> f64 {
        self.0
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Time {}

impl Hash for Time {
    fn hash<H: Hasher>(&self, state: &mut H) {
        order::bits(self.0).hash(state);
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        order::by_value(&self.0, &other.0)
    }
}

/// Units of time, the largest first: how they are written, and their seconds, or how many of them make one. (A
/// division, because 0.001 is no exact number.)
const UNITS: [(&[&str], f64, f64); 7] = [
    (&["d", "day", "days"], 86_400.0, 1.0),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600.0, 1.0),
    (&["min", "mins", "minute", "minutes", "m"], 60.0, 1.0),
    (&["s", "sec", "secs", "second", "seconds"], 1.0, 1.0),
    (&["ms", "millis", "milliseconds"], 1.0, 1e3),
    (&["us", "micros", "microseconds"], 1.0, 1e6),
    (&["ns", "nanos", "nanoseconds"], 1.0, 1e9),
];

/// The short name of a unit of time, of which this is a word: `min` of `minutes`.
pub fn time_unit(word: &str) -> Option<&'static str> {
    let mut units = UNITS.iter();
    let (words, ..) = units.find(|(words, ..)| words.contains(&word))?;
    words.first().copied()
}

/// The seconds of a span of time as people write it: `90min`, `1.5h`, `2d3h`, `1d 2h 30min`, the larger unit
/// first; a number alone is of seconds. `None`: it is none, or below 0. (By hand: humantime has no decimals.)
pub fn seconds_of(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    if let Ok(seconds) = rest.parse::<f64>() {
        return Some(seconds).filter(|of| of.is_finite() && *of >= 0.0);
    }
    let mut sum = None;
    let mut units = UNITS.iter();
    while !rest.is_empty() {
        let (number, unit) = rest.split_at(rest.find(|c: char| c.is_ascii_alphabetic())?);
        let end = unit.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, next) = unit.split_at(end.unwrap_or(unit.len()));
        // Behind the one before.
        let &(_, seconds, parts) = units.find(|(words, ..)| words.contains(&unit))?;
        let number = number.trim_end();
        let is_plain = number.bytes().all(|c| c.is_ascii_digit() || c == b'.');
        let number: f64 = number.parse().ok().filter(|_| is_plain)?;
        sum = Some(sum.unwrap_or(0.0) + number * seconds / parts);
        rest = next.trim_start();
    }
    sum.filter(|seconds| seconds.is_finite())
}

/// A moment plus a span in seconds.
impl Add<f64> for Time {
    type Output = Time;
    fn add(self, seconds: f64) -> Time {
        Time(self.0 + seconds)
    }
}

/// The span in seconds between two moments.
impl Sub for Time {
    type Output = f64;
    fn sub(self, earlier: Time) -> f64 {
        self.0 - earlier.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        for (text, seconds) in [
            ("3600", 3_600.0),
            (" 0.5 ", 0.5),
            ("1e3", 1_000.0),
            ("11h", 39_600.0),
            ("1.5h", 5_400.0),
            ("90min", 5_400.0),
            ("5m", 300.0),
            ("2d3h", 183_600.0),
            ("1d 2h 30min", 95_400.0),
            ("2 days 3 hours", 183_600.0),
            ("250ms", 0.25),
            ("9ms", 0.009),
            ("3 microseconds", 3e-6),
        ] {
            assert_eq!(seconds_of(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            " ",
            "-1",
            "-1h",
            "inf",
            "nan",
            "h",
            "3 fortnights",
            "3h2d",
            "2h2h",
            "2h-1min",
            "2h30",
            "1e3h",
            "1..2h",
            "11 h é",
        ] {
            assert_eq!(seconds_of(text), None, "{text}");
        }
    }
}
