//! Picking by a formula: the least score is next, and of equal ones who was submitted first.

use super::tournament::{Player, Sought, Tournament, Urgency};
use super::{Candidate, Moment, Pick, Waiting};
use crate::job::JobId;
use crate::order::ByValue;
use crate::parameters::param;
use crate::{ParamInfo, ParamKind};
use std::collections::BTreeSet;
use switchyard_explain::{Fact, Operand, Unit};

/// Where time 0 is on the trace's clock.
pub(crate) const ZERO: ParamInfo = param(
    ParamKind::Float {
        min: 0.0,
        max: 1e15,
    },
    "0",
    "What the trace's own clock shows when the first job arrives, seconds.",
)
.for_experts();

/// The score of a job that has waited for so many seconds.
pub(crate) type Score = fn(job: &Candidate, waited: f64) -> f64;

/// The formula of a score, and what a job that has waited for so many seconds puts in.
pub(crate) type Terms = fn(job: &Candidate, waited: f64) -> (&'static str, Vec<Operand>);

/// When a job starts, to RLScheduler's simulator, which takes waiting times before it knows: they are negative.
const NOT_STARTED: f64 = -1.0;

/// Picks the least score.
pub(crate) struct ByScore {
    score: Score,
    /// What the trace's own clock shows at time 0, where a job's submission is to be told by it.
    zero: f64,
    /// None: the score is one of the job's own numbers.
    terms: Option<Terms>,
    order: Order,
}

/// Who waits, for the least score to be found.
enum Order {
    /// Scores stay as they are.
    Fixed(BTreeSet<(ByValue, JobId)>),
    /// Jobs that wait move up.
    Ageing {
        line: fn(&Candidate) -> Urgency,
        tournament: Tournament<Ageing>,
    },
}

/// A job that moves up.
pub(super) struct Ageing {
    pub(super) job: Candidate,
    pub(super) score: Score,
    pub(super) line: Urgency,
}

impl Player for Ageing {
    type With = ();
    type Place = (ByValue, JobId);

    fn job(&self) -> JobId {
        self.job.job
    }

    fn submit(&self) -> f64 {
        self.job.submit
    }

    fn place(&self, now: f64, (): ()) -> Self::Place {
        let score = (self.score)(&self.job, now - self.job.submit);
        (least_first(score), self.job.job)
    }

    fn line(&self) -> Urgency {
        self.line
    }

    fn is_always_before(&self, other: &Self) -> bool {
        let (a, b) = (&self.job, &other.job);
        // Then it has waited longer.
        let is_alike = (a.gpus, a.seconds) == (b.gpus, b.seconds);
        is_alike && a.submit <= b.submit && a.job < b.job
    }
}

impl ByScore {
    /// By what does not change while a job waits.
    pub(crate) fn fixed(score: Score, zero: f64) -> Self {
        Self {
            score,
            zero,
            terms: None,
            order: Order::Fixed(BTreeSet::new()),
        }
    }

    /// By how long jobs have waited, too, where time 0 is `zero` on the trace's clock.
    pub(crate) fn ageing(
        score: Score,
        line: fn(&Candidate) -> Urgency,
        zero: f64,
        quirks: bool,
    ) -> Self {
        if quirks {
            // Its waiting times stand still.
            return Self::fixed(score, zero);
        }
        Self {
            score,
            zero,
            terms: None,
            order: Order::Ageing {
                line,
                tournament: Tournament::new(Sought::First),
            },
        }
    }

    /// The same that tells how scores come about.
    #[must_use]
    pub(crate) fn told_by(self, terms: Terms) -> Self {
        Self {
            terms: Some(terms),
            ..self
        }
    }

    /// The job, submitted by the trace's clock.
    fn by_clock(&self, job: &Candidate) -> Candidate {
        Candidate {
            submit: job.submit + self.zero,
            ..*job
        }
    }

    /// The job as scores see it, and for how long it has waited.
    fn seen(&self, job: &Candidate, now: f64) -> (Candidate, f64) {
        let job = self.by_clock(job);
        let scheduled = match self.order {
            Order::Fixed(_) => NOT_STARTED,
            Order::Ageing { .. } => now + self.zero,
        };
        (job, scheduled - job.submit)
    }

    fn of(&self, job: &Candidate, now: f64) -> f64 {
        let (job, waited) = self.seen(job, now);
        (self.score)(&job, waited)
    }

    fn place(&self, job: &Candidate) -> (ByValue, JobId) {
        (least_first(self.of(job, 0.0)), job.job)
    }
}

/// A score, to find the least by: what is no number, or infinite, comes last.
pub(super) fn least_first(score: f64) -> ByValue {
    match score < f64::INFINITY {
        true => ByValue::of(score),
        false => ByValue::of(f64::INFINITY),
    }
}

impl Pick for ByScore {
    fn enter(&mut self, job: &Candidate) {
        let (of_clock, place) = (self.by_clock(job), self.place(job));
        match &mut self.order {
            Order::Fixed(places) => drop(places.insert(place)),
            Order::Ageing { line, tournament } => tournament.enter(Ageing {
                job: of_clock,
                score: self.score,
                line: line(&of_clock),
            }),
        }
    }

    fn leave(&mut self, job: &Candidate) {
        let place = self.place(job);
        match &mut self.order {
            Order::Fixed(places) => drop(places.remove(&place)),
            Order::Ageing { tournament, .. } => drop(tournament.leave(job.job)),
        }
    }

    fn pick(&mut self, _waiting: &Waiting, moment: Moment) -> Option<JobId> {
        match &mut self.order {
            Order::Fixed(places) => places.first().map(|place| place.1),
            Order::Ageing { tournament, .. } => {
                Some(tournament.winner(moment.now + self.zero, ())?.job())
            }
        }
    }

    fn facts(&self, waiting: &Waiting, job: &Candidate, moment: Moment) -> Vec<Fact> {
        let place = |job: &Candidate| {
            let score = self.of(job, moment.now);
            (score, (least_first(score), job.job))
        };
        let (score, own) = place(job);
        let before = waiting.iter().filter(|other| place(other).1 < own);
        let mut fact = Fact::number("score", score, 6, Unit::None);
        if let Some(terms) = self.terms {
            let (job, waited) = self.seen(job, moment.now);
            let (formula, operands) = terms(&job, waited);
            fact = fact.by(formula, operands, (score, Unit::None));
        }
        vec![
            fact.then(", the least is next"),
            Fact::count(
                "jobs that would be picked before",
                before.count(),
                Unit::None,
            ),
        ]
    }
}
