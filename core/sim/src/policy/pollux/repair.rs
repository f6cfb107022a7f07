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
//!
//! No step looks at rows further down, so that where one mask covers all nodes, rows are repaired,
//! completed and weighed one after the other, in one pass.

use super::chance::shuffle_first;
use super::fitness::{Fitness, Sums, evaluate};
use super::genome::{self, ANY, Changes, FEW_LARGE, GROUP};
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

    /// Repairs a genome whose masks are right, brings its records up to date and weighs it: its
    /// hash and fitness. The changes are the rows that were written, which are none afterwards.
    pub(super) fn settle<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) -> (u64, Fitness) {
        if W != ANY {
            return self.settle_rows::<W>(problem, genome, changes, rng);
        }
        self.apply(problem, genome, changes, rng);
        problem.refresh(genome, changes);
        evaluate(problem, genome)
    }

    /// All in one pass.
    fn settle_rows<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) -> (u64, Fitness) {
        let layout = problem.layout.with_words::<W>();
        let (high, parameters) = (layout.high(), &problem.parameters);
        // Of short rows, it takes longer to ask than to write them all: a branch would be chance.
        let always = W <= FEW_LARGE;
        let mut sums = Sums::default();
        let (mut seen, mut blocked) = (0_u64, 0_u64);
        let mut left = [0; GROUP];
        left[..layout.words].copy_from_slice(&problem.capacity[..layout.words]);
        for (job, record) in genome.chunks_exact_mut(layout.record()).enumerate() {
            let is_pinned = job < problem.pinned;
            let mut is_changed = always || changes.has(job);
            if parameters.avoidance {
                let mask = record[layout.words];
                let spans = genome::is_distributed(&[mask]);
                let spanned = u64::from(spans).wrapping_neg();
                blocked |= seen & mask & spanned;
                seen |= mask & spanned;
                let may_lose = !is_pinned & (spans | parameters.reference);
                let lost = mask & blocked & u64::from(may_lose).wrapping_neg();
                if always || lost != 0 {
                    for (w, word) in record[..layout.words].iter_mut().enumerate() {
                        *word &= !layout.lanes_of(&[lost], w);
                    }
                    record[layout.words] &= !lost;
                    is_changed = true;
                }
            }
            if is_changed {
                self.cap::<W>(problem, job, record, rng);
            }
            let (words, rest) = record.split_at_mut(layout.words);
            let is_short = always || {
                let enough = left
                    .iter()
                    .zip(&*words)
                    .fold(high, |enough, (left, wanted)| {
                        enough & ((left | high) - wanted)
                    });
                enough != high
            };
            if is_short {
                is_changed = true;
                for (w, (left, word)) in left.iter_mut().zip(&mut *words).enumerate() {
                    rest[0] &= !layout.take(left, word, w);
                }
            } else {
                for (left, wanted) in left.iter_mut().zip(&*words) {
                    *left -= wanted;
                }
            }
            if is_changed {
                if problem.has_least && !is_pinned && layout.sum(words) < problem.min_replicas(job)
                {
                    words.fill(0);
                    rest[0] = 0;
                }
                problem.refresh_row::<W>(job, record);
            }
            sums.add::<W>(problem, record);
        }
        changes.clear();
        sums.weigh(problem)
    }

    /// Repairs a genome whose masks are right; lists the rows it writes, and expects those listed
    /// that were written before.
    fn apply(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) {
        let layout = problem.layout;
        if problem.parameters.avoidance {
            self.avoid(problem, genome, changes);
        }
        let record = layout.record();
        changes.for_each(|job| {
            self.cap::<ANY>(problem, job, &mut genome[job * record..][..record], rng);
        });
        clip(problem, genome, changes);
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

    /// Leaves each node to one job that spans nodes.
    fn avoid(&mut self, problem: &Problem, genome: &mut [u64], changes: &mut Changes) {
        let layout = problem.layout;
        let (seen, blocked) = (&mut self.seen, &mut self.blocked);
        seen.fill(0);
        blocked.fill(0);
        let records = genome.chunks_exact_mut(layout.record());
        for (job, record) in records.enumerate() {
            let (words, rest) = record.split_at_mut(layout.words);
            let masks = &mut rest[..layout.masks];
            let spans = genome::is_distributed(masks);
            if spans {
                for ((blocked, seen), mask) in blocked.iter_mut().zip(&mut *seen).zip(&*masks) {
                    *blocked |= *seen & mask;
                    *seen |= mask;
                }
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

/// Gives each node's GPUs to the jobs in service order, a word's nodes at a time.
fn clip(problem: &Problem, genome: &mut [u64], changes: &mut Changes) {
    let layout = problem.layout;
    for m in 0..layout.masks {
        let group = layout.group(m);
        let mut left = [0; GROUP];
        left[..group.len()].copy_from_slice(&problem.capacity[group.clone()]);
        let records = genome.chunks_exact_mut(layout.record());
        for (job, record) in records.enumerate() {
            let (words, rest) = record.split_at_mut(layout.words);
            let mut lost = false;
            let words = words[group.clone()].iter_mut();
            for (w, (left, word)) in left.iter_mut().zip(words).enumerate() {
                let wanted = *word;
                rest[m] &= !layout.take(left, word, w);
                lost |= *word != wanted;
            }
            changes.mark_if(job, lost);
        }
    }
}
