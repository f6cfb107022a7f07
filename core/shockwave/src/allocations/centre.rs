//! Analytic centres: of the shares x that satisfy least shares `l ≤ x ≤ 1` and `Σ gang · x ≤ GPUs`, those that
//! maximise the sum of logarithms of all slacks that are not zero everywhere (Boyd & Vandenberghe, §8.5.3).
//!
//! Interior-point solvers end there if the objective leaves a choice. The slacks of a job are `x`, `x − l` and `1 − x`;
//! only the GPUs couple jobs, so one multiplier is searched for.

/// What counts as no slack.
const TIGHT: f64 = 1e-8;

/// So many halvings settle a double.
const HALVINGS: usize = 60;

/// The centre between least shares and one, for gangs on so many GPUs. Nothing where least shares do not fit.
pub(super) fn between(gangs: &[f64], least: &[f64], gpus: f64) -> Option<Vec<f64>> {
    let used: f64 = gangs
        .iter()
        .zip(least)
        .map(|(gang, least)| gang * least)
        .sum();
    let fits = used <= gpus * (1.0 + TIGHT) && least.iter().all(|&least| least <= 1.0 + TIGHT);
    if !fits {
        return None;
    }
    if gpus - used <= gpus * TIGHT {
        return Some(least.iter().map(|least| least.min(1.0)).collect());
    }
    // What is pulled to by the price of a GPU; the price is 1 ÷ GPUs left.
    let at = |price: f64| -> Vec<f64> {
        let share = |(&gang, &least): (&f64, &f64)| share(least, gang * price);
        gangs.iter().zip(least).map(share).collect()
    };
    let total =
        |shares: &[f64]| -> f64 { gangs.iter().zip(shares).map(|(gang, x)| gang * x).sum() };
    let (mut low, mut high) = (0.0, 1.0 / (gpus * TIGHT * 1e-2));
    for _ in 0..HALVINGS {
        // Prices span many powers of ten.
        let middle = match low == 0.0 {
            true => high * 1e-3,
            false => libm::sqrt(low * high),
        };
        let left = gpus - total(&at(middle));
        match left * middle < 1.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    Some(at(high))
}

/// The share at which `1/x + 1/(x − l) − 1/(1 − x)` is what a gang pays.
fn share(least: f64, pays: f64) -> f64 {
    if least >= 1.0 - TIGHT {
        return 1.0;
    }
    let (mut low, mut high) = (least, 1.0);
    for _ in 0..HALVINGS {
        let x = (low + high) / 2.0;
        match 1.0 / x + 1.0 / (x - least) - 1.0 / (1.0 - x) > pays {
            true => low = x,
            false => high = x,
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_interval_with_nothing_scarce() {
        // 1/x + 1/x − 1/(1 − x) = 0 at two thirds.
        let x = between(&[1.0], &[0.0], 1e9).unwrap();
        assert!((x[0] - 2.0 / 3.0).abs() < 1e-6, "{x:?}");
    }

    #[test]
    fn shares_that_do_not_fit_have_none() {
        assert_eq!(between(&[1.0, 1.0], &[0.6, 0.6], 1.0), None);
        assert_eq!(between(&[1.0], &[1.1], 4.0), None);
        assert_eq!(
            between(&[2.0, 1.0], &[0.25, 0.5], 1.0),
            Some(vec![0.25, 0.5])
        );
    }
}
