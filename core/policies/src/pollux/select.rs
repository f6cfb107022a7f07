//! Selection of NSGA-II (Deb et al., 2002), for two objectives to be maximised, as pymoo has it:
//! binary tournaments by dominance, then crowding, then chance; survival by non-dominated sorting,
//! the last front that has places by crowding.

use super::chance::{coin, shuffle_first};
use super::fitness::Fitness;
use crate::Rng;
use rand_xoshiro::rand_core::Rng as _;

/// The crowding of the ends of a front.
const END: f64 = 1e14;

/// An individual among others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Individual {
    /// F0 and F1 as bits: of numbers that are not negative, they order as the numbers do.
    mean_speedup: u64,
    utility: u64,
    /// Where its genome is.
    pub(super) place: usize,
    crowding: f64,
}

impl Individual {
    pub(super) fn new(fitness: Fitness, place: usize) -> Self {
        Self {
            mean_speedup: fitness.mean_speedup.to_bits(),
            utility: fitness.utility.to_bits(),
            place,
            crowding: 0.0,
        }
    }

    pub(super) fn fitness(&self) -> Fitness {
        Fitness {
            mean_speedup: f64::from_bits(self.mean_speedup),
            utility: f64::from_bits(self.utility),
        }
    }

    /// Grows from the best to the worst: best F0 first, then best F1. One number, since which of
    /// two is greater is chance, and a comparison of two would branch.
    fn rank(&self) -> u128 {
        !(u128::from(self.mean_speedup) << 64 | u128::from(self.utility))
    }

    fn is_level(&self, other: &Self) -> bool {
        (self.mean_speedup == other.mean_speedup) & (self.utility == other.utility)
    }

    /// Without a branch, as all of this: who is met is chance.
    fn dominates(&self, other: &Self) -> bool {
        (self.mean_speedup >= other.mean_speedup)
            & (self.utility >= other.utility)
            & !self.is_level(other)
    }
}

/// Chooses `wanted` parents, as places in the population: two at a time, drawn from random
/// permutations of it, contend.
pub(super) fn tournament(
    population: &[Individual],
    wanted: usize,
    permutation: &mut Vec<u32>,
    draws: &mut Vec<u32>,
    parents: &mut Vec<usize>,
    rng: &mut Rng,
) {
    if permutation.len() != population.len() {
        permutation.clear();
        permutation.extend(0..population.len() as u32);
    }
    draws.clear();
    while draws.len() < 2 * wanted {
        let taken = population.len().min(2 * wanted - draws.len());
        shuffle_first(permutation, taken, rng);
        draws.extend_from_slice(&permutation[..taken]);
    }
    parents.clear();
    for pair in draws.chunks_exact(2) {
        let (a, b) = (pair[0] as usize, pair[1] as usize);
        let (first, second) = (&population[a], &population[b]);
        let (wins, loses) = (first.dominates(second), second.dominates(first));
        let is_even = !(wins | loses);
        let first_wins = if is_even & (first.crowding == second.crowding) {
            coin(rng)
        } else {
            wins | (is_even & (first.crowding > second.crowding))
        };
        parents.push(if first_wins { a } else { b });
    }
}

/// The best front of a population in the order of F0.
pub(super) fn front(population: &[Individual]) -> impl Iterator<Item = &Individual> {
    let mut top: Option<&Individual> = None;
    population.iter().filter(move |individual| {
        let belongs =
            top.is_none_or(|top| individual.utility > top.utility || individual.is_level(top));
        if belongs {
            top = Some(individual);
        }
        belongs
    })
}

/// The area in which there is a point of the front for every point to be better than.
pub(super) fn area(population: &[Individual]) -> f64 {
    let (mut area, mut height) = (0.0, 0.0);
    for individual in front(population) {
        let point = individual.fitness();
        area += point.mean_speedup * (point.utility - height);
        height = point.utility;
    }
    area
}

/// A front while it is walked along, from its greatest F0 to its greatest F1.
#[derive(Clone, Copy, Debug)]
struct Front {
    size: usize,
    first: Fitness,
    last: Fitness,
    /// The last two distinct points that were passed, and whose the last is.
    before: Fitness,
    passed: Fitness,
    passed_by: Option<usize>,
}

/// Survival, and room to work in.
pub(super) struct Survival {
    /// The offspring's ranks and numbers, and they themselves, in order.
    order: Vec<u128>,
    sorted: Vec<Individual>,
    /// The places of offspring that are not sorted.
    beaten: Vec<usize>,
    merged: Vec<Individual>,
    front_of: Vec<u32>,
    survives: Vec<bool>,
    /// The greatest F1 of each front, as bits.
    tops: Vec<u64>,
    fronts: Vec<Front>,
    /// In the front that has too few places, who is to survive first: by crowding, then by chance,
    /// as one number; and the index.
    contest: Vec<(u128, usize)>,
}

