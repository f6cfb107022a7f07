//! A decision on shares of one kind of GPU, for Gavel's mechanism. In: the active jobs. Out: a share of each on every type
//! that it may use.

use super::super::gavel::{Allocate, Asking, ByType, Combination};
use super::super::{Fact, Policy};
use super::courses::Courses;
use crate::job::JobId;
use switchyard_engine::View;
use switchyard_explain::{Operand, Unit};
use switchyard_model::draw::Rng;
use switchyard_placement::Strategy;
use switchyard_shockwave::allocations::Job;

/// What a decision looks at besides gangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    /// Nothing.
    Nothing,
    /// How fast each job is.
    Throughputs,
    /// That, and what is left to each.
    Remaining,
}

/// A decision on shares.
pub(crate) trait Decide {
    /// The share of each of these jobs on so many GPUs. They are those of the active jobs that can run.
    fn shares(&mut self, jobs: &[Job], gpus: u32) -> Vec<f64>;

    /// These jobs are active, in their order, and no others: what it remembers of others it may forget.
    fn keep(&mut self, _active: &[JobId]) {}

    /// What it knows of a job.
    fn facts(&self, _job: &Job) -> Vec<Fact> {
        Vec::new()
    }
}

impl<Shares: FnMut(&[Job], u32) -> Vec<f64>> Decide for Shares {
    fn shares(&mut self, jobs: &[Job], gpus: u32) -> Vec<f64> {
        self(jobs, gpus)
    }
}

struct OneKind {
    decide: Box<dyn Decide>,
    sees: Sees,
    courses: Courses,
}

/// A policy of rounds of so many seconds, with shares that hold at least so long.
pub(crate) fn policy(
    shares: impl FnMut(&[Job], u32) -> Vec<f64> + 'static,
    sees: Sees,
    times: (f64, f64),
    strategy: Strategy,
) -> Box<dyn Policy> {
    policy_that_tells(shares, sees, times, strategy)
}

/// The same by a decision that has more to say of jobs than their shares.
pub(crate) fn policy_that_tells(
    decide: impl Decide + 'static,
    sees: Sees,
    (round, reset): (f64, f64),
    strategy: Strategy,
) -> Box<dyn Policy> {
    let allocator = OneKind {
        decide: Box::new(decide),
        sees,
        courses: Courses::default(),
    };
    let round = (round, "round");
    let by_type = ByType::new(Box::new(allocator), round, reset, strategy);
    Box::new(by_type.at_once())
}

impl OneKind {
    fn looks(&self) -> bool {
        self.sees != Sees::Nothing
    }
}

impl Allocate for OneKind {
    fn is_blind(&self) -> bool {
        false
    }

    fn allocate(&mut self, asking: &Asking<'_>, _rng: &mut Rng) -> Vec<Combination> {
        let view = asking.view;
        if self.looks() {
            self.courses.follow(view, asking.active);
        }
        self.decide.keep(asking.active);
        let speeds: Vec<Vec<f64>> = asking
            .active
            .iter()
            .map(|&job| asking.speeds(job))
            .collect();
        let runs = |speeds: &[f64]| speeds.iter().any(|&speed| speed > 0.0);
        let able = asking.active.iter().zip(&speeds);
        let able = able.filter(|(_, speeds)| runs(speeds));
        let jobs: Vec<Job> = able.map(|(&job, _)| self.courses.job(view, job)).collect();
        let shares = match jobs.is_empty() {
            true => Vec::new(),
            false => self.decide.shares(&jobs, asking.gpus.iter().sum()),
        };
        let mut shares = shares.into_iter();
        let of = |(&job, speeds): (&JobId, &Vec<f64>)| {
            let share = runs(speeds).then(|| shares.next()).flatten();
            let share = share.filter(|share| share.is_finite()).unwrap_or(0.0);
            let gpus = speeds
                .iter()
                .zip(asking.gpus)
                .map(|(&speed, &gpus)| match speed > 0.0 {
                    true => f64::from(gpus),
                    false => 0.0,
                });
            let all: f64 = gpus.clone().sum();
            let on = gpus.map(|gpus| match gpus > 0.0 {
                true => share * gpus / all,
                false => 0.0,
            });
            Combination::new((job, None), on)
        };
        asking.active.iter().zip(&speeds).map(of).collect()
    }

    fn has_changed(&self, view: &View<'_>) -> bool {
        self.looks() && self.courses.has_changed(view)
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Option<Vec<Fact>> {
        let mut facts = self.courses.facts(view, job);
        if self.looks() && self.courses.of(job).is_some() {
            let now = self.courses.job(view, job);
            let speed = Fact::number("throughput now", now.throughput, 2, Unit::None);
            facts.push(speed.then(" steps/s"));
            if self.sees == Sees::Remaining {
                let left = now.left();
                let operands = [
                    Operand::new("steps that are left", now.remaining, Unit::None),
                    Operand::new("steps a second now", now.throughput, Unit::None),
                ];
                facts.push(Fact::span("left, with the throughput of now", left).by(
                    "{0} ∕ {1}",
                    operands,
                    (left, Unit::Seconds),
                ));
            }
            facts.extend(self.decide.facts(&now));
        }
        Some(facts)
    }
}
