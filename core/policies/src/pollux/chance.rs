//! Random draws, made cheap: rare events by the gap to the next one, not by a draw per trial.

use crate::Rng;
use rand_xoshiro::rand_core::Rng as _;

/// A uniform integer below `bound`; the bias is less than `bound` / 2³².
pub(super) fn below(rng: &mut Rng, bound: u32) -> u32 {
    scale(rng.next_u64() as u32, bound)
}

/// A uniform 32-bit draw brought below `bound`.
pub(super) fn scale(draw: u32, bound: u32) -> u32 {
    ((u64::from(draw) * u64::from(bound)) >> 32) as u32
}

/// One random bit.
pub(super) fn coin(rng: &mut Rng) -> bool {
    rng.next_u64() >> 63 == 1
}

/// Puts a random selection of the items, in random order, at their head.
pub(super) fn shuffle_first<T>(items: &mut [T], wanted: usize, rng: &mut Rng) {
    for at in 0..wanted.min(items.len()) {
        let other = at + below(rng, (items.len() - at) as u32) as usize;
        items.swap(at, other);
    }
}

/// How many gaps are tabulated; longer ones are put together, since gaps have no memory.
const TABULATED: usize = 256;

/// An endless stream of independent trials that succeed with one probability.
///
/// Only successes cost a draw: `left` trials fail before the next one. Inversion of the geometric
/// distribution, P(gap > k) = (1−p)^(k+1), from a table with a guide by the draw's upper 8 bits.
pub(super) struct Trials {
    /// 2³² · P(gap ≤ k).
    thresholds: Vec<u64>,
    guide: [u16; 256],
    left: u32,
}

impl Trials {
    /// `probability` in (0, 1].
    pub(super) fn new(probability: f64, rng: &mut Rng) -> Self {
        let mut trials = Self {
            thresholds: Vec::with_capacity(TABULATED),
            guide: [0; 256],
            left: 0,
        };
        let mut longer = 1.0;
        while trials.thresholds.len() < TABULATED && longer > 0.0 {
            longer *= 1.0 - probability;
            trials
                .thresholds
                .push(((1.0 - longer) * 4_294_967_296.0) as u64);
        }
        let mut k = 0;
        for (byte, first) in trials.guide.iter_mut().enumerate() {
            while k < trials.thresholds.len() && trials.thresholds[k] <= (byte as u64) << 24 {
                k += 1;
            }
            *first = k as u16;
        }
        trials.left = trials.gap(rng).0;
        trials
    }

    /// Failures before the next success, and 32 random bits that were not needed for them.
    #[inline]
    fn gap(&self, rng: &mut Rng) -> (u32, u32) {
        let mut gap = 0;
        loop {
            let bits = rng.next_u64();
            let draw = bits >> 32;
            let mut k = usize::from(self.guide[(draw >> 24) as usize]);
            while let Some(&threshold) = self.thresholds.get(k) {
                if draw < threshold {
                    return (gap + k as u32, bits as u32);
                }
                k += 1;
            }
            gap += k as u32;
        }
    }

    /// Makes the next `trials`, calling `hit` with the number of each that succeeds, and 32 random
    /// bits.
    #[inline]
    pub(super) fn run(
        &mut self,
        rng: &mut Rng,
        trials: u32,
        mut hit: impl FnMut(&mut Rng, u32, u32),
    ) {
        let mut at = self.left;
        while at < trials {
            let (gap, bits) = self.gap(rng);
            hit(rng, at, bits);
            at += 1 + gap;
        }
        self.left = at - trials;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    /// Successes are as frequent as they should be, whatever the batches they are asked in.
    #[test]
    fn trials_succeed_with_their_probability() {
        for probability in [1.0, 0.5, 0.1, 1.0 / 3.0, 0.005] {
            let mut rng = Rng::seed_from_u64(7);
            let mut trials = Trials::new(probability, &mut rng);
            let (mut successes, mut by_position, mut made) = (0_u32, [0_u32; 4], 0_u32);
            while made < 400_000 {
                for batch in [4, 1, 3, 16] {
                    trials.run(&mut rng, batch, |_, at, _| {
                        successes += 1;
                        if batch == 4 {
                            by_position[at as usize] += 1;
                        }
                    });
                    made += batch;
                }
            }
            let close = |count: u32, of: f64| {
                let expected = probability * of;
                let deviation = libm::sqrt(expected * (1.0 - probability));
                (f64::from(count) - expected).abs() <= 5.0 * deviation
            };
            assert!(close(successes, f64::from(made)), "{probability}");
            for count in by_position {
                assert!(close(count, f64::from(made) / 24.0), "{probability}");
            }
        }
    }

    #[test]
    fn integers_below_a_bound_are_uniform() {
        let mut rng = Rng::seed_from_u64(3);
        let mut counts = [0_u32; 5];
        for _ in 0..50_000 {
            counts[below(&mut rng, 5) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 500));
    }
}
