//! Sums of a layer by wasm's instructions for four numbers at a time, called by name: what the compiler makes of
//! the plain loop for wasm takes half as long again. Each sum is made in the same order, of the same bits.

use core::arch::wasm32::{
    f32x4, f32x4_add, f32x4_extract_lane, f32x4_mul, f32x4_splat, v128, v128_any_true, v128_xor,
};

/// Four weights of an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four(v128);

impl PartialEq for Four {
    fn eq(&self, other: &Self) -> bool {
        !v128_any_true(v128_xor(self.0, other.0))
    }
}

impl Four {
    /// Weights in fours; those left over are not among them.
    #[target_feature(enable = "simd128")]
    pub(super) fn of(weights: &[f32]) -> Vec<Self> {
        let mut fours = Vec::with_capacity(weights.len() / 4);
        for &[a, b, c, d] in weights.as_chunks().0 {
            fours.push(Self(f32x4(a, b, c, d)));
        }
        fours
    }
}

/// Adds inputs to `FOURS` times four sums, each by the next `FOURS` weights.
#[target_feature(enable = "simd128")]
pub(super) fn add<const FOURS: usize>(weights: &[Four], inputs: &[f32], sums: &mut [f32]) {
    let mut own = [f32x4_splat(0.0); FOURS];
    for (own, &[a, b, c, d]) in own.iter_mut().zip(sums.as_chunks().0) {
        *own = f32x4(a, b, c, d);
    }
    for (&input, weights) in inputs.iter().zip(weights.as_chunks::<FOURS>().0) {
        let input = f32x4_splat(input);
        for (own, weight) in own.iter_mut().zip(weights) {
            *own = f32x4_add(*own, f32x4_mul(input, weight.0));
        }
    }
    for (own, sums) in own.into_iter().zip(sums.as_chunks_mut().0) {
        *sums = [
            f32x4_extract_lane::<0>(own),
            f32x4_extract_lane::<1>(own),
            f32x4_extract_lane::<2>(own),
            f32x4_extract_lane::<3>(own),
        ];
    }
}
