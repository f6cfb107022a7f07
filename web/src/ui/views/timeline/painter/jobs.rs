//! What a job's row shows beyond its segments: when it was over, when it changed queues.

use switchyard::engine::{EventKind, RunLog};
use switchyard::job::JobId;

/// One list a job, as far as the log has been seen.
#[derive(Debug, Default)]
pub(super) struct JobRows {
    /// When each job was finished or rejected; infinite before.
    over: Vec<f64>,
    /// As many as there are jobs once one has changed queues.
    levels: Vec<Vec<LevelChange>>,
    seen: usize,
}

/// A job went to another queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelChange {
    pub(super) time: f64,
    /// To a higher one.
    pub(super) up: bool,
}

impl JobRows {
    /// Takes in what has been added to the log.
    pub(super) fn extend(&mut self, log: &RunLog, jobs: usize) {
        self.over.resize(jobs, f64::INFINITY);
        for event in (self.seen..log.events()).map(|i| log.event(i)) {
            let time = event.time.seconds();
            match event.kind {
                EventKind::Finish | EventKind::Reject => self.over[event.job.index()] = time,
                EventKind::Demote | EventKind::Promote => {
                    let up = event.kind == EventKind::Promote;
                    self.levels.resize(jobs, Vec::new());
                    self.levels[event.job.index()].push(LevelChange { time, up });
                }
                _ => {}
            }
        }
        self.seen = log.events();
    }

    /// How many events have been taken in.
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// When a job was over; infinite if it is not yet.
    pub(super) fn over(&self, job: JobId) -> f64 {
        self.over.get(job.index()).copied().unwrap_or(f64::INFINITY)
    }

    /// When a job changed queues, in order of time.
    pub(super) fn levels(&self, job: JobId) -> &[LevelChange] {
        self.levels.get(job.index()).map_or(&[], Vec::as_slice)
    }
}
