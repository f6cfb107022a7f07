//! Prices of GPUs: the dual of a round's program. In: the free jobs. Out: a price per type, and the bound it gives.
//!
//! Under prices μ each job takes the option of the least `cost + μ·GPUs`, or none, and the bound is the sum of
//! these less `μ·capacity`. As a function of μ that is concave and made of planes. Its maximum is found by cutting
//! planes (Kelley 1960): a small linear program over the planes seen so far says where to look next.

use super::free::Free;
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem};

/// Prices and their bound.
#[derive(Clone, Debug)]
pub(super) struct Prices {
    /// Of one GPU of each type; at least 0.
    pub(super) of: Vec<f64>,
    /// No plan of the free jobs costs less.
    pub(super) value: f64,
}

/// The most planes looked at; three types take about twenty.
const PLANES: usize = 120;

/// How close the bound is to the dual's maximum, in units of cost.
const CLOSE: f64 = 1e-3;

/// The prices of the best bound that was found.
pub(super) fn prices(free: &Free<'_>) -> Prices {
    let kinds = free.gpus.len();
    let mut highest = vec![0.0_f64; kinds];
    for &(column, cost) in free.options.iter().flatten() {
        let per_gpu = -(cost as f64) / f64::from(free.gpus_of(column).max(1));
        let price = &mut highest[free.kind_of(column)];
        *price = if per_gpu > *price { per_gpu } else { *price };
    }
    let mut at = vec![0.0; kinds];
    let (mut value, mut slope) = plane(free, &at);
    let mut best = Prices {
        of: at.clone(),
        value,
    };
    let mut planes = Vec::new();
    while planes.len() < PLANES {
        let here: f64 = slope.iter().zip(&at).map(|(slope, at)| slope * at).sum();
        planes.push((value - here, slope));
        let Some((next, most)) = highest_point(&planes, &highest) else {
            break;
        };
        if most - best.value <= CLOSE {
            break;
        }
        at = next;
        (value, slope) = plane(free, &at);
        if value > best.value {
            best = Prices {
                of: at.clone(),
                value,
            };
        }
    }
    best
}

/// The bound at prices, and how it grows with each.
fn plane(free: &Free<'_>, prices: &[f64]) -> (f64, Vec<f64>) {
    let mut slope: Vec<f64> = free.gpus.iter().map(|&gpus| -f64::from(gpus)).collect();
    let mut value: f64 = slope
        .iter()
        .zip(prices)
        .map(|(slope, price)| slope * price)
        .sum();
    for options in &free.options {
        let mut least = (0.0, None);
        for &(column, cost) in options {
            let gpus = f64::from(free.gpus_of(column));
            let paid = cost as f64 + prices[free.kind_of(column)] * gpus;
            if paid < least.0 {
                least = (paid, Some(column));
            }
        }
        value += least.0;
        if let Some(column) = least.1 {
            slope[free.kind_of(column)] += f64::from(free.gpus_of(column));
        }
    }
    (value, slope)
}

/// Where the lowest of the planes is highest, and how high.
fn highest_point(planes: &[(f64, Vec<f64>)], highest: &[f64]) -> Option<(Vec<f64>, f64)> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let height = problem.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    let prices: Vec<_> = highest
        .iter()
        .map(|&most| problem.add_var(0.0, (0.0, most)))
        .collect();
    for (constant, slope) in planes {
        let mut row = LinearExpr::empty();
        row.add(height, 1.0);
        for (&price, slope) in prices.iter().zip(slope) {
            row.add(price, -slope);
        }
        problem.add_constraint(row, ComparisonOp::Le, *constant);
    }
    let solution = problem.solve().ok()?;
    let at = prices.iter().zip(highest).map(|(&price, &most)| {
        let price = solution[price];
        // Within the box, whatever the solver rounds.
        if price < 0.0 {
            0.0
        } else if price > most {
            most
        } else {
            price
        }
    });
    Some((at.collect(), solution.objective()))
}