impl Survival {
    pub(super) fn new(population: usize) -> Self {
        let most = 2 * population;
        Self {
            order: Vec::with_capacity(population),
            sorted: Vec::with_capacity(population),
            beaten: Vec::with_capacity(population),
            merged: Vec::with_capacity(most),
            front_of: Vec::with_capacity(most),
            survives: Vec::with_capacity(most),
            tops: Vec::with_capacity(most),
            fronts: Vec::with_capacity(most),
            contest: Vec::with_capacity(most),
        }
    }

    /// Keeps the best `places` of both, with their crowding, in the order of F0; the genomes of
    /// the others are `freed`. `population` is in that order; `offspring` is emptied.
    pub(super) fn survive(
        &mut self,
        population: &mut Vec<Individual>,
        offspring: &mut Vec<Individual>,
        places: usize,
        freed: &mut Vec<usize>,
        rng: &mut Rng,
    ) {
        // Where the population is one front, few children join it, and whom it dominates seldom
        // gets a place.
        let is_front = population.len() == places && front(population).count() == places;
        self.arrange(population, offspring, is_front);
        if is_front && self.fronts[0].size < places {
            self.arrange(population, offspring, false);
        }
        offspring.clear();
        freed.append(&mut self.beaten);

        // Fronts before `whole` survive whole, the one at `whole` as far as places are left.
        let (mut whole, mut left) = (0, places);
        while whole < self.fronts.len() && self.fronts[whole].size <= left {
            left -= self.fronts[whole].size;
            whole += 1;
        }
        self.crowd(if left > 0 { whole + 1 } else { whole });
        self.survives.clear();
        self.survives
            .extend(self.front_of.iter().map(|&front| (front as usize) < whole));
        if left > 0 && whole < self.fronts.len() {
            self.contest.clear();
            for (i, individual) in self.merged.iter().enumerate() {
                if self.front_of[i] as usize == whole {
                    // Crowding is not negative: its bits order as it does.
                    let last = u128::from(!individual.crowding.to_bits()) << 64;
                    self.contest.push((last | u128::from(rng.next_u64()), i));
                }
            }
            self.contest.select_nth_unstable(left - 1);
            for &(_, i) in &self.contest[..left] {
                self.survives[i] = true;
            }
        }
        population.clear();
        for (individual, &survives) in self.merged.iter().zip(&self.survives) {
            if survives {
                population.push(*individual);
            } else {
                freed.push(individual.place);
            }
        }
    }

    /// Puts both in order, and finds their fronts; without the offspring that the population
    /// dominates if it is one front and they are not wanted.
    fn arrange(&mut self, population: &[Individual], offspring: &[Individual], is_front: bool) {
        self.beaten.clear();
        self.sort(population, offspring, is_front);
        self.merge(population);
        self.find_fronts();
    }

    /// Copies the offspring to `sorted`, in order; of equals, the older first.
    fn sort(&mut self, population: &[Individual], offspring: &[Individual], is_front: bool) {
        // Numbers are sorted faster than what they number: the last digits of F1 make room for it.
        let digits = offspring.len().next_power_of_two().trailing_zeros();
        let numbers = (1 << digits) - 1;
        self.order.clear();
        for (individual, i) in offspring.iter().zip(0..) {
            if is_front {
                // Along a front, the last with no smaller F0 has the greatest F1 of these.
                let better = |one: &Individual| one.mean_speedup >= individual.mean_speedup;
                let at = population.partition_point(better);
                if at > 0 && population[at - 1].dominates(individual) {
                    self.beaten.push(individual.place);
                    continue;
                }
            }
            self.order.push((individual.rank() & !numbers) | i);
        }
        self.order.sort_unstable();
        self.sorted.clear();
        for &numbered in &self.order {
            let next = offspring[(numbered & numbers) as usize];
            self.sorted.push(next);
            // Rarely, those digits count.
            let mut at = self.sorted.len() - 1;
            while at > 0 && self.sorted[at - 1].rank() > next.rank() {
                self.sorted.swap(at - 1, at);
                at -= 1;
            }
        }
    }

    /// The population and the sorted offspring as one, in order; of equals, the older first.
    fn merge(&mut self, population: &[Individual]) {
        self.merged.clear();
        let mut young = self.sorted.iter().peekable();
        for old in population {
            while let Some(next) = young.next_if(|next| next.rank() < old.rank()) {
                self.merged.push(*next);
            }
            self.merged.push(*old);
        }
        self.merged.extend(young);
    }

