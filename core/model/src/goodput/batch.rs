//! The choice of batch size: per-GPU batch `m` and accumulation `s` with the best goodput on given
//! nodes and replicas (Pollux, OSDI'21, eq. 13 and section 4.1; the search as in the artifact).
//!
//! Candidates are 50 total batches, evenly spaced in the logarithm from `max(M0, min_local·K)` to
//! `Mmax`. Each is split: `local = M/K`, `s = ⌈local/max_local⌉ − 1`, at least 1 where one replica
//! exceeds M0 (gradient statistics take two samples), `m = ⌈local/(s + 1)⌉`; with `m` outside
//! `min_local..=max_local` it is none. The first of the best is chosen, then `m` is cut to
//! `⌊Mmax/(K·(s + 1))⌋`.
//!
//! Candidates depend on the limits and K alone, iteration times on the fitted parameters, and only
//! efficiency on the phase of training: [`CandidateTable`] is made once per application,
//! [`ThroughputTable`] once per fit, and a choice costs a division per candidate.

use super::throughput::softplus;
use super::{GradientStats, LocalBatch, ThroughputParams};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thiserror::Error;

/// Total batches looked at.
const SAMPLES: u32 = 50;

/// The most replicas the artifact's scheduler gives one job.
const MOST_REPLICAS: u32 = 64;

/// Slack of the roundings.
const EPSILON: f64 = 1e-8;

/// What batch sizes an application allows, in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// M0: the user's own total batch.
    pub m0: u32,
    /// Largest total batch.
    pub max_batch: u32,
    /// Smallest batch per GPU.
    pub min_local: u32,
    /// Largest batch per GPU: what its memory holds.
    pub max_local: u32,
}

/// Why limits contradict one another.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LimitsError {
    /// A limit is 0.
    #[error("{0} is 0: batch sizes are at least 1 sample")]
    Zero(&'static str),
    /// A lower limit exceeds an upper one.
    #[error("{lower} = {is} exceeds {upper} = {most}")]
    Reversed {
        /// The lower limit's name.
        lower: &'static str,
        /// Its value.
        is: u32,
        /// The upper limit's name.
        upper: &'static str,
        /// Its value.
        most: u32,
    },
}

impl Limits {
    /// The limits, if they leave a batch size to choose.
    ///
    /// # Errors
    ///
    /// Says which limit is 0, or which two are the wrong way round.
    pub fn check(self) -> Result<Self, LimitsError> {
        let named = [
            ("m0", self.m0),
            ("max_batch", self.max_batch),
            ("min_local", self.min_local),
            ("max_local", self.max_local),
        ];
        if let Some((name, _)) = named.iter().find(|(_, value)| *value == 0) {
            return Err(LimitsError::Zero(name));
        }
        let [m0, max_batch, min_local, max_local] = named;
        for (lower, upper) in [
            (m0, max_batch),
            (min_local, max_local),
            (min_local, max_batch),
        ] {
            if lower.1 > upper.1 {
                return Err(LimitsError::Reversed {
                    lower: lower.0,
                    is: lower.1,
                    upper: upper.0,
                    most: upper.1,
                });
            }
        }
        Ok(self)
    }

    /// M/M0.
    pub fn scale(&self, batch: f64) -> f64 {
        batch / f64::from(self.m0)
    }

    /// The most replicas that the limits have work for: `⌊Mmax/min_local⌋`.
    pub fn max_replicas(&self) -> u32 {
        self.max_batch / self.min_local.max(1)
    }

    /// The exploration cap of a job that ran on `most` replicas: at most twice as many, and at least one.
    pub fn explored_replicas(&self, most: u32) -> u32 {
        let explored = most.saturating_mul(2).max(1);
        explored.min(MOST_REPLICAS).min(self.max_replicas())
    }

    /// How a given total batch is laid on `replicas`, `m` cut so that the total stays within Mmax.
    pub fn split(&self, batch: u32, replicas: u32) -> LocalBatch {
        let replicas = replicas.max(1);
        let local = libm::ceil(f64::from(batch) / f64::from(replicas) - EPSILON);
        let uncut = self.divide(local, replicas, f64::from(batch) > f64::from(self.m0));
        self.cut(uncut, replicas)
    }

