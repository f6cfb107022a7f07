//! The batch of the best goodput, as Sia's artifact looks for it. In: a fitted model, gradient statistics, limits.
//! Out: goodput, samples per GPU and accumulation passes.
//!
//! The search is that of Pollux (OSDI'21, section 4.1), with one difference to the engine's own: the largest total
//! batch may be below what the replicas need at least, as it is where a job's own batch is the limit. Then the
//! samples go down, and only those count that fill every GPU. Nor is the batch that was found cut.

use switchyard_model::goodput::{GradientStats, Limits, LocalBatch, ThroughputParams};

/// Total batches looked at.
const SAMPLES: u32 = 50;

/// Slack of the roundings.
const EPSILON: f64 = 1e-8;

/// A batch and what it is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Best {
    /// Samples per second, weighed by their efficiency; 0 where no batch is within the limits.
    pub goodput: f64,
    /// The batch.
    pub batch: LocalBatch,
}

/// The first of the best of 50 total batches, evenly spaced in the logarithm.
pub fn best(
    params: &ThroughputParams,
    stats: &GradientStats,
    limits: &Limits,
    nodes: u32,
    replicas: u32,
) -> Best {
    let replicas = replicas.max(1);
    let k = f64::from(replicas);
    let m0 = f64::from(limits.m0);
    let from = m0.max(f64::from(limits.min_local) * k);
    let to = f64::from(limits.max_batch);
    let (low, high) = (libm::log10(from), libm::log10(to));
    let mut best = Best::default();
    let mut before = None;
    for i in 0..SAMPLES {
        let total = match i {
            0 => from,
            _ if i == SAMPLES - 1 => to,
            _ => libm::pow(
                10.0,
                low + (high - low) / f64::from(SAMPLES - 1) * f64::from(i),
            ),
        };
        let batch = divide(
            total / k,
            limits.max_local,
            replicas == 1 && total > m0 + EPSILON,
        );
        let fits = (limits.min_local..=limits.max_local).contains(&batch.m);
        // Neighbours often round to the same split, and the first of equals wins anyway.
        if !fits || before == Some(batch) {
            continue;
        }
        before = Some(batch);
        let efficiency = stats.efficiency(batch.total(replicas) / m0);
        let goodput = params.throughput(nodes, replicas, batch) * efficiency;
        if goodput > best.goodput {
            best = Best { goodput, batch };
        }
    }
    best
}

/// A given total batch laid on `replicas`, in passes of at most `max_local` samples per GPU. Where a replica is
/// alone and `twice`, it makes two passes at least: gradient statistics take two samples.
pub fn split(total: f64, replicas: u32, max_local: u32, twice: bool) -> LocalBatch {
    let local = libm::ceil(total / f64::from(replicas.max(1)) - EPSILON);
    divide(local, max_local, replicas <= 1 && twice)
}

fn divide(local: f64, max_local: u32, twice: bool) -> LocalBatch {
    let least = if twice { 1.0 } else { 0.0 };
    let passes = libm::ceil(local / f64::from(max_local.max(1)) - EPSILON) - 1.0;
    let s = if passes < least { least } else { passes };
    LocalBatch::new(libm::ceil(local / (s + 1.0) - EPSILON) as u32, s as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::goodput::batch::choose;

    const LIMITS: Limits = Limits {
        m0: 128,
        max_batch: 4096,
        min_local: 32,
        max_local: 1024,
    };

    const PARAMS: ThroughputParams = ThroughputParams {
        alpha_c: 0.02,
        beta_c: 7e-4,
        alpha_n: 0.09,
        beta_n: 0.0025,
        alpha_r: 0.015,
        beta_r: 1e-4,
        gamma: 1.3,
    };

    #[test]
    fn is_the_engines_choice_where_limits_allow_one() {
        for phi in [10.0, 1000.0, 1e6] {
            let stats = GradientStats::of_noise_scale(phi, LIMITS.m0);
            for (nodes, replicas) in [(1, 1), (1, 4), (2, 8), (6, 24)] {
                let ours = best(&PARAMS, &stats, &LIMITS, nodes, replicas);
                let engine = choose(&PARAMS, &stats, &LIMITS, nodes, replicas).expect("a batch");
                assert!((ours.goodput / engine.goodput - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn more_replicas_than_the_batch_fills_have_the_least_batch() {
        let stats = GradientStats::of_noise_scale(1000.0, 128);
        let own = Limits {
            max_batch: 256,
            ..LIMITS
        };
        // 24 × 32 = 768 > 256.
        assert_eq!(
            best(&PARAMS, &stats, &own, 6, 24).batch,
            LocalBatch::new(32, 0)
        );
    }

    #[test]
    fn splits_by_hand() {
        assert_eq!(split(4096.0, 2, 1024, true), LocalBatch::new(1024, 1));
        assert_eq!(split(256.0, 1, 1024, true), LocalBatch::new(128, 1));
        assert_eq!(split(128.0, 1, 1024, false), LocalBatch::new(128, 0));
        assert_eq!(split(4096.0, 3, 1024, true), LocalBatch::new(683, 1));
    }
}
