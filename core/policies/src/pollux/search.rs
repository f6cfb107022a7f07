//! The search itself: NSGA-II over allocations, from the last round's Pareto front to this one's.
//!
//! A generation makes as many children as there are individuals, no two genomes alike: parents by
//! tournament, crossover with probability 0.9, mutation, repair; children that are there already
//! are made anew, up to 100 times over (pymoo's limit). The best of both generations survive. The answer is the
//! individual with the greatest F0.
//!
//! Genomes have places, which are handed round, and nothing is allocated between the first
//! generation and the last.

use super::chance::scale;
use super::crossover::cross;
use super::fitness::Fitness;
use super::genome::{self, ANY, Changes, FEW, FEW_LARGE, Layout, MANY, MANY_LARGE};
use super::mutate::Mutation;
use super::problem::{Allocation, Node, Problem};
use super::repair::Repair;
use super::select::{Individual, Survival, area, front, tournament};
use crate::Rng;
use rand_xoshiro::rand_core::Rng as _;

/// How often a generation tries to make the children it still lacks.
const TRIES: usize = 100;
/// After so many tries on end without a new child, there is hardly one left to find.
const BARREN_TRIES: usize = 10;
/// Probability of a crossover, of 2³².
const CROSSOVER: u64 = (0.9 * 4_294_967_296.0) as u64;
/// By how much the front must grow to count as better.
const GROWTH: f64 = 1.0 + 1e-6;

/// PolluxSched's memory: the Pareto front of the last round.
#[derive(Clone, Debug, Default)]
pub struct Search {
    last: Option<LastFront>,
}

/// The Pareto front of a round, and whose rows and columns its genomes have.
#[derive(Clone, Debug)]
struct LastFront {
    nodes: Vec<Node>,
    jobs: Vec<u32>,
    layout: Layout,
    genomes: Vec<u64>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// All generations were made.
    Generations,
    /// Neither the best nor the front got better for a while.
    Patience,
    /// Nothing can be better than the best.
    Bound,
    /// No new genome was found.
    Exhausted,
}

/// What a round's search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The allocation chosen.
    pub allocation: Allocation,
    /// How good it is.
    pub fitness: Fitness,
    /// How good the current allocation is, repaired if need be.
    pub current: Fitness,
    /// The best F0 after each generation.
    pub best_by_generation: Vec<f64>,
    /// The Pareto front, from the best F0 to the best utility.
    pub front: Vec<Fitness>,
    /// Distinct children made.
    pub evaluated: u64,
    /// Why it ended.
    pub stopped: Stopped,
}

impl Search {
    /// A search that remembers nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Searches a round, starting from the last one's front.
    pub fn run(&mut self, problem: &Problem, rng: &mut Rng) -> Outcome {
        if problem.pinned == problem.layout.jobs {
            return Outcome::nothing_to_choose(problem);
        }
        match (problem.layout.words, problem.layout.bits) {
            (FEW, 4) => self.run_with::<FEW>(problem, rng),
            (MANY, 4) => self.run_with::<MANY>(problem, rng),
            (FEW_LARGE, 8) => self.run_with::<FEW_LARGE>(problem, rng),
            (MANY_LARGE, 8) => self.run_with::<MANY_LARGE>(problem, rng),
            _ => self.run_with::<ANY>(problem, rng),
        }
    }

    pub(super) fn run_with<const W: usize>(&mut self, problem: &Problem, rng: &mut Rng) -> Outcome {
        let mut work = Work::<W>::new(problem, rng);
        let current = work.found(self.last.as_ref(), rng);
        let mut best_by_generation = Vec::with_capacity(problem.parameters.generations as usize);
        let stopped = work.evolve(&mut best_by_generation, rng);

        self.last = Some(work.last_front());
        let best = work.population[0];
        Outcome {
            allocation: problem.allocation(work.genome(best.place)),
            fitness: best.fitness(),
            current,
            best_by_generation,
            front: front(&work.population).map(Individual::fitness).collect(),
            evaluated: work.evaluated,
            stopped,
        }
    }
}

