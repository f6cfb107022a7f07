//! The normal distribution, by libm: the same on every machine.

/// The share of standard normal draws below `z`.
pub(super) fn below_normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;
    use switchyard::draw::{Rng, normal};

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
