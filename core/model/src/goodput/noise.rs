//! The gradient noise scale from gradients: Pollux (OSDI'21) section 3.1 and its artifact's agent,
//! after McCandlish et al. (2018), appendix A.1.
//!
//! A step at batch M has `count` gradients g_k of M/count samples each: one per replica and
//! accumulation pass. With ḡ their mean and `scale = M/M0`,
//!
//! - `sqr = (count·|ḡ|² − mean|g_k|²)/(count − 1)` estimates |g|² of the true gradient,
//! - `var = (mean|g_k|² − |ḡ|²)·scale/(count − 1)` estimates tr(Σ)/M0,
//!
//! both without bias, and φ = M0·var/sqr. With a preconditioner p (Adam: the root of its second
//! moment), each g_k is divided by p first. With a single gradient there is nothing to compare:
//! the *differenced* form takes this step's and the previous one's as two gradients of a step at
//! 2M; it is biased, since the true gradient has moved in between, and flagged as such.
//!
//! Estimates are averaged with weight θ = 0.999^scale, corrected for the start at zero, and the
//! average of biased estimates is dropped when a real one arrives.
//!
//! # Error
//!
//! Let u = 2⁻⁵³. Squares of `f32` are exact in `f64`. Sums run in `LANES` = 8 lanes over blocks of
//! `BLOCK` = 1024 elements, and blocks are added in pairs, so a sum of N squares, all ≥ 0, has relative
//! error at most (BLOCK/LANES + LANES + count + log₂(N/BLOCK) + 2)·u ≈ 1.7e-14 + log₂(N/BLOCK)·u,
//! whatever N. ḡ adds count − 1 roundings and a division to each element: its square is off by at most
//! 2·count·u relative to (mean|g_k|)², which mean|g_k|² bounds. So both norms are within
//! ε = (140 + 2·count + log₂(N))·u of mean|g_k|², and
//!
//! - |δvar|/var ≤ 2ε·mean|g_k|²/(mean|g_k|² − |ḡ|²) = 2ε·(1 + M/φ)·(1 + small),
//! - |δsqr|/sqr ≤ 2ε·count/(count − 1)·(1 + φ·count/M).
//!
//! Only where noise drowns the gradient (φ·count/M near 1e13) do roundings show; the statistical
//! error has long taken over by then.

use super::GradientStats;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Independent sums per block: what one core adds at once.
const LANES: usize = 8;

/// Elements summed before sums are added in pairs.
const BLOCK: usize = 1024;

/// θ per unit of scale.
const SMOOTHING: f64 = 0.999;

/// Why gradients give no estimate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoiseError {
    /// There is no gradient, or it has no elements.
    #[error("there are no gradients to measure")]
    Empty,
    /// Gradients or preconditioner differ in length.
    #[error("{what} has {length} elements where gradient 0 has {expected}")]
    Length {
        /// Which one.
        what: String,
        /// Its length.
        length: usize,
        /// That of the first gradient.
        expected: usize,
    },
    /// A NaN or an infinity: mixed precision overflowed, or training has diverged.
    #[error("element {index} of {what} is {value}: skip this step")]
    NotFinite {
        /// Which gradient, or the preconditioner.
        what: String,
        /// The element, from 0.
        index: usize,
        /// What stands there.
        value: String,
    },
    /// A preconditioner's element that cannot be divided by.
    #[error("element {index} of the preconditioner is {value}: it must be above 0")]
    Preconditioner {
        /// The element, from 0.
        index: usize,
        /// What stands there.
        value: String,
    },
    /// Elements are finite, but the sum of their squares is not.
    #[error("the gradients' squares exceed the range of f64")]
    Overflow,
}

/// The two norms that every estimate is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Norms {
    /// Gradients that were averaged.
    pub count: u32,
    /// mean|g_k|².
    pub mean_of_squares: f64,
    /// |ḡ|².
    pub square_of_mean: f64,
}

