//! The gradient noise scale on one core, as fast as memory allows: the estimator of
//! [`switchyard::goodput::noise`] in f32, whose f64 version it falls back to where f32 does not
//! reach.
//!
//! Columns are taken [`LANES`] at a time, all rows of them: their sum over the rows and that of
//! their squares stay in registers. Squares and those of the mean go into f32 lanes, and after
//! [`RUN`] steps into an f64. So a sum of squares is within (R + RUN + LANES)·2⁻²⁴ = 5.7e-6 of the
//! exact one at R = 16, whatever the length, and ḡ adds R roundings to each element. The loops are
//! plain and over arrays, so that the compiler makes them vector code.

use multiversion::multiversion;
use std::array::from_fn;
use std::hint::black_box;
use switchyard::goodput::noise::{self, NoiseError, Norms};

/// Columns of a step: four of the narrowest vectors of x86-64.
const LANES: usize = 16;

/// Steps that are summed up in f32.
const RUN: usize = 64;

/// A number as it is stored.
pub(crate) trait Stored: Copy {
    /// Its value, exactly.
    fn widen(self) -> f32;
}

impl Stored for f32 {
    #[inline(always)]
    fn widen(self) -> f32 {
        self
    }
}

/// The upper half of an f32.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::NoUninit)]
pub(crate) struct Bf16(pub(crate) u16);

impl Bf16 {
    /// The nearest, ties to even; a NaN stays one.
    pub(crate) fn nearest(x: f32) -> Self {
        let bits = x.to_bits();
        let rounded = if x.is_nan() {
            bits | 0x40_0000
        } else {
            bits + (0x7fff + ((bits >> 16) & 1))
        };
        Self((rounded >> 16) as u16)
    }
}

impl Stored for Bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

/// The norms of `rows`, all of one length, divided by the preconditioner if there is one; one pass
/// over memory.
///
/// # Errors
///
/// As [`noise::norms`].
pub(crate) fn norms<T: Stored>(
    rows: &[&[T]],
    preconditioner: Option<&[f32]>,
) -> Result<Norms, NoiseError> {
    let length = rows.first().map_or(0, |row| row.len());
    let fits = |other: usize| other == length && other > 0;
    if !rows.iter().all(|row| fits(row.len())) || !preconditioner.is_none_or(|p| fits(p.len())) {
        return exactly(rows, preconditioner);
    }
    let share = 1.0 / rows.len() as f32;
    let (squares, mean_squares) = add_up(rows, preconditioner, share);
    let norms = Norms {
        count: u32::try_from(rows.len()).unwrap_or(u32::MAX),
        mean_of_squares: squares / rows.len() as f64,
        square_of_mean: mean_squares,
    };
    if norms.mean_of_squares.is_finite() && norms.square_of_mean.is_finite() {
        Ok(norms)
    } else {
        exactly(rows, preconditioner)
    }
}

/// Σ of squares and of the mean's squares of rows of one length. Compiled twice: for any x86-64 and
/// for those with AVX2, which give the same bits.
#[multiversion(targets("x86_64+avx2"))]
fn add_up<T: Stored>(rows: &[&[T]], preconditioner: Option<&[f32]>, share: f32) -> (f64, f64) {
    let (blocks, ends): (Vec<_>, Vec<_>) = rows.iter().map(|row| row.as_chunks::<LANES>()).unzip();
    let mut sums = Sums::default();
    match preconditioner.map(<[f32]>::as_chunks::<LANES>) {
        None => {
            for step in 0..blocks.first().map_or(0, |row| row.len()) {
                sums.add(&blocks, step, None, share);
            }
            sums.add(&ended(&ends), 0, None, share);
        }
        Some((factors, end)) => {
            for (step, factor) in factors.iter().enumerate() {
                sums.add(&blocks, step, Some(&inverse(factor)), share);
            }
            let mut factor = [1.0; LANES];
            factor[..end.len()].copy_from_slice(end);
            sums.add(&ended(&ends), 0, Some(&inverse(&factor)), share);
        }
    }
    sums.total()
}

/// The differenced form in place: the norms of the step before's gradient and this one's, which
/// replaces it.
///
/// # Errors
///
/// As [`noise::differenced`]; `previous` is replaced only without one.
pub(crate) fn differenced<T: Stored>(
    previous: &mut [T],
    current: &[T],
    preconditioner: Option<&[f32]>,
) -> Result<Norms, NoiseError> {
    let pair = norms(&[previous, current], preconditioner)?;
    previous.copy_from_slice(current);
    Ok(pair)
}

