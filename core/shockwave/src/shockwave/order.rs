//! Which rounds of a window jobs have (Shockwave §6.2, the second program of its artifact): each as many as were planned,
//! so that the sum of weighted mean rounds is small.
//!
//! First rounds are filled one after the other: jobs with the most weight per GPU-round come first, but as many as have
//! to of those that can wait least. Then jobs change places around circles of rounds as long as that gains something. For
//! gangs of one GPU that is a flow of least cost, whose optimum has no such circle (Ahuja, Magnanti & Orlin, Network
//! Flows, §9.6); of wider gangs it comes near one.

use std::cmp::Ordering;

/// A gain has to be more than this part, or what differs in the last digit would change places for ever.
const GAIN: f64 = 1e-9;

/// What a loss counts beside rounds that are late: more than any of these.
const BEHIND: f64 = 1e6;

/// A job that has so many rounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) gang: u32,
    pub(super) count: usize,
    pub(super) weight: f64,
    /// What one round fewer loses.
    pub(super) loss: f64,
}

impl Piece {
    /// What a later round costs.
    fn rate(&self) -> f64 {
        self.weight / self.count as f64
    }

    fn density(&self) -> f64 {
        self.rate() / f64::from(self.gang)
    }
}

/// The jobs of each of so many rounds on so many GPUs.
pub(super) fn rounds(jobs: &[Piece], gpus: u32, rounds: usize) -> Vec<Vec<usize>> {
    let cluster = Cluster { jobs, gpus, rounds };
    let mut laid = cluster.filled();
    let mut widths: Vec<u32> = jobs.iter().map(|job| job.gang).collect();
    widths.sort_unstable();
    widths.dedup();
    let mut moves: Vec<Moves> = widths
        .into_iter()
        .map(|wide| Moves::of(wide, laid.len()))
        .collect();
    let mut places: Vec<Place> = laid.iter().map(|round| cluster.place(round)).collect();
    while moves
        .iter_mut()
        .any(|moves| cluster.turn(&mut laid, &mut places, moves))
    {}
    laid.truncate(rounds);
    laid.iter_mut().for_each(|round| round.sort_unstable());
    laid
}

#[derive(Clone, Copy)]
struct Cluster<'a> {
    jobs: &'a [Piece],
    gpus: u32,
    rounds: usize,
}

