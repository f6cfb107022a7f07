//! Values of which a record often has none: an `Option` of one takes no more room than the value itself.

use serde::{Deserialize, Serialize};
use std::num::{NonZeroU32, NonZeroU64};

/// A finite number, by its bits, flipped such that none is zero.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Finite(NonZeroU64);

impl Finite {
    /// The number; `None` where it is not finite.
    pub fn new(number: f64) -> Option<Self> {
        // Only a number that is not finite has all these bits.
        let bits = NonZeroU64::new(!number.to_bits())?;
        number.is_finite().then_some(Self(bits))
    }

    /// The number.
    pub fn get(self) -> f64 {
        f64::from_bits(!self.0.get())
    }
}

impl From<Finite> for f64 {
    fn from(number: Finite) -> Self {
        number.get()
    }
}

impl TryFrom<f64> for Finite {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        Self::new(number).ok_or("a number is not finite")
    }
}

impl std::fmt::Debug for Finite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// An index into a list, by its bits, flipped: no list is so long that one were zero.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Index(NonZeroU32);

impl Index {
    /// The index; `None` where it is the last of all numbers.
    pub fn new(at: u32) -> Option<Self> {
        NonZeroU32::new(!at).map(Self)
    }

    /// The index.
    pub fn get(self) -> u32 {
        !self.0.get()
    }
}

impl From<Index> for u32 {
    fn from(index: Index) -> Self {
        index.get()
    }
}

impl TryFrom<u32> for Index {
    type Error = &'static str;

    fn try_from(at: u32) -> Result<Self, Self::Error> {
        Self::new(at).ok_or("a list is too long")
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::size_of;

    #[test]
    fn none_takes_no_room() {
        assert_eq!(size_of::<Option<Finite>>(), size_of::<f64>());
        assert_eq!(size_of::<Option<Index>>(), size_of::<u32>());
    }

    #[test]
    fn numbers_come_back_as_they_were() {
        for number in [0.0, -0.0, 1.5, f64::MIN_POSITIVE, f64::MAX, f64::MIN] {
            let back = Finite::new(number).expect("finite").get();
            assert_eq!(back.to_bits(), number.to_bits());
        }
        for number in [f64::NAN, f64::INFINITY, f64::from_bits(u64::MAX)] {
            assert_eq!(Finite::new(number), None);
        }
        for at in [0, 7, u32::MAX - 1] {
            assert_eq!(Index::new(at).map(Index::get), Some(at));
        }
        assert_eq!(Index::new(u32::MAX), None);
    }
}
