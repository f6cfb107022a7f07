//! Mutation, as the artifact has it. Each step sees what the one before left:
//!
//! 1. each job's row, with probability 0.1, goes back to its current allocation;
//! 2. each row, with probability 0.1, is selected: each of its entries is zeroed with
//!    probability 0.1;
//! 3. on every node with free GPUs, each job's entry is hit with probability p₁ + p₂ − p₁p₂,
//!    p₁ = 1 / jobs, and p₂ = 1 / jobs already there for those that are: it becomes a uniform
//!    integer from what it is to the node's capacity.
//!
//! So entries only grow where there is room, and repair decides who keeps what.

use super::chance::{Trials, scale};
use super::genome::{Changes, FEW, FEW_LARGE, GROUP, Layout};
use super::problem::Problem;
use crate::Rng;
use rand_xoshiro::rand_core::Rng as _;
use std::hint::select_unpredictable;

/// The random streams of one search, and room to work in.
pub(super) struct Mutation {
    reset: Trials,
    select: Trials,
    zero: Trials,
    gain: Trials,
    /// The high bit of every node's lane, where it has GPUs.
    has_gpus: Vec<u64>,
    /// By the number of jobs on a node: p₁ + p₂ − p₁p₂ for one of them, of 2³².
    holders: Vec<u64>,
    /// Nodes with free GPUs, in masks.
    free: Vec<u64>,
    /// By mask: how many jobs are on each node, the digits in base two; right where it is free.
    crowds: Vec<[u64; DIGITS]>,
    nodes: FreeNodes,
    /// Rows with GPUs on such nodes.
    there: Vec<u32>,
}

/// A free node has fewer than 64 GPUs in use, and so fewer jobs...
const DIGITS: usize = 6;
/// ...and with lanes of four bits, fewer than 8.
const FEW_DIGITS: usize = 3;

/// The free nodes of a mask, as its bits, in order.
struct FreeNodes {
    bits: [u32; 64],
    free: u64,
    /// In each lane: how many of the nodes before are free.
    before: u64,
}

impl Default for FreeNodes {
    fn default() -> Self {
        Self {
            bits: [0; 64],
            free: 0,
            before: 0,
        }
    }
}

impl FreeNodes {
    /// Takes the nodes of a mask; how many there are.
    #[inline]
    fn list<const W: usize>(&mut self, layout: Layout, free: u64) -> u32 {
        if W == FEW {
            // Up to 16, a lane each: their number is chance, and a loop over them would branch.
            self.free = free;
            self.before = free.wrapping_mul(layout.ones()) << 4;
            return layout.sum(&[free]);
        }
        let (mut left, mut count) = (free, 0);
        while left != 0 {
            self.bits[count] = left.trailing_zeros();
            count += 1;
            left &= left - 1;
        }
        count as u32
    }

    #[inline]
    fn get<const W: usize>(&self, index: u32) -> u32 {
        if W != FEW {
            return self.bits[index as usize & 63];
        }
        // The lanes that differ from the index have their highest bit set.
        const ONES: u64 = 0x1111_1111_1111_1111;
        let off = self.before ^ (u64::from(index) * ONES);
        let differ = (((off & (7 * ONES)) + 7 * ONES) | off) >> 3;
        (self.free & !differ).trailing_zeros()
    }
}

impl Mutation {
    pub(super) fn new(problem: &Problem, rng: &mut Rng) -> Self {
        let layout = problem.layout;
        let movable = (layout.jobs - problem.pinned).max(1);
        let p1 = 1.0 / movable as f64;
        let holder = |jobs: u32| {
            let p2 = 1.0 / f64::from(jobs.max(1));
            ((p1 + p2 - p1 * p2) * 4_294_967_296.0) as u64
        };
        Self {
            reset: Trials::new(0.1, rng),
            select: Trials::new(0.1, rng),
            zero: Trials::new(0.1, rng),
            gain: Trials::new(p1, rng),
            has_gpus: problem
                .capacity
                .iter()
                .map(|&word| layout.nonzero(word))
                .collect(),
            holders: (0..1 << DIGITS).map(holder).collect(),
            free: vec![0; layout.masks],
            crowds: vec![[0; DIGITS]; layout.masks],
            nodes: FreeNodes::default(),
            there: vec![0; layout.jobs + 1],
        }
    }

