//! Shockwave's program of a window (§6.2): how many of the next rounds each job has, so that the weighted sum of
//! logarithms of progress is large and the longest remaining run time is short. `order` says which rounds.
//!
//! The paper's mixed-integer program says of each job and round whether it runs. Its objective looks at counts of rounds
//! only, so counts are what is chosen here. Utility is concave in them: if the longest remaining time is bounded, rounds
//! go to whoever gains most per GPU, and the bound is searched for. With gangs of one GPU that is the optimum, up to the
//! last digits of the bound. Wider gangs may not fit in what is left over, which costs less than the gain of one round
//! of one job.
//! Every step is counted, so the plan is the same on every machine.

use super::order::{self, Piece};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Progress at which the logarithm is exact; between, it is interpolated.
const BASES: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];

/// Their logarithms, of zero that of 1e-6. They are asked for so often that they are written down.
const LOGARITHMS: [f64; BASES.len()] = [
    -13.815510557964274,
    -1.6094379124341003,
    -0.916290731874155,
    -0.5108256237659907,
    -0.2231435513142097,
    0.0,
];

/// Steps of the search for the bound on the longest remaining time.
const STEPS: usize = 40;

/// A job of the window. Times are seconds.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) gang: u32,
    /// Epochs in all and done, and the seconds of one.
    pub(super) epochs: f64,
    pub(super) progress: f64,
    pub(super) epoch: f64,
    /// Seconds that it still runs, as predicted.
    pub(super) remaining: f64,
    /// What its utility counts.
    pub(super) weight: f64,
    /// What may remain after the window at most, to be fair.
    pub(super) may_remain: f64,
}

/// What is planned: a window, and what a second of the longest remaining time costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) gpus: u32,
    pub(super) rounds: usize,
    /// Seconds of a round.
    pub(super) round: f64,
    pub(super) makespan_weight: f64,
}

/// The interpolated logarithm of a progress from 0 to 1.
fn utility(progress: f64) -> f64 {
    let at = BASES[1..BASES.len() - 1].partition_point(|&base| base < progress);
    let (low, high) = (BASES[at], BASES[at + 1]);
    let part = ((progress - low) / (high - low)).min(1.0);
    LOGARITHMS[at] + (LOGARITHMS[at + 1] - LOGARITHMS[at]) * part
}

impl Candidate {
    /// Seconds of its run that so many seconds carry out.
    fn planned(&self, seconds: f64) -> f64 {
        seconds.min((self.epochs - self.progress) * self.epoch)
    }

    fn left(&self, seconds: f64) -> f64 {
        (self.remaining - self.planned(seconds)).max(0.0)
    }

    fn utility(&self, seconds: f64) -> f64 {
        let progress = self.progress + self.planned(seconds) / self.epoch;
        self.weight * utility(progress / self.epochs)
    }
}

/// The next round of a job, by what it gains per GPU.
struct Offer {
    gain: f64,
    job: usize,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_gain = self
            .gain
            .partial_cmp(&other.gain)
            .unwrap_or(Ordering::Equal);
        by_gain.then(other.job.cmp(&self.job))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Offer {}

impl Window {
    fn seconds(&self, rounds: usize) -> f64 {
        self.round * rounds as f64
    }

    fn capacity(&self) -> u64 {
        u64::from(self.gpus) * self.rounds as u64
    }

    /// How many rounds each job has at least, if no more than so many seconds are to remain of any. Nothing if that
    /// is not possible.
    fn least(&self, jobs: &[Candidate], longest: f64) -> Option<Vec<usize>> {
        let mut used = 0;
        let mut least = Vec::with_capacity(jobs.len());
        for job in jobs {
            let bound = longest.min(job.may_remain);
            let enough = |&rounds: &usize| job.left(self.seconds(rounds)) <= bound + 1e-9;
            let rounds = (0..=self.rounds).find(enough)?;
            used += rounds as u64 * u64::from(job.gang);
            least.push(rounds);
        }
        (used <= self.capacity()).then_some(least)
    }

