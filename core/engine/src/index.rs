//! From a time to what runs and waits then, without replaying the run.
//!
//! [`TimeIndex`] keeps checkpoints along the event log, spaced so that all of them together
//! take no more room than the events. [`Moment`] is a cursor: small steps forward cost only the
//! events between, a jump costs a checkpoint and the events after it.

use super::log::{EventKind, RunLog};
use crate::Time;
use crate::job::JobId;

/// Fewest events between two checkpoints.
const LEAST_SPACING: usize = 512;

/// Checkpoints along one log's events.
#[derive(Clone, Debug, Default)]
pub struct TimeIndex {
    checkpoints: Vec<Checkpoint>,
    /// The cursor at the end of what has been indexed.
    end: Moment,
}

/// The state before event `next_event`.
#[derive(Clone, Debug, Default)]
struct Checkpoint {
    next_event: usize,
    running: Vec<(JobId, JobAt)>,
    waiting: Vec<(JobId, JobAt)>,
    finished: u32,
}

/// What runs and waits at one time.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    next_event: usize,
    running: Vec<JobId>,
    waiting: Vec<JobId>,
    finished: u32,
    jobs: Vec<JobAt>,
}

/// One active job.
#[derive(Clone, Copy, Debug, Default)]
struct JobAt {
    /// Where it stands in `running` or `waiting`.
    position: u32,
    /// Its latest segment.
    segment: u32,
    /// Since when it has been waiting or running.
    since: f64,
    /// Its queue.
    level: u32,
}

impl TimeIndex {
    /// Takes in the events added to `log` since the last call.
    pub fn extend(&mut self, log: &RunLog) {
        while self.end.next_event < log.events() {
            let last = self
                .checkpoints
                .last()
                .map_or(0, |checkpoint| checkpoint.next_event);
            let active = self.end.running.len() + self.end.waiting.len();
            // A checkpoint takes as much as its active jobs do: of a million jobs one in so many events is enough.
            if self.end.next_event - last >= LEAST_SPACING.max(4 * active) {
                self.checkpoints.push(self.end.checkpoint());
            }
            self.end.apply_next(log);
        }
    }
}

impl Moment {
    /// Jobs that hold GPUs, in no particular order.
    pub fn running(&self) -> &[JobId] {
        &self.running
    }

    /// Jobs that wait, in no particular order.
    pub fn waiting(&self) -> &[JobId] {
        &self.waiting
    }

    /// How many jobs have finished.
    pub fn finished(&self) -> u32 {
        self.finished
    }

    /// The first event that has not happened yet.
    pub fn next_event(&self) -> usize {
        self.next_event
    }

    /// The segment of a running job, or the last one of a job that ran before.
    pub fn segment(&self, job: JobId) -> usize {
        self.at(job).segment as usize
    }

    /// Since when an active job has been waiting or running.
    pub fn since(&self, job: JobId) -> Time {
        Time(self.at(job).since)
    }

    /// The queue an active job stands in (0 is the highest).
    pub fn level(&self, job: JobId) -> u32 {
        self.at(job).level
    }

    /// Moves to `time`: everything up to and including it has happened.
    pub fn seek(&mut self, log: &RunLog, index: &TimeIndex, time: Time) {
        let target = log
            .event_times()
            .partition_point(|&at| at <= time.seconds());
        let before = index
            .checkpoints
            .partition_point(|checkpoint| checkpoint.next_event <= target);
        let start = Checkpoint::default();
        let checkpoint = before
            .checked_sub(1)
            .map_or(&start, |i| &index.checkpoints[i]);
        if target < self.next_event || checkpoint.next_event > self.next_event {
            self.restore(checkpoint);
        }
        while self.next_event < target {
            self.apply_next(log);
        }
    }

    fn at(&self, job: JobId) -> JobAt {
        self.jobs.get(job.index()).copied().unwrap_or_default()
    }

    fn checkpoint(&self) -> Checkpoint {
        let keep = |jobs: &[JobId]| jobs.iter().map(|&job| (job, self.at(job))).collect();
        Checkpoint {
            next_event: self.next_event,
            running: keep(&self.running),
            waiting: keep(&self.waiting),
            finished: self.finished,
        }
    }

    fn restore(&mut self, checkpoint: &Checkpoint) {
        self.next_event = checkpoint.next_event;
        self.finished = checkpoint.finished;
        self.running.clear();
        self.waiting.clear();
        for &(job, at) in checkpoint.running.iter().chain(&checkpoint.waiting) {
            self.make_room_for(job);
            self.jobs[job.index()] = at;
        }
        self.running
            .extend(checkpoint.running.iter().map(|&(job, _)| job));
        self.waiting
            .extend(checkpoint.waiting.iter().map(|&(job, _)| job));
    }

    fn apply_next(&mut self, log: &RunLog) {
        let event = log.event(self.next_event);
        self.next_event += 1;
        let job = event.job;
        self.make_room_for(job);
        match event.kind {
            EventKind::Submit => {
                self.jobs[job.index()].level = 0;
                self.enter_waiting(job, event.time);
            }
            EventKind::Start | EventKind::Restart => {
                remove(&mut self.waiting, &mut self.jobs, job);
                let at = &mut self.jobs[job.index()];
                at.segment = event.detail;
                at.since = event.time.seconds();
                at.position = self.running.len() as u32;
                self.running.push(job);
            }
            EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                remove(&mut self.running, &mut self.jobs, job);
                self.enter_waiting(job, event.time);
            }
            EventKind::Finish => {
                remove(&mut self.running, &mut self.jobs, job);
                self.finished += 1;
            }
            EventKind::Demote | EventKind::Promote => self.jobs[job.index()].level = event.detail,
            EventKind::Reject => {}
        }
    }

    fn enter_waiting(&mut self, job: JobId, since: Time) {
        let at = &mut self.jobs[job.index()];
        at.since = since.seconds();
        at.position = self.waiting.len() as u32;
        self.waiting.push(job);
    }

    fn make_room_for(&mut self, job: JobId) {
        if self.jobs.len() <= job.index() {
            self.jobs.resize(job.index() + 1, JobAt::default());
        }
    }
}

/// Takes `job` out of `list`, in which `jobs` knows its position.
fn remove(list: &mut Vec<JobId>, jobs: &mut [JobAt], job: JobId) {
    let position = jobs[job.index()].position;
    list.swap_remove(position as usize);
    if let Some(&moved) = list.get(position as usize) {
        jobs[moved.index()].position = position;
    }
}
