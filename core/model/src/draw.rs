//! Random draws: one small seeded generator for all that draws, and no entropy of the machine, so
//! that the same seed gives the same numbers on every platform.
//!
//! The distributions are by hand: `rand`'s draw other numbers from the same seed, and the samples
//! and golden runs hang on these.

use rand_xoshiro::rand_core::Rng as _;

/// The generator.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// Uniform in 0..1.
pub fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Uniform in `0..bound`.
pub fn below(rng: &mut Rng, bound: u32) -> u32 {
    (unit(rng) * f64::from(bound)) as u32
}

/// Standard normal (Box–Muller).
pub fn normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(rng)));
    radius * libm::cos(std::f64::consts::TAU * unit(rng))
}