impl Norms {
    /// The unbiased estimates of one step at `scale` = M/M0 (for the differenced form twice that
    /// of one gradient). Either may come out below 0. `None` with fewer than two gradients.
    pub fn stats(&self, scale: f64) -> Option<GradientStats> {
        if self.count < 2 {
            return None;
        }
        let count = f64::from(self.count);
        let (mean, square) = (self.mean_of_squares, self.square_of_mean);
        Some(GradientStats {
            sqr: (count * square - mean) / (count - 1.0),
            var: (mean - square) * scale / (count - 1.0),
        })
    }
}

/// The norms of `gradients`, one slice per replica and accumulation pass; divided by the
/// preconditioner if there is one. One pass over memory; `f32` or `f64`.
///
/// # Errors
///
/// [`NoiseError`] for nothing to measure, unequal lengths, a NaN or an infinity, or a
/// preconditioner that is not above 0.
pub fn norms<T: Element>(
    gradients: &[&[T]],
    preconditioner: Option<&[T]>,
) -> Result<Norms, NoiseError> {
    let length = check_lengths(gradients, preconditioner)?;
    let mut squares = Pairwise::default();
    let mut mean_squares = Pairwise::default();
    let count = gradients.len() as f64;
    let mut sum = [0.0; BLOCK];
    let mut divisor = [0.0; BLOCK];
    let mut sound = true;
    let mut start = 0;
    while start < length {
        let mut sum_of_block = 0.0;
        let end = (start + BLOCK).min(length);
        let sum = &mut sum[..end - start];
        sum.fill(0.0);
        let divisors = preconditioner.map(|p| {
            let divisors = &mut divisor[..end - start];
            for (divisor, &p) in divisors.iter_mut().zip(&p[start..end]) {
                *divisor = p.into();
                sound &= *divisor > 0.0 && *divisor < f64::INFINITY;
            }
            &*divisors
        });
        for gradient in gradients {
            let block = &gradient[start..end];
            sum_of_block += match divisors {
                None => add_block(sum, block),
                Some(divisors) => add_divided(sum, block, divisors),
            };
        }
        squares.add(sum_of_block);
        mean_squares.add(square_block(sum, count));
        start = end;
    }
    let norms = Norms {
        count: u32::try_from(gradients.len()).unwrap_or(u32::MAX),
        mean_of_squares: squares.total() / count,
        square_of_mean: mean_squares.total(),
    };
    let finite = norms.mean_of_squares.is_finite() && norms.square_of_mean.is_finite();
    if finite && sound {
        Ok(norms)
    } else {
        Err(blame(gradients, preconditioner))
    }
}

/// The norms of the differenced form: this step's only gradient and the previous step's. Their
/// estimate belongs to twice the scale of one.
///
/// # Errors
///
/// As [`norms`].
pub fn differenced<T: Element>(
    previous: &[T],
    current: &[T],
    preconditioner: Option<&[T]>,
) -> Result<Norms, NoiseError> {
    norms(&[previous, current], preconditioner)
}

/// Gradients that arrive one after the other, as accumulation passes do, and need not be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulator {
    sum: Vec<f64>,
    squares: f64,
    count: u32,
}

impl Accumulator {
    /// For gradients of `length` elements.
    pub fn new(length: usize) -> Self {
        Self {
            sum: vec![0.0; length],
            squares: 0.0,
            count: 0,
        }
    }

    /// Takes one gradient in; nothing of it if there is an error.
    ///
    /// # Errors
    ///
    /// As [`norms`].
    pub fn add<T: Element>(
        &mut self,
        gradient: &[T],
        preconditioner: Option<&[T]>,
    ) -> Result<(), NoiseError> {
        if gradient.len() != self.sum.len() {
            return Err(NoiseError::Length {
                what: format!("gradient {}", self.count),
                length: gradient.len(),
                expected: self.sum.len(),
            });
        }
        let own = norms(&[gradient], preconditioner)?;
        match preconditioner {
            None => {
                for (sum, &g) in self.sum.iter_mut().zip(gradient) {
                    *sum += g.into();
                }
            }
            Some(p) => {
                for ((sum, &g), &p) in self.sum.iter_mut().zip(gradient).zip(p) {
                    *sum += g.into() / p.into();
                }
            }
        }
        self.squares += own.mean_of_squares;
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// The norms of all that was added; `None` before the first.
    pub fn norms(&self) -> Option<Norms> {
        if self.count == 0 {
            return None;
        }
        let count = f64::from(self.count);
        let mut squares = Pairwise::default();
        for block in self.sum.chunks(BLOCK) {
            squares.add(square_block(block, count));
        }
        Some(Norms {
            count: self.count,
            mean_of_squares: self.squares / count,
            square_of_mean: squares.total(),
        })
    }
}

/// The moving average of estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NoiseAverage {
    sqr: f64,
    var: f64,
    /// Weight given so far: 1 − Πθ.
    weight: f64,
    biased: bool,
}

