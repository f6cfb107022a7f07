//! Statistical efficiency from the gradient noise scale: Pollux (OSDI'21) eq. 5–6, after
//! McCandlish et al. (2018) and AdaScale (ICML'20).
//!
//! `φ = tr(PΣPᵀ)/|Pg|²` in samples, `EFF(M) = (φ + M0)/(φ + M)`. Statistics are kept as the pair
//! `sqr = |Pg|²` and `var = tr(PΣPᵀ)/M0`, so `φ = M0·var/sqr`; with `scale = M/M0`, AdaScale's gain
//! is `(var + sqr)/(var/scale + sqr)` and `EFF = gain/scale`. `sqr = 0` is `φ = ∞`: there every
//! sample counts, whatever the batch.

use serde::{Deserialize, Serialize};

/// Gradient statistics at M0, in the gradient's units squared; only their ratio matters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientStats {
    /// Squared norm of the true gradient.
    pub sqr: f64,
    /// Variance of a gradient of M0 samples.
    pub var: f64,
}

impl GradientStats {
    /// The statistics of a noise scale φ (samples; ∞ is allowed).
    pub fn of_noise_scale(phi: f64, m0: u32) -> Self {
        if phi.is_finite() {
            Self {
                sqr: 1.0,
                var: phi / f64::from(m0),
            }
        } else {
            Self { sqr: 0.0, var: 1.0 }
        }
    }

    /// φ in samples; ∞ where the true gradient vanishes, 0 where all is 0.
    pub fn noise_scale(&self, m0: u32) -> f64 {
        if self.var <= 0.0 {
            0.0
        } else if self.sqr <= 0.0 {
            f64::INFINITY
        } else {
            f64::from(m0) * self.var / self.sqr
        }
    }

    /// AdaScale's gain: how many steps at M0 a step at `scale`·M0 is worth. In 1..=scale for
    /// scale ≥ 1; 1 where the statistics say nothing.
    pub fn gain(&self, scale: f64) -> f64 {
        let denominator = self.var / scale + self.sqr;
        if denominator > 0.0 {
            (self.var + self.sqr) / denominator
        } else {
            1.0
        }
    }

    /// EFF: progress per sample at `scale`·M0, relative to M0. In (0, 1] for scale ≥ 1.
    pub fn efficiency(&self, scale: f64) -> f64 {
        // gain / scale, arranged so that rounding cannot lift it above 1.
        let denominator = self.var + self.sqr * scale;
        if denominator > 0.0 {
            (self.var + self.sqr) / denominator
        } else {
            1.0 / scale
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // φ = 100·3/1 = 300; EFF(400) = (300 + 100)/(300 + 400) = 4/7
        let stats = GradientStats { sqr: 1.0, var: 3.0 };
        assert_eq!(stats.noise_scale(100), 300.0);
        assert!((stats.efficiency(4.0) - 4.0 / 7.0).abs() < 1e-15);
        assert!((stats.gain(4.0) - 16.0 / 7.0).abs() < 1e-15);
        assert_eq!(stats.efficiency(1.0), 1.0);
        assert_eq!(GradientStats::of_noise_scale(300.0, 100), stats);
    }

    #[test]
    fn the_ends_of_the_scale() {
        let noise = GradientStats { sqr: 0.0, var: 2.0 };
        assert_eq!(noise.noise_scale(8), f64::INFINITY);
        assert_eq!((noise.gain(32.0), noise.efficiency(32.0)), (32.0, 1.0));
        assert_eq!(
            GradientStats::of_noise_scale(f64::INFINITY, 8).efficiency(9.0),
            1.0
        );
        let exact = GradientStats { sqr: 2.0, var: 0.0 };
        assert_eq!(exact.noise_scale(8), 0.0);
        assert_eq!(
            (exact.gain(32.0), exact.efficiency(32.0)),
            (1.0, 1.0 / 32.0)
        );
        let nothing = GradientStats { sqr: 0.0, var: 0.0 };
        assert_eq!(
            (nothing.gain(32.0), nothing.efficiency(32.0)),
            (1.0, 1.0 / 32.0)
        );
    }

    proptest! {
        #[test]
        fn efficiency_is_in_its_range_and_falls(
            sqr in 0.0..1e6f64, var in 0.0..1e6f64, scale in 1.0..1e4f64, more in 1.0..100.0f64
        ) {
            let stats = GradientStats { sqr, var };
            let efficiency = stats.efficiency(scale);
            prop_assert!(efficiency > 0.0 && efficiency <= 1.0);
            prop_assert!(stats.efficiency(scale * more) <= efficiency);
            let gain = stats.gain(scale);
            prop_assert!(gain >= 1.0 - 1e-12 && gain <= scale * (1.0 + 1e-12));
            prop_assert!((gain / scale - efficiency).abs() <= 1e-12);
        }
    }
}
