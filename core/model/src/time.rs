//! Simulated time.

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
        self.0.to_bits().hash(state);
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
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
