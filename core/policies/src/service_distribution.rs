//! How much service jobs turn out to need: a distribution learned from history, and what a
//! scheduler can foretell from it for a job that has attained service a.
//!
//! Gittins index (Tiresias, NSDI'19 §4.2, eq. 1; Aalto et al. 2009):
//! G(a, Δ) = P(S−a ≤ Δ | S>a) / E[min(S−a, Δ) | S>a], and G(a) = sup over Δ > 0 of G(a, Δ).
//!
//! Let X(t) = Σ min(S, t) and Y(t) = |{S ≤ t}| over the samples. Then G(a, Δ) is the slope from
//! (X(a), Y(a)) to (X(a+Δ), Y(a+Δ)), and G(a) the steepest slope from a to any later sample: the
//! tangent to the upper hull of the later points. Both take O(log n). A guide by the leading bits of
//! attained service leaves few samples to search: what a look-up waits for is memory.

use super::{Fact, Mark, Plot, PlotLine};
use switchyard_explain::{Operand, Unit};

/// Samples of total service (GPU·s), prepared for look-ups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceDistribution {
    /// Distinct, ascending.
    samples: Vec<Sample>,
    /// By leading bits, from those of the first sample on: the first sample with them or greater
    /// ones; one more, the number of samples.
    guide: Vec<u32>,
}

/// What is known of one sample, side by side in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    value: f64,
    /// Sum of samples ≤ the value.
    sum: f64,
    /// X at the value.
    x: f64,
    /// Samples ≤ the value.
    count: u32,
    /// The next corner of the upper hull of the points from here on, seen from here; n at the end.
    next: u32,
    /// A corner farther on, so that a search takes O(log n) steps (skew-binary jumps).
    jump: u32,
}

impl Sample {
    fn corner(&self) -> Corner {
        (self.x, f64::from(self.count))
    }
}

/// Sign, exponent and the first eight bits of the fraction: 256 steps from a power of two to the next.
fn leading_bits(value: f64) -> usize {
    (value.to_bits() >> 44) as usize
}

impl ServiceDistribution {
    /// The distribution of samples in any order; what is not a positive finite number is left
    /// out.
    pub fn new(mut samples: Vec<f64>) -> Self {
        samples.retain(|sample| sample.is_finite() && *sample > 0.0);
        // Above 0, numbers are in the order of their bits.
        samples.sort_unstable_by_key(|sample| sample.to_bits());
        let all = samples.len();
        let mut distinct: Vec<Sample> = Vec::with_capacity(all);
        let mut sum = 0.0;
        for (i, &value) in samples.iter().enumerate() {
            sum += value;
            distinct.pop_if(|last| last.value == value);
            distinct.push(Sample {
                value,
                sum,
                x: sum + value * (all - i - 1) as f64,
                count: i as u32 + 1,
                next: 0,
                jump: 0,
            });
        }
        let mut distribution = Self {
            guide: guide(&distinct),
            samples: distinct,
        };
        distribution.build_hulls();
        distribution
    }

