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
use super::genome::{self, Changes, GROUP};
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
        if problem.parameters.avoidance {
            if layout.masks == 1 {
                avoid::<W>(problem, genome, changes, &mut [0], &mut [0]);
            } else {
                self.seen.fill(0);
                self.blocked.fill(0);
                avoid::<W>(problem, genome, changes, &mut self.seen, &mut self.blocked);
            }
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
                && layout.sum(&record[..layout.words]) < problem.min_replicas(job)
            {
                record[..layout.hash()].fill(0);
            }
        });
    }

    fn cap<const W: usize>(
        &mut self,
        problem: &Problem,
        job: usize,
        record: &mut [u64],
        rng: &mut Rng,
    ) {
        let layout = problem.layout.with_words::<W>();
        let most = problem.max_replicas(job);
        let most_nodes = problem.parameters.max_nodes;
        let is_narrow = layout.nodes <= most_nodes as usize
            || genome::count(&record[layout.words..layout.hash()]) <= most_nodes;
        if job < problem.pinned || (is_narrow && layout.sum(&record[..layout.words]) <= most) {
            return;
        }
        self.parts.clear();
        for m in 0..layout.masks {
            let mut mask = record[layout.words + m];
            while mask != 0 {
                let node = layout.node_of(m, mask.trailing_zeros());
                self.parts
                    .push(Part::new(node as u32, layout.get(record, node)));
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
            let Part { node, gpus, .. } = self.parts[at];
            let kept = if gpus < left { gpus } else { left };
            layout.set(record, node as usize, kept);
            left -= kept;
        }
        layout.refresh_masks(record);
    }
}

/// Leaves each node to one job that spans nodes.
#[inline]
fn avoid<const W: usize>(
    problem: &Problem,
    genome: &mut [u64],
    changes: &mut Changes,
    seen: &mut [u64],
    blocked: &mut [u64],
) {
    let layout = problem.layout.with_words::<W>();
    let records = genome.chunks_exact_mut(layout.record());
    for (job, record) in records.enumerate() {
        let (words, rest) = record.split_at_mut(layout.words);
        let masks = &mut rest[..layout.masks];
        let spans = genome::is_distributed(masks);
        // All bits if it does.
        let spanned = u64::from(spans).wrapping_neg();
        for ((blocked, seen), mask) in blocked.iter_mut().zip(&mut *seen).zip(&*masks) {
            *blocked |= *seen & mask & spanned;
            *seen |= mask & spanned;
        }
        if job < problem.pinned || !(spans || problem.parameters.reference) {
            continue;
        }
        let mut lost = 0;
        for (mask, blocked) in masks.iter_mut().zip(&*blocked) {
            lost |= *mask & blocked;
            *mask &= !blocked;
        }
        if lost != 0 {
            for (w, word) in words.iter_mut().enumerate() {
                *word &= !layout.lanes_of(blocked, w);
            }
            changes.mark(job);
        }
    }
}

/// Gives each node's GPUs to the jobs in service order, a word's nodes at a time.
fn clip<const W: usize>(
    problem: &Problem,
    genome: &mut [u64],
    may_exceed: &[bool],
    changes: &mut Changes,
) {
    let layout = problem.layout.with_words::<W>();
    for m in 0..layout.masks {
        let group = layout.group(m);
        if !may_exceed[group.clone()].contains(&true) {
            continue;
        }
        let mut left = [0; GROUP];
        for (left, &capacity) in left.iter_mut().zip(&problem.capacity[group.clone()]) {
            *left = capacity;
        }
        let records = genome.chunks_exact_mut(layout.record());
        for (job, record) in records.enumerate() {
            let (words, rest) = record.split_at_mut(layout.words);
            let words = &mut words[group.clone()];
            let high = layout.high();
            let mut enough = high;
            for (left, wanted) in left.iter().zip(&*words) {
                enough &= (left | high) - wanted;
            }
            if enough & high == high {
                for (left, wanted) in left.iter_mut().zip(&*words) {
                    *left -= wanted;
                }
                continue;
            }
            for (w, (left, word)) in left.iter_mut().zip(words).enumerate() {
                let wanted = *word;
                // All bits of the lanes in which enough is left.
                let enough = (((*left | high) - wanted) & high) >> (layout.bits - 1);
                let enough = enough * layout.lane();
                let given = (wanted & enough) | (*left & !enough);
                *left -= given;
                *word = given;
                let empty = layout.nonzero(wanted) & !layout.nonzero(given);
                rest[m] &= !((empty >> (layout.bits - 1)) << w);
            }
            changes.mark(job);
        }
    }
}
