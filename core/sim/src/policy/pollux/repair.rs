//! Repair: makes of any genome an allocation the cluster can give.
//!
//! 1. interference avoidance: of the jobs that span nodes, each node keeps the first in service
//!    order; the others lose their entries there;
//! 2. a row's GPUs, nodes taken in random order, end at the job's most, and at so many nodes;
//! 3. on each node, jobs in service order take what is left of its GPUs;
//! 4. a row with fewer GPUs than the job's least is none.
//!
//! Rows that were not changed meet 2 and 4 already. Pinned rows come first, and none of the steps
//! takes anything from them.

use super::chance::shuffle_first;
use super::genome::{self, Changes, HIGH};
use super::problem::Problem;
use crate::cluster::Part;
use crate::policy::Rng;

/// Room to work in.
pub(super) struct Repair {
    /// Nodes of a row, and the GPUs there.
    parts: Vec<Part>,
    seen: Vec<u64>,
    blocked: Vec<u64>,
}

impl Repair {
    pub(super) fn new(problem: &Problem) -> Self {
        Self {
            parts: Vec::with_capacity(problem.layout.nodes),
            seen: vec![0; problem.layout.masks],
            blocked: vec![0; problem.layout.masks],
        }
    }

    /// Repairs a genome whose masks are right; lists the rows it writes, and expects those listed
    /// that were written before. Only words that `may_exceed` what their nodes have are clipped.
    pub(super) fn apply<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        may_exceed: &[bool],
        changes: &mut Changes,
        rng: &mut Rng,
    ) {
        let layout = problem.layout.with_words::<W>();
        if problem.parameters.avoidance && self.interferes::<W>(problem, genome) {
            self.avoid::<W>(problem, genome, changes);
        }
        let record = layout.record();
        changes.for_each(|job| {
            self.cap::<W>(problem, job, &mut genome[job * record..][..record], rng);
        });
        clip::<W>(problem, genome, may_exceed, changes);
        if !problem.has_least {
            return;
        }
        changes.for_each(|job| {
            let record = &mut genome[job * record..][..record];
            if job >= problem.pinned
                && genome::sum(&record[..layout.words]) < problem.min_replicas(job)
            {
                record[..layout.hash()].fill(0);
            }
        });
    }

    /// Whether two jobs that span nodes share one.
    fn interferes<const W: usize>(&mut self, problem: &Problem, genome: &[u64]) -> bool {
        let layout = problem.layout.with_words::<W>();
        if layout.masks == 1 {
            let (mut once, mut twice) = (0, 0);
            for record in genome.chunks_exact(layout.record()) {
                let mask = record[layout.words];
                let spanned = if mask & mask.wrapping_sub(1) == 0 {
                    0
                } else {
                    mask
                };
                twice |= once & spanned;
                once |= spanned;
            }
            return twice != 0;
        }
        self.seen.fill(0);
        for record in genome.chunks_exact(layout.record()) {
            let masks = &record[layout.words..][..layout.masks];
            if genome::is_distributed(masks) {
                for (seen, mask) in self.seen.iter_mut().zip(masks) {
                    if *seen & mask != 0 {
                        return true;
                    }
                    *seen |= mask;
                }
            }
        }
        false
    }

    fn avoid<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
    ) {
        let layout = problem.layout.with_words::<W>();
        self.seen.fill(0);
        self.blocked.fill(0);
        let records = genome.chunks_exact_mut(layout.record());
        for (job, record) in records.enumerate() {
            let masks = layout.words..layout.hash();
            let spans = genome::is_distributed(&record[masks.clone()]);
            if spans {
                for (m, mask) in record[masks.clone()].iter().enumerate() {
                    self.blocked[m] |= self.seen[m] & mask;
                    self.seen[m] |= mask;
                }
            }
            let loses = spans || problem.parameters.reference;
            if job < problem.pinned || !loses {
                continue;
            }
            let mut lost = false;
            for (mask, blocked) in record[masks].iter_mut().zip(&self.blocked) {
                lost |= *mask & blocked != 0;
                *mask &= !blocked;
            }
            if lost {
                for (w, word) in record[..layout.words].iter_mut().enumerate() {
                    *word &= !genome::bytes_of(&self.blocked, w);
                }
                changes.mark(job);
            }
        }
    }

    fn cap<const W: usize>(
        &mut self,
        problem: &Problem,
        job: usize,
        record: &mut [u64],
        rng: &mut Rng,
    ) {
        let layout = problem.layout.with_words::<W>();
        let nodes = genome::count(&record[layout.words..layout.hash()]);
        let most = problem.max_replicas(job);
        let most_nodes = problem.parameters.max_nodes;
        if job < problem.pinned
            || (nodes <= most_nodes && genome::sum(&record[..layout.words]) <= most)
        {
            return;
        }
        self.parts.clear();
        for m in 0..layout.masks {
            let mut mask = record[layout.words + m];
            while mask != 0 {
                let node = genome::node_of(m, mask.trailing_zeros());
                self.parts
                    .push(Part::new(node as u32, genome::get(record, node)));
                mask &= mask - 1;
            }
        }
        record[..layout.words].fill(0);
        let mut left = most;
        for at in 0..self.parts.len().min(most_nodes as usize) {
            if left == 0 {
                break;
            }
            shuffle_first(&mut self.parts[at..], 1, rng);
            let Part { node, gpus } = self.parts[at];
            let kept = if gpus < left { gpus } else { left };
            genome::set(record, node as usize, kept);
            left -= kept;
        }
        genome::refresh_masks(layout, record);
    }
}

/// Gives each node's GPUs to the jobs in service order, eight nodes at a time.
fn clip<const W: usize>(
    problem: &Problem,
    genome: &mut [u64],
    may_exceed: &[bool],
    changes: &mut Changes,
) {
    let layout = problem.layout.with_words::<W>();
    for (w, &capacity) in problem.capacity[..layout.words].iter().enumerate() {
        if !may_exceed[w] {
            continue;
        }
        let mut left = capacity;
        let records = genome.chunks_exact_mut(layout.record());
        for (job, record) in records.enumerate() {
            let wanted = record[w];
            let difference = (left | HIGH) - wanted;
            if difference & HIGH == HIGH {
                left = difference & !HIGH;
                continue;
            }
            // All bits of the bytes in which enough is left.
            let enough = ((difference & HIGH) >> 7) * 0xff;
            let given = (wanted & enough) | (left & !enough);
            left -= given;
            record[w] = given;
            let empty = (genome::nonzero(wanted) & !genome::nonzero(given)) >> 7;
            record[layout.words + w / 8] &= !(empty << (w % 8));
            changes.mark(job);
        }
    }
}
