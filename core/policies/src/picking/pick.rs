//! What a [`Queue`](super::Queue) asks who is next.

use super::candidate::{Candidate, Moment};
use super::waiting::Waiting;
use crate::job::JobId;
use switchyard_explain::Fact;

/// What picks the next job.
pub trait Pick {
    /// A job begins to wait.
    fn enter(&mut self, _job: &Candidate) {}

    /// A job waits no longer.
    fn leave(&mut self, _job: &Candidate) {}

    /// Which of the waiting jobs is next. There is at least one.
    fn pick(&mut self, waiting: &Waiting, moment: Moment) -> Option<JobId>;

    /// The numbers behind that, about one of them.
    fn facts(&self, waiting: &Waiting, job: &Candidate, moment: Moment) -> Vec<Fact>;
}
