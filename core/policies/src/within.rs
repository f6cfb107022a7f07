//! The order of jobs within a leaf of a tree of queues, where another policy says it: that of its priorities, with the
//! policy's defaults. Policies whose decisions are no order, such as those that go by rounds or search, cannot.
//!
//! `tiresias-las` orders by its queue of attained service, and within one by submission; its promotions are left out.

use super::attained_service::{attained_service, with_product};
use super::continuous::Rule;
use super::entry::{BuildContext, Properties};
use super::parameters::{Words, Written, words};
use super::picking::Candidate;
use super::{Fact, Plot, f1, gittins, las, shortest_expected, srtf, tiresias_las};
use crate::job::JobId;
use switchyard_engine::{Measure, View};
use switchyard_explain::Unit;

/// The policy by whose priorities a leaf's jobs stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    Fifo,
    ShortestJob,
    F1,
    FewestGpus,
    Srtf,
    Srsf,
    Las,
    TiresiasLas,
    Gittins,
    ShortestExpected,
}

words! {
    Within {
        Fifo = "fifo",
        ShortestJob = "shortest-job",
        F1 = "f1",
        FewestGpus = "fewest-gpus",
        Srtf = "srtf",
        Srsf = "srsf",
        Las = "las",
        TiresiasLas = "tiresias-las",
        Gittins = "gittins",
        ShortestExpected = "shortest-expected",
    }
}

impl Within {
    /// Whether it knows what no real scheduler does.
    pub(super) fn is_oracle(self) -> bool {
        matches!(self, Self::ShortestJob | Self::F1 | Self::Srtf | Self::Srsf)
    }

    /// Whether a job that waits may take the place of one that runs.
    pub(super) fn is_preemptive(self) -> bool {
        !matches!(self, Self::Fifo | Self::ShortestJob | Self::F1)
    }

    /// Whether jobs fall behind others while they run, so that they are to be compared anew.
    pub(super) fn falls(self) -> bool {
        matches!(
            self,
            Self::Las | Self::TiresiasLas | Self::Gittins | Self::ShortestExpected
        )
    }

    /// The numbers that order jobs, least first; none: their order of submission does.
    pub(super) fn rule(self, context: &BuildContext<'_>) -> Option<Box<dyn Rule>> {
        let by = |number: Number, told: WithFormula| -> Option<Box<dyn Rule>> {
            let policy = self.word();
            Some(Box::new(Fixed {
                policy,
                number,
                told,
            }))
        };
        let fixed = |number: Number| by(number, |fact, _, _| fact);
        match self {
            Self::Fifo => None,
            Self::ShortestJob => fixed(|view, job| candidate(view, job).seconds),
            Self::F1 => by(f1_score, |fact, view, job| {
                let (formula, operands) = f1::terms(&candidate(view, job), 0.0);
                fact.by(formula, operands, (f1_score(view, job), Unit::None))
            }),
            Self::FewestGpus => fixed(|view, job| f64::from(view.gpus(job))),
            Self::Srtf => fixed(|view, job| srtf::remaining(Measure::Time, view, job).seconds()),
            Self::Srsf => by(remaining_service, |fact, view, job| {
                let seconds = view.remaining(job).unwrap_or(f64::NAN);
                let both = (remaining_service(view, job), seconds);
                with_product(fact, view, job, both, "its remaining time")
            }),
            Self::Las => Some(Box::new(las::LeastAttained)),
            Self::TiresiasLas => Some(Box::new(Levelled(thresholds()))),
            Self::Gittins => Some(Box::new(gittins::GreatestIndex::of_those_that_end(context))),
            Self::ShortestExpected => Some(Box::new(
                shortest_expected::LeastExpected::of_those_that_end(context),
            )),
        }
    }
}

fn candidate(view: &View<'_>, job: JobId) -> Candidate {
    Candidate {
        job,
        submit: view.submit(job).seconds(),
        gpus: view.gpus(job),
        seconds: view.requested_time(job).unwrap_or(f64::INFINITY),
    }
}

fn f1_score(view: &View<'_>, job: JobId) -> f64 {
    f1::score(&candidate(view, job), 0.0)
}

fn remaining_service(view: &View<'_>, job: JobId) -> f64 {
    srtf::remaining(Measure::Service, view, job).seconds()
}

/// Where Tiresias' queues begin, by default.
fn thresholds() -> Vec<f64> {
    let defaults = Written {
        policy: tiresias_las::POLICY.name,
        texts: &[],
    };
    let levels = tiresias_las::Parameters::read(&defaults).map(|params| params.levels());
    levels
        .ok()
        .flatten()
        .map_or(Vec::new(), |levels| levels.thresholds)
}

/// A number of a job's.
type Number = fn(&View<'_>, JobId) -> f64;

/// The fact of it with how it comes about, if there is a formula.
type WithFormula = fn(Fact, &View<'_>, JobId) -> Fact;

/// A number that is looked up.
struct Fixed {
    policy: &'static str,
    number: Number,
    told: WithFormula,
}

impl Rule for Fixed {
    fn key(&self, view: &View<'_>, job: JobId) -> f64 {
        (self.number)(view, job)
    }

    fn learn(&mut self, _view: &View<'_>) -> bool {
        false
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let term = format!("its number by {}", self.policy);
        let fact = Fact::number(&term, self.key(view, job), 1, Unit::None);
        vec![(self.told)(fact, view, job).then(", the least is next")]
    }

    fn plots(&self, _view: &View<'_>, _job: JobId) -> Vec<Plot> {
        Vec::new()
    }
}

/// Tiresias' queue by attained service.
struct Levelled(Vec<f64>);

impl Rule for Levelled {
    fn key(&self, view: &View<'_>, job: JobId) -> f64 {
        let attained = view.attained(job);
        self.0.partition_point(|&from| from <= attained) as f64
    }

    fn learn(&mut self, _view: &View<'_>) -> bool {
        false
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let queue = self.key(view, job) as u32 + 1;
        vec![
            attained_service(view, job),
            Fact::part("queue by attained service", queue, self.0.len() + 1),
        ]
    }

    fn plots(&self, _view: &View<'_>, _job: JobId) -> Vec<Plot> {
        Vec::new()
    }
}
