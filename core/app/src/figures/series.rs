//! From columns of numbers to the few hundred points a chart can show.

use super::stretches::{Stretch, stretches};
use crate::window::Window;
use switchyard::order;
use switchyard::report::percentile;

/// Points of a distribution, and stretches of time in a time series.
const MOST_POINTS: usize = 400;

/// A line of a chart: points by ascending x.
pub type Points = Vec<(f64, f64)>;

/// What a time series did within stretches of time: (when, least, most).
pub type Band = Vec<(f64, f64, f64)>;

/// The share of `values` up to each x: exact steps if they are few, quantiles if they are many.
pub(super) fn cdf(mut values: Vec<f64>) -> Points {
    values.sort_unstable_by(order::by_value);
    let n = values.len();
    if n > MOST_POINTS {
        let quantile = |i: usize| {
            let share = i as f64 / MOST_POINTS as f64;
            (percentile(&values, 100.0 * share), share)
        };
        return (0..=MOST_POINTS).map(quantile).collect();
    }
    let step = |(i, &value): (usize, &f64)| {
        let share = |count: usize| count as f64 / n as f64;
        [(value, share(i)), (value, share(i + 1))]
    };
    values.iter().enumerate().flat_map(step).collect()
}

/// The median of a distribution, as [`percentile`] has it: between the two in the middle of an even number.
pub(super) fn median(cdf: &[(f64, f64)]) -> Option<f64> {
    let from = cdf.partition_point(|point| point.1 < 0.5);
    let behind = cdf.partition_point(|point| point.1 <= 0.5);
    let (first, last) = (cdf.get(from)?, cdf.get(from.max(behind.saturating_sub(1)))?);
    Some(first.0 + (last.0 - first.0) / 2.0)
}

/// A step function that takes `values[i]` from `times[i]` on, within a window: exact if it has few steps
/// there; else its mean over equal stretches of time, and the least and most within each.
pub(super) fn steps(
    times: &[f64],
    values: impl Fn(usize) -> f64,
    window: Window,
) -> (Points, Band) {
    let Window { from, to } = window;
    let first = times
        .partition_point(|&time| time <= from)
        .saturating_sub(1);
    let last = times.partition_point(|&time| time < to);
    if to <= from || first >= last {
        return Default::default();
    }
    if last - first <= MOST_POINTS {
        let until = |i: usize| times.get(i + 1).copied().unwrap_or(to).min(to);
        let corners = |i: usize| [(times[i].max(from), values(i)), (until(i), values(i))];
        return ((first..last).flat_map(corners).collect(), Vec::new());
    }
    let width = window.span() / MOST_POINTS as f64;
    let point = |(i, stretch): (usize, Stretch)| {
        let middle = from + (i as f64 + 0.5) * width;
        let mean = stretch.area / stretch.covered;
        ((middle, mean), (middle, stretch.least, stretch.most))
    };
    stretches(times, values, from, width, to)
        .take(MOST_POINTS)
        .enumerate()
        .filter(|(_, stretch)| stretch.covered > 0.0)
        .map(point)
        .unzip()
}

/// The line's height at `x`, between its neighbours; `None` outside.
pub(super) fn at(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let after = points.partition_point(|point| point.0 <= x);
    let &(x0, y0) = points.get(after.checked_sub(1)?)?;
    match points.get(after) {
        Some(&(x1, y1)) => Some(y0 + (y1 - y0) * (x - x0) / (x1 - x0)),
        None => (x0 == x).then_some(y0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_distribution_is_exact() {
        let points = cdf(vec![3.0, 1.0]);
        assert_eq!(points, [(1.0, 0.0), (1.0, 0.5), (3.0, 0.5), (3.0, 1.0)]);
        assert_eq!(
            (at(&points, 0.5), at(&points, 2.0), at(&points, 3.5)),
            (None, Some(0.5), None)
        );
        assert!(cdf(Vec::new()).is_empty());
    }

    #[test]
    fn a_large_distribution_keeps_its_shape() {
        let points = cdf((0..10_001).rev().map(f64::from).collect());
        assert_eq!(points.len(), MOST_POINTS + 1);
        assert_eq!(
            (points[0], points[MOST_POINTS]),
            ((0.0, 0.0), (10_000.0, 1.0))
        );
        assert_eq!(at(&points, 5000.0), Some(0.5));
    }

    #[test]
    fn a_median_is_the_percentile_that_tables_tell() {
        for count in [1, 2, 3, 10, 11, 240, 10_000, 10_001] {
            let values: Vec<f64> = (0..count).map(|i| f64::from(i * i)).collect();
            let told = percentile(&values, 50.0);
            assert_eq!(median(&cdf(values)), Some(told), "{count}");
        }
        assert_eq!(median(&cdf(vec![1.0, 5.0, 5.0, 9.0])), Some(5.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn few_steps_are_exact() {
        let (points, band) = steps(&[0.0, 10.0], |i| [1.0, 4.0][i], Window::new(0.0, 15.0));
        assert_eq!(points, [(0.0, 1.0), (10.0, 1.0), (10.0, 4.0), (15.0, 4.0)]);
        assert!(band.is_empty());
        let (points, _) = steps(&[0.0, 10.0], |i| [1.0, 4.0][i], Window::new(5.0, 12.0));
        assert_eq!(points, [(5.0, 1.0), (10.0, 1.0), (10.0, 4.0), (12.0, 4.0)]);
        let (none, _) = steps(&[0.0, 10.0], |_| 1.0, Window::new(20.0, 15.0));
        assert!(none.is_empty());
    }

    #[test]
    fn many_steps_keep_their_mean_and_extremes() {
        let times: Vec<f64> = (0..40_000).map(f64::from).collect();
        let (points, band) = steps(&times, |i| (i % 2) as f64, Window::new(0.0, 40_000.0));
        assert_eq!(points.len(), MOST_POINTS);
        assert!(points.iter().all(|point| (point.1 - 0.5).abs() < 1e-9));
        assert!(
            band.iter()
                .all(|&(_, least, most)| (least, most) == (0.0, 1.0))
        );
    }

    #[test]
    fn a_long_constant_stretch_fills_every_bucket() {
        let mut times: Vec<f64> = (0..500).map(f64::from).collect();
        times.push(500.0);
        let (points, _) = steps(&times, |_| 7.0, Window::new(0.0, 100_000.0));
        assert_eq!(points.len(), MOST_POINTS);
        assert!(points.iter().all(|point| (point.1 - 7.0).abs() < 1e-9));
    }
}
