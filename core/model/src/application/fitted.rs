//! Profiles as a model: seven throughput parameters, and the noise scale over training at a few
//! total batches.
//!
//! Small enough to be written by hand, and what [`Application::condensed`] makes of measured
//! tables.

use super::{Application, Profile, StepTimes};
use crate::goodput::{GradientStats, Limits, ThroughputParams};
use serde::{Deserialize, Serialize};

/// A model of an application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Step times.
    pub params: ThroughputParams,
    /// Step times where they were measured on types of GPUs apart.
    pub on: Vec<ModelOn>,
    /// The noise scale, by total batch, increasing; at least one.
    pub curves: Vec<Curve>,
}

/// A model of step times on a type of GPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelOn {
    /// The type's name in clusters.
    pub gpu: Box<str>,
    /// The most samples that one of them holds; at least the application's.
    pub max_local: u32,
    /// Step times.
    #[serde(rename = "throughput")]
    pub params: ThroughputParams,
}

/// The noise scale over training at one total batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// The total batch, samples.
    pub batch: u32,
    /// φ in samples in the middles of equally long parts of training; at least one, in
    /// 1e-3..=1e12, whose upper end stands for ∞.
    pub phi: Vec<f64>,
}

/// The range of φ: below, no batch is efficient, above, every one.
pub(super) const PHI: std::ops::RangeInclusive<f64> = 1e-3..=1e12;

/// Parts that training is divided into when measured statistics are condensed.
const PARTS: u32 = 16;

impl Curve {
    /// ln φ at a phase in 0..=1.
    fn log_phi(&self, phase: f64) -> f64 {
        let log = |index: usize| self.phi.get(index).map_or(0.0, |&phi| libm::log(phi));
        let last = self.phi.len().saturating_sub(1);
        let place = phase * self.phi.len() as f64 - 0.5;
        // Beyond the outermost middles the curve is level.
        if place <= 0.0 {
            return log(0);
        }
        let below = libm::floor(place);
        let index = below as usize;
        if index >= last {
            return log(last);
        }
        let share = place - below;
        log(index) * (1.0 - share) + log(index + 1) * share
    }
}

impl Fitted {
    /// See [`Application::on`].
    pub(super) fn on(&self, gpu: &str) -> Option<(Self, u32)> {
        let on = self.on.iter().find(|of| *of.gpu == *gpu)?;
        let there = Self {
            params: on.params,
            on: Vec::new(),
            curves: self.curves.clone(),
        };
        Some((there, on.max_local))
    }

    /// See [`Application::step_times`].
    pub(super) fn step_times(&self, placement: &[u32], m: u32) -> StepTimes {
        let nodes = placement.iter().filter(|&&gpus| gpus > 0).count() as u32;
        let step = self.params.step_time(nodes, placement.iter().sum(), m);
        StepTimes {
            step,
            sync: step - self.params.grad_time(m),
        }
    }

    /// Statistics at a total batch in a phase of training, 0..=1: ln φ is linear in the phase and
    /// in ln M, and level beyond the outermost curves.
    pub(super) fn stats(&self, limits: &Limits, batch: f64, phase: f64) -> GradientStats {
        let above = self
            .curves
            .partition_point(|curve| f64::from(curve.batch) < batch);
        let upper = self.curves.get(above).or(self.curves.last());
        let lower = self.curves.get(above.saturating_sub(1));
        let (Some(lower), Some(upper)) = (lower, upper) else {
            return GradientStats { sqr: 1.0, var: 0.0 };
        };
        let log_phi = if lower.batch >= upper.batch {
            upper.log_phi(phase)
        } else {
            let from = libm::log(f64::from(lower.batch));
            let span = libm::log(f64::from(upper.batch)) - from;
            let share = (libm::log(batch) - from) / span;
            lower.log_phi(phase) * (1.0 - share) + upper.log_phi(phase) * share
        };
        GradientStats::of_noise_scale(libm::exp(log_phi), limits.m0)
    }
}

