//! Sorting what is short or seldom sorted. The standard library's sorts are written out for every
//! type and every comparison, at 5 to 15 kB of program each, which the page carries: here one serves
//! all, for an allocation and a call per comparison.
//!
//! And the order of numbers, [`by_value`], which is the same on every machine.

use std::cmp::Ordering;

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

/// A number that is ordered [`by_value`].
#[derive(Clone, Copy, Debug)]
pub struct ByValue(pub f64);

impl Ord for ByValue {
    fn cmp(&self, other: &Self) -> Ordering {
        by_value(&self.0, &other.0)
    }
}

impl PartialOrd for ByValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ByValue {}

/// The bits of a number, alike for numbers that are equal [`by_value`].
pub fn bits(value: f64) -> u64 {
    let one = if value.is_nan() {
        f64::NAN
    } else {
        value + 0.0
    };
    one.to_bits()
}

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
            }
        }
        for (a, b) in [(0.0, -0.0), (f64::NAN, -f64::NAN)] {
            assert_eq!(by_value(&a, &b), Ordering::Equal);
            assert_eq!(bits(a), bits(b));
        }
    }

    proptest! {
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