    /// Mutates the genome and lists the rows it wrote; whether it is another one now, or may be.
    pub(super) fn apply<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) -> bool {
        let is_reset = self.go_back::<W>(problem, genome, changes, rng);
        self.thin_out::<W>(problem, genome, changes, rng);
        if self.find_room::<W>(problem, genome) {
            self.raise::<W>(problem, genome, changes, rng);
        }
        is_reset | !changes.is_empty()
    }

    fn go_back<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) -> bool {
        let record = problem.layout.with_words::<W>().record();
        let rows = (problem.layout.jobs - problem.pinned) as u32;
        let mut any = false;
        self.reset.run(rng, rows, |_, row, _| {
            let job = problem.pinned + row as usize;
            genome[job * record..][..record].copy_from_slice(problem.current_row::<W>(job));
            if problem.outgrown[job] {
                changes.mark(job);
            }
            any = true;
        });
        any
    }

    fn thin_out<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) {
        let layout = problem.layout.with_words::<W>();
        let rows = (layout.jobs - problem.pinned) as u32;
        let zero = &mut self.zero;
        self.select.run(rng, rows, |rng, row, _| {
            let job = problem.pinned + row as usize;
            let record = &mut genome[job * layout.record()..][..layout.record()];
            let (words, rest) = record.split_at_mut(layout.words);
            // Zeroing what is zero changes nothing: only nodes in use are tried.
            for (m, mask) in rest[..layout.masks].iter_mut().enumerate() {
                let (mut left, mut passed) = (*mask, 0);
                zero.run(rng, left.count_ones(), |_, at, _| {
                    while passed < at {
                        left &= left - 1;
                        passed += 1;
                    }
                    let (word, shift) = layout.place_of(m, left.trailing_zeros());
                    words[word] &= !(layout.lane() << shift);
                    *mask &= !(left & left.wrapping_neg());
                    changes.mark(job);
                });
            }
        });
    }

    /// Finds the nodes with free GPUs and who is on them; whether there are any.
    fn find_room<const W: usize>(&mut self, problem: &Problem, genome: &[u64]) -> bool {
        let layout = problem.layout.with_words::<W>();
        let (pinned, movable) = genome.split_at(problem.pinned * layout.record());
        let mut any = 0;
        let digits = if layout.bits == 4 { FEW_DIGITS } else { DIGITS };
        for m in 0..layout.masks {
            let group = layout.group(m);
            // Two parents and the current allocation together fill no lane.
            let mut used = [0_u64; GROUP];
            let mut crowds = [0; DIGITS];
            for record in pinned.chunks_exact(layout.record()) {
                for (used, word) in used.iter_mut().zip(&record[group.clone()]) {
                    *used += word;
                }
            }
            for record in movable.chunks_exact(layout.record()) {
                for (used, word) in used.iter_mut().zip(&record[group.clone()]) {
                    *used += word;
                }
                let mut carry = record[layout.words + m];
                for digit in &mut crowds[..digits] {
                    (*digit, carry) = (*digit ^ carry, *digit & carry);
                }
            }
            self.crowds[m] = crowds;
            let high = layout.high();
            let mut mask = 0;
            for (shift, (w, used)) in group.zip(used).enumerate() {
                let (capacity, has_gpus) = (problem.capacity[w], self.has_gpus[w]);
                // Lanes of capacity − 1 ≥ used.
                let one = has_gpus >> (layout.bits - 1);
                let free = ((capacity - one) | high) - (used & !high);
                mask |= ((free & !used & has_gpus) >> (layout.bits - 1)) << shift;
            }
            self.free[m] = mask;
            any |= mask;
        }
        any != 0
    }

    /// Raises entries on free nodes: of who is there, and of who is not.
    fn raise<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) {
        let layout = problem.layout.with_words::<W>();
        let digits = if layout.bits == 4 { FEW_DIGITS } else { DIGITS };
        let movable = (layout.jobs - problem.pinned) as u32;
        for m in 0..layout.masks {
            let free = self.free[m];
            let mask = layout.words + m;
            let mut rows = 0;
            let records = genome.chunks_exact(layout.record());
            for (job, record) in records.enumerate().skip(problem.pinned) {
                // Written whether it counts or not: a branch would be chance.
                self.there[rows] = job as u32;
                rows += usize::from(record[mask] & free != 0);
            }
            let crowds = &self.crowds[m][..digits];
            for &job in &self.there[..rows] {
                let job = job as usize;
                let record = &mut genome[job * layout.record()..][..layout.record()];
                let mut left = record[mask] & free;
                while left != 0 {
                    let bit = left.trailing_zeros();
                    let crowd = (0..).zip(crowds).fold(0, |sum, (k, digit)| {
                        sum | ((digit >> bit & 1) as usize) << k
                    });
                    let (w, shift) = layout.place_of(m, bit);
                    let most = (problem.capacity[w] >> shift & layout.lane()) as u32;
                    let now = (record[w] >> shift & layout.lane()) as u32;
                    // Without a branch, since which way it goes is chance; and so below.
                    let draw = rng.next_u64();
                    let is_hit = u32::from(draw >> 32 < self.holders[crowd]);
                    let more = scale(draw as u32, most - now + 1) * is_hit;
                    record[w] += u64::from(more) << shift;
                    changes.mark_if(job, more > 0);
                    left &= left - 1;
                }
            }
            let count = self.nodes.list::<W>(layout, free);
            let nodes = &self.nodes;
            let entries = count * movable;
            if W == FEW || W == FEW_LARGE {
                // Repair brings masks up to date, and does not ask for changes.
                let rows = &mut genome[problem.pinned * layout.record()..];
                let mut any = 0;
                self.gain.run(rng, entries, |_, at, draw| {
                    let bit = nodes.get::<W>(at / movable);
                    let (w, shift) = layout.place_of(m, bit);
                    let word = &mut rows[(at % movable) as usize * layout.record() + w];
                    let most = (problem.capacity[w] >> shift & layout.lane()) as u32;
                    // Who is there has had its chance.
                    let is_new = *word >> shift & layout.lane() == 0;
                    let gpus = select_unpredictable(is_new, scale(draw, most + 1), 0);
                    *word += u64::from(gpus) << shift;
                    any |= gpus;
                });
                changes.mark_if(0, any > 0);
                continue;
            }
            self.gain.run(rng, entries, |_, at, draw| {
                let job = problem.pinned + (at % movable) as usize;
                let bit = nodes.get::<W>(at / movable);
                let (w, shift) = layout.place_of(m, bit);
                let record = &mut genome[job * layout.record()..][..layout.record()];
                let most = (problem.capacity[w] >> shift & layout.lane()) as u32;
                // Who is there has had its chance.
                let is_new = u32::from(record[mask] >> bit & 1 == 0);
                let gpus = scale(draw, most + 1) * is_new;
                record[w] += u64::from(gpus) << shift;
                record[mask] |= u64::from(gpus > 0) << bit;
                changes.mark_if(job, gpus > 0);
            });
        }
    }
}