impl NoiseAverage {
    /// Takes in the estimate of a step at `scale`; `biased`: it is of the differenced form.
    pub fn update(&mut self, estimate: &GradientStats, scale: f64, biased: bool) {
        if self.biased && !biased {
            *self = Self::default();
        }
        self.biased = biased;
        let theta = libm::pow(SMOOTHING, scale);
        self.sqr = theta * self.sqr + (1.0 - theta) * estimate.sqr;
        self.var = theta * self.var + (1.0 - theta) * estimate.var;
        self.weight = theta * self.weight + (1.0 - theta);
    }

    /// Whether it rests on differenced estimates.
    pub fn is_biased(&self) -> bool {
        self.biased
    }

    /// The average, neither part below 0; `None` before the first estimate.
    pub fn stats(&self) -> Option<GradientStats> {
        if self.weight <= 0.0 {
            return None;
        }
        let above_zero = |value: f64| if value > 0.0 { value } else { 0.0 };
        Some(GradientStats {
            sqr: above_zero(self.sqr / self.weight),
            var: above_zero(self.var / self.weight),
        })
    }
}

/// A number that gradients are made of.
pub trait Element: Copy + Into<f64> + sealed::Sealed {}

impl Element for f32 {}
impl Element for f64 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// Adds a block to the running sums and returns the sum of its squares.
fn add_block<T: Element>(sum: &mut [f64], block: &[T]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (mut sums, mut values) = (sum.chunks_exact_mut(LANES), block.chunks_exact(LANES));
    for (sum, values) in (&mut sums).zip(&mut values) {
        for ((lane, sum), &value) in lanes.iter_mut().zip(sum).zip(values) {
            let value: f64 = value.into();
            *sum += value;
            *lane += value * value;
        }
    }
    let mut rest = 0.0;
    for (sum, &value) in sums.into_remainder().iter_mut().zip(values.remainder()) {
        let value: f64 = value.into();
        *sum += value;
        rest += value * value;
    }
    total(&lanes) + rest
}

/// The same of quotients.
fn add_divided<T: Element>(sum: &mut [f64], block: &[T], divisors: &[f64]) -> f64 {
    let mut quotients = [0.0; BLOCK];
    let quotients = &mut quotients[..block.len()];
    for ((quotient, &value), divisor) in quotients.iter_mut().zip(block).zip(divisors) {
        *quotient = value.into() / divisor;
    }
    add_block(sum, quotients)
}

/// The sum of squares of the mean.
fn square_block(sum: &[f64], count: f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let chunks = sum.chunks_exact(LANES);
    let mut rest = 0.0;
    for &value in chunks.remainder() {
        let mean = value / count;
        rest += mean * mean;
    }
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            let mean = value / count;
            *lane += mean * mean;
        }
    }
    total(&lanes) + rest
}

