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
use super::genome::{self, Changes, HIGH};
use super::problem::Problem;
use crate::policy::Rng;

/// The random streams of one search, and room to work in.
pub(super) struct Mutation {
    reset: Trials,
    select: Trials,
    zero: Trials,
    gain: Trials,
    /// GPUs taken, as bytes.
    used: Vec<u64>,
    /// The high bit of every node's byte, where it has GPUs.
    has_gpus: Vec<u64>,
    there: Vec<u32>,
    hit: Vec<u32>,
}

impl Mutation {
    pub(super) fn new(problem: &Problem, rng: &mut Rng) -> Self {
        let movable = (problem.layout.jobs - problem.pinned).max(1);
        Self {
            reset: Trials::new(0.1, rng),
            select: Trials::new(0.1, rng),
            zero: Trials::new(0.1, rng),
            gain: Trials::new(1.0 / movable as f64, rng),
            used: vec![0; problem.layout.words],
            has_gpus: problem
                .capacity
                .iter()
                .map(|&word| genome::nonzero(word))
                .collect(),
            there: Vec::with_capacity(64),
            hit: Vec::with_capacity(movable),
        }
    }

    /// Mutates the genome and lists the rows it wrote; `has_moved` tells whether it is another
    /// genome than it was, or may be.
    pub(super) fn apply(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) -> bool {
        let rows = (problem.layout.jobs - problem.pinned) as u32;
        let is_reset = !self.reset.none_within(rows);
        self.go_back(problem, genome, rng);
        self.thin_out(problem, genome, changes, rng);
        self.count_used(problem, genome);
        self.grow(problem, genome, changes, rng);
        is_reset || !changes.is_empty()
    }

    fn go_back(&mut self, problem: &Problem, genome: &mut [u64], rng: &mut Rng) {
        let record = problem.layout.record();
        let rows = (problem.layout.jobs - problem.pinned) as u32;
        self.reset.run(rng, rows, |_, row| {
            let job = problem.pinned + row as usize;
            genome[job * record..][..record].copy_from_slice(problem.current_row(job));
        });
    }

    fn thin_out(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) {
        let layout = problem.layout;
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
                    genome::set(words, genome::node_of(m, left.trailing_zeros()), 0);
                    *mask &= !(left & left.wrapping_neg());
                    changes.mark(job);
                });
            }
        });
    }

    /// Two parents and the current allocation put together take at most 192 of a byte.
    fn count_used(&mut self, problem: &Problem, genome: &[u64]) {
        for (w, used) in self.used.iter_mut().enumerate() {
            *used = 0;
            for record in genome.chunks_exact(problem.layout.record()) {
                *used += record[w];
            }
        }
    }

    fn grow(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) {
        let layout = problem.layout;
        let record = layout.record();
        let movable = layout.jobs - problem.pinned;
        for w in 0..layout.words {
            let used = self.used[w];
            let capacity = problem.capacity[w];
            let has_gpus = self.has_gpus[w];
            // Bytes of capacity − 1 ≥ used.
            let less_one = capacity - (has_gpus >> 7);
            let mut free = ((less_one | HIGH) - (used & !HIGH)) & !used & has_gpus;
            while free != 0 {
                let shift = free.trailing_zeros() - 7;
                free &= free - 1;
                let hit = &mut self.hit;
                hit.clear();
                self.gain.run(rng, movable as u32, |_, row| hit.push(row));
                if (used >> shift) & 0xff != 0 {
                    self.there.clear();
                    let records = genome.chunks_exact(record).skip(problem.pinned);
                    for (row, record) in records.enumerate() {
                        if (record[w] >> shift) & 0xff != 0 {
                            self.there.push(row as u32);
                        }
                    }
                    let count = self.there.len() as u32;
                    for &row in &self.there {
                        if (count == 1 || below(rng, count) == 0) && !hit.contains(&row) {
                            hit.push(row);
                        }
                    }
                }
                let most = (capacity >> shift) as u32 & 0xff;
                for &row in &*hit {
                    let job = problem.pinned + row as usize;
                    let record = &mut genome[job * record..][..record];
                    let now = (record[w] >> shift) as u32 & 0xff;
                    let more = below(rng, most - now + 1);
                    if more > 0 {
                        record[w] += u64::from(more) << shift;
                        record[layout.words + w / 8] |= 1 << (shift as usize + w % 8);
                        changes.mark(job);
                    }
                }
            }
        }
    }
}