    /// So many samples per GPU and step, in passes that a GPU holds.
    pub fn divide(&self, local: f64, replicas: u32, exceeds_m0: bool) -> LocalBatch {
        let mut s = libm::ceil(local / f64::from(self.max_local) - EPSILON) - 1.0;
        let least = if replicas == 1 && exceeds_m0 {
            1.0
        } else {
            0.0
        };
        if s < least {
            s = least;
        }
        let m = libm::ceil(local / (s + 1.0) - EPSILON);
        LocalBatch::new(m as u32, s as u32)
    }

    /// `m` cut so that the total over `replicas` stays within Mmax.
    pub fn cut(&self, LocalBatch { m, s }: LocalBatch, replicas: u32) -> LocalBatch {
        let passes = u64::from(replicas.max(1)) * (u64::from(s) + 1);
        let most = u64::from(self.max_batch) / passes;
        LocalBatch::new(m.min(most as u32).max(1), s)
    }

    /// The candidates for `replicas`, smallest total first; none where every split is outside the
    /// limits.
    fn candidates(&self, replicas: u32, out: &mut Vec<Candidate>) {
        let replicas = replicas.max(1);
        if replicas > self.max_replicas() {
            return;
        }
        let k = f64::from(replicas);
        let first = out.len();
        let least = f64::from(self.m0).max(f64::from(self.min_local) * k);
        for total in totals(least, f64::from(self.max_batch)) {
            let local = total / k;
            let batch = self.divide(local, replicas, local > f64::from(self.m0) + EPSILON);
            if batch.m < self.min_local || batch.m > self.max_local {
                continue;
            }
            let scale = self.scale(batch.total(replicas));
            let candidate = Candidate { batch, scale };
            // Neighbours often round to the same split, and the first of equals wins anyway.
            if out.get(first..).and_then(<[_]>::last) != Some(&candidate) {
                out.push(candidate);
            }
        }
    }
}

/// The total batches that are looked at between two, evenly spaced in the logarithm.
pub fn totals(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let (low, high) = (libm::log10(from), libm::log10(to));
    let step = (high - low) / f64::from(SAMPLES - 1);
    (0..SAMPLES).map(move |i| match i {
        0 => from,
        _ if i == SAMPLES - 1 => to,
        _ => libm::pow(10.0, low + step * f64::from(i)),
    })
}

/// One way to lay a batch on GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    batch: LocalBatch,
    /// M/M0.
    scale: f64,
}

/// A batch size chosen by its goodput.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Useful samples per second: throughput × efficiency.
    pub goodput: f64,
    /// The batch.
    pub batch: LocalBatch,
}

/// The choice for given parameters and statistics, computed from nothing; where many are wanted,
/// [`ThroughputTable`] is faster. `None` where no split is within the limits.
pub fn choose(
    params: &ThroughputParams,
    stats: &GradientStats,
    limits: &Limits,
    nodes: u32,
    replicas: u32,
) -> Option<Choice> {
    let replicas = replicas.max(1);
    choose_by(limits, replicas, |batch| {
        let throughput = params.throughput(nodes, replicas, batch);
        throughput * stats.efficiency(limits.scale(batch.total(replicas)))
    })
}

/// The choice by the goodput of a batch from any source, such as a true profile.
pub fn choose_by(
    limits: &Limits,
    replicas: u32,
    mut goodput: impl FnMut(LocalBatch) -> f64,
) -> Option<Choice> {
    let mut candidates = Vec::with_capacity(SAMPLES as usize);
    limits.candidates(replicas, &mut candidates);
    let goodputs = candidates.iter().map(|c| (c, goodput(c.batch)));
    best(limits, replicas, goodputs)
}

/// A point of a [`curve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Total batch, samples.
    pub batch: f64,
    /// Samples per second.
    pub throughput: f64,
    /// Progress per sample, relative to M0.
    pub efficiency: f64,
}

/// Total batches looked at for a curve.
const CURVE: u32 = 60;