impl Cluster<'_> {
    /// Rounds filled one after the other. What does not fit into the window comes behind it, from where it is brought
    /// back if that can be.
    fn filled(&self) -> Vec<Vec<usize>> {
        let mut left: Vec<usize> = self.jobs.iter().map(|job| job.count).collect();
        let mut dense: Vec<usize> = (0..left.len()).collect();
        dense.sort_by(|&a, &b| descending(self.jobs[a].density(), self.jobs[b].density()));
        dense.retain(|&job| left[job] > 0);
        let mut laid = Vec::with_capacity(self.rounds);
        while laid.len() < self.rounds || !dense.is_empty() {
            let ahead = self.rounds.saturating_sub(laid.len()).max(1);
            let chosen = self.next(&left, &dense, ahead);
            chosen.iter().for_each(|&job| left[job] -= 1);
            dense.retain(|&job| left[job] > 0);
            laid.push(chosen);
        }
        laid
    }

    /// What a round of a job costs.
    fn cost(&self, job: usize, round: usize) -> f64 {
        match round < self.rounds {
            true => self.jobs[job].rate() * round as f64,
            false => self.jobs[job].loss * BEHIND,
        }
    }

    /// The jobs of the first of so many rounds: those that can wait least, as few of them as leave enough room for what is
    /// left to all, and then in order.
    fn next(&self, left: &[usize], dense: &[usize], ahead: usize) -> Vec<usize> {
        let mut pressed = dense.to_vec();
        pressed.sort_by(|&a, &b| {
            let by_left = left[b].cmp(&left[a]);
            by_left.then_with(|| descending(self.jobs[a].loss, self.jobs[b].loss))
        });
        let mut best: Option<(u64, Vec<usize>)> = None;
        for least in (1..=ahead).rev() {
            let first = pressed.partition_point(|&job| left[job] >= least);
            let rest = dense.iter().filter(|&&job| left[job] < least);
            let chosen = self.fitting(self.gpus, pressed[..first].iter().chain(rest));
            let mut then = left.to_vec();
            chosen.iter().for_each(|&job| then[job] -= 1);
            let short = self.short(&then, ahead - 1);
            if best.as_ref().is_none_or(|(least, _)| short < *least) {
                best = Some((short, chosen));
            }
            if short == 0 {
                break;
            }
        }
        best.map_or(Vec::new(), |(_, chosen)| chosen)
    }

    /// Of jobs in an order those that fit into so many GPUs at once.
    fn fitting<'a>(&self, gpus: u32, order: impl Iterator<Item = &'a usize>) -> Vec<usize> {
        let mut free = gpus;
        let mut chosen = Vec::new();
        for &job in order {
            if free == 0 {
                break;
            }
            if self.jobs[job].gang <= free {
                free -= self.jobs[job].gang;
                chosen.push(job);
            }
        }
        chosen
    }

    /// How many GPU-rounds are missing at least if so many are left to jobs in so many rounds to come. Of any of these
    /// rounds a job needs what the others cannot give it.
    fn short(&self, left: &[usize], rounds: usize) -> u64 {
        let need = |within: usize| -> u64 {
            let of = |(job, &left): (&Piece, &usize)| {
                u64::from(job.gang) * left.saturating_sub(rounds - within) as u64
            };
            self.jobs.iter().zip(left).map(of).sum()
        };
        let missing = |within| need(within).saturating_sub(u64::from(self.gpus) * within as u64);
        (0..=rounds).map(missing).max().unwrap_or(0)
    }

    /// Moves jobs around a circle of rounds, so many GPUs wide, if that gains something.
    fn turn(&self, laid: &mut [Vec<usize>], places: &mut [Place], moves: &mut Moves) -> bool {
        let Some(circle) = self.circle(laid, places, moves) else {
            return false;
        };
        for Move { from, jobs, .. } in &circle {
            laid[*from].retain(|job| !jobs.contains(job));
        }
        let mut changed: Vec<usize> = Vec::new();
        for Move { from, to, jobs, .. } in circle {
            laid[to].extend(jobs);
            changed.extend([from, to]);
        }
        changed.sort_unstable();
        changed.dedup();
        for at in changed {
            let changes = places[at].changes + 1;
            places[at] = Place {
                changes,
                ..self.place(&laid[at])
            };
        }
        true
    }

    /// A circle of moves that costs less than nothing. Beside rounds it may touch one place where nothing stands: what is
    /// free in a round goes there, and it comes back to any round.
    fn circle(
        &self,
        laid: &[Vec<usize>],
        places: &[Place],
        known: &mut Moves,
    ) -> Option<Vec<Move>> {
        let nowhere = laid.len();
        let mut moves = Vec::new();
        for from in 0..laid.len() {
            for to in (0..laid.len()).filter(|&to| to != from) {
                let cost = known.look(self, places, from, to);
                moves.extend(cost.map(|cost| Arrow { from, to, cost }));
            }
            let used: u32 = laid[from].iter().map(|&job| self.jobs[job].gang).sum();
            if self.gpus - used >= known.wide {
                moves.push(Arrow::of_nothing(from, nowhere));
            }
            moves.push(Arrow::of_nothing(nowhere, from));
        }
        // Bellman and Ford: distances that still shrink after so many passes have a circle behind them.
        let mut distance = vec![0.0; nowhere + 1];
        let mut before: Vec<Option<usize>> = vec![None; nowhere + 1];
        let mut last = None;
        for _ in 0..=nowhere + 1 {
            last = None;
            for (at, of) in moves.iter().enumerate() {
                if distance[of.from] + of.cost < distance[of.to] {
                    distance[of.to] = distance[of.from] + of.cost;
                    before[of.to] = Some(at);
                    last = Some(of.to);
                }
            }
            last?;
        }
        let mut at = last?;
        for _ in 0..=nowhere {
            at = moves[before[at]?].from;
        }
        let (end, mut circle) = (at, Vec::new());
        loop {
            let index = before[at]?;
            circle.push(index);
            at = moves[index].from;
            if at == end {
                break;
            }
        }
        // Distances of heavy jobs have no digits for light ones.
        let cost: f64 = circle.iter().map(|&index| moves[index].cost).sum();
        let of_jobs = circle.into_iter().map(|index| &moves[index]);
        let of_jobs = of_jobs.filter(|of| of.from != nowhere && of.to != nowhere);
        (cost < 0.0).then(|| of_jobs.filter_map(|of| known.best(of)).collect())
    }

    fn place(&self, round: &[usize]) -> Place {
        let mut dense = round.to_vec();
        dense.sort_by(|&a, &b| descending(self.jobs[a].density(), self.jobs[b].density()));
        let mut has = vec![false; self.jobs.len()];
        round.iter().for_each(|&job| has[job] = true);
        Place {
            light: dense.iter().rev().copied().collect(),
            dense,
            has,
            changes: 0,
        }
    }

    /// The cheapest move from one round to another: of one job so wide, or of several narrower ones.
    fn best(&self, places: &[Place], from: usize, to: usize, wide: u32) -> Option<Move> {
        let price = |job: usize| {
            let price = self.cost(job, to) - self.cost(job, from);
            // A little dearer than it is.
            price + GAIN * price.abs()
        };
        let mut by_price = Vec::new();
        let order = match from.max(to) < self.rounds {
            true if to < from => &places[from].dense,
            true => &places[from].light,
            // What is lost behind the window has another order.
            false => {
                let density = |job: usize| price(job) / f64::from(self.jobs[job].gang);
                by_price.clone_from(&places[from].dense);
                by_price.sort_by(|&a, &b| descending(density(b), density(a)));
                &by_price
            }
        };
        let can = || order.iter().filter(|job| !places[to].has[**job]);
        let gang = |job: usize| self.jobs[job].gang;
        let one = can().find(|job| gang(**job) == wide);
        let several = self.fitting(wide, can().filter(|job| gang(**job) < wide));
        let is_full = several.iter().map(|&job| gang(job)).sum::<u32>() == wide;
        let one = one.map(|&job| vec![job]);
        let moves = one.into_iter().chain(is_full.then_some(several));
        let moves = moves.map(|jobs| Move {
            from,
            to,
            cost: jobs.iter().map(|&job| price(job)).sum(),
            jobs,
        });
        moves.reduce(|a, b| if b.cost < a.cost { b } else { a })
    }
}

