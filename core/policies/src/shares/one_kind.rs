//! A decision on shares of one kind of GPU, for Gavel's mechanism. In: the active jobs. Out: a share of each on every type
//! that it may use.

use super::super::gavel::{Allocate, Asking, ByType, Combination};
use super::super::{Fact, Policy};
use super::courses::Courses;
use crate::draw::Rng;
use crate::job::JobId;
use switchyard_engine::View;
use switchyard_explain::Unit;
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

/// The shares of jobs on so many GPUs.
type Decide = Box<dyn FnMut(&[Job], u32) -> Vec<f64>>;

struct OneKind {
    decide: Decide,
    sees: Sees,
    courses: Courses,
}

/// A policy of rounds of so many seconds, with shares that hold at least so long.
pub(crate) fn policy(
    decide: impl FnMut(&[Job], u32) -> Vec<f64> + 'static,
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
            false => (self.decide)(&jobs, asking.gpus.iter().sum()),
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
                let left = now.remaining / now.throughput;
                facts.push(Fact::span("left, with the throughput of now", left));
            }
        }
        Some(facts)
    }
}