/// How a job fares on `replicas` with every batch size, by increasing batch, for people to see.
/// `model`: seconds of an iteration with a batch, and statistics at its total.
pub fn curve(
    limits: &Limits,
    replicas: u32,
    mut model: impl FnMut(LocalBatch, f64) -> (f64, GradientStats),
) -> Vec<CurvePoint> {
    let replicas = replicas.max(1);
    let least = limits.m0.max(limits.min_local.saturating_mul(replicas));
    let ratio = f64::from(limits.max_batch) / f64::from(least);
    let mut points: Vec<CurvePoint> = Vec::new();
    for i in 0..CURVE {
        let total = libm::pow(ratio, f64::from(i) / f64::from(CURVE - 1)) * f64::from(least);
        let local = limits.split(libm::round(total) as u32, replicas);
        if !(limits.min_local..=limits.max_local).contains(&local.m) {
            continue;
        }
        let batch = local.total(replicas);
        if points.last().is_none_or(|before| batch > before.batch) {
            let (seconds, stats) = model(local, batch);
            points.push(CurvePoint {
                batch,
                throughput: batch / seconds,
                efficiency: stats.efficiency(limits.scale(batch)),
            });
        }
    }
    points
}

/// The first of the best.
fn best<'c>(
    limits: &Limits,
    replicas: u32,
    candidates: impl Iterator<Item = (&'c Candidate, f64)>,
) -> Option<Choice> {
    let mut best: Option<(f64, &Candidate)> = None;
    for (candidate, goodput) in candidates {
        if best.is_none_or(|(most, _)| goodput > most) {
            best = Some((goodput, candidate));
        }
    }
    best.map(|(goodput, candidate)| Choice {
        goodput,
        batch: limits.cut(candidate.batch, replicas.max(1)),
    })
}

/// The candidates of every number of replicas: made once per application and shared by its jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateTable {
    limits: Limits,
    /// The most GPUs of a node: more replicas are never on one.
    per_node: u32,
    /// Where each K's candidates begin; K = 1 first, one entry more than there are K.
    starts: Vec<u32>,
    candidates: Vec<Candidate>,
}

impl CandidateTable {
    /// The table for 1 to `max_replicas` replicas, or as many as the limits have work for, on
    /// nodes of at most `per_node` GPUs.
    pub fn new(limits: Limits, max_replicas: u32, per_node: u32) -> Self {
        let mut table = Self {
            limits,
            per_node,
            starts: vec![0],
            candidates: Vec::new(),
        };
        for replicas in 1..=max_replicas.min(limits.max_replicas()) {
            limits.candidates(replicas, &mut table.candidates);
            table.starts.push(table.candidates.len() as u32);
        }
        table
    }

    /// The limits it was made for.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The most replicas it covers.
    pub fn max_replicas(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    fn range(&self, replicas: u32) -> Option<std::ops::Range<usize>> {
        let index = (replicas as usize).checked_sub(1)?;
        let (start, end) = (self.starts.get(index)?, self.starts.get(index + 1)?);
        Some(*start as usize..*end as usize)
    }
}

/// Throughput of every candidate under one fit: choices at the cost of a division per candidate.
///
/// The model knows of nodes only whether there is more than one, so there are two columns.
#[derive(Clone, Debug, PartialEq)]
pub struct ThroughputTable {
    candidates: Arc<CandidateTable>,
    /// Most replicas filled in.
    filled: u32,
    /// Samples per second on one node, as far as replicas fit, and across nodes; by candidate.
    local: Vec<f64>,
    spread: Vec<f64>,
    params: ThroughputParams,
}

impl ThroughputTable {
    /// The table for up to `max_replicas` replicas; [`grow`](Self::grow) adds more.
    pub fn new(
        candidates: Arc<CandidateTable>,
        params: ThroughputParams,
        max_replicas: u32,
    ) -> Self {
        let mut table = Self {
            candidates,
            filled: 0,
            local: Vec::new(),
            spread: Vec::new(),
            params,
        };
        table.grow(max_replicas);
        table
    }

