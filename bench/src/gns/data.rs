//! Gradients to measure, made from a seed block by block, so that a model larger than this machine's
//! memory can go to a GPU, and the f64 reference that is summed up on the way.
//!
//! Replica k's element i is a_t·(s_i + 2·n_ki): a scale a_t for each tensor, a signal that all
//! replicas share and noise of their own, both of variance 1. So mean|g_k|² is about 5·Σa², |ḡ|²
//! about (1 + 4/R)·Σa², and the noise scale 4 batches of one replica.

use super::cpu::{Bf16, Stored};
use super::models::Layout;
use anyhow::Result;
use clap::ValueEnum;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use serde::Serialize;
use switchyard::goodput::noise::{self, Norms};

/// What gradients are stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Dtype {
    F32,
    Bf16,
}

impl Dtype {
    /// Bytes of an element.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::F32 => size_of::<f32>(),
            Self::Bf16 => size_of::<Bf16>(),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
        }
    }
}

/// Elements that are made at a time.
pub(crate) const BLOCK: usize = 1 << 20;

/// The streams of random numbers besides those of the replicas' noise.
const SIGNAL: u64 = 1 << 32;
const SCALE: u64 = SIGNAL + 1;
const PRECONDITIONER: u64 = SIGNAL + 2;

/// What to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe<'a> {
    pub(crate) layout: &'a Layout,
    /// R, at least 1. The differenced form takes two rows, so two are made at least.
    pub(crate) replicas: usize,
    pub(crate) dtype: Dtype,
    pub(crate) preconditioned: bool,
    pub(crate) seed: u64,
}

/// A block of all rows.
pub(crate) struct Block<'a> {
    /// Its first element's place in a row.
    pub(crate) start: usize,
    /// At least two, values as the type holds them.
    pub(crate) rows: &'a [Vec<f32>],
    pub(crate) preconditioner: Option<&'a [f32]>,
}

/// The norms in f64.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Reference {
    /// Of R rows as they are stored.
    pub(crate) stored: Norms,
    /// Of R rows before rounding to the type; the same for f32.
    pub(crate) unrounded: Norms,
    /// Of the first two rows as stored.
    pub(crate) pair: Norms,
}

impl Recipe<'_> {
    /// Rows that are made.
    pub(crate) fn rows(&self) -> usize {
        self.replicas.max(2)
    }

    /// Makes all blocks, in order, and sums up what must come out.
    pub(crate) fn make(&self, mut sink: impl FnMut(Block<'_>) -> Result<()>) -> Result<Reference> {
        let mut sums = [Total::default(), Total::default(), Total::default()];
        let mut scales = self.scales();
        for start in (0..self.layout.stride).step_by(BLOCK) {
            let length = BLOCK.min(self.layout.stride - start);
            let scale = scales.next_block(start, length);
            let signal = self.uniform(SIGNAL, start, length);
            let exact: Vec<Vec<f32>> = (0..self.rows())
                .map(|row| {
                    let mut noise = self.uniform(row as u64, start, length);
                    for ((n, s), a) in noise.iter_mut().zip(&signal).zip(&scale) {
                        // Between tensors +0 and never −0: padding is the same in all rows.
                        *n = a * (s + 2.0 * *n) + 0.0;
                    }
                    noise
                })
                .collect();
            let preconditioner = self.preconditioned.then(|| {
                let mut p = self.uniform(PRECONDITIONER, start, length);
                for p in &mut p {
                    *p = 1.0 + 0.25 * *p;
                }
                p
            });
            let stored = match self.dtype {
                Dtype::F32 => None,
                Dtype::Bf16 => Some(exact.iter().map(|row| rounded(row)).collect::<Vec<_>>()),
            };
            let rows = stored.as_ref().unwrap_or(&exact);
            let p = preconditioner.as_deref();
            let [of_stored, of_unrounded, of_pair] = &mut sums;
            of_stored.add(rows.get(..self.replicas).unwrap_or_default(), p)?;
            of_pair.add(rows.get(..2).unwrap_or_default(), p)?;
            if stored.is_some() {
                of_unrounded.add(exact.get(..self.replicas).unwrap_or_default(), p)?;
            }
            sink(Block {
                start,
                rows,
                preconditioner: p,
            })?;
        }
        let [stored, unrounded, pair] = sums;
        Ok(Reference {
            stored: stored.norms(),
            unrounded: match self.dtype {
                Dtype::F32 => stored.norms(),
                Dtype::Bf16 => unrounded.norms(),
            },
            pair: pair.norms(),
        })
    }

    /// Uniform numbers of mean 0 and variance 1.
    fn uniform(&self, stream: u64, start: usize, length: usize) -> Vec<f32> {
        let mut rng = self.generator(stream, start as u64);
        let unit = 12_f32.sqrt() / (1 << 24) as f32;
        let mut values = Vec::with_capacity(length + 1);
        while values.len() < length {
            let bits = rng.next_u64();
            for half in [bits >> 40, (bits >> 8) & 0xff_ffff] {
                values.push((half as f32 - (1 << 23) as f32) * unit);
            }
        }
        values.truncate(length);
        values
    }

    fn generator(&self, stream: u64, start: u64) -> Xoshiro256PlusPlus {
        let mixed = self
            .seed
            .wrapping_add(stream.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_add(start.wrapping_mul(0xd1b5_4a32_d192_ed03));
        Xoshiro256PlusPlus::seed_from_u64(mixed)
    }

    fn scales(&self) -> Scales<'_> {
        Scales {
            layout: self.layout,
            rng: self.generator(SCALE, 0),
            tensor: 0,
            scale: 0.0,
        }
    }
}

