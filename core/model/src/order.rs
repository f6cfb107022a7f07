//! Sorting what is short or seldom sorted. The standard library's sorts are written out for every
//! type and every comparison, at 5 to 15 kB of program each, which the page carries: here one serves
//! all, for an allocation and a call per comparison.
//!
//! And the order of numbers, [`by_value`], which is the same on every machine.

use std::cmp::Ordering;
use std::fmt;

/// Sorts as [`slice::sort_by`] does.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    // Along each cycle of the permutation.
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// Sorts as [`slice::sort_by_key`] does.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts as [`slice::sort`] does.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Orders numbers with one zero and one NaN, which comes last. [`f64::total_cmp`] tells zeros and NaNs apart by
/// their signs, and those differ between machines: of a 0 and a -0, [`f64::max`] may give either.
#[inline]
pub fn by_value(a: &f64, b: &f64) -> Ordering {
    let order = a.partial_cmp(b);
    order.unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// A number that is ordered [`by_value`], kept as a whole number of the same order: whoever is compared often,
/// in a heap or a sorted set, is changed once. (`ordered-float` has the same order, and compares floats each time.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByValue(i64);

impl ByValue {
    /// Where `value` stands.
    #[inline]
    pub fn of(value: f64) -> Self {
        Self(turned(bits(value).cast_signed()))
    }

    /// The number that stands here; of two zeros the one above.
    #[inline]
    pub fn value(self) -> f64 {
        f64::from_bits(turned(self.0).cast_unsigned())
    }
}

/// The bits of a negative number say how far below zero it is: turned over, they rise with it. Twice is not at all.
#[inline]
fn turned(bits: i64) -> i64 {
    bits ^ ((bits >> 63) & i64::MAX)
}

impl fmt::Debug for ByValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

/// The bits of a number, alike for numbers that are equal [`by_value`].
#[inline]
pub fn bits(value: f64) -> u64 {
    if value.is_nan() {
        NAN
    } else {
        (value + 0.0).to_bits()
    }
}

/// The bits of the one NaN.
const NAN: u64 = 0x7ff8_0000_0000_0000;

/// Which item comes first, which second, and so on.
#[inline(never)]
fn order(items: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn there_is_one_zero_and_one_nan() {
        let ascending = [
            f64::NEG_INFINITY,
            -1.0,
            -0.0,
            1e-308,
            f64::INFINITY,
            f64::NAN,
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(by_value(a, b), i.cmp(&j), "{a} {b}");
                assert_eq!(ByValue::of(*a).cmp(&ByValue::of(*b)), i.cmp(&j), "{a} {b}");
            }
        }
        for (a, b) in [(0.0, -0.0), (f64::NAN, -f64::NAN)] {
            assert_eq!(by_value(&a, &b), Ordering::Equal);
            assert_eq!(bits(a), bits(b));
            assert_eq!(ByValue::of(a), ByValue::of(b));
        }
    }

    proptest! {
        #[test]
        fn numbers_are_kept_and_ordered(a in any::<f64>(), b in any::<f64>()) {
            prop_assert_eq!(ByValue::of(a).cmp(&ByValue::of(b)), by_value(&a, &b));
            prop_assert!(ByValue::of(a).value() == a || a.is_nan());
        }

        #[test]
        fn sorts_as_the_standard_library_does(items in prop::collection::vec((0u8..9, any::<u8>()), 0..60)) {
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            sort_by_key(&mut ours, |of| of.0);
            theirs.sort_by_key(|of| of.0);
            prop_assert_eq!(&ours, &theirs);
            sort(&mut ours);
            theirs.sort();
            prop_assert_eq!(ours, theirs);
        }
    }
}