    /// Takes new parameters, keeping the memory.
    pub fn refit(&mut self, params: ThroughputParams) {
        let filled = self.filled;
        self.params = params;
        self.filled = 0;
        self.local.clear();
        self.spread.clear();
        self.grow(filled);
    }

    /// The parameters it was made of.
    pub fn params(&self) -> &ThroughputParams {
        &self.params
    }

    /// Fills in up to `max_replicas`, as far as there are candidates.
    pub fn grow(&mut self, max_replicas: u32) {
        let last = max_replicas.min(self.candidates.max_replicas());
        for replicas in self.filled + 1..=last {
            let Some(range) = self.candidates.range(replicas) else {
                return;
            };
            let local = libm::log(self.params.sync_time(1, replicas));
            let spread = libm::log(self.params.sync_time(2, replicas));
            for candidate in &self.candidates.candidates[range] {
                let grad = self.params.grad_time(candidate.batch.m);
                let log = libm::log(grad);
                let accumulation = f64::from(candidate.batch.s) * grad;
                let batch = candidate.scale * f64::from(self.candidates.limits.m0);
                let gamma = self.params.gamma;
                // One replica has no T_sync, whose logarithm is −∞: nothing is added.
                let rate = |sync: f64| {
                    let step = grad * libm::exp(softplus(gamma * (sync - log)).0 / gamma);
                    batch / (accumulation + step)
                };
                if replicas <= self.candidates.per_node {
                    self.local.push(rate(local));
                }
                self.spread.push(rate(spread));
            }
            self.filled = replicas;
        }
    }

    /// The choice on `nodes` and `replicas`; `None` beyond what is filled in, for more replicas on
    /// one node than it has GPUs, and where no split is within the limits.
    pub fn choose(&self, stats: &GradientStats, nodes: u32, replicas: u32) -> Option<Choice> {
        let range = self.candidates.range(replicas)?;
        let rates = if nodes <= 1 {
            &self.local
        } else {
            &self.spread
        };
        let rates = rates.get(range.clone())?;
        let candidates = self.candidates.candidates.get(range)?;
        let goodputs = candidates
            .iter()
            .zip(rates)
            .map(|(candidate, rate)| (candidate, rate * stats.efficiency(candidate.scale)));
        best(&self.candidates.limits, replicas, goodputs)
    }

