//! The sorts that everything shares which is not in a hurry: each sort of its own makes a wasm
//! program 1 to 2 KB larger, compressed.

use std::cmp::Ordering;

/// Sorts values, least first; NaN comes last.
pub fn ascending(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

/// Sorts numbers of things in the order that `compare` says; equals stay as they stand.
pub fn sort(numbers: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    numbers.sort_by(|&a, &b| compare(a, b));
}

/// Sorts things, fewer than 2^32, in the order that `compare` says; equals stay as they stand.
pub fn sort_by<T>(things: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let mut order: Vec<u32> = (0..things.len() as u32).collect();
    sort(&mut order, &|a, b| {
        let at = |number: u32| things.get(number as usize);
        at(a)
            .zip(at(b))
            .map_or(Ordering::Equal, |(a, b)| compare(a, b))
    });
    // Each thing moves to its place by swaps, cycle by cycle: there is never a second copy.
    for start in 0..order.len() {
        let mut at = start;
        while let Some(place) = order.get_mut(at) {
            let from = std::mem::replace(place, at as u32) as usize;
            if from == start {
                break;
            }
            things.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_stay_as_they_stand() {
        let mut numbers = [5, 3, 8, 1, 4];
        sort(&mut numbers, &|a, b| (a % 2).cmp(&(b % 2)));
        assert_eq!(numbers, [8, 4, 5, 3, 1]);
        let mut words = vec!["pear", "fig", "plum", "kiwi", "nut"];
        sort_by(&mut words, &|a, b| a.len().cmp(&b.len()));
        assert_eq!(words, ["fig", "nut", "pear", "plum", "kiwi"]);
        sort_by::<String>(&mut [], &|a, b| a.cmp(b));
        let mut many: Vec<u32> = (0..500).map(|i| i * 7919 % 499).collect();
        sort_by(&mut many, &|a, b| a.cmp(b));
        assert!(many.is_sorted());
    }

    #[test]
    fn values_ascend() {
        let mut values = [2.0, f64::NAN, -1.0, f64::INFINITY, 0.5];
        ascending(&mut values);
        assert_eq!(values[..4], [-1.0, 0.5, 2.0, f64::INFINITY]);
        assert!(values[4].is_nan());
    }
}