/// The same in f64, which also knows what is wrong where something is.
fn exactly<T: Stored>(rows: &[&[T]], preconditioner: Option<&[f32]>) -> Result<Norms, NoiseError> {
    let rows: Vec<Vec<f32>> = rows
        .iter()
        .map(|row| row.iter().map(|x| x.widen()).collect())
        .collect();
    let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
    noise::norms(&rows, preconditioner)
}

/// 1/p, or NaN for what cannot be divided by.
#[inline(always)]
fn inverse(p: &[f32; LANES]) -> [f32; LANES] {
    p.map(|p| {
        // From the least number above 0 to the largest that is finite: one comparison, of whole
        // numbers, which vectors have.
        let sound = p.to_bits().wrapping_sub(1) < f32::INFINITY.to_bits() - 1;
        if sound { 1.0 / p } else { f32::NAN }
    })
}

/// What is left of rows after whole steps, filled up with zeros.
fn ended<T: Stored>(ends: &[&[T]]) -> Vec<[[f32; LANES]; 1]> {
    let fill = |end: &&[T]| {
        let mut step = [0.0; LANES];
        for (to, from) in step.iter_mut().zip(*end) {
            *to = from.widen();
        }
        [step]
    };
    ends.iter().map(fill).collect()
}

/// Σ_k g_k² and (Σ_k g_k/R)², by lane, and in f64 what earlier runs came to.
#[derive(Default)]
struct Sums {
    squares: [f32; LANES],
    mean: [f32; LANES],
    steps: usize,
    totals: (f64, f64),
}

impl Sums {
    /// Adds one step of all rows, times `factor`.
    #[inline(always)]
    fn add<T: Stored>(
        &mut self,
        rows: &[impl AsRef<[[T; LANES]]>],
        step: usize,
        factor: Option<&[f32; LANES]>,
        share: f32,
    ) {
        let (mut sum, mut squares) = ([0.0; LANES], [0.0; LANES]);
        for row in rows {
            let values = &row.as_ref()[step];
            // A loop each, or the compiler cuts vectors where they do not fit.
            let mut x = values.map(T::widen);
            if let Some(factor) = factor {
                for i in 0..LANES {
                    x[i] *= factor[i];
                }
            }
            for i in 0..LANES {
                sum[i] += x[i];
            }
            for i in 0..LANES {
                squares[i] += x[i] * x[i];
            }
        }
        let mean = sum.map(|sum: f32| sum * share);
        self.squares = from_fn(|i| self.squares[i] + squares[i]);
        self.mean = from_fn(|i| self.mean[i] + mean[i] * mean[i]);
        self.steps += 1;
        if self.steps == RUN {
            self.flush();
        }
    }

    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        let total = |lanes: [f32; LANES]| lanes.into_iter().map(f64::from).sum::<f64>();
        self.totals.0 += total(std::mem::take(&mut self.squares));
        self.totals.1 += total(std::mem::take(&mut self.mean));
        self.steps = 0;
    }

    /// Σ of squares and of the mean's squares.
    fn total(mut self) -> (f64, f64) {
        self.flush();
        self.totals
    }
}