impl Outcome {
    /// Of a round in which no job may be moved, or there is none.
    fn nothing_to_choose(problem: &Problem) -> Self {
        let allocation = problem.current();
        let fitness = problem.fitness(&allocation);
        Self {
            allocation,
            fitness,
            current: fitness,
            best_by_generation: vec![fitness.mean_speedup],
            front: vec![fitness],
            evaluated: 0,
            stopped: Stopped::Bound,
        }
    }
}

/// One search under way.
struct Work<'a, const W: usize> {
    problem: &'a Problem,
    /// Genomes, at their places.
    genomes: Vec<Vec<u64>>,
    hashes: Vec<u64>,
    /// Individuals alive, best F0 first.
    population: Vec<Individual>,
    offspring: Vec<Individual>,
    free: Vec<usize>,
    known: Known,
    mutation: Mutation,
    repair: Repair,
    survival: Survival,
    changes: Changes,
    permutation: Vec<u32>,
    draws: Vec<u32>,
    parents: Vec<usize>,
    evaluated: u64,
}

impl<'a, const W: usize> Work<'a, W> {
    fn new(problem: &'a Problem, rng: &mut Rng) -> Self {
        let size = problem.parameters.population.max(1);
        // The two generations, and a child in the making.
        let places = 2 * size + 1;
        Self {
            problem,
            genomes: vec![vec![0; problem.layout.genome()]; places],
            hashes: vec![0; places],
            population: Vec::with_capacity(size),
            offspring: Vec::with_capacity(size),
            free: (0..places).rev().collect(),
            known: Known::new(places),
            mutation: Mutation::new(problem, rng),
            repair: Repair::new(problem),
            survival: Survival::new(size),
            changes: Changes::new(problem.layout.jobs),
            permutation: Vec::with_capacity(size),
            draws: Vec::with_capacity(2 * size + 4),
            parents: Vec::with_capacity(size + 2),
            evaluated: 0,
        }
    }

    #[inline]
    fn layout(&self) -> Layout {
        self.problem.layout.with_words::<W>()
    }

    fn genome(&self, place: usize) -> &[u64] {
        &self.genomes[place]
    }

    fn size(&self) -> usize {
        self.problem.parameters.population.max(1)
    }

    /// Makes the first generation: the last front, and the current allocation (of the reference,
    /// one or the other). Answers how good the current one is.
    fn found(&mut self, last: Option<&LastFront>, rng: &mut Rng) -> Fitness {
        let problem = self.problem;
        let mut place = self.take_place();
        self.genomes[place].copy_from_slice(&problem.current);
        let (hash, current) = self.put_right(place, rng);
        if last.is_none() || !problem.parameters.reference {
            place = self.keep_if_new(place, hash, current);
        }
        if let Some(last) = last {
            let rows = last.rows_of(problem);
            let columns = last.columns_of(problem);
            for genome in last.genomes.chunks_exact(last.layout.genome().max(1)) {
                if self.offspring.len() == self.size() {
                    break;
                }
                self.translate(place, last, genome, &rows, columns.as_deref());
                let (hash, fitness) = self.put_right(place, rng);
                place = self.keep_if_new(place, hash, fitness);
            }
        }
        self.free.push(place);
        self.select(rng);
        current
    }

    fn take_place(&mut self) -> usize {
        // There are enough: see `new`.
        self.free.pop().unwrap_or(0)
    }

    /// A genome of the last front with this round's rows and columns; new ones are empty.
    fn translate(
        &mut self,
        place: usize,
        last: &LastFront,
        genome: &[u64],
        rows: &[Option<usize>],
        columns: Option<&[Option<usize>]>,
    ) {
        let layout = self.layout();
        let child = &mut self.genomes[place];
        child.fill(0);
        let records = child.chunks_exact_mut(layout.record());
        for (record, from) in records.zip(rows) {
            let Some(from) = *from else { continue };
            let old = &genome[from * last.layout.record()..][..last.layout.record()];
            match columns {
                None => record[..layout.words].copy_from_slice(&old[..layout.words]),
                Some(columns) => {
                    for (node, from) in columns.iter().enumerate() {
                        if let Some(from) = *from {
                            let room = layout.get(&self.problem.capacity, node);
                            layout.set(record, node, last.layout.get(old, from).min(room));
                        }
                    }
                }
            }
        }
    }

