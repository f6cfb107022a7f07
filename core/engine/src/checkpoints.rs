//! What a job keeps when its node fails: what it had done when it last wrote a checkpoint, which it
//! does when it loses its GPUs otherwise, and every so many seconds of running, if so asked. Between,
//! nothing is written: all since then is lost.

use super::progress::JobProgress;
use crate::Time;
use crate::job::JobId;

/// By job.
pub(super) struct Checkpoints {
    /// Seconds from one to the next, the time that writing takes included; infinite: none.
    cycle: f64,
    kept: Vec<Checkpoint>,
}

/// One job's last checkpoint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Checkpoint {
    /// From when on its present stay counts.
    from: Time,
    /// How far it had come when the stay began.
    begun: f64,
    pub(super) done: f64,
    pub(super) epoch: u32,
}

impl Checkpoint {
    /// Whether anything was written since the stay began.
    pub(super) fn is_new(&self) -> bool {
        self.done > self.begun
    }
}

impl Checkpoints {
    /// Of so many jobs, every `interval` seconds of progress; 0: never while they run.
    pub(super) fn new(jobs: usize, interval: f64, cost: f64) -> Self {
        Self {
            cycle: if interval > 0.0 {
                interval + cost
            } else {
                f64::INFINITY
            },
            kept: vec![Checkpoint::default(); jobs],
        }
    }

    /// A stay begins with all that was done before; it makes progress from `ready` on.
    pub(super) fn begin(&mut self, job: JobId, ready: Time, done: f64, epoch: u32) {
        self.kept[job.index()] = Checkpoint {
            from: ready,
            begun: done,
            done,
            epoch,
        };
    }

    /// A stretch of a job's progress is about to end, in this epoch: notes the last checkpoint in it.
    pub(super) fn note(&mut self, job: JobId, progress: &JobProgress, now: Time, epoch: u32) {
        let kept = &mut self.kept[job.index()];
        let cycles = libm::floor((now - kept.from) / self.cycle);
        if cycles.is_nan() || cycles < 1.0 {
            return;
        }
        let at = kept.from + cycles * self.cycle;
        let at = at.min(now);
        if at > progress.since() {
            kept.done = progress.at(at);
            kept.epoch = epoch;
        }
    }

    /// What a job that has just lost its GPUs to a failure goes on from.
    pub(super) fn of(&self, job: JobId) -> Checkpoint {
        self.kept[job.index()]
    }
}
