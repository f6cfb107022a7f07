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
use super::genome::{self, ANY, Changes, FEW, FEW_LARGE, GROUP, Layout, MANY, MANY_LARGE};
use super::problem::Problem;
use crate::Rng;
use crate::cluster::Part;

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
        match W {
            FEW | FEW_LARGE => return self.settle_short::<W>(problem, genome, changes, rng),
            MANY | MANY_LARGE => return self.settle_rows::<W>(problem, genome, changes, rng),
            _ => {}
        }
        self.apply(problem, genome, changes, rng);
        problem.refresh(genome, changes);
        evaluate(problem, genome)
    }

    /// All in one pass, of rows that know their hash and cell.
    fn settle_rows<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) -> (u64, Fitness) {
        let layout = problem.layout.with_words::<W>();
        let high = layout.high();
        let mut avoidance = Avoidance::new(problem);
        let mut sums = Sums::default();
        let mut left = room::<W>(problem);
        for (job, record) in genome.chunks_exact_mut(layout.record()).enumerate() {
            let mut is_changed = changes.has(job);
            let lost = avoidance.lost(record[W], problem.may_move(job));
            if lost != 0 {
                lose::<W>(layout, record, lost);
                is_changed = true;
            }
            if is_changed {
                self.cap::<W>(problem, job, record, rng);
            }
            let (words, rest) = record.split_at_mut(W);
            let enough = left
                .iter()
                .zip(&*words)
                .fold(high, |enough, (left, wanted)| {
                    enough & ((left | high) - wanted)
                });
            if enough != high {
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
                self.least::<W>(problem, job, record);
                problem.refresh_row::<W>(job, record);
            }
            sums.add::<W>(problem, job, record);
        }
        changes.clear();
        sums.weigh(problem)
    }

    /// Short rows: it takes longer to ask who changed than to write them all, since a branch would
    /// be chance. In two passes, so that what each needs is in registers.
    fn settle_short<const W: usize>(
        &mut self,
        problem: &Problem,
        genome: &mut [u64],
        changes: &mut Changes,
        rng: &mut Rng,
    ) -> (u64, Fitness) {
        let layout = problem.layout.with_words::<W>();
        let record = layout.record();
        let may_be_wide = layout.nodes > problem.parameters.max_nodes as usize;
        let mut avoidance = Avoidance::new(problem);
        let members = problem.members();
        for (job, (record, member)) in genome.chunks_exact_mut(record).zip(members).enumerate() {
            layout.refresh_masks(record);
            let lost = avoidance.lost(record[W], member.may_move);
            lose::<W>(layout, record, lost);
            if may_be_wide || layout.sum(&record[..W]) > member.max_replicas {
                self.cap::<W>(problem, job, record, rng);
            }
        }
        if problem.has_least {
            let mut left = room::<W>(problem);
            for (job, record) in genome.chunks_exact_mut(record).enumerate() {
                give::<W>(layout, &mut left, record);
                self.least::<W>(problem, job, record);
            }
        }
        let mut left = room::<W>(problem);
        let mut sums = Sums::default();
        for (job, (record, row)) in genome
            .chunks_exact_mut(record)
            .zip(problem.rows::<W>())
            .enumerate()
        {
            give::<W>(layout, &mut left, record);
            sums.add_short::<W>(problem, row, job, record);
        }
        changes.clear();
        sums.weigh(problem)
    }

    /// Makes nothing of a row with too few GPUs.
    #[inline]
    fn least<const W: usize>(&self, problem: &Problem, job: usize, record: &mut [u64]) {
        let layout = problem.layout.with_words::<W>();
        if problem.has_least
            && job >= problem.pinned
            && layout.sum(&record[..layout.words]) < problem.min_replicas(job)
        {
            record[..layout.end_of_masks()].fill(0);
        }
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
        changes.for_each(|job| {
            self.least::<ANY>(problem, job, &mut genome[job * record..][..record]);
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

    /// Brings a row's GPUs and nodes down to the job's most.
    #[inline]
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
            || genome::count(&record[layout.words..layout.end_of_masks()]) <= most_nodes;
        if job < problem.pinned || (is_narrow && layout.sum(&record[..layout.words]) <= most) {
            return;
        }
        self.cut_down::<W>(problem, job, record, rng);
    }

    /// Takes from a row what is too much, nodes in random order.
    #[inline(never)]
    fn cut_down<const W: usize>(
        &mut self,
        problem: &Problem,
        job: usize,
        record: &mut [u64],
        rng: &mut Rng,
    ) {
        let layout = problem.layout.with_words::<W>();
        let most = problem.max_replicas(job);
        let most_nodes = problem.parameters.max_nodes;
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

/// Avoidance where one mask covers all nodes: who spans nodes, row by row.
struct Avoidance {
    /// Nodes of jobs that span nodes, and of two.
    seen: u64,
    blocked: u64,
    /// All bits, if there is any avoidance; and if it takes from jobs on one node too.
    is_on: u64,
    takes_all: u64,
}

impl Avoidance {
    fn new(problem: &Problem) -> Self {
        let all_if = |is_so: bool| u64::from(is_so).wrapping_neg();
        Self {
            seen: 0,
            blocked: 0,
            is_on: all_if(problem.parameters.avoidance),
            takes_all: all_if(problem.parameters.reference),
        }
    }

    /// The nodes of the next row that it loses; `may_move` has all bits or none.
    #[inline]
    fn lost(&mut self, mask: u64, may_move: u64) -> u64 {
        let spans = u64::from(genome::is_distributed(&[mask])).wrapping_neg();
        let spread = mask & spans & self.is_on;
        self.blocked |= self.seen & spread;
        self.seen |= spread;
        mask & self.blocked & may_move & (spans | self.takes_all)
    }
}

/// All nodes' GPUs.
#[inline]
fn room<const W: usize>(problem: &Problem) -> [u64; W] {
    let mut left = [0; W];
    left.copy_from_slice(&problem.capacity[..W]);
    left
}

/// Gives a short row what is left of what it wants, and brings its mask up to date.
#[inline]
fn give<const W: usize>(layout: Layout, left: &mut [u64; W], record: &mut [u64]) {
    for (left, word) in left.iter_mut().zip(&mut record[..W]) {
        layout.give(left, word);
    }
    layout.refresh_masks(record);
}

/// Takes nodes from a row.
#[inline]
fn lose<const W: usize>(layout: Layout, record: &mut [u64], lost: u64) {
    for (w, word) in record[..W].iter_mut().enumerate() {
        *word &= !layout.lanes_of(&[lost], w);
    }
    record[W] &= !lost;
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
