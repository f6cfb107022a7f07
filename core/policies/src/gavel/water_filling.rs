//! Gavel's max-min fairness (Narayanan et al., OSDI'20 §4.1, §5) on one GPU type, where it is
//! least attained service by rounds: every job's GPU-time per second, x·GPUs, is to be as equal
//! as can be; x, the share of time it runs, is at most 1. Each round runs the jobs that lag most
//! behind: greatest x ÷ (share of rounds received so far).

use super::super::picking::{Player, Sought, Tournament, Urgency};
use super::super::ranked_room::Class;
use super::super::rounds::Rounds;
use super::super::{Cadence, Explanation, Fact, Policy, Rng};
use crate::Time;
use crate::job::JobId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use switchyard_engine::{News, Plan, View};
use switchyard_explain::{Operand, Unit};
use switchyard_placement::Strategy;

pub(super) struct WaterFilling {
    rounds: Rounds<Lagging>,
    /// How many active jobs there are of each gang size, for the water filling.
    gangs: BTreeMap<u32, u32>,
    /// GPU-time per second that every job is to get, unless its gang is smaller.
    level: f64,
}

/// The furthest behind first; among equals, who runs stays.
type Rank = (Reverse<Time>, bool);

/// Waiting jobs of one gang size.
struct Lagging {
    /// Those that have run not at all are infinitely far behind.
    untouched: BTreeSet<JobId>,
    others: Tournament<Served>,
}

/// A waiting job that has run.
struct Served {
    job: JobId,
    submit: Time,
    gpus: u32,
    /// Seconds that it has run.
    held: f64,
}

/// When a round is, and its level.
#[derive(Clone, Copy)]
struct Round {
    now: Time,
    level: f64,
}

/// The share of time that a job of so many GPUs is to run.
fn target(level: f64, gpus: u32) -> f64 {
    let share = level / f64::from(gpus);
    if share < 1.0 { share } else { 1.0 }
}

/// The share of time that a job of this age has run.
fn received(held: f64, age: f64) -> f64 {
    if age > 0.0 { held / age } else { 0.0 }
}

fn lag(target: f64, received: f64) -> Time {
    Time(if received > 0.0 {
        target / received
    } else {
        f64::INFINITY
    })
}

impl Player for Served {
    /// The level.
    type With = f64;
    type Place = (Reverse<Time>, JobId);

    fn job(&self) -> JobId {
        self.job
    }

    fn submit(&self) -> f64 {
        self.submit.seconds()
    }

    fn place(&self, now: f64, level: f64) -> Self::Place {
        let received = received(self.held, Time(now) - self.submit);
        (Reverse(lag(target(level, self.gpus), received)), self.job)
    }

    fn line(&self) -> Urgency {
        Urgency {
            slope: 1.0 / self.held,
            head_start: 0.0,
        }
    }

    /// If everybody is to run for no time, since there are no GPUs, none is further behind than another.
    fn tells_apart(level: f64) -> bool {
        level > 0.0
    }

    /// If it has waited longer for less.
    fn is_always_before(&self, other: &Self) -> bool {
        self.held <= other.held && self.submit <= other.submit && self.job < other.job
    }
}

impl Default for Lagging {
    fn default() -> Self {
        Self {
            untouched: BTreeSet::new(),
            others: Tournament::new(Sought::First),
        }
    }
}

impl Class for Lagging {
    type Rank = Rank;
    type Round = Round;

    fn enter(&mut self, job: JobId, view: &View<'_>) {
        let held = view.held_seconds(job);
        if held > 0.0 {
            self.others.enter(Served {
                job,
                submit: view.submit(job),
                gpus: view.gpus(job),
                held,
            });
        } else {
            self.untouched.insert(job);
        }
    }

    fn leave(&mut self, job: JobId) -> bool {
        self.untouched.remove(&job) || self.others.leave(job).is_some()
    }

    fn first(&mut self, round: Round) -> Option<(Rank, JobId)> {
        let now = round.now.seconds();
        let other = self.others.winner(now, round.level);
        let other = other.map(|of| of.place(now, round.level));
        let untouched = self.untouched.first();
        let untouched = untouched.map(|&job| (Reverse(Time(f64::INFINITY)), job));
        let (lag, job) = [untouched, other].into_iter().flatten().min()?;
        Some(((lag, true), job))
    }
}

impl WaterFilling {
    pub(super) fn new(round: f64, strategy: Strategy) -> Self {
        Self {
            rounds: Rounds::new(round, "round", strategy),
            gangs: BTreeMap::new(),
            level: f64::INFINITY,
        }
    }

    fn count(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => *self.gangs.entry(view.gpus(job)).or_default() += 1,
                News::Finished(job) => {
                    if let Some(jobs) = self.gangs.get_mut(&view.gpus(job)) {
                        *jobs -= 1;
                    }
                }
                _ => {}
            }
        }
    }

    /// The level L with Σ min(gang, L) = GPUs (eq. 1 of §4.1, by water filling).
    fn fill_up(&mut self, gpus: u32) {
        let mut left = f64::from(gpus);
        let mut jobs: u32 = self.gangs.values().sum();
        self.level = f64::INFINITY;
        for (&gang, &of_gang) in self.gangs.iter().filter(|&(_, &jobs)| jobs > 0) {
            // If there is enough for one of these there is for all: the less they leave, the fewer ask for it.
            let level = left / f64::from(jobs);
            if f64::from(gang) > level {
                self.level = level;
                return;
            }
            left -= f64::from(gang) * f64::from(of_gang);
            jobs -= of_gang;
        }
    }

    fn target(&self, view: &View<'_>, job: JobId) -> f64 {
        target(self.level, view.gpus(job))
    }

    /// The share of time the job has run since its submission.
    fn received(view: &View<'_>, job: JobId) -> f64 {
        received(view.held_seconds(job), view.now() - view.submit(job))
    }
}

impl Policy for WaterFilling {
    fn cadence(&self) -> Cadence {
        self.rounds.cadence()
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.count(view);
        if !self.rounds.begins(view, plan) {
            return;
        }
        self.fill_up(view.free().node_sizes().iter().sum());
        let level = self.level;
        let round = Round {
            now: view.now(),
            level,
        };
        let rank = |job: JobId| {
            let target = target(level, view.gpus(job));
            (Reverse(lag(target, Self::received(view, job))), false)
        };
        self.rounds.give_out(round, rank, view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let (age, received) = (view.now() - view.submit(job), Self::received(view, job));
        let facts = vec![
            Fact::percent("share of time it is to run", self.target(view, job), 0),
            Fact::percent("share it has run", received, 0).by(
                "{0} ∕ {1}",
                [
                    Operand::new("its time on GPUs", view.held_seconds(job), Unit::Seconds),
                    Operand::new("since it came", age, Unit::Seconds),
                ],
                (if age > 0.0 { received } else { f64::NAN }, Unit::None),
            ),
        ];
        Explanation::new(self.rounds.verdict(view, job), facts)
    }
}