/// A round: its jobs from the densest on, from the lightest on, and whether it has a job.
struct Place {
    dense: Vec<usize>,
    light: Vec<usize>,
    has: Vec<bool>,
    /// How often it has changed.
    changes: u32,
}

/// The cheapest moves between rounds, so many GPUs wide. Those between rounds that have not changed are kept.
struct Moves {
    wide: u32,
    rounds: usize,
    /// By the round that is left and the one that is entered: how often these had changed, and the move.
    known: Vec<Option<([u32; 2], Option<Move>)>>,
}

impl Moves {
    fn of(wide: u32, rounds: usize) -> Self {
        Self {
            wide,
            rounds,
            known: vec![None; rounds * rounds],
        }
    }

    /// What the cheapest move costs, if there is one.
    fn look(
        &mut self,
        cluster: &Cluster<'_>,
        places: &[Place],
        from: usize,
        to: usize,
    ) -> Option<f64> {
        let changes = [from, to].map(|at| places[at].changes);
        let known = &mut self.known[from * self.rounds + to];
        let best = match known {
            Some((when, best)) if *when == changes => best,
            _ => {
                let best = cluster.best(places, from, to, self.wide);
                &mut known.insert((changes, best)).1
            }
        };
        best.as_ref().map(|best| best.cost)
    }

    fn best(&self, of: &Arrow) -> Option<Move> {
        let (_, best) = self.known[of.from * self.rounds + of.to].as_ref()?;
        best.clone()
    }
}

/// What it costs to go from one place to another.
#[derive(Clone, Copy, Debug)]
struct Arrow {
    from: usize,
    to: usize,
    cost: f64,
}

impl Arrow {
    fn of_nothing(from: usize, to: usize) -> Self {
        Self {
            from,
            to,
            cost: 0.0,
        }
    }
}

/// Jobs that go from one round to another, and what that costs.
#[derive(Clone, Debug)]
struct Move {
    from: usize,
    to: usize,
    jobs: Vec<usize>,
    cost: f64,
}

