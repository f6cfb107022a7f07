//! The one definition of a percentile.

/// The `percent`-th percentile of ascending `sorted` values, linear between neighbours (the
/// definition of NumPy's default); 0 for no values.
pub fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let rank = percent / 100.0 * last as f64;
    let below = (rank as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (rank - below as f64)
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentiles_interpolate() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(percentile(&sorted, 0.0), 1.0);
        assert_eq!(percentile(&sorted, 50.0), 2.5);
        assert_eq!(percentile(&sorted, 90.0), 3.7);
        assert_eq!(percentile(&sorted, 100.0), 4.0);
        assert_eq!(percentile(&[], 50.0), 0.0);
    }
}
