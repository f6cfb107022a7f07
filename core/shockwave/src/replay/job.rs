//! A job in the simulated world: how far it is, how it changes its batch size, and what it is owed.

use super::files::{self, Throughputs};
use crate::batches::{Change, Training};

/// Rounds that may fail one after the other before a job is given up.
const ATTEMPTS: u32 = 5;

/// A job may run so many times as long as its profile says.
const OVERTIME: f64 = 1.5;

/// A job that has come and is not done.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) id: usize,
    pub(super) training: Training,
    pub(super) arrival: f64,
    pub(super) batch: u32,
    /// Steps in all and done, with the batch size of now.
    pub(super) total: i64,
    pub(super) run: i64,
    /// Steps per second.
    pub(super) throughput: f64,
    /// The change that it asks for when its next lease ends.
    pub(super) asked: Option<Change>,
    /// Seconds it ran since the last reset, with half a round to begin with; and what it is owed.
    pub(super) time: f64,
    pub(super) deficit: f64,
    /// Its share, once one was computed.
    pub(super) share: Option<f64>,
    /// The GPUs that it had in the last round.
    pub(super) workers: Vec<usize>,
    /// Whether it ran in the round before that.
    pub(super) ran_before: bool,
    /// Seconds that it has run.
    pub(super) ran: f64,
    /// Seconds that its profile says.
    pub(super) profiled: f64,
    failures: u32,
}

impl Live {
    pub(super) fn of(
        id: usize,
        job: &files::Job,
        throughput: f64,
        profiled: f64,
        time: f64,
    ) -> Self {
        Self {
            id,
            training: job.training,
            arrival: job.arrival,
            batch: job.training.batch,
            total: job.steps as i64,
            run: 0,
            throughput,
            asked: None,
            time,
            deficit: 0.0,
            share: None,
            workers: Vec::new(),
            ran_before: false,
            ran: 0.0,
            profiled,
            failures: 0,
        }
    }

    pub(super) fn gpus(&self) -> usize {
        self.training.gpus as usize
    }

    pub(super) fn remaining(&self) -> i64 {
        self.total - self.run
    }

    /// Steps of a round of so many seconds.
    pub(super) fn steps_within(&self, seconds: f64) -> i64 {
        ((self.throughput * seconds) as i64).min(self.remaining())
    }

    /// A lease ends with so many steps in so many seconds. Whether the job is over: done, over its time, or given up.
    /// The second is whether the lease failed, in which neither steps nor time passed.
    pub(super) fn lease_ends(&mut self, steps: i64, seconds: f64) -> (bool, bool) {
        self.ran += seconds;
        if steps <= 0 && seconds <= 0.0 {
            self.failures += 1;
            return (self.failures >= ATTEMPTS, true);
        }
        self.failures = 0;
        self.run += steps;
        self.time += seconds;
        let may_run = (self.profiled * OVERTIME).trunc();
        (self.remaining() <= 0 || self.ran > may_run, false)
    }

    fn epoch(&self, batch: u32) -> i64 {
        self.training.model.steps_per_epoch(batch) as i64
    }

    /// The epoch it has come to, of epochs begun.
    fn epochs_begun(&self) -> i64 {
        ceil_div(self.run, self.epoch(self.batch))
    }

    /// Epochs that are complete.
    pub(super) fn epochs_done(&self) -> u64 {
        self.run.div_euclid(self.epoch(self.batch)).max(0) as u64
    }

    /// At the end of a round: what it asks for.
    pub(super) fn look(&mut self) {
        let epoch = self.epochs_begun().max(0) as u64;
        let asked = self.training.asks(self.batch, epoch);
        self.asked = asked.or(self.asked);
    }

    /// At the end of a lease: the change that it asked for, with all its epochs kept.
    pub(super) fn change(&mut self, throughputs: &Throughputs) {
        let Some(batch) = self
            .asked
            .take()
            .and_then(|asked| self.training.changed(self.batch, asked))
        else {
            return;
        };
        let measured = throughputs.get(self.training.model, batch, self.training.gpus);
        let Some(throughput) = measured else {
            return;
        };
        let (old, new) = (self.epoch(self.batch), self.epoch(batch));
        let ratio = f64::from(batch) / f64::from(self.batch);
        let epochs = ceil_div(self.total, old);
        let total = (self.total as f64 * (1.0 / ratio)).ceil() as i64;
        let is_kept = ceil_div(total, new) == epochs;
        self.run = self.epochs_begun() * new;
        self.total = if is_kept { total } else { epochs * new };
        (self.batch, self.throughput) = (batch, throughput);
    }
}

fn ceil_div(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}
