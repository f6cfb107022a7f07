//! Writing checkpoints takes a part of a job's time, spread evenly here: of every `interval` +
//! `cost` seconds it makes progress for `interval`.

use super::{Cause, Entering, Law};
use crate::job::JobId;

pub(super) struct Checkpointing {
    factor: f64,
}

impl Checkpointing {
    /// After every `interval` seconds of progress, so many of writing.
    pub(super) fn new(interval: f64, cost: f64) -> Self {
        Self {
            factor: interval / (interval + cost),
        }
    }
}

impl Law for Checkpointing {
    fn enter(&mut self, _entering: &Entering<'_>) {}

    fn leave(&mut self, _job: JobId) {}

    fn factor(&self, _job: JobId) -> f64 {
        self.factor
    }

    fn changed(&mut self, _jobs: &mut Vec<JobId>) {}

    fn causes(&self, _job: JobId, causes: &mut Vec<Cause>) {
        causes.push(Cause {
            law: "checkpoints".to_owned(),
            place: "the time that writing checkpoints takes".to_owned(),
            factor: self.factor,
            load: None,
            by: Vec::new(),
        });
    }
}
