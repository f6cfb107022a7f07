//! By what the learning rate is multiplied when the batch grows from M0 to `scale`·M0.
//!
//! AdaScale (Johnson et al., ICML'20): the gain. Square root (Krizhevsky 2014; for Adam, Hoffer et
//! al. 2017): √scale. Linear (Goyal et al. 2017): scale. LEGW (You et al., SC'19): √scale, after a
//! linear warm-up over `warmup_epochs`·scale epochs.

use super::GradientStats;
use serde::{Deserialize, Serialize};

/// A rule for scaling the learning rate with the batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearningRateRule {
    /// AdaScale's gain.
    #[default]
    AdaScale,
    /// √scale.
    SquareRoot,
    /// scale.
    Linear,
    /// √scale with a warm-up that is longer for larger batches.
    Legw {
        /// Epochs of warm-up at M0; ≥ 0.
        warmup_epochs: f64,
    },
}

impl LearningRateRule {
    /// The factor on the learning rate at `scale`·M0, after `epochs` of training.
    pub fn factor(self, stats: &GradientStats, scale: f64, epochs: f64) -> f64 {
        match self {
            Self::AdaScale => stats.gain(scale),
            Self::SquareRoot => libm::sqrt(scale),
            Self::Linear => scale,
            Self::Legw { warmup_epochs } => {
                let warmup = warmup_epochs * scale;
                let reached = if epochs < warmup {
                    epochs / warmup
                } else {
                    1.0
                };
                libm::sqrt(scale) * reached
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let stats = GradientStats { sqr: 1.0, var: 3.0 };
        let factor = |rule: LearningRateRule, epochs| rule.factor(&stats, 4.0, epochs);
        // (3 + 1)/(3/4 + 1) = 16/7
        assert!((factor(LearningRateRule::AdaScale, 0.0) - 16.0 / 7.0).abs() < 1e-15);
        assert_eq!(factor(LearningRateRule::SquareRoot, 0.0), 2.0);
        assert_eq!(factor(LearningRateRule::Linear, 0.0), 4.0);
        let legw = LearningRateRule::Legw { warmup_epochs: 0.5 };
        // Warm-up of 0.5·4 = 2 epochs.
        assert_eq!(factor(legw, 0.0), 0.0);
        assert_eq!(factor(legw, 0.5), 0.5);
        assert_eq!(factor(legw, 2.0), 2.0);
        let at_once = LearningRateRule::Legw { warmup_epochs: 0.0 };
        assert_eq!(factor(at_once, 0.0), 2.0);
    }

    #[test]
    fn every_rule_leaves_m0_alone() {
        let stats = GradientStats { sqr: 0.2, var: 7.0 };
        for rule in [
            LearningRateRule::AdaScale,
            LearningRateRule::SquareRoot,
            LearningRateRule::Linear,
            LearningRateRule::Legw { warmup_epochs: 1.0 },
        ] {
            assert_eq!(rule.factor(&stats, 1.0, 3.0), 1.0);
        }
    }
}