    /// Makes an allocation of any genome at a place, all its records complete: hash and fitness.
    fn put_right(&mut self, place: usize, rng: &mut Rng) -> (u64, Fitness) {
        let layout = self.layout();
        let child = &mut self.genomes[place];
        for (job, record) in child.chunks_exact_mut(layout.record()).enumerate() {
            if job < self.problem.pinned {
                record.copy_from_slice(self.problem.current_row::<W>(job));
            }
            layout.refresh_masks(record);
            self.changes.mark(job);
        }
        self.repair
            .settle::<W>(self.problem, child, &mut self.changes, rng)
    }

    /// Adds the genome to the offspring unless there is one like it; a place for the next.
    fn keep_if_new(&mut self, place: usize, hash: u64, fitness: Fitness) -> usize {
        self.hashes[place] = hash;
        let genomes = &self.genomes;
        let is_same = |other: usize| genomes[other] == genomes[place];
        if !self.known.insert(place, &self.hashes, is_same) {
            return place;
        }
        self.evaluated += 1;
        self.offspring.push(Individual::new(fitness, place));
        self.take_place()
    }

    fn select(&mut self, rng: &mut Rng) {
        let places = self.size();
        self.survival.survive(
            &mut self.population,
            &mut self.offspring,
            places,
            &mut self.free,
            rng,
        );
    }

    fn evolve(&mut self, best_by_generation: &mut Vec<f64>, rng: &mut Rng) -> Stopped {
        let parameters = self.problem.parameters;
        let bound = self.problem.bound();
        let best = |work: &Self| work.population[0].fitness().mean_speedup;
        let mut front_area = area(&self.population);
        let mut idle = 0;
        best_by_generation.push(best(self));
        for _ in 1..parameters.generations {
            if parameters.stop_at_bound && best(self) >= bound {
                return Stopped::Bound;
            }
            self.breed(rng);
            if self.offspring.is_empty() {
                return Stopped::Exhausted;
            }
            let before = best(self);
            self.select(rng);
            best_by_generation.push(best(self));
            if parameters.patience == 0 {
                continue;
            }
            let grown = area(&self.population);
            if best(self) > before || grown > front_area * GROWTH {
                front_area = grown;
                idle = 0;
            } else {
                idle += 1;
                if idle >= parameters.patience && !self.starves_needlessly() {
                    return Stopped::Patience;
                }
            }
        }
        Stopped::Generations
    }

    /// Whether the best individual leaves more jobs without GPUs than it must: then a rare child
    /// may be far better.
    fn starves_needlessly(&self) -> bool {
        let layout = self.layout();
        let starving = self
            .genome(self.population[0].place)
            .chunks_exact(layout.record())
            .filter(|record| genome::count(&record[layout.words..layout.end_of_masks()]) == 0)
            .count();
        starving > layout.jobs.saturating_sub(self.problem.total_gpus as usize)
    }

    /// Makes a generation's children.
    fn breed(&mut self, rng: &mut Rng) {
        self.known.clear();
        for individual in &self.population {
            self.known.insert(individual.place, &self.hashes, |_| false);
        }
        let size = self.size();
        let mut place = self.take_place();
        let (mut barren, mut before) = (0, 0);
        for _ in 0..TRIES {
            let missing = size - self.offspring.len();
            if missing == 0 || barren == BARREN_TRIES {
                break;
            }
            tournament(
                &self.population,
                2 * missing.div_ceil(2),
                &mut self.permutation,
                &mut self.draws,
                &mut self.parents,
                rng,
            );
            for pair in 0..self.parents.len() / 2 {
                let parents = [self.parents[2 * pair], self.parents[2 * pair + 1]]
                    .map(|parent| self.population[parent].place);
                let draw = rng.next_u64();
                let point = if draw >> 32 < CROSSOVER {
                    scale(draw as u32, self.layout().jobs as u32) as usize
                } else {
                    0
                };
                for [head, tail] in [parents, [parents[1], parents[0]]] {
                    if self.offspring.len() < size {
                        place = self.bear(place, [head, tail], point, rng);
                    }
                }
            }
            barren = if self.offspring.len() == before {
                barren + 1
            } else {
                0
            };
            before = self.offspring.len();
        }
        self.free.push(place);
    }

