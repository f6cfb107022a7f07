//! The first few of many in order: by hand, since `select_nth_unstable` would write down all of them
//! for each frame, and a heap would hold more than it shows.

/// The first `count` of `items`, in order: by number, equals by what comes with it. Costs little
/// more than looking at each item, if `count` is small.
pub(crate) fn first<T: Ord + Copy>(
    count: usize,
    items: impl Iterator<Item = (f64, T)>,
    first: &mut Vec<(f64, T)>,
) {
    first.clear();
    for item in items {
        let before = |other: &(f64, T)| {
            let order = other.0.total_cmp(&item.0).then(other.1.cmp(&item.1));
            order.is_lt()
        };
        if first.len() == count && first.last().is_none_or(before) {
            continue;
        }
        let at = first.partition_point(before);
        if first.len() == count {
            first.pop();
        }
        first.insert(at, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_few_are_those_of_the_sorted_list() {
        let items: Vec<(f64, u32)> = (0..500).map(|i| (f64::from(i * 7919 % 101), i)).collect();
        let mut sorted = items.clone();
        sorted.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
        let mut found = Vec::new();
        for count in [0, 1, 30, 500, 900] {
            first(count, items.iter().copied(), &mut found);
            assert_eq!(found, sorted[..count.min(500)]);
        }
    }
}
