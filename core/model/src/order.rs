//! Sorting what is short or seldom sorted. The standard library's sorts are written out for every
//! type and every comparison, at 5 to 15 kB of program each, which the page carries: here one serves
//! all, for an allocation and a call per comparison.

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

/// Which item comes first, which second, and so on.
#[inline(never)]
fn order(items: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(items in prop::collection::vec((0u8..9, any::<u8>()), 0..60)) {
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            super::sort_by_key(&mut ours, |of| of.0);
            theirs.sort_by_key(|of| of.0);
            prop_assert_eq!(&ours, &theirs);
            super::sort(&mut ours);
            theirs.sort();
            prop_assert_eq!(ours, theirs);
        }
    }
}
