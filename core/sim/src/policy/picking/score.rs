//! Picking by a formula: the least score is next, and of equal ones who was submitted first.

use super::{Candidate, Moment, Pick};
use crate::tell::Fact;

/// The score of a job that has waited for so many seconds.
pub(in crate::policy) type Score = fn(job: &Candidate, waited: f64) -> f64;

/// Picks the least score.
pub(in crate::policy) struct ByScore {
    pub(in crate::policy) score: Score,
    /// What the trace's own clock shows at time 0, where a job's submission is to be told by it.
    pub(in crate::policy) zero: f64,
    /// RLScheduler's simulator takes waiting times before it knows when a job starts, which it has as
    /// −1: they are negative.
    pub(in crate::policy) negative_waits: bool,
}

impl ByScore {
    fn of(&self, job: &Candidate, now: f64) -> f64 {
        let submit = job.submit + self.zero;
        let scheduled = if self.negative_waits {
            -1.0
        } else {
            now + self.zero
        };
        (self.score)(&Candidate { submit, ..*job }, scheduled - submit)
    }
}

impl Pick for ByScore {
    fn pick(&mut self, waiting: &[Candidate], moment: Moment) -> usize {
        let mut least = (0, f64::INFINITY);
        for (at, job) in waiting.iter().enumerate() {
            let score = self.of(job, moment.now);
            if score < least.1 {
                least = (at, score);
            }
        }
        least.0
    }

    fn facts(&self, waiting: &[Candidate], at: usize, moment: Moment) -> Vec<Fact> {
        let score = self.of(&waiting[at], moment.now);
        let before = waiting.iter().map(|job| self.of(job, moment.now));
        let before = before
            .enumerate()
            .filter(|&other| (other.1, other.0) < (score, at));
        vec![
            Fact::new("score", format!("{score:.6}, the least is next")),
            Fact::new("jobs that would be picked before", before.count()),
        ]
    }
}
