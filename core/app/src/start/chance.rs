//! Draws from the normal distribution, by libm: the same on every machine.

use switchyard::draw::{Rng, unit};

/// A standard normal draw (Box–Muller).
pub(super) fn normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(rng)));
    radius * libm::cos(std::f64::consts::TAU * unit(rng))
}

/// The share of standard normal draws below `z`.
pub(super) fn below_normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn draws_are_normal() {
        let mut rng = Rng::seed_from_u64(1);
        let draws: Vec<f64> = (0..20_000).map(|_| normal(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let square = draws.iter().map(|z| z * z).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.02 && (square - 1.0).abs() < 0.03);
        let below = draws.iter().filter(|z| **z < 1.0).count() as f64 / 20_000.0;
        assert!((below - below_normal(1.0)).abs() < 0.01);
        assert_eq!(below_normal(0.0), 0.5);
    }
}
