//! Where ticks are and how their numbers read.

use crate::format;

pub(super) const MINUTE: f64 = 60.0;
pub(super) const HOUR: f64 = 3600.0;
pub(super) const DAY: f64 = 86_400.0;

/// Durations worth a tick on a logarithmic axis, the coarse ladder and the fine one.
#[rustfmt::skip]
pub(super) const DECADES: [f64; 11] = [
    0.1, 1.0, 10.0,
    MINUTE, 10.0 * MINUTE,
    HOUR, 6.0 * HOUR,
    DAY, 10.0 * DAY, 100.0 * DAY, 1000.0 * DAY,
];
#[rustfmt::skip]
pub(super) const FINE: [f64; 24] = [
    1.0, 2.0, 5.0, 10.0, 30.0,
    MINUTE, 2.0 * MINUTE, 5.0 * MINUTE, 10.0 * MINUTE, 30.0 * MINUTE,
    HOUR, 2.0 * HOUR, 5.0 * HOUR, 12.0 * HOUR,
    DAY, 2.0 * DAY, 5.0 * DAY, 10.0 * DAY, 20.0 * DAY, 50.0 * DAY,
    100.0 * DAY, 200.0 * DAY, 500.0 * DAY, 1000.0 * DAY,
];

/// Steps between the ticks of elapsed time.
#[rustfmt::skip]
pub(super) const ELAPSED: [f64; 22] = [
    1.0, 5.0, 10.0, 30.0,
    MINUTE, 5.0 * MINUTE, 10.0 * MINUTE, 30.0 * MINUTE,
    HOUR, 2.0 * HOUR, 3.0 * HOUR, 6.0 * HOUR, 12.0 * HOUR,
    DAY, 2.0 * DAY, 5.0 * DAY, 10.0 * DAY, 20.0 * DAY, 50.0 * DAY,
    100.0 * DAY, 200.0 * DAY, 500.0 * DAY,
];

/// A tick's number: `0.5`, `12`, `1,000`.
pub(super) fn round_number(value: f64) -> String {
    if value.fract().abs() < 1e-9 {
        format::figures(value.round())
    } else {
        value.to_string()
    }
}

/// A tick's number, thousands and millions as such: `0.05`, `500`, `60k`, `1.5M`.
pub(super) fn short_number(value: f64) -> String {
    let (value, unit) = match value.abs() {
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    // Multiples of a step drift: 0.30000000000000004 is nobody's tick.
    let text = format::significant(value);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text}{unit}")
}

/// A little room at both ends of a logarithmic axis, and never an empty one.
pub(super) fn widened(low: f64, high: f64) -> (f64, f64) {
    let (low, high) = if low <= high {
        (low, high)
    } else {
        (1.0, 10.0)
    };
    if high / low < 2.0 {
        (low / 2.0, high * 2.0)
    } else {
        (low * 0.9, high * 1.1)
    }
}

/// 0, `step`, 2·`step`, … up to `high`.
pub(super) fn multiples(step: f64, high: f64) -> Vec<f64> {
    let count = (high / step + 1e-9).floor() as usize;
    (0..=count).map(|i| i as f64 * step).collect()
}

/// The least of 1, 2, 5 × 10ⁿ that is not less than `rough`.
pub(super) fn nice_step(rough: f64) -> f64 {
    let decade = libm::pow(10.0, libm::log10(rough).floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|m| m * decade)
        .find(|&step| step >= rough * 0.999)
        .unwrap_or(10.0 * decade)
}
