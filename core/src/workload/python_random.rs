//! Python's `random.Random`, as far as published simulators draw from it, so that their jobs can be
//! drawn again: CPython's `Lib/random.py` and `Modules/_randommodule.c`, over the MT19937 of `rand_mt`.

use rand_mt::Mt;

/// A generator seeded as `random.Random(seed)`.
pub(super) struct PythonRandom(Mt);

impl PythonRandom {
    /// For seeds that are not negative.
    pub(super) fn new(seed: u64) -> Self {
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        let words = if high == 0 { 1 } else { 2 };
        Self(Mt::new_with_key([low, high].into_iter().take(words)))
    }

    /// `random()`: uniform in 0..1.
    pub(super) fn unit(&mut self) -> f64 {
        let a = self.0.next_u32() >> 5;
        let b = self.0.next_u32() >> 6;
        (f64::from(a) * 67_108_864.0 + f64::from(b)) / 9_007_199_254_740_992.0
    }

    /// `uniform(from, to)`.
    pub(super) fn uniform(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// The index that `choice` takes of so many, at least one.
    pub(super) fn below(&mut self, count: u32) -> u32 {
        let shift = count.leading_zeros();
        loop {
            let drawn = self.0.next_u32() >> shift.min(31);
            if drawn < count.max(1) {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_what_cpython_draws() {
        let expected = [
            (
                2,
                [
                    0.956_034_271_889_249_4,
                    0.947_827_487_059_349_4,
                    0.056_551_367_726_808_69,
                ],
                [2, 11, 5, 23, 25, 21],
                2.780_751_578_228_210_6,
            ),
            (
                12_345_678_901,
                [
                    0.946_011_815_939_731_6,
                    0.327_999_955_923_373_7,
                    0.383_790_503_100_676_4,
                ],
                [17, 22, 3, 24, 5, 10],
                2.872_641_087_031_122_5,
            ),
        ];
        for (seed, units, choices, uniform) in expected {
            let mut random = PythonRandom::new(seed);
            assert_eq!(units.map(|_| random.unit()), units);
            assert_eq!(choices.map(|_| random.below(26)), choices);
            assert_eq!(random.uniform(1.5, 3.0), uniform);
        }
        assert_eq!(PythonRandom::new(0).below(1), 0);
    }
}