impl Application {
    /// The same application as a model: throughput parameters fitted to its measured step times,
    /// and for each measured batch the φ that would have made the same progress in each part of
    /// training, to four digits. `None` where it is a model already.
    pub fn condensed(&self) -> Option<Self> {
        let Profile::Measured(measured) = &self.profile else {
            return None;
        };
        let epochs = self.epochs();
        let parts = epochs.min(PARTS);
        let curve = |batch: u32| {
            // At M0 every batch is efficient: there, what φ says of four times as much.
            let scale = self.limits.scale(f64::from(batch));
            let scale = if scale > 4.0 { scale } else { 4.0 };
            let part = |part: u32| {
                let (first, end) = (part * epochs / parts, (part + 1) * epochs / parts);
                let times = (first..end).map(|epoch| {
                    let stats = measured.stats(f64::from(batch), epoch);
                    1.0 / stats.efficiency(scale)
                });
                let efficiency = f64::from(end - first) / times.sum::<f64>();
                // EFF = (φ + M0)/(φ + scale·M0), solved for φ.
                let m0 = f64::from(self.limits.m0);
                let phi = m0 * (efficiency * scale - 1.0) / (1.0 - efficiency);
                four_digits(if phi.is_nan() || phi > *PHI.end() {
                    *PHI.end()
                } else if phi < *PHI.start() {
                    *PHI.start()
                } else {
                    phi
                })
            };
            Curve {
                batch,
                phi: (0..parts).map(part).collect(),
            }
        };
        let on = measured.models_on().map(|of| ModelOn {
            params: rounded(&of.params),
            ..of
        });
        let fitted = Fitted {
            params: rounded(measured.model()),
            on: on.collect(),
            curves: measured.batches().map(curve).collect(),
        };
        let even = self.total_progress() / f64::from(epochs);
        Some(Self {
            samples_per_epoch: libm::round(self.samples_per_epoch),
            boundaries: (1..=epochs).map(|e| even * f64::from(e)).collect(),
            profile: Profile::Fitted(fitted),
            ..self.clone()
        })
    }
}

/// Each parameter to four significant digits.
fn rounded(model: &ThroughputParams) -> ThroughputParams {
    ThroughputParams {
        alpha_c: four_digits(model.alpha_c),
        beta_c: four_digits(model.beta_c),
        alpha_n: four_digits(model.alpha_n),
        beta_n: four_digits(model.beta_n),
        alpha_r: four_digits(model.alpha_r),
        beta_r: four_digits(model.beta_r),
        gamma: four_digits(model.gamma),
    }
}

/// Rounds to four significant digits.
fn four_digits(value: f64) -> f64 {
    // By way of decimal text, so that what is written down is what is meant.
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_by_hand() {
        let limits = Limits {
            m0: 100,
            max_batch: 400,
            min_local: 10,
            max_local: 100,
        };
        let params = ThroughputParams {
            alpha_c: 0.1,
            beta_c: 0.01,
            alpha_n: 0.4,
            beta_n: 0.0,
            alpha_r: 0.3,
            beta_r: 0.0,
            gamma: 1.0,
        };
        let curve = |batch, phi: &[f64]| Curve {
            batch,
            phi: phi.to_vec(),
        };
        let curves = vec![curve(100, &[100.0, 400.0]), curve(400, &[400.0, 1600.0])];
        let fitted = Fitted {
            params,
            on: Vec::new(),
            curves,
        };
        let phi = |batch, phase| fitted.stats(&limits, batch, phase).noise_scale(100);
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        // Level up to the middle of the first half, then geometric.
        assert!(near(phi(100.0, 0.0), 100.0) && near(phi(100.0, 0.25), 100.0));
        assert!(near(phi(100.0, 0.5), 200.0));
        assert!(near(phi(100.0, 0.75), 400.0) && near(phi(100.0, 1.0), 400.0));
        // Half way between the batches, in the logarithm.
        assert!(near(phi(200.0, 0.5), 400.0));
        assert!(near(phi(50.0, 0.0), 100.0) && near(phi(800.0, 1.0), 1600.0));
        let times = fitted.step_times(&[2, 0, 1], 10);
        assert!(near(times.step, 0.6) && near(times.sync, 0.4));
        assert!(near(times.iteration(2), 1.0));
    }

    #[test]
    fn digits() {
        assert_eq!(four_digits(123_456.0), 123_500.0);
        assert_eq!(four_digits(0.000_123_449), 0.000_123_4);
        assert_eq!(four_digits(1e12), 1e12);
    }
}
