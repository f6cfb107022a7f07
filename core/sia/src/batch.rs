//! The batch of the best goodput, as Sia's artifact looks for it. In: a fitted model, gradient statistics, limits.
//! Out: goodput, samples per GPU and accumulation passes.
//!
//! The search is that of Pollux (`switchyard_model::goodput::batch`), but for its ends. The largest total batch may be
//! below what the replicas need at least, as it is where a job's own batch is the limit: then totals fall. The batch
//! found is not cut. And where no batch is within the limits, it is the first, worth nothing.

use switchyard_model::goodput::batch::totals;
use switchyard_model::goodput::{Choice, GradientStats, Limits, LocalBatch, ThroughputParams};

/// The first of the best of the batches looked at.
pub fn best(
    params: &ThroughputParams,
    stats: &GradientStats,
    limits: &Limits,
    nodes: u32,
    replicas: u32,
) -> Choice {
    let replicas = replicas.max(1);
    let least = limits.m0.max(limits.min_local.saturating_mul(replicas));
    let mut best: Option<Choice> = None;
    let mut before = None;
    for total in totals(f64::from(least), f64::from(limits.max_batch)) {
        let exceeds_m0 = total > f64::from(limits.m0) + 1e-8;
        let batch = limits.divide(total / f64::from(replicas), replicas, exceeds_m0);
        // Neighbours often round to the same split, and the first of equals wins anyway.
        if before == Some(batch) {
            continue;
        }
        before = Some(batch);
        let fits = (limits.min_local..=limits.max_local).contains(&batch.m);
        let goodput = if fits {
            let efficiency = stats.efficiency(limits.scale(batch.total(replicas)));
            params.throughput(nodes, replicas, batch) * efficiency
        } else {
            0.0
        };
        if best.is_none_or(|best| goodput > best.goodput) {
            best = Some(Choice { goodput, batch });
        }
    }
    best.unwrap_or(Choice {
        goodput: 0.0,
        batch: LocalBatch::new(limits.min_local, 0),
    })
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
        let few = best(&PARAMS, &stats, &own, 6, 24);
        assert_eq!(few.batch, LocalBatch::new(32, 0));
    }

    #[test]
    fn a_batch_outside_the_limits_is_worth_nothing() {
        let stats = GradientStats::of_noise_scale(1000.0, 128);
        let none = Limits {
            min_local: 40,
            max_local: 33,
            ..LIMITS
        };
        let first = best(&PARAMS, &stats, &none, 1, 4);
        assert_eq!((first.goodput, first.batch), (0.0, LocalBatch::new(20, 1)));
    }
}
