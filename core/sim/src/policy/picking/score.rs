//! Picking by a formula: the least score is next, and of equal ones who was submitted first.

use super::tournament::{Line, Tournament};
use super::waiting::Ordered;
use super::{Candidate, Moment, Pick, Waiting};
use crate::job::JobId;
use crate::tell::Fact;
use std::collections::BTreeSet;

/// The score of a job that has waited for so many seconds.
pub(in crate::policy) type Score = fn(job: &Candidate, waited: f64) -> f64;

/// What a waiting time is where RLScheduler's simulator takes it before it knows when a job starts, which it
/// has as −1: negative.
const NOT_STARTED: f64 = -1.0;

/// Picks the least score.
pub(in crate::policy) struct ByScore {
    score: Score,
    /// What the trace's own clock shows at time 0, where a job's submission is to be told by it.
    zero: f64,
    order: Order,
}

/// Who waits, for the least score to be found.
enum Order {
    /// Scores stay as they are.
    Fixed(BTreeSet<(Ordered, JobId)>),
    /// Jobs that wait move up.
    Ageing(Tournament),
}

impl ByScore {
    /// By what does not change while a job waits.
    pub(in crate::policy) fn fixed(score: Score, zero: f64) -> Self {
        Self {
            score,
            zero,
            order: Order::Fixed(BTreeSet::new()),
        }
    }

    /// By how long jobs have waited, too.
    pub(in crate::policy) fn ageing(score: Score, line: fn(&Candidate) -> Line, zero: f64) -> Self {
        Self {
            score,
            zero,
            order: Order::Ageing(Tournament::new(score, line)),
        }
    }

    /// The job, submitted by the trace's clock.
    fn by_clock(&self, job: &Candidate) -> Candidate {
        Candidate {
            submit: job.submit + self.zero,
            ..*job
        }
    }

    fn of(&self, job: &Candidate, now: f64) -> f64 {
        let job = self.by_clock(job);
        let scheduled = match self.order {
            Order::Fixed(_) => NOT_STARTED,
            Order::Ageing(_) => now + self.zero,
        };
        (self.score)(&job, scheduled - job.submit)
    }

    fn place(&self, job: &Candidate) -> (Ordered, JobId) {
        (Ordered::least_first(self.of(job, 0.0)), job.job)
    }
}

impl Pick for ByScore {
    fn enter(&mut self, job: &Candidate) {
        let (of_clock, place) = (self.by_clock(job), self.place(job));
        match &mut self.order {
            Order::Fixed(places) => drop(places.insert(place)),
            Order::Ageing(tournament) => tournament.enter(of_clock),
        }
    }

    fn leave(&mut self, job: &Candidate) {
        let place = self.place(job);
        match &mut self.order {
            Order::Fixed(places) => drop(places.remove(&place)),
            Order::Ageing(tournament) => tournament.leave(job.job),
        }
    }

    fn pick(&mut self, _waiting: &Waiting, moment: Moment) -> Option<JobId> {
        match &mut self.order {
            Order::Fixed(places) => places.first().map(|place| place.1),
            Order::Ageing(tournament) => tournament.winner(moment.now + self.zero),
        }
    }

    fn facts(&self, waiting: &Waiting, job: &Candidate, moment: Moment) -> Vec<Fact> {
        let place = |job: &Candidate| {
            let score = self.of(job, moment.now);
            (score, (Ordered::least_first(score), job.job))
        };
        let (score, own) = place(job);
        let before = waiting.iter().filter(|other| place(other).1 < own);
        vec![
            Fact::new("score", format!("{score:.6}, the least is next")),
            Fact::new("jobs that would be picked before", before.count()),
        ]
    }
}