    /// How many samples there are.
    pub fn len(&self) -> u32 {
        self.samples.last().map_or(0, |last| last.count)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// The largest sample; 0 if there are none.
    pub fn largest(&self) -> f64 {
        self.samples.last().map_or(0.0, |last| last.value)
    }

    /// G(a, Δ); 0 beyond the largest sample, where nothing is foretold.
    pub fn index_within(&self, attained: f64, delta: f64) -> f64 {
        let within = self.within(attained, delta);
        within.map_or(0.0, |(here, there)| slope(here, there))
    }

    /// G(a), the best Δ chosen; 0 beyond the largest sample.
    pub fn index(&self, attained: f64) -> f64 {
        let best = self.best(attained);
        best.map_or(0.0, |(here, there)| slope(here, there))
    }

    /// A fact with G(a) as how many end within the best Δ, over what all that have come as far take until then.
    pub(super) fn with_ratio(&self, fact: Fact, attained: f64) -> Fact {
        let names = [
            "jobs known that ended soonest after as much",
            "what all that came as far took until then",
        ];
        by_slope(fact, self.best(attained), names)
    }

    /// A fact with G(a, Δ) in the same way.
    pub(super) fn with_ratio_within(&self, fact: Fact, attained: f64, delta: f64) -> Fact {
        let names = [
            "jobs known that ended within Δ after as much",
            "what all that came as far took, Δ at most each",
        ];
        by_slope(fact, self.within(attained, delta), names)
    }

    /// A fact with E[S−a | S>a] as what is left of all that came as far, over how many these are.
    pub(super) fn with_mean(&self, fact: Fact, attained: f64) -> Fact {
        let (left, more) = self.beyond(attained);
        let operands = [
            Operand::new(
                "what all known that came as far took from then on",
                left,
                Unit::GpuSeconds,
            ),
            Operand::new("how many these are", more, Unit::Jobs),
        ];
        fact.by("{0} ∕ {1}", operands, (left / more, Unit::GpuSeconds))
    }

    /// From where to where the slope is G(a, Δ).
    fn within(&self, attained: f64, delta: f64) -> Option<(Corner, Corner)> {
        let from = self.point(attained);
        if from.later == self.samples.len() {
            return None;
        }
        let to = self.point(attained + delta);
        Some(((from.x, from.y), (to.x, to.y)))
    }

    /// From where to where the slope is G(a).
    fn best(&self, attained: f64) -> Option<(Corner, Corner)> {
        let from = self.point(attained);
        if from.later == self.samples.len() {
            return None;
        }
        let here = (from.x, from.y);
        let mut corner = from.later;
        // Along the hull, the slope from here rises up to the tangent's corner, then falls.
        while self.rises_beyond(here, corner) {
            let far = self.samples[corner].jump as usize;
            corner = if far < self.samples.len() && self.rises_beyond(here, far) {
                far
            } else {
                self.samples[corner].next as usize
            };
        }
        Some((here, self.samples[corner].corner()))
    }

    /// E[S−a | S>a], GPU·s; infinite beyond the largest sample.
    pub fn expected_remaining(&self, attained: f64) -> f64 {
        let (left, more) = self.beyond(attained);
        if more == 0.0 {
            return f64::INFINITY;
        }
        left / more
    }

    /// Σ (S−a) over the samples beyond a, and how many these are.
    fn beyond(&self, attained: f64) -> (f64, f64) {
        let from = self.point(attained);
        (self.total() - from.x, f64::from(self.len()) - from.y)
    }

    /// The released simulator's look-up, to compare with its figures: the index is computed once
    /// per sample, for one second less than that sample, with a fixed Δ, and rounded as there.
    /// `absolute`: its bug of taking E over S instead of S−a.
    pub(super) fn index_of_simulator(&self, attained: f64, delta: f64, absolute: bool) -> f64 {
        let later = self.later(attained);
        let Some(sample) = self.samples.get(later) else {
            return 0.0;
        };
        let a = sample.value - 1.0;
        let (count_before, sum_before) = self.before(later);
        let left = f64::from(self.len() - count_before);
        // Its look-up beyond the last sample leaves that one out.
        let (count_within, sum_within) = if a + delta > self.largest() - 1.0 {
            (self.len() - 1, self.total() - self.largest())
        } else {
            self.before(self.later(a + delta))
        };
        let inside = f64::from(count_within) - f64::from(count_before);
        let origin = if absolute { 0.0 } else { a };
        let sum = (sum_within - sum_before) - origin * inside
            + delta * f64::from(self.len() - count_within);
        let p = round(inside / left, 1e5);
        // Whole numbers there: divided without a remainder.
        let e = libm::floor(sum / left);
        let e = if e > 1.0 { e } else { 1.0 };
        // Per million GPU·s there.
        round(p * 1e6 / e, 1e4) / 1e6
    }

    /// The distribution and an index over attained service.
    pub(super) fn plots(
        &self,
        index: impl Fn(f64) -> f64,
        marks: &[Mark],
        job_at: Option<f64>,
    ) -> Vec<Plot> {
        const POINTS: u32 = 96;
        if self.is_empty() {
            return Vec::new();
        }
        let least = self.samples[0].value.max(1.0);
        let reach = (self.largest() / least).max(1.0);
        let at = |i: u32| least * libm::pow(reach, f64::from(i) / f64::from(POINTS));
        let line = |name: &str, y: &dyn Fn(f64) -> f64| PlotLine {
            name: name.to_string(),
            points: (0..=POINTS).map(|i| (at(i), y(at(i)))).collect(),
            dots: false,
        };
        let plot = |title: &str, y: &str, line: PlotLine| Plot {
            title: title.to_string(),
            x: "attained service, GPU·s".to_string(),
            y: y.to_string(),
            lines: vec![line],
            marks: marks.to_vec(),
            job_at,
        };
        let all = f64::from(self.len());
        let share = |a: f64| self.point(a).y / all;
        vec![
            plot(
                "Gittins index",
                "per 1,000 GPU·s",
                line("index", &|a| index(a) * 1e3),
            ),
            plot(
                &format!("Service of {} jobs it learned from", self.len()),
                "share of jobs",
                line("at most", &share),
            ),
        ]
    }

    /// Sum of all samples.
    fn total(&self) -> f64 {
        self.samples.last().map_or(0.0, |last| last.sum)
    }

    /// The first sample beyond a ≥ 0.
    fn later(&self, a: f64) -> usize {
        let Some(first) = self.samples.first() else {
            return 0;
        };
        let bits = leading_bits(a).saturating_sub(leading_bits(first.value));
        let [from, to] = match self.guide.get(bits..bits + 2) {
            Some(&[from, to]) => [from as usize, to as usize],
            _ => return self.samples.len(),
        };
        from + self.samples[from..to].partition_point(|sample| sample.value <= a)
    }

    /// How many samples there are before the `later`-th, and their sum.
    fn before(&self, later: usize) -> (u32, f64) {
        later.checked_sub(1).map_or((0, 0.0), |k| {
            let sample = &self.samples[k];
            (sample.count, sample.sum)
        })
    }

    /// X(a), Y(a), and the first sample beyond a.
    fn point(&self, a: f64) -> Point {
        let later = self.later(a);
        let (count, sum) = self.before(later);
        let beyond = self.len() - count;
        let x = if beyond == 0 {
            sum
        } else {
            sum + a * f64::from(beyond)
        };
        Point {
            x,
            y: f64::from(count),
            later,
        }
    }

    /// Whether the slope from a point still rises beyond a corner of the hull.
    fn rises_beyond(&self, here: Corner, corner: usize) -> bool {
        let corner = &self.samples[corner];
        self.samples.get(corner.next as usize).is_some_and(|next| {
            slope(here, corner.corner()) <= slope(corner.corner(), next.corner())
        })
    }

    fn build_hulls(&mut self) {
        let n = self.samples.len();
        for sample in &mut self.samples {
            (sample.next, sample.jump) = (n as u32, n as u32);
        }
        let mut depth = vec![0u32; n + 1];
        for k in (0..n).rev() {
            let here = self.samples[k].corner();
            let mut corner = k + 1;
            while corner < n && self.rises_beyond(here, corner) {
                corner = self.samples[corner].next as usize;
            }
            depth[k] = depth[corner] + 1;
            let jump_of = |k: usize| self.samples.get(k).map_or(n, |sample| sample.jump as usize);
            let far = jump_of(corner);
            let farther = jump_of(far);
            let equal = depth[corner] - depth[far] == depth[far] - depth[farther];
            let jump = if corner < n && equal { farther } else { corner };
            (self.samples[k].next, self.samples[k].jump) = (corner as u32, jump as u32);
        }
    }
}

/// Where samples of the same leading bits begin.
fn guide(samples: &[Sample]) -> Vec<u32> {
    let mut guide = Vec::new();
    for (k, sample) in samples.iter().enumerate() {
        let bits = leading_bits(sample.value) - leading_bits(samples[0].value);
        guide.resize(guide.len().max(bits + 1), k as u32);
    }
    guide.push(samples.len() as u32);
    guide
}

struct Point {
    x: f64,
    y: f64,
    later: usize,
}

/// X and Y at some a.
type Corner = (f64, f64);

fn slope(from: Corner, to: Corner) -> f64 {
    (to.1 - from.1) / (to.0 - from.0)
}

/// A fact with the slope, per thousand, as a rise over a run, which have these names.
fn by_slope(fact: Fact, between: Option<(Corner, Corner)>, names: [&'static str; 2]) -> Fact {
    let Some((here, there)) = between else {
        return fact;
    };
    let [ended, took] = names;
    let operands = [
        Operand::new(ended, there.1 - here.1, Unit::Jobs),
        Operand::new(took, (there.0 - here.0) / 1000.0, Unit::ThousandGpuSeconds),
    ];
    let index = slope(here, there) * 1e3;
    fact.by("{0} ∕ {1}", operands, (index, Unit::PerThousandGpuSeconds))
}

/// Python 2's `round`: to the nearest, halves away from zero.
fn round(x: f64, scale: f64) -> f64 {
    libm::round(x * scale) / scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, by looking at every sample.
    fn by_definition(samples: &[f64], a: f64, delta: f64) -> f64 {
        let left: Vec<f64> = samples.iter().filter(|&&s| s > a).map(|s| s - a).collect();
        if left.is_empty() {
            return 0.0;
        }
        let ends = left.iter().filter(|&&s| s <= delta).count() as f64;
        let expected: f64 = left.iter().map(|s| s.min(delta)).sum();
        ends / expected
    }

    #[test]
    fn the_papers_toy_distribution() {
        // Services 4, 8 and 12: a new job ends within 4 with probability 1/3, at a cost of 4.
        let toy = ServiceDistribution::new(vec![8.0, 4.0, 12.0]);
        assert!((toy.index_within(0.0, 4.0) - 1.0 / 12.0).abs() < 1e-12);
        assert!((toy.index(0.0) - 1.0 / 8.0).abs() < 1e-12);
        assert!((toy.index(4.0) - 1.0 / 6.0).abs() < 1e-12);
        assert!((toy.index(11.0) - 1.0).abs() < 1e-12);
        assert_eq!(toy.index(12.0), 0.0);
        assert!((toy.expected_remaining(0.0) - 8.0).abs() < 1e-12);
        assert!((toy.expected_remaining(4.0) - 6.0).abs() < 1e-12);
        assert_eq!(toy.expected_remaining(12.0), f64::INFINITY);
    }

    #[test]
    fn nothing_is_foretold_from_nothing() {
        let none = ServiceDistribution::new(vec![f64::NAN, -1.0, 0.0]);
        assert!(none.is_empty());
        assert_eq!(none.index(0.0), 0.0);
        assert_eq!(none.index_within(5.0, 1.0), 0.0);
    }

    proptest! {
        #[test]
        fn look_ups_agree_with_the_definition(
            samples in prop::collection::vec(prop_oneof![(1u32..50).prop_map(f64::from), 0.1..1e4], 1..60),
            a in prop_oneof![(0u32..50).prop_map(f64::from), 0.0..1e4],
            delta in 0.1..1e4f64,
        ) {
            let distribution = ServiceDistribution::new(samples.clone());
            let expected = by_definition(&samples, a, delta);
            let found = distribution.index_within(a, delta);
            prop_assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{found} {expected}");
            let best = samples
                .iter()
                .filter(|&&s| s > a)
                .map(|s| by_definition(&samples, a, s - a))
                .fold(0.0, f64::max);
            let found = distribution.index(a);
            prop_assert!((found - best).abs() <= 1e-6 * best.max(1e-3), "{found} {best}");
        }
    }
}
