//! Amounts of a resource, in thousandths of a unit, as whole numbers: sums are exact, in any order.
//!
//! Source: `pkg/resources/amount.go`.

use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// How many parts a unit has.
const PARTS: f64 = 1000.0;

/// So much of a resource. It may be below zero, and it may be without limit.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(from = "f64", into = "f64")]
pub struct Amount(i64);

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// All there is, and no limit.
    pub const UNLIMITED: Self = Self(i64::MAX);

    /// So many units. What is too large is without limit; what is no number is nothing.
    pub fn of_units(units: f64) -> Self {
        // A conversion to whole numbers stops at their ends, and makes zero of what is none.
        Self((units * PARTS).round() as i64)
    }

    /// So many thousandths of a unit.
    pub fn of_thousandths(thousandths: i64) -> Self {
        Self(thousandths)
    }

    /// In units.
    pub fn units(self) -> f64 {
        if self.is_unlimited() {
            return f64::INFINITY;
        }
        self.0 as f64 / PARTS
    }

    /// In thousandths of a unit.
    pub fn thousandths(self) -> i64 {
        self.0
    }

    /// Whether it is without limit.
    pub fn is_unlimited(self) -> bool {
        self == Self::UNLIMITED
    }

    /// Itself, or nothing if it is less.
    pub fn or_zero(self) -> Self {
        self.max(Self::ZERO)
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.is_unlimited() || other.is_unlimited() {
            return Self::UNLIMITED;
        }
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Amount {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        match (self.is_unlimited(), other.is_unlimited()) {
            (true, true) => Self::ZERO,
            (true, false) => Self::UNLIMITED,
            (false, true) => Self(i64::MIN),
            (false, false) => Self(self.0.saturating_sub(other.0)),
        }
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Amount {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl From<f64> for Amount {
    fn from(units: f64) -> Self {
        Self::of_units(units)
    }
}

impl From<Amount> for f64 {
    fn from(amount: Amount) -> Self {
        amount.units()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_what_has_no_limit_keeps_none() {
        let tenth = Amount::of_units(0.1);
        let sum = (0..10).fold(Amount::ZERO, |sum, _| sum + tenth);
        assert_eq!(sum, Amount::of_units(1.0));
        assert_eq!(Amount::of_units(f64::INFINITY), Amount::UNLIMITED);
        assert_eq!(Amount::of_units(1e18), Amount::UNLIMITED);
        assert_eq!(Amount::of_units(f64::NAN), Amount::ZERO);
        assert_eq!(Amount::UNLIMITED - tenth, Amount::UNLIMITED);
        assert_eq!(Amount::UNLIMITED - Amount::UNLIMITED, Amount::ZERO);
        assert!((tenth - Amount::UNLIMITED) < Amount::ZERO);
        assert_eq!(Amount::UNLIMITED.units(), f64::INFINITY);
    }
}