fn total(lanes: &[f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Adds numbers in pairs, pairs of pairs, and so on: a binary counter of partial sums.
#[derive(Default)]
struct Pairwise {
    /// The sum of 2^i numbers at place i, where the counter has a one.
    sums: Vec<f64>,
    count: u64,
}

impl Pairwise {
    fn add(&mut self, mut value: f64) {
        let carries = self.count.trailing_ones();
        for _ in 0..carries {
            value += self.sums.pop().unwrap_or(0.0);
        }
        self.sums.push(value);
        self.count += 1;
    }

    fn total(&self) -> f64 {
        self.sums.iter().rev().sum()
    }
}

fn check_lengths<T>(gradients: &[&[T]], preconditioner: Option<&[T]>) -> Result<usize, NoiseError> {
    let expected = gradients.first().map_or(0, |gradient| gradient.len());
    if expected == 0 {
        return Err(NoiseError::Empty);
    }
    let named = gradients.iter().enumerate();
    let all = named
        .map(|(k, gradient)| (format!("gradient {k}"), gradient.len()))
        .chain(preconditioner.map(|p| ("the preconditioner".to_owned(), p.len())));
    for (what, length) in all {
        if length != expected {
            return Err(NoiseError::Length {
                what,
                length,
                expected,
            });
        }
    }
    Ok(expected)
}

/// Finds the element to blame for a sum that is not finite.
fn blame<T: Element>(gradients: &[&[T]], preconditioner: Option<&[T]>) -> NoiseError {
    let not_finite = |values: &[T]| {
        let mut values = values.iter().map(|&value| value.into());
        let index = values.clone().position(|value| !value.is_finite())?;
        Some((index, values.nth(index)?.to_string()))
    };
    for (k, gradient) in gradients.iter().enumerate() {
        if let Some((index, value)) = not_finite(gradient) {
            return NoiseError::NotFinite {
                what: format!("gradient {k}"),
                index,
                value,
            };
        }
    }
    let preconditioner = preconditioner.unwrap_or(&[]);
    if let Some((index, value)) = not_finite(preconditioner) {
        return NoiseError::NotFinite {
            what: "the preconditioner".to_owned(),
            index,
            value,
        };
    }
    let mut values = preconditioner.iter().map(|&p| p.into());
    match values.clone().position(|p| p <= 0.0) {
        Some(index) => NoiseError::Preconditioner {
            index,
            value: values.nth(index).unwrap_or(0.0).to_string(),
        },
        None => NoiseError::Overflow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The formulas, written down once more without any care for speed.
    fn plainly(gradients: &[Vec<f64>], scale: f64) -> GradientStats {
        let count = gradients.len() as f64;
        let square = |g: &[f64]| g.iter().map(|x| x * x).sum::<f64>();
        let mean: Vec<f64> = (0..gradients[0].len())
            .map(|i| gradients.iter().map(|g| g[i]).sum::<f64>() / count)
            .collect();
        let squares = gradients.iter().map(|g| square(g)).sum::<f64>() / count;
        GradientStats {
            sqr: (count * square(&mean) - squares) / (count - 1.0),
            var: (squares - square(&mean)) * scale / (count - 1.0),
        }
    }

    #[test]
    fn by_hand() {
        // g = (3, 1), (1, 1): ḡ = (2, 1), |ḡ|² = 5, mean|g|² = (10 + 2)/2 = 6.
        let norms = norms(&[&[3.0_f32, 1.0], &[1.0, 1.0]], None).expect("sound");
        let expected = Norms {
            count: 2,
            mean_of_squares: 6.0,
            square_of_mean: 5.0,
        };
        assert_eq!(norms, expected);
        // sqr = 2·5 − 6 = 4; var = (6 − 5)·8 = 8 at scale 8; φ = 16·8/4 at M0 = 16.
        let stats = norms.stats(8.0).expect("two gradients");
        assert_eq!(
            (stats.sqr, stats.var, stats.noise_scale(16)),
            (4.0, 8.0, 32.0)
        );
        // Preconditioned by (1, 0.5): g = (3, 2), (1, 2).
        let norms = super::norms(&[&[3.0, 1.0], &[1.0, 1.0]], Some(&[1.0, 0.5])).expect("sound");
        assert_eq!((norms.mean_of_squares, norms.square_of_mean), (9.0, 8.0));
        // Differenced: the same two gradients, at twice the scale of one.
        let pair = differenced(&[3.0, 1.0], &[1.0, 1.0], None).expect("sound");
        assert_eq!(pair, expected);
    }

    #[test]
    fn one_gradient_gives_norms_but_no_estimate() {
        let norms = norms(&[&[3.0, 4.0]], None).expect("sound");
        assert_eq!((norms.mean_of_squares, norms.square_of_mean), (25.0, 25.0));
        assert_eq!(norms.stats(1.0), None);
    }

    #[test]
    fn what_cannot_be_measured() {
        assert_eq!(norms::<f32>(&[], None), Err(NoiseError::Empty));
        assert_eq!(norms::<f64>(&[&[]], None), Err(NoiseError::Empty));
        let message = |gradients: &[&[f64]], p: Option<&[f64]>| {
            norms(gradients, p).expect_err("refused").to_string()
        };
        assert_eq!(
            message(&[&[1.0], &[1.0, 2.0]], None),
            "gradient 1 has 2 elements where gradient 0 has 1"
        );
        assert_eq!(
            message(&[&[1.0], &[2.0]], Some(&[])),
            "the preconditioner has 0 elements where gradient 0 has 1"
        );
        assert_eq!(
            message(&[&[1.0, 2.0], &[3.0, f64::NAN]], None),
            "element 1 of gradient 1 is NaN: skip this step"
        );
        assert_eq!(
            message(&[&[1.0, f64::INFINITY], &[3.0, 4.0]], None),
            "element 1 of gradient 0 is inf: skip this step"
        );
        assert_eq!(
            message(&[&[1.0, 2.0]], Some(&[1.0, 0.0])),
            "element 1 of the preconditioner is 0: it must be above 0"
        );
        assert_eq!(
            message(&[&[1.0, 2.0]], Some(&[-1.0, 1.0])),
            "element 0 of the preconditioner is -1: it must be above 0"
        );
        assert_eq!(
            message(&[&[1e200, 1.0]], None),
            "the gradients' squares exceed the range of f64"
        );
        assert_eq!(
            message(&[&[1.0, 2.0]], Some(&[1.0, f64::INFINITY])),
            "element 1 of the preconditioner is inf: skip this step"
        );
        let mut accumulator = Accumulator::new(2);
        assert!(accumulator.add(&[1.0, f64::NAN], None).is_err());
        assert!(accumulator.add(&[1.0], None).is_err());
        assert_eq!(accumulator.norms(), None);
    }

    #[test]
    fn the_average_by_hand() {
        let mut average = NoiseAverage::default();
        assert_eq!(average.stats(), None);
        let estimate = |sqr, var| GradientStats { sqr, var };
        // Corrected for its start at zero: the first average is the first estimate.
        average.update(&estimate(2.0, 6.0), 4.0, false);
        let stats = average.stats().expect("one estimate");
        assert!((stats.sqr - 2.0).abs() < 1e-12 && (stats.var - 6.0).abs() < 1e-12);
        // θ = 0.999⁴; weights θ and 1.
        average.update(&estimate(4.0, -30.0), 4.0, false);
        let theta = 0.999_f64.powi(4);
        let stats = average.stats().expect("two estimates");
        assert!((stats.sqr - (2.0 * theta + 4.0) / (theta + 1.0)).abs() < 1e-12);
        assert_eq!(stats.var, 0.0);
    }

    #[test]
    fn a_real_estimate_ends_the_biased_ones() {
        let mut average = NoiseAverage::default();
        let estimate = |sqr| GradientStats { sqr, var: 1.0 };
        average.update(&estimate(9.0), 1.0, true);
        assert!(average.is_biased());
        average.update(&estimate(1.0), 1.0, false);
        assert!(!average.is_biased());
        assert!((average.stats().expect("an estimate").sqr - 1.0).abs() < 1e-12);
        // A biased one after that only sets the flag.
        average.update(&estimate(3.0), 1.0, true);
        assert!(average.is_biased());
        assert!((average.stats().expect("an estimate").sqr - 2.0).abs() < 1e-3);
    }

    #[test]
    fn estimates_are_right_on_average() {
        // g_k = (1, …, 1) + noise of variance 1 per element: |g|² = N, tr(Σ) = N per gradient, so
        // at scale = count var = N as well.
        use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
        let mut rng = crate::draw::Rng::seed_from_u64(3);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let (n, count) = (4000, 4);
        let noise = 12_f64.sqrt();
        let gradients: Vec<Vec<f64>> = (0..count)
            .map(|_| (0..n).map(|_| 1.0 + noise * (uniform() - 0.5)).collect())
            .collect();
        let rows: Vec<&[f64]> = gradients.iter().map(Vec::as_slice).collect();
        let norms = norms(&rows, None).expect("sound");
        let stats = norms.stats(count as f64).expect("four gradients");
        assert!((stats.sqr / n as f64 - 1.0).abs() < 0.05);
        assert!((stats.var / n as f64 - 1.0).abs() < 0.05);
    }

    #[test]
    fn closed_forms() {
        // Constant rows 1, …, R: mean|g_k|² = (R + 1)(2R + 1)/6·N, |ḡ|² = ((R + 1)/2)²·N, so that
        // var = R(R + 1)/12·N at scale R. All sums are whole numbers or halves, so nothing is lost.
        for count in 1..=16_u32 {
            for n in [1, 7, 8, 1023, 1025, 5000] {
                let rows: Vec<Vec<f32>> = (1..=count).map(|k| vec![k as f32; n]).collect();
                let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
                let norms = norms(&rows, None).expect("sound");
                let (r, n) = (f64::from(count), n as f64);
                let mean_of_squares = (r + 1.0) * (2.0 * r + 1.0) / 6.0 * n;
                assert!((norms.mean_of_squares / mean_of_squares - 1.0).abs() < 1e-15);
                assert_eq!(norms.square_of_mean, (r + 1.0) * (r + 1.0) / 4.0 * n);
                if let Some(stats) = norms.stats(r) {
                    assert!((stats.var / (r * (r + 1.0) / 12.0 * n) - 1.0).abs() < 1e-12);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_nan_anywhere_is_refused(
            count in 1usize..=16, n in 1usize..3000, at in any::<prop::sample::Index>(),
            bad in prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY]),
        ) {
            let mut rows = vec![vec![0.5_f32; n]; count];
            let place = at.index(count * n);
            rows[place / n][place % n] = bad;
            let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
            let refused = norms(&rows, None).expect_err("refused").to_string();
            let named = format!("element {} of gradient {} is", place % n, place / n);
            prop_assert!(refused.starts_with(&named), "{}", refused);
        }

        #[test]
        fn agrees_with_the_formulas(
            count in 1usize..=16, n in 1usize..3000, seed in any::<u64>(), zeros in any::<bool>()
        ) {
            use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
            let mut rng = crate::draw::Rng::seed_from_u64(seed);
            let mut value = || match rng.next_u64() % 8 {
                0 if zeros => 0.0,
                bits => (rng.next_u64() >> 40) as f64 / f64::from(1 << 20) - bits as f64,
            };
            let p: Vec<f64> = (0..n).map(|i| 0.5 + (i % 7) as f64).collect();
            let raw: Vec<Vec<f64>> = (0..count)
                .map(|_| (0..n).map(|_| value()).collect())
                .collect();
            let divided: Vec<Vec<f64>> = raw
                .iter()
                .map(|g| g.iter().zip(&p).map(|(g, p)| g / p).collect())
                .collect();
            let rows: Vec<&[f64]> = raw.iter().map(Vec::as_slice).collect();
            let mut accumulator = Accumulator::new(n);
            for row in &rows {
                prop_assert!(accumulator.add(row, Some(&p)).is_ok());
            }
            let accumulated = accumulator.norms().expect("gradients were added");
            let norms = norms(&rows, Some(&p)).expect("sound");
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (norms.mean_of_squares + 1e-300);
            prop_assert!(near(accumulated.square_of_mean, norms.square_of_mean));
            prop_assert!(near(accumulated.mean_of_squares, norms.mean_of_squares));
            match norms.stats(count as f64) {
                None => prop_assert_eq!(count, 1),
                Some(stats) => {
                    let expected = plainly(&divided, count as f64);
                    prop_assert!(near(stats.sqr, expected.sqr));
                    prop_assert!(near(stats.var, expected.var));
                }
            }
        }
    }
}