    /// The best counts within a bound, and what they are worth.
    fn within(&self, jobs: &[Candidate], longest: f64) -> Option<(f64, Vec<usize>)> {
        let mut counts = self.least(jobs, longest)?;
        let used = |(job, &rounds): (&Candidate, &usize)| u64::from(job.gang) * rounds as u64;
        let mut left = self.capacity() - jobs.iter().zip(&counts).map(used).sum::<u64>();
        let offer = |job: usize, rounds: usize| {
            let of = &jobs[job];
            let gain = of.utility(self.seconds(rounds + 1)) - of.utility(self.seconds(rounds));
            (rounds < self.rounds && gain > 0.0).then_some(Offer {
                gain: gain / f64::from(of.gang),
                job,
            })
        };
        let all = counts
            .iter()
            .enumerate()
            .filter_map(|(job, &rounds)| offer(job, rounds));
        let mut offers: BinaryHeap<Offer> = all.collect();
        while let Some(Offer { job, .. }) = offers.pop() {
            if u64::from(jobs[job].gang) <= left {
                left -= u64::from(jobs[job].gang);
                counts[job] += 1;
                offers.extend(offer(job, counts[job]));
            }
        }
        Some((self.worth(jobs, &counts), counts))
    }

    /// The objective.
    fn worth(&self, jobs: &[Candidate], counts: &[usize]) -> f64 {
        let all = || {
            jobs.iter()
                .zip(counts.iter().map(|&rounds| self.seconds(rounds)))
        };
        let utility: f64 = all().map(|(job, seconds)| job.utility(seconds)).sum();
        let longest = all()
            .map(|(job, seconds)| job.left(seconds))
            .fold(0.0, f64::max);
        utility / (jobs.len() * self.rounds) as f64 - self.makespan_weight * longest
    }

    /// How many rounds each job has. Nothing if no plan is fair.
    pub(super) fn counts(&self, jobs: &[Candidate]) -> Option<Vec<usize>> {
        let of = |rounds| {
            jobs.iter()
                .map(move |job: &Candidate| job.left(self.seconds(rounds)))
        };
        let mut high = of(0).fold(0.0, f64::max);
        let mut best = self.within(jobs, high)?;
        // The least bound that is possible.
        let mut low = of(self.rounds).fold(0.0, f64::max);
        if self.least(jobs, low).is_none() {
            let (mut not, mut possible) = (low, high);
            for _ in 0..STEPS {
                let middle = (not + possible) / 2.0;
                match self.least(jobs, middle) {
                    Some(_) => possible = middle,
                    None => not = middle,
                }
            }
            low = possible;
        }
        let mut look = |longest: f64| {
            let found = self.within(jobs, longest);
            let worth = found
                .as_ref()
                .map_or(f64::NEG_INFINITY, |(worth, _)| *worth);
            if let Some(found) = found.filter(|found| found.0 > best.0) {
                best = found;
            }
            worth
        };
        look(low);
        // What counts are worth is concave in the bound, but for steps of one round.
        for _ in 0..STEPS {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            match look(a) < look(b) {
                true => low = a,
                false => high = b,
            }
        }
        Some(best.1)
    }