    /// Makes a child at a place and keeps it if it is new; a place for the next.
    fn bear(&mut self, place: usize, parents: [usize; 2], point: usize, rng: &mut Rng) -> usize {
        let layout = self.layout();
        let mut child = std::mem::take(&mut self.genomes[place]);
        let [head, tail] = parents.map(|parent| &self.genomes[parent]);
        cross::<W>(layout, &mut child, [head, tail], point);
        let has_moved = self
            .mutation
            .apply::<W>(self.problem, &mut child, &mut self.changes, rng);
        let is_other = has_moved | ((point != 0) & (parents[0] != parents[1]));
        let settled = is_other.then(|| {
            self.repair
                .settle::<W>(self.problem, &mut child, &mut self.changes, rng)
        });
        self.genomes[place] = child;
        let Some((hash, fitness)) = settled else {
            return place;
        };
        self.keep_if_new(place, hash, fitness)
    }

    fn last_front(&self) -> LastFront {
        let layout = self.layout();
        LastFront {
            nodes: self.problem.nodes().to_vec(),
            jobs: self.problem.service_order().collect(),
            genomes: front(&self.population)
                .flat_map(|individual| self.genome(individual.place))
                .copied()
                .collect(),
            layout,
        }
    }
}

impl LastFront {
    /// For each job of the round, its row then. As the reference has it: rows of jobs still there
    /// in the order of then, given to jobs that were there in the order of now.
    fn rows_of(&self, problem: &Problem) -> Vec<Option<usize>> {
        let mut then: Vec<(u32, usize)> = self.jobs.iter().copied().zip(0..).collect();
        then.sort_unstable();
        let row_of = |key: u32| {
            let at = then.binary_search_by_key(&key, |&(key, _)| key);
            at.ok().map(|at| then[at].1)
        };
        let rows: Vec<Option<usize>> = problem.service_order().map(row_of).collect();
        if !problem.parameters.reference {
            return rows;
        }
        let mut still_there: Vec<usize> = rows.iter().copied().flatten().collect();
        still_there.sort_unstable();
        let mut next = still_there.into_iter();
        rows.iter()
            .map(|row| row.and_then(|_| next.next()))
            .collect()
    }

    /// For each node of the round, its column then; None if the nodes are the same.
    fn columns_of(&self, problem: &Problem) -> Option<Vec<Option<usize>>> {
        if self.nodes == problem.nodes() {
            return None;
        }
        let mut then: Vec<(u32, usize)> = self.nodes.iter().map(|node| node.key).zip(0..).collect();
        then.sort_unstable();
        let column_of = |node: &Node| {
            let at = then.binary_search_by_key(&node.key, |&(key, _)| key);
            at.ok().map(|at| then[at].1)
        };
        Some(problem.nodes().iter().map(column_of).collect())
    }
}

/// The genomes there are, by hash: open addressing, so empty that the first slot mostly decides.
struct Known {
    slots: Vec<u32>,
}

impl Known {
    const EMPTY: u32 = u32::MAX;
    const SLOTS_PER_PLACE: usize = 8;

    fn new(places: usize) -> Self {
        Self {
            slots: vec![Self::EMPTY; (Self::SLOTS_PER_PLACE * places).next_power_of_two()],
        }
    }

    fn clear(&mut self) {
        self.slots.fill(Self::EMPTY);
    }

    /// Whether there is none like it yet; `is_same` compares in full where the hash is the same.
    fn insert(&mut self, place: usize, hashes: &[u64], is_same: impl Fn(usize) -> bool) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = hashes[place] as usize & mask;
        while self.slots[at] != Self::EMPTY {
            let other = self.slots[at] as usize;
            if hashes[other] == hashes[place] && is_same(other) {
                return false;
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = place as u32;
        true
    }
}