    /// In the order of F0, an individual belongs to the first front whose greatest F1 is below its
    /// own; those level in both objectives go together.
    fn find_fronts(&mut self) {
        self.front_of.clear();
        self.tops.clear();
        self.fronts.clear();
        for (i, individual) in self.merged.iter().enumerate() {
            if i > 0 && individual.is_level(&self.merged[i - 1]) {
                let front = self.front_of[i - 1];
                self.front_of.push(front);
                self.fronts[front as usize].size += 1;
                continue;
            }
            let front = self.tops.partition_point(|&top| top >= individual.utility);
            let point = individual.fitness();
            if front == self.tops.len() {
                self.tops.push(0);
                self.fronts.push(Front {
                    size: 0,
                    first: point,
                    last: point,
                    before: point,
                    passed: point,
                    passed_by: None,
                });
            }
            self.tops[front] = individual.utility;
            self.fronts[front].size += 1;
            self.fronts[front].last = point;
            self.front_of.push(front as u32);
        }
    }

    /// Crowding in the first fronts: half the distance between a point's neighbours, by the
    /// front's extent. Of those that are level, only the first has any.
    fn crowd(&mut self, fronts: usize) {
        for i in 0..self.merged.len() {
            let at = self.front_of[i] as usize;
            if at >= fronts {
                continue;
            }
            let front = &mut self.fronts[at];
            if front.size <= 2 {
                self.merged[i].crowding = END;
                continue;
            }
            let is_level = i > 0 && self.merged[i].is_level(&self.merged[i - 1]);
            if is_level || front.first == front.last {
                self.merged[i].crowding = 0.0;
                continue;
            }
            let point = self.merged[i].fitness();
            if let Some(passed_by) = front.passed_by
                && front.passed != front.first
            {
                let width = (front.before.mean_speedup - point.mean_speedup)
                    / (front.first.mean_speedup - front.last.mean_speedup);
                let height = (point.utility - front.before.utility)
                    / (front.last.utility - front.first.utility);
                self.merged[passed_by].crowding = 0.5 * (width + height);
            }
            front.before = front.passed;
            front.passed = point;
            front.passed_by = Some(i);
            self.merged[i].crowding = END;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pollux::chance::below;
    use rand_xoshiro::rand_core::SeedableRng;

    fn individuals(points: &[(f64, f64)]) -> Vec<Individual> {
        let individual = |(place, &(mean_speedup, utility))| {
            let fitness = Fitness {
                mean_speedup,
                utility,
            };
            Individual::new(fitness, place)
        };
        points.iter().enumerate().map(individual).collect()
    }

    /// Fronts by the definition: those whom nobody dominates, taken away again and again.
    fn fronts_by_definition(all: &[Individual]) -> Vec<usize> {
        let mut front_of = vec![usize::MAX; all.len()];
        for front in 0.. {
            let left: Vec<usize> = (0..all.len())
                .filter(|&i| front_of[i] == usize::MAX)
                .collect();
            if left.is_empty() {
                break;
            }
            for &i in &left {
                if !left.iter().any(|&j| all[j].dominates(&all[i])) {
                    front_of[i] = front;
                }
            }
        }
        front_of
    }

    #[test]
    fn sorting_agrees_with_the_definition_of_dominance() {
        let mut rng = Rng::seed_from_u64(5);
        for round in 0..200 {
            let side = 2 + round % 12;
            let points: Vec<(f64, f64)> = (0..40)
                .map(|_| {
                    let mut one = || f64::from(below(&mut rng, side));
                    (one(), one())
                })
                .collect();
            let mut offspring = individuals(&points);
            let mut survival = Survival::new(20);
            let (mut population, mut freed) = (Vec::new(), Vec::new());
            survival.survive(&mut population, &mut offspring, 20, &mut freed, &mut rng);
            let expected = fronts_by_definition(&survival.merged);
            let found: Vec<usize> = survival.front_of.iter().map(|&f| f as usize).collect();
            assert_eq!(found, expected);
            assert_eq!((population.len(), freed.len()), (20, 20));
            let worst_kept = (0..40)
                .filter(|&i| survival.survives[i])
                .map(|i| found[i])
                .max();
            let best_lost = (0..40)
                .filter(|&i| !survival.survives[i])
                .map(|i| found[i])
                .min();
            assert!(worst_kept <= best_lost);
        }
    }

    /// Front (4,0) (3,1) (1,2) (0,4), the second point twice, and a dominated one.
    #[test]
    fn crowding_is_half_the_distance_of_the_neighbours() {
        let mut offspring = individuals(&[
            (4.0, 0.0),
            (3.0, 1.0),
            (3.0, 1.0),
            (1.0, 2.0),
            (0.0, 4.0),
            (0.0, 0.0),
        ]);
        let mut rng = Rng::seed_from_u64(1);
        let (mut population, mut freed) = (Vec::new(), Vec::new());
        Survival::new(6).survive(&mut population, &mut offspring, 6, &mut freed, &mut rng);
        let crowding: Vec<f64> = population.iter().map(|one| one.crowding).collect();
        // (3/4 + 2/4) / 2, (3/4 + 3/4) / 2
        assert_eq!(crowding, [END, 0.625, 0.0, 0.75, END, END]);
        assert_eq!(front(&population).count(), 5);
        assert_eq!(area(&population), 3.0 + 1.0);
    }
}