    /// The best goodput on `nodes` and `replicas`, samples per second; 0 where there is none.
    pub fn goodput(&self, stats: &GradientStats, nodes: u32, replicas: u32) -> f64 {
        self.choose(stats, nodes, replicas)
            .map_or(0.0, |choice| choice.goodput)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CIFAR10: Limits = Limits {
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
    fn contradictions_are_refused() {
        assert_eq!(CIFAR10.check(), Ok(CIFAR10));
        let zero = Limits { m0: 0, ..CIFAR10 };
        assert_eq!(zero.check(), Err(LimitsError::Zero("m0")));
        let reversed = Limits {
            min_local: 2000,
            ..CIFAR10
        };
        assert_eq!(
            reversed.check().unwrap_err().to_string(),
            "min_local = 2000 exceeds max_local = 1024"
        );
    }

    #[test]
    fn splits_by_hand() {
        // 4096/2 = 2048 per GPU: two passes of 1024.
        let split = |batch, replicas| {
            let LocalBatch { m, s } = CIFAR10.split(batch, replicas);
            (m, s)
        };
        assert_eq!(split(4096, 2), (1024, 1));
        assert_eq!(split(4096, 12), (341, 0));
        // One GPU beyond M0 accumulates for its statistics: 256 = 2·128.
        assert_eq!(split(256, 1), (128, 1));
        assert_eq!(split(128, 1), (128, 0));
        // ⌈4096/3⌉ = 1366 = 2·683, cut to ⌊4096/6⌋ = 682.
        assert_eq!(split(4096, 3), (682, 1));
    }

    #[test]
    fn candidates_by_hand() {
        let mut out = Vec::new();
        CIFAR10.candidates(1, &mut out);
        let at = |i: usize| (out[i].batch.m, out[i].batch.s);
        assert_eq!(at(0), (128, 0));
        // 128·32^(1/49) = 137.4 on one GPU: two passes of 69.
        assert_eq!(at(1), (69, 1));
        assert_eq!(at(out.len() - 1), (1024, 3));
        out.clear();
        // 128 replicas of 32 are Mmax exactly.
        CIFAR10.candidates(128, &mut out);
        assert_eq!(
            out.iter().map(|c| c.batch).collect::<Vec<_>>(),
            [LocalBatch::new(32, 0)]
        );
        assert_eq!(CIFAR10.max_replicas(), 128);
    }

    #[test]
    fn noise_decides_between_m0_and_the_largest_batch() {
        let pick = |phi| {
            let stats = GradientStats::of_noise_scale(phi, CIFAR10.m0);
            choose(&PARAMS, &stats, &CIFAR10, 2, 8).expect("within the limits")
        };
        // Without noise a larger batch gains nothing: the smallest, 8·32 = 256.
        assert_eq!(pick(0.0).batch, LocalBatch::new(32, 0));
        // All noise: throughput decides. 8·512 = 4096 in one pass.
        let most = LocalBatch::new(512, 0);
        assert_eq!(pick(f64::INFINITY).batch, most);
        let throughput = PARAMS.throughput(2, 8, most);
        assert!((pick(f64::INFINITY).goodput - throughput).abs() < 1e-9);
    }

    #[test]
    fn no_way_within_the_limits() {
        let narrow = Limits {
            m0: 128,
            max_batch: 128,
            min_local: 32,
            max_local: 100,
        };
        let stats = GradientStats { sqr: 1.0, var: 1.0 };
        assert_eq!(choose(&PARAMS, &stats, &narrow, 2, 5), None);
        assert_eq!(CandidateTable::new(narrow, 64, 8).max_replicas(), 4);
        // Two passes of 64 on one GPU.
        let choice = choose(&PARAMS, &stats, &narrow, 1, 1).expect("a split");
        assert_eq!(choice.batch, LocalBatch::new(64, 1));
    }

    proptest! {
        #[test]
        fn a_choice_is_within_the_limits_and_the_best_of_the_table(
            m0 in 1u32..300, max in 1u32..40, min_local in 1u32..64, span in 0u32..500,
            replicas in 1u32..80, nodes in 1u32..20, phi in 0.0..1e5f64
        ) {
            let limits = Limits {
                m0,
                max_batch: (m0 * max).max(min_local),
                min_local,
                max_local: min_local + span,
            };
            prop_assert!(limits.check().is_ok());
            let stats = GradientStats::of_noise_scale(phi, m0);
            let table = Arc::new(CandidateTable::new(limits, 64, 8));
            let table = ThroughputTable::new(table, PARAMS, 64);
            let choice = choose(&PARAMS, &stats, &limits, nodes, replicas);
            let tabled = table.choose(&stats, nodes, replicas);
            if replicas > limits.max_replicas() || replicas > 64 || nodes == 1 && replicas > 8 {
                prop_assert_eq!(tabled, None);
            } else {
                prop_assert_eq!(tabled.is_some(), choice.is_some());
                if let (Some(a), Some(b)) = (tabled, choice) {
                    prop_assert!((a.goodput - b.goodput).abs() <= 1e-12 * b.goodput);
                    prop_assert!(a.batch.m <= limits.max_local);
                    prop_assert!(a.batch.total(replicas) <= f64::from(limits.max_batch));
                }
            }
        }

        #[test]
        fn goodput_at_m0_on_one_gpu_is_throughput(phi in 0.0..1e6f64, m0 in 32u32..1024) {
            let limits = Limits { m0, max_batch: m0, ..CIFAR10 };
            let stats = GradientStats::of_noise_scale(phi, m0);
            let choice = choose(&PARAMS, &stats, &limits, 1, 1).expect("M0 fits");
            prop_assert_eq!(choice.batch, LocalBatch::new(m0, 0));
            let throughput = PARAMS.throughput(1, 1, choice.batch);
            prop_assert!((choice.goodput - throughput).abs() <= 1e-12 * throughput);
        }
    }
}