/// The tensors' scales along a row, 0 between tensors.
struct Scales<'a> {
    layout: &'a Layout,
    rng: Xoshiro256PlusPlus,
    /// Tensors that have a scale; the last of them may reach into the next block.
    tensor: usize,
    scale: f32,
}

impl Scales<'_> {
    fn next_block(&mut self, start: usize, length: usize) -> Vec<f32> {
        let mut scales = vec![0.0; length];
        let mut paint = |from: usize, to: usize, scale: f32| {
            let (from, to) = (from.max(start), to.min(start + length));
            if let Some(part) = scales.get_mut(from.saturating_sub(start)..to.saturating_sub(start))
            {
                part.fill(scale);
            }
        };
        if let Some(last) = self
            .tensor
            .checked_sub(1)
            .and_then(|last| self.layout.tensors.get(last))
            && last.start + last.length > start
        {
            paint(last.start, last.start + last.length, self.scale);
        }
        while let Some(tensor) = self.layout.tensors.get(self.tensor)
            && tensor.start < start + length
        {
            // Between 1e-4 and 1e-3, as gradients' elements are in training.
            self.scale = 1e-4 + 9e-4 * ((self.rng.next_u64() >> 40) as f32 / (1 << 24) as f32);
            self.tensor += 1;
            paint(tensor.start, tensor.start + tensor.length, self.scale);
        }
        scales
    }
}

fn rounded(row: &[f32]) -> Vec<f32> {
    row.iter().map(|&x| Bf16::nearest(x).widen()).collect()
}

/// Norms of a whole row, added up from those of its blocks: both are sums over elements.
#[derive(Clone, Copy, Default)]
struct Total {
    count: u32,
    mean_of_squares: f64,
    square_of_mean: f64,
}

impl Total {
    fn add(&mut self, rows: &[Vec<f32>], preconditioner: Option<&[f32]>) -> Result<()> {
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let norms = noise::norms(&rows, preconditioner)?;
        self.count = norms.count;
        self.mean_of_squares += norms.mean_of_squares;
        self.square_of_mean += norms.square_of_mean;
        Ok(())
    }

    fn norms(self) -> Norms {
        Norms {
            count: self.count,
            mean_of_squares: self.mean_of_squares,
            square_of_mean: self.square_of_mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_make_up_the_rows_and_their_reference() {
        // Three tensors over two blocks, the second across their border.
        let lengths = [BLOCK / 2 + 1, BLOCK, 100];
        let layout = Layout::new(&lengths).expect("sound");
        let recipe = Recipe {
            layout: &layout,
            replicas: 3,
            dtype: Dtype::Bf16,
            preconditioned: true,
            seed: 7,
        };
        let (mut rows, mut p) = (vec![Vec::new(); 3], Vec::new());
        let reference = recipe
            .make(|block| {
                assert_eq!(block.start, p.len());
                for (row, part) in rows.iter_mut().zip(block.rows) {
                    row.extend_from_slice(part);
                }
                p.extend_from_slice(block.preconditioner.expect("asked for"));
                Ok(())
            })
            .expect("sound");
        let slices: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-13 * b;
        let all = noise::norms(&slices, Some(&p)).expect("sound");
        assert!(near(reference.stored.mean_of_squares, all.mean_of_squares));
        assert!(near(reference.stored.square_of_mean, all.square_of_mean));
        let pair = noise::norms(&slices[..2], Some(&p)).expect("sound");
        assert!(near(reference.pair.square_of_mean, pair.square_of_mean));
        // Rounding to bf16 shows, but not by much.
        let ratio = reference.unrounded.mean_of_squares / all.mean_of_squares;
        assert!(ratio != 1.0 && (ratio - 1.0).abs() < 1e-3, "{ratio}");
        // As the recipe says: a noise scale of 4 batches of one replica.
        let stats = all.stats(3.0).expect("three");
        assert!((stats.var / stats.sqr - 4.0).abs() < 0.1);
        // Padding is zero, tensors are not.
        for tensor in &layout.tensors {
            let row = &rows[0];
            assert!(row[tensor.start] != 0.0 && row[tensor.start + tensor.length - 1] != 0.0);
            let end = (tensor.start + tensor.length).next_multiple_of(64);
            assert!(
                row[tensor.start + tensor.length..end]
                    .iter()
                    .all(|&x| x == 0.0)
            );
        }
    }
}
