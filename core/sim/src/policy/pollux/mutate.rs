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

use super::chance::{Trials, below};
use super::genome::{Changes, GROUP};
use super::problem::Problem;
use crate::policy::Rng;

/// The random streams of one search, and room to work in.
pub(super) struct Mutation {
    reset: Trials,
    select: Trials,
    zero: Trials,
    gain: Trials,
    /// The high bit of every node's lane, where it has GPUs.
    has_gpus: Vec<u64>,
    /// By word: whether a node may now be asked for more GPUs than it has.
    pub(super) may_exceed: Vec<bool>,
    /// Nodes with free GPUs, in masks.
    free: Vec<u64>,
    /// Rows with GPUs on such nodes: job, mask, and which.
    there: Vec<(u32, u32, u64)>,
    /// By mask: how many jobs are on each such node, the digits in base two.
    crowds: Vec<[u64; 6]>,
    /// Entries to be raised.
    hit: Vec<Entry>,
    /// By job and mask: those to be raised because they hold GPUs; 0 between two mutations.
    is_hit: Vec<u64>,
}

/// A job's entry on the node of a mask's bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    job: u32,
    mask: u32,
    bit: u32,
}

impl Mutation {
    pub(super) fn new(problem: &Problem, rng: &mut Rng) -> Self {
        let layout = problem.layout;
        let movable = (layout.jobs - problem.pinned).max(1);
        Self {
            reset: Trials::new(0.1, rng),
            select: Trials::new(0.1, rng),
            zero: Trials::new(0.1, rng),
            gain: Trials::new(1.0 / movable as f64, rng),
            has_gpus: problem
                .capacity
                .iter()
                .map(|&word| layout.nonzero(word))
                .collect(),
            may_exceed: vec![true; layout.words],
            free: vec![0; layout.masks],
            there: vec![(0, 0, 0); layout.jobs * layout.masks],
            // A free node has fewer than 64 GPUs in use, and so fewer jobs.
            crowds: vec![[0; 6]; layout.masks],
            hit: Vec::with_capacity(64 * layout.nodes + layout.jobs),
            is_hit: vec![0; layout.jobs * layout.masks],
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
            self.choose::<W>(problem, genome, rng);
            self.raise::<W>(problem, genome, changes, rng);
        }
        is_reset || !changes.is_empty()
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
        self.reset.run(rng, rows, |_, row| {
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
        self.select.run(rng, rows, |rng, row| {
            let job = problem.pinned + row as usize;
            let record = &mut genome[job * layout.record()..][..layout.record()];
            let (words, rest) = record.split_at_mut(layout.words);
            // Zeroing what is zero changes nothing: only nodes in use are tried.
            for (m, mask) in rest[..layout.masks].iter_mut().enumerate() {
                let (mut left, mut passed) = (*mask, 0);
                zero.run(rng, left.count_ones(), |_, at| {
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

    /// Finds the nodes with free GPUs, and those asked for more than they have; whether there are
    /// any of the first.
    fn find_room<const W: usize>(&mut self, problem: &Problem, genome: &[u64]) -> bool {
        let layout = problem.layout.with_words::<W>();
        self.free.fill(0);
        let mut any = 0;
        for m in 0..layout.masks {
            let group = layout.group(m);
            // Two parents and the current allocation together fill no lane.
            let mut used = [0_u64; GROUP];
            for record in genome.chunks_exact(layout.record()) {
                for (used, word) in used.iter_mut().zip(&record[group.clone()]) {
                    *used += word;
                }
            }
            let high = layout.high();
            let mut mask = 0;
            for (shift, (w, used)) in group.zip(used).enumerate() {
                let (capacity, has_gpus) = (problem.capacity[w], self.has_gpus[w]);
                let enough = ((capacity | high) - (used & !high)) & !used & high;
                self.may_exceed[w] = enough != high;
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

    /// Chooses the entries to be raised.
    fn choose<const W: usize>(&mut self, problem: &Problem, genome: &[u64], rng: &mut Rng) {
        let layout = problem.layout.with_words::<W>();
        self.hit.clear();
        let mut rows = 0;
        let records = genome.chunks_exact(layout.record()).enumerate();
        for (job, record) in records.skip(problem.pinned) {
            for (m, &free) in self.free[..layout.masks].iter().enumerate() {
                // Written whether it counts or not: a branch would be chance.
                let there = record[layout.words + m] & free;
                self.there[rows] = (job as u32, m as u32, there);
                rows += usize::from(there != 0);
            }
        }
        let there = &self.there[..rows];
        self.crowds.fill([0; 6]);
        for &(_, m, bits) in there {
            let mut carry = bits;
            for digit in &mut self.crowds[m as usize] {
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
        }
        for &(job, mask, bits) in there {
            let crowds = &self.crowds[mask as usize];
            let crowded = crowds[1..].iter().fold(0, |all, digit| all | digit);
            let crowd = |bit: u32| {
                let digits = (0..).zip(crowds);
                digits.fold(0, |sum, (k, digit)| sum | ((digit >> bit & 1) as u32) << k)
            };
            let mut left = bits;
            while left != 0 {
                let bit = left.trailing_zeros();
                if crowded >> bit & 1 == 0 || below(rng, crowd(bit)) == 0 {
                    self.hit.push(Entry { job, mask, bit });
                    self.is_hit[job as usize * layout.masks + mask as usize] |= 1 << bit;
                }
                left &= left - 1;
            }
        }
        let held = self.hit.len();
        let (hit, is_hit) = (&mut self.hit, &self.is_hit);
        let movable = (layout.jobs - problem.pinned) as u32;
        for (m, &free) in self.free[..layout.masks].iter().enumerate() {
            let (mut left, mut passed) = (free, 0);
            self.gain.run(rng, free.count_ones() * movable, |_, at| {
                while passed + movable <= at {
                    left &= left - 1;
                    passed += movable;
                }
                let job = problem.pinned + (at - passed) as usize;
                let bit = left.trailing_zeros();
                if is_hit[job * layout.masks + m] >> bit & 1 == 0 {
                    hit.push(Entry {
                        job: job as u32,
                        mask: m as u32,
                        bit,
                    });
                }
            });
        }
        for entry in &self.hit[..held] {
            self.is_hit[entry.job as usize * layout.masks + entry.mask as usize] = 0;
        }
    }

    fn raise<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) {
        let layout = problem.layout.with_words::<W>();
        for &Entry { job, mask, bit } in &self.hit {
            let (w, shift) = layout.place_of(mask as usize, bit);
            let record = &mut genome[job as usize * layout.record()..][..layout.record()];
            let most = (problem.capacity[w] >> shift & layout.lane()) as u32;
            let now = (record[w] >> shift & layout.lane()) as u32;
            let more = below(rng, most - now + 1);
            // Without a branch, since which way it goes is chance.
            record[w] += u64::from(more) << shift;
            record[layout.words + mask as usize] |= u64::from(now + more > 0) << bit;
            self.may_exceed[w] = true;
            changes.mark_if(job as usize, more > 0);
        }
    }
}
