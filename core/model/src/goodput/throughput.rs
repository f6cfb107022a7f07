//! Throughput of data-parallel SGD: Pollux (OSDI'21) eq. 8–11.
//!
//! - `T_grad = α_c + β_c·m`: one forward and backward pass (eq. 9).
//! - `T_sync = 0` for one replica, `α_r + β_r·(K − 2)` on one node, `α_n + β_n·(K − 2)` across
//!   nodes (eq. 10).
//! - `T_iter = s·T_grad + (T_grad^γ + T_sync^γ)^(1/γ)`: γ = 1 is no overlap of computation and
//!   communication, γ → ∞ a perfect one (eq. 11; accumulation as in section 3.2).
//! - Throughput `= K·m·(s + 1) / T_iter` (eq. 8).

use super::LocalBatch;
use serde::{Deserialize, Serialize};

/// The seven parameters θ_sys of the throughput model. α and β in seconds (β per sample or per
/// replica), all ≥ 0; γ in 1..=10.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThroughputParams {
    /// A pass's constant part, s.
    pub alpha_c: f64,
    /// A pass's time per sample, s.
    pub beta_c: f64,
    /// Synchronising two replicas across nodes, s.
    pub alpha_n: f64,
    /// Each further replica across nodes, s.
    pub beta_n: f64,
    /// Synchronising two replicas on one node, s.
    pub alpha_r: f64,
    /// Each further replica on one node, s.
    pub beta_r: f64,
    /// Overlap of computation and synchronisation.
    pub gamma: f64,
}

impl ThroughputParams {
    /// T_grad: seconds of one pass over `m` samples on each GPU.
    pub fn grad_time(&self, m: u32) -> f64 {
        self.alpha_c + self.beta_c * f64::from(m)
    }

    /// T_sync: seconds to synchronise `replicas` that sit on `nodes`.
    pub fn sync_time(&self, nodes: u32, replicas: u32) -> f64 {
        if replicas <= 1 {
            return 0.0;
        }
        let beyond_two = f64::from(replicas - 2);
        if nodes <= 1 {
            self.alpha_r + self.beta_r * beyond_two
        } else {
            self.alpha_n + self.beta_n * beyond_two
        }
    }

    /// Seconds of one pass and its synchronisation, overlapped: T_iter without accumulation.
    pub fn step_time(&self, nodes: u32, replicas: u32, m: u32) -> f64 {
        overlap(
            self.grad_time(m),
            self.sync_time(nodes, replicas),
            self.gamma,
        )
    }

    /// T_iter: seconds of one iteration.
    pub fn iter_time(&self, nodes: u32, replicas: u32, batch: LocalBatch) -> f64 {
        f64::from(batch.s) * self.grad_time(batch.m) + self.step_time(nodes, replicas, batch.m)
    }

    /// Samples per second.
    pub fn throughput(&self, nodes: u32, replicas: u32, batch: LocalBatch) -> f64 {
        batch.total(replicas) / self.iter_time(nodes, replicas, batch)
    }

    /// Whether every parameter is finite and in its range.
    pub fn is_sound(&self) -> bool {
        let times = [
            self.alpha_c,
            self.beta_c,
            self.alpha_n,
            self.beta_n,
            self.alpha_r,
            self.beta_r,
        ];
        times.iter().all(|t| t.is_finite() && *t >= 0.0)
            && self.alpha_c + self.beta_c > 0.0
            && (1.0..=10.0).contains(&self.gamma)
    }
}

/// `(a^γ + b^γ)^(1/γ)`, in the form that neither overflows nor underflows; `a, b ≥ 0`.
pub(crate) fn overlap(a: f64, b: f64, gamma: f64) -> f64 {
    let (large, small) = if a < b { (b, a) } else { (a, b) };
    if small <= 0.0 {
        return large;
    }
    large * libm::exp(libm::log1p(libm::pow(small / large, gamma)) / gamma)
}

/// ln(1 + eˣ) and its derivative: with x = γ·ln(b/a), `ln overlap(a, b) = ln a + ln(1 + eˣ)/γ`.
pub(super) fn softplus(x: f64) -> (f64, f64) {
    let e = libm::exp(-x.abs());
    let log = libm::log1p(e);
    let share = 1.0 / (1.0 + e);
    if x > 0.0 {
        (x + log, share)
    } else {
        (log, e * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARAMS: ThroughputParams = ThroughputParams {
        alpha_c: 0.1,
        beta_c: 0.01,
        alpha_n: 0.4,
        beta_n: 0.02,
        alpha_r: 0.15,
        beta_r: 0.05,
        gamma: 2.0,
    };

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-12 * b.abs()
    }

    #[test]
    fn by_hand() {
        // eq. 9
        assert!(close(PARAMS.grad_time(20), 0.3));
        // eq. 10
        assert_eq!(PARAMS.sync_time(1, 1), 0.0);
        assert!(close(PARAMS.sync_time(1, 2), 0.15));
        assert!(close(PARAMS.sync_time(1, 4), 0.25));
        assert!(close(PARAMS.sync_time(3, 2), 0.4));
        assert!(close(PARAMS.sync_time(4, 12), 0.6));
        let batch = LocalBatch::new(20, 2);
        // eq. 11: a 3-4-5 triangle, then two accumulation passes of 0.3 s
        assert!(close(PARAMS.step_time(2, 2, 20), 0.5));
        assert!(close(PARAMS.iter_time(2, 2, batch), 1.1));
        // eq. 8: 2·20·3 samples
        assert!(close(PARAMS.throughput(2, 2, batch), 120.0 / 1.1));
        // One GPU: nothing to overlap.
        assert_eq!(PARAMS.step_time(1, 1, 20), PARAMS.grad_time(20));
    }

    #[test]
    fn no_overlap_is_a_sum_and_full_overlap_nearly_a_maximum() {
        assert!(close(overlap(0.3, 0.4, 1.0), 0.7));
        assert!((overlap(0.3, 0.4, 10.0) - 0.4).abs() < 0.004);
        assert_eq!(overlap(0.0, 0.0, 2.0), 0.0);
        assert_eq!(overlap(1e-300, 0.0, 10.0), 1e-300);
        assert!(close(
            overlap(1e-300, 1e-300, 2.0),
            1e-300 * std::f64::consts::SQRT_2
        ));
    }

    proptest! {
        #[test]
        fn an_iteration_lies_between_maximum_and_sum(
            a in 1e-6..1e3f64, b in 1e-6..1e3f64, gamma in 1.0..10.0f64
        ) {
            let t = overlap(a, b, gamma);
            prop_assert!(t >= a.max(b) * (1.0 - 1e-12));
            prop_assert!(t <= (a + b) * (1.0 + 1e-12));
        }
    }
}