    /// Which rounds: jobs by round.
    pub(super) fn lay(&self, jobs: &[Candidate], counts: &[usize]) -> Vec<Vec<usize>> {
        let worth = self.worth(jobs, counts);
        let mut fewer = counts.to_vec();
        let mut pieces = Vec::with_capacity(jobs.len());
        for (at, job) in jobs.iter().enumerate() {
            fewer[at] = counts[at].saturating_sub(1);
            pieces.push(Piece {
                gang: job.gang,
                count: counts[at],
                weight: job.weight,
                loss: worth - self.worth(jobs, &fewer),
            });
            fewer[at] = counts[at];
        }
        order::rounds(&pieces, self.gpus, self.rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn job(gang: u32, epochs: f64, progress: f64, epoch: f64) -> Candidate {
        Candidate {
            gang,
            epochs,
            progress,
            epoch,
            remaining: (epochs - progress) * epoch,
            weight: 1.0,
            may_remain: f64::INFINITY,
        }
    }

    fn window(gpus: u32, rounds: usize, makespan_weight: f64) -> Window {
        Window {
            gpus,
            rounds,
            round: 120.0,
            makespan_weight,
        }
    }

    #[test]
    fn the_logarithm_is_exact_at_its_bases() {
        for base in BASES {
            assert!((utility(base) - libm::log(base.max(1e-6))).abs() < 1e-9);
        }
        let logarithms = BASES.map(|base| libm::log(base.max(1e-6)));
        assert_eq!(LOGARITHMS, logarithms);
        assert!((utility(0.5) - (libm::log(0.4) + libm::log(0.6)) / 2.0).abs() < 1e-9);
    }

    #[test]
    fn fairness_may_be_out_of_reach() {
        let mut late = job(1, 10.0, 0.0, 120.0);
        late.may_remain = -1.0;
        assert_eq!(window(4, 4, 0.0).counts(&[late]), None);
    }

    fn any_job() -> impl Strategy<Value = Candidate> {
        (0..3u32, 2..40u32, 0.0..0.9f64, 20.0..400.0f64).prop_map(|(gang, epochs, done, epoch)| {
            let epochs = f64::from(epochs);
            job(1 << gang, epochs, (epochs * done).floor(), epoch)
        })
    }

    proptest! {
        #[test]
        fn rounds_fit_and_nobody_has_more_than_its_count(
            jobs in prop::collection::vec(any_job(), 1..20), weight in 0.0..1e-2f64, is_narrow: bool
        ) {
            let mut jobs = jobs;
            if is_narrow {
                jobs.iter_mut().for_each(|job| job.gang = 1);
            }
            let window = window(8, 6, weight);
            let counts = window.counts(&jobs).expect("nothing has to be fair");
            let rounds = window.lay(&jobs, &counts);
            for round in &rounds {
                prop_assert!(round.iter().map(|&job| jobs[job].gang).sum::<u32>() <= 8);
            }
            for (job, &count) in counts.iter().enumerate() {
                let laid = rounds.iter().filter(|round| round.contains(&job)).count();
                prop_assert!(laid <= count);
                prop_assert!(laid == count || !is_narrow, "{laid} of {count}");
            }
        }

        /// Against all counts of three jobs: of gangs, up to the gain of one round.
        #[test]
        fn counts_are_nearly_the_best(jobs in prop::collection::vec(any_job(), 3), weight in 0.0..1e-2f64) {
            let window = window(4, 3, weight);
            let found = window.counts(&jobs).expect("nothing has to be fair");
            let found = window.worth(&jobs, &found);
            let best = best(&window, &jobs).expect("nothing has to be fair");
            let one = jobs.iter().map(|job| job.utility(120.0) - job.utility(0.0)).fold(0.0, f64::max);
            prop_assert!(found >= best - one / 9.0 - weight * 120.0 - 1e-9, "{found} {best}");
        }

        /// Against all counts of three jobs of one GPU: fair ones are found where there are any, and they are the best.
        #[test]
        fn counts_of_narrow_jobs_are_the_best(
            jobs in prop::collection::vec((any_job(), 0.1..5.0f64, 0.0..2.0f64), 3), weight in 0.0..1e-2f64
        ) {
            let window = window(2, 3, weight);
            let jobs: Vec<Candidate> = jobs.into_iter().map(|(job, weight, fair)| Candidate {
                gang: 1,
                weight,
                may_remain: job.remaining * fair,
                ..job
            }).collect();
            let found = window.counts(&jobs).map(|counts| window.worth(&jobs, &counts));
            match (found, best(&window, &jobs)) {
                (Some(found), Some(best)) => {
                    prop_assert!((found - best).abs() < 1e-6, "{found} {best}");
                }
                (found, best) => prop_assert_eq!(found, best),
            }
        }
    }

    /// What the best counts of three jobs in three rounds are worth, if any are fair.
    fn best(window: &Window, jobs: &[Candidate]) -> Option<f64> {
        let all = (0..64usize).map(|code| [code % 4, code / 4 % 4, code / 16]);
        let possible = all.filter(|counts| {
            let mut pairs = jobs.iter().zip(counts);
            let used: usize = pairs.clone().map(|(job, n)| job.gang as usize * n).sum();
            used as u64 <= window.capacity()
                && pairs.all(|(job, n)| job.left(window.seconds(*n)) <= job.may_remain + 1e-9)
        });
        let worth = possible.map(|counts| window.worth(jobs, &counts));
        worth.reduce(f64::max)
    }
}