/// The larger one first.
fn descending(a: f64, b: f64) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn piece(gang: u32, count: usize, weight: f64) -> Piece {
        Piece {
            gang,
            count,
            weight,
            loss: weight,
        }
    }

    /// The sum of weighted mean rounds.
    fn cost(jobs: &[Piece], laid: &[Vec<usize>]) -> f64 {
        let of = |(at, round): (usize, &Vec<usize>)| {
            round.iter().map(|&job| jobs[job].rate()).sum::<f64>() * at as f64
        };
        laid.iter().enumerate().map(of).sum()
    }

    /// The least cost, by trying every set of jobs in every round; nothing if counts do not fit.
    fn least(
        jobs: &[Piece],
        gpus: u32,
        left: &mut [usize],
        at: usize,
        rounds: usize,
    ) -> Option<f64> {
        if at == rounds {
            return left.iter().all(|&left| left == 0).then_some(0.0);
        }
        let mut best: Option<f64> = None;
        for set in 0..1usize << jobs.len() {
            let chosen: Vec<usize> = (0..jobs.len()).filter(|job| set >> job & 1 == 1).collect();
            let wide: u32 = chosen.iter().map(|&job| jobs[job].gang).sum();
            if wide > gpus || chosen.iter().any(|&job| left[job] == 0) {
                continue;
            }
            chosen.iter().for_each(|&job| left[job] -= 1);
            let here: f64 = chosen.iter().map(|&job| jobs[job].rate()).sum::<f64>() * at as f64;
            if let Some(rest) = least(jobs, gpus, left, at + 1, rounds) {
                best = Some(best.map_or(here + rest, |best| best.min(here + rest)));
            }
            chosen.iter().for_each(|&job| left[job] += 1);
        }
        best
    }

    #[test]
    fn heavy_jobs_come_first_and_long_ones_still_fit() {
        let jobs = [piece(1, 3, 1.0), piece(1, 1, 5.0), piece(1, 2, 9.0)];
        assert_eq!(rounds(&jobs, 2, 3), [vec![0, 1], vec![0, 2], vec![0, 2]]);
    }

    #[test]
    fn a_wide_job_takes_the_place_of_narrow_ones() {
        let jobs = [piece(2, 1, 3.0), piece(1, 1, 1.0), piece(1, 1, 1.0)];
        assert_eq!(rounds(&jobs, 2, 2), [vec![0], vec![1, 2]]);
    }

    fn any_jobs(widest: u32) -> impl Strategy<Value = Vec<Piece>> {
        let one = (0..=widest, 1..=3usize, 1..20u32);
        let one = one.prop_map(|(gang, count, weight)| piece(1 << gang, count, f64::from(weight)));
        prop::collection::vec(one, 1..6)
    }

    fn check(jobs: &[Piece], gpus: u32, laid: &[Vec<usize>]) {
        for round in laid {
            assert!(round.iter().map(|&job| jobs[job].gang).sum::<u32>() <= gpus);
            assert!(round.windows(2).all(|pair| pair[0] < pair[1]));
        }
        for (job, piece) in jobs.iter().enumerate() {
            let rounds = laid.iter().filter(|round| round.contains(&job)).count();
            assert!(rounds <= piece.count);
        }
    }

    proptest! {
        /// Narrow jobs have all of their rounds if that is possible at all, at the least cost.
        #[test]
        fn narrow_jobs_have_the_best_rounds(jobs in any_jobs(0), gpus in 1..4u32) {
            let laid = rounds(&jobs, gpus, 3);
            check(&jobs, gpus, &laid);
            let mut left: Vec<usize> = jobs.iter().map(|job| job.count).collect();
            if let Some(least) = least(&jobs, gpus, &mut left, 0, 3) {
                prop_assert!(laid.iter().map(Vec::len).sum::<usize>() == left.iter().sum::<usize>());
                let cost = cost(&jobs, &laid);
                prop_assert!(cost <= least * (1.0 + 1e-6) + 1e-9, "{cost} {least}");
            }
        }

        #[test]
        fn rounds_fit(jobs in any_jobs(2)) {
            check(&jobs, 4, &rounds(&jobs, 4, 3));
        }
    }
}
