//! Amounts by resource, as Volcano compares them.

/// What is less counts as nothing: a tenth of Volcano's thousandths.
pub const LEAST: f64 = 1e-4;

/// Sums may be off by so much, which is rounding.
const SLACK: f64 = 1e-9;

/// Whether no more is there than a limit, of each resource. Differences below [`LEAST`] do not count.
pub fn is_within(amounts: &[f64], limits: &[f64]) -> bool {
    let mut both = amounts.iter().zip(limits);
    both.all(|(amount, limit)| *amount < limit + LEAST)
}

/// The first resource that is asked for and of which more is there than a limit.
pub fn exceeded(amounts: &[f64], limits: &[f64], asks: &[f64]) -> Option<usize> {
    let is_over = |&at: &usize| asks[at] > 0.0 && amounts[at] > limits[at] + SLACK;
    (0..asks.len()).find(is_over)
}

/// Whether there is next to nothing.
pub fn is_empty(amounts: &[f64]) -> bool {
    amounts.iter().all(|&amount| amount < LEAST)
}

/// `a` + `b`.
pub fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// `a` − `b`, and never less than nothing.
pub fn without(a: &[f64], b: &[f64]) -> Vec<f64> {
    let both = a.iter().zip(b);
    both.map(|(a, b)| if a > b { a - b } else { 0.0 }).collect()
}