/// What one core reads: the words of `data` added up, and nothing else. Eight parts at a time, for
/// memory gives more to several streams than to one.
pub(crate) fn stream(data: &[u32]) -> u32 {
    let (steps, rest) = data.as_chunks::<LANES>();
    let part = steps.len() / 8;
    let parts: [&[[u32; LANES]]; 8] = from_fn(|i| &steps[i * part..(i + 1) * part]);
    let mut lanes = [0_u32; LANES];
    for step in 0..part {
        for part in parts {
            for i in 0..LANES {
                lanes[i] = lanes[i].wrapping_add(part[step][i]);
            }
        }
    }
    let left = steps[8 * part..].iter().flatten().chain(rest);
    black_box(
        lanes
            .iter()
            .chain(left)
            .fold(0_u32, |sum, &x| sum.wrapping_add(x)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bf16_is_the_nearest() {
        for (x, bits) in [
            (1.0, 0x3f80),
            (-2.5, 0xc020),
            // Between 1 and 1 + 2⁻⁷: the tie goes to the even one, more than half goes up.
            (1.0 + 1.0 / 256.0, 0x3f80),
            (1.004, 0x3f81),
            (1.0 + 3.0 / 256.0, 0x3f82),
            (f32::MAX, 0x7f80),
            (f32::NEG_INFINITY, 0xff80),
            (0.0, 0),
        ] {
            assert_eq!(Bf16::nearest(x).0, bits, "{x}");
        }
        assert!(Bf16::nearest(f32::NAN).widen().is_nan());
        assert!(Bf16::nearest(f32::from_bits(0x7f80_0001)).widen().is_nan());
    }

    #[test]
    fn closed_forms() {
        // Constant rows 1, 2, …, R over N elements: |g_k|² = k²N, ḡ = (R + 1)/2.
        for replicas in 1..=16_u32 {
            for n in [1, 15, 16, 17, RUN * LANES - 1, RUN * LANES, 100_003] {
                let rows: Vec<Vec<f32>> = (1..=replicas).map(|k| vec![k as f32; n]).collect();
                let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
                let found = norms(&rows, None).expect("sound");
                let (r, n) = (f64::from(replicas), n as f64);
                let mean_of_squares = (r + 1.0) * (2.0 * r + 1.0) / 6.0 * n;
                let square_of_mean = (r + 1.0) * (r + 1.0) / 4.0 * n;
                assert!((found.mean_of_squares / mean_of_squares - 1.0).abs() < 1e-6);
                assert!((found.square_of_mean / square_of_mean - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn what_cannot_be_measured_is_named() {
        let message =
            |rows: &[&[f32]], p: Option<&[f32]>| norms(rows, p).expect_err("refused").to_string();
        let bad = [1.0, f32::NAN];
        assert_eq!(
            message(&[&[1.0, 2.0], &bad], None),
            "element 1 of gradient 1 is NaN: skip this step"
        );
        assert_eq!(
            message(&[&[1.0, 2.0]], Some(&[1.0, -3.0])),
            "element 1 of the preconditioner is -3: it must be above 0"
        );
        assert_eq!(
            message(&[&[1.0], &[1.0, 2.0]], None),
            "gradient 1 has 2 elements where gradient 0 has 1"
        );
        assert_eq!(message(&[], None), "there are no gradients to measure");
        // Beyond the squares of f32, but not of f64.
        let found = norms(&[&[1e30_f32, 0.0]], None).expect("sound");
        assert!((found.mean_of_squares / 1e60 - 1.0).abs() < 1e-7);
        // A refused step leaves the gradient before it in place.
        let mut previous = [1.0, 2.0];
        assert!(differenced(&mut previous, &bad, None).is_err());
        assert_eq!(previous, [1.0, 2.0]);
        assert!(differenced(&mut previous, &[3.0, 4.0], None).is_ok());
        assert_eq!(previous, [3.0, 4.0]);
    }

    proptest! {
        #[test]
        fn agrees_with_f64(
            replicas in 1_usize..=16, n in 1_usize..20_000, seed in any::<u32>(),
            zeros in any::<bool>(), preconditioned in any::<bool>(),
        ) {
            let mut state = seed | 1;
            let mut value = || {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                let zero = zeros && state.is_multiple_of(3);
                if zero { 0.0 } else { f64::from(state) as f32 / 2e9 - 1.0 }
            };
            let rows: Vec<Vec<f32>> = (0..replicas).map(|_| (0..n).map(|_| value()).collect()).collect();
            let p: Vec<f32> = (0..n).map(|_| 1.5 + 0.5 * value()).collect();
            let p = preconditioned.then_some(p.as_slice());
            let bits: Vec<Vec<Bf16>> = rows
                .iter()
                .map(|row| row.iter().map(|&x| Bf16::nearest(x)).collect())
                .collect();
            let widened: Vec<Vec<f32>> = bits
                .iter()
                .map(|row| row.iter().map(|x| x.widen()).collect())
                .collect();
            let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
            let bits: Vec<&[Bf16]> = bits.iter().map(Vec::as_slice).collect();
            let widened: Vec<&[f32]> = widened.iter().map(Vec::as_slice).collect();
            let near = |found: Norms, exact: Norms| {
                let scale = exact.mean_of_squares;
                (found.mean_of_squares - exact.mean_of_squares).abs() <= 5e-6 * scale
                    && (found.square_of_mean - exact.square_of_mean).abs() <= 7e-6 * scale
            };
            prop_assert!(near(norms(&rows, p)?, noise::norms(&rows, p)?));
            prop_assert!(near(norms(&bits, p)?, noise::norms(&widened, p)?));
        }

        #[test]
        fn a_nan_anywhere_is_refused(
            replicas in 1_usize..=16, n in 1_usize..5000, at in any::<prop::sample::Index>(),
            infinite in any::<bool>(),
        ) {
            let mut rows = vec![vec![1.0_f32; n]; replicas];
            let place = at.index(replicas * n);
            rows[place / n][place % n] = if infinite { f32::NEG_INFINITY } else { f32::NAN };
            let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
            let named = format!("element {} of gradient {}", place % n, place / n);
            let message = norms(&rows, None).expect_err("refused").to_string();
            prop_assert!(message.starts_with(&named), "{}", message);
        }
    }
}
