//! Where each job is in its life, and how far.

use super::attained::Held;
use super::attempts::Attempts;
use super::checkpoints::Checkpoints;
use super::progress::{JobProgress, StretchEnd, at_least_zero};
use super::setting::Setting;
use super::training::{Training, trainings};
use crate::Time;
use crate::cluster::ClusterSpec;
use crate::job::JobId;
use switchyard_placement::Queue;

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not yet submitted.
    Future,
    /// In the queue.
    Waiting,
    /// On GPUs.
    Running,
    /// Done.
    Finished,
    /// Wants more GPUs than the cluster has: never admitted.
    Rejected,
}

/// Columns indexed by job.
pub(super) struct Jobs {
    pub(super) phase: Vec<Phase>,
    /// When the phase began; for a running job, when it got its present GPUs.
    pub(super) since: Vec<Time>,
    pub(super) progress: Vec<JobProgress>,
    /// Seconds of progress at the requested GPUs per second, on the present or last GPUs.
    pub(super) rate: Vec<f64>,
    /// Whether the present or last GPUs are on more nodes than the gang needs.
    pub(super) spread: Vec<bool>,
    /// Stays on GPUs before the present segment.
    held: Vec<Held>,
    /// The present or last one.
    pub(super) segment: Vec<u32>,
    /// Counts changes of placement: alarms of an earlier version are void.
    pub(super) version: Vec<u32>,
    pub(super) alarm: Vec<Time>,
    /// Empty unless some adapt.
    trainings: Vec<Option<Training>>,
    /// Empty unless failures are replayed.
    attempts: Attempts,
    /// `None` where nothing fails.
    checkpoints: Option<Checkpoints>,
    /// Jobs that have been submitted: the first so many.
    pub(super) submitted: usize,
    /// Those that wait.
    pub(super) queue: Queue,
    /// Finished or rejected.
    pub(super) done: u32,
}

impl Jobs {
    pub(super) fn new(setting: &Setting, cluster: &ClusterSpec) -> Self {
        let jobs = &setting.workload.jobs;
        let trainings = trainings(setting, cluster);
        let mut attempts = if setting.options.replay_failures {
            Attempts::of(&setting.workload)
        } else {
            Attempts::default()
        };
        let goal = |i: usize| match trainings.get(i) {
            Some(Some(training)) => training.end_of_epoch(),
            _ => {
                let first = attempts.next(JobId(i as u32), 0.0);
                first.unwrap_or_else(|| jobs[i].work.seconds())
            }
        };
        let progress = (0..jobs.len())
            .map(goal)
            .map(JobProgress::towards)
            .collect();
        Self {
            phase: vec![Phase::Future; jobs.len()],
            since: vec![Time::ZERO; jobs.len()],
            progress,
            rate: vec![1.0; jobs.len()],
            spread: vec![false; jobs.len()],
            held: vec![Held::default(); jobs.len()],
            segment: vec![0; jobs.len()],
            version: vec![0; jobs.len()],
            alarm: vec![Time::NEVER; jobs.len()],
            trainings,
            attempts,
            checkpoints: None,
            submitted: 0,
            queue: Queue::default(),
            done: 0,
        }
    }

    /// Whether some are to fail, as their trace records.
    pub(super) fn are_to_fail(&self) -> bool {
        !self.attempts.is_empty()
    }

    /// Whether the end of the job's epoch is the end of an attempt that fails.
    pub(super) fn is_to_fail(&self, job: JobId) -> bool {
        self.attempts.fails(job)
    }

    /// A running job's attempt fails: it falls back to what it has saved, and the next one lies before
    /// it. Seconds of execution that it loses.
    pub(super) fn fail(&mut self, job: JobId, now: Time) -> f64 {
        let (lost, _) = self.lose_unsaved(job, now);
        if let Some(seconds) = self.attempts.next(job, lost) {
            let progress = &mut self.progress[job.index()];
            let done = progress.at(now);
            progress.fall_back(now, done, done + seconds);
        }
        lost
    }

    /// From now on jobs can lose what they have not saved.
    pub(super) fn save_by(&mut self, checkpoints: Checkpoints) {
        self.checkpoints = Some(checkpoints);
    }

    /// Waiting or running.
    pub(super) fn active(&self) -> usize {
        self.submitted - self.done as usize
    }

    /// `None` for a plain job.
    pub(super) fn training(&self, job: JobId) -> Option<&Training> {
        self.trainings.get(job.index())?.as_ref()
    }

    pub(super) fn training_mut(&mut self, job: JobId) -> Option<&mut Training> {
        self.trainings.get_mut(job.index())?.as_mut()
    }

    /// Stays on GPUs until now; on so many at present.
    pub(super) fn held(&self, job: JobId, now: Time, gpus: u32) -> Held {
        let i = job.index();
        let mut held = self.held[i];
        if self.phase[i] == Phase::Running {
            held.stay(gpus, now - self.since[i]);
        }
        held
    }

    /// What is left of so many seconds at the requested GPUs.
    pub(super) fn remaining(&self, job: JobId, seconds: f64, now: Time) -> f64 {
        at_least_zero(seconds - self.attempts.lost(job) - self.executed(job, now))
    }

    /// Epochs complete, with the part of the present one.
    pub(super) fn epochs_at(&self, job: JobId, now: Time) -> f64 {
        let progress = &self.progress[job.index()];
        self.training(job)
            .map_or(0.0, |training| training.epochs_at(progress, now))
    }

    /// Begins a stretch at this part of full speed.
    pub(super) fn go_on(
        &mut self,
        job: JobId,
        from: Time,
        factor: f64,
        whole_seconds: bool,
    ) -> StretchEnd {
        let i = job.index();
        let progress = &mut self.progress[i];
        let Some(Some(training)) = self.trainings.get(i) else {
            progress.set_speed(from, factor);
            self.rate[i] = factor;
            return progress.next_due(false);
        };
        progress.set_speed(from, training.speed(factor));
        self.rate[i] = training.rate(progress);
        progress.next_due(whole_seconds)
    }

    /// Whether the present epoch is the last.
    pub(super) fn is_in_last_epoch(&self, job: JobId) -> bool {
        self.training(job)
            .is_none_or(|training| training.epoch + 1 >= training.application.epochs())
    }

    pub(super) fn complete_epoch(&mut self, job: JobId, now: Time) {
        let i = job.index();
        self.note_checkpoint(job, now);
        let progress = &mut self.progress[i];
        let next_goal = match self.trainings.get_mut(i) {
            Some(Some(training)) => {
                training.epoch += 1;
                training.end_of_epoch()
            }
            _ => progress.goal(),
        };
        progress.complete(now, next_goal);
    }

    /// Ends a running job's stretch.
    pub(super) fn settle(&mut self, job: JobId, now: Time) {
        self.note_checkpoint(job, now);
        self.progress[job.index()].settle(now);
    }

    fn note_checkpoint(&mut self, job: JobId, now: Time) {
        let epoch = self.epoch(job);
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.note(job, &self.progress[job.index()], now, epoch);
        }
    }

    fn epoch(&self, job: JobId) -> u32 {
        self.training(job).map_or(0, |training| training.epoch)
    }

    /// A running job falls back to what it has saved. Seconds of execution at the requested GPUs
    /// that it loses, and whether it has saved anything on these GPUs.
    pub(super) fn lose_unsaved(&mut self, job: JobId, now: Time) -> (f64, bool) {
        self.settle(job, now);
        let i = job.index();
        let Some(kept) = self.checkpoints.as_ref().map(|all| all.of(job)) else {
            return (0.0, true);
        };
        let executed = self.executed(job, now);
        let goal = match self.trainings.get_mut(i) {
            Some(Some(training)) => {
                training.epoch = kept.epoch;
                training.end_of_epoch()
            }
            _ => self.progress[i].goal(),
        };
        self.progress[i].fall_back(now, kept.done, goal);
        let lost = at_least_zero(executed - self.executed(job, now));
        (lost, kept.is_new())
    }

    /// Seconds at the requested GPUs.
    pub(super) fn executed(&self, job: JobId, now: Time) -> f64 {
        let progress = &self.progress[job.index()];
        match self.training(job) {
            Some(training) => training.executed_seconds(progress, now),
            None => progress.at(now),
        }
    }

    /// A job has got what it runs on, and makes progress from `ready` on.
    pub(super) fn enter(
        &mut self,
        job: JobId,
        (now, ready): (Time, Time),
        segment: u32,
        is_spread: bool,
    ) {
        let i = job.index();
        let epoch = self.epoch(job);
        if let Some(checkpoints) = &mut self.checkpoints {
            let done = self.progress[i].at(now);
            checkpoints.begin(job, ready, done, epoch);
        }
        self.phase[i] = Phase::Running;
        self.since[i] = now;
        self.spread[i] = is_spread;
        self.segment[i] = segment;
        self.version[i] += 1;
        self.alarm[i] = Time::NEVER;
    }

    /// A job has lost its so many GPUs, and is now in another phase.
    pub(super) fn leave(&mut self, job: JobId, now: Time, gpus: u32, phase: Phase) {
        let i = job.index();
        self.held[i] = self.held(job, now, gpus);
        self.progress[i].settle(now);
        self.version[i] += 1;
        self.alarm[i] = Time::NEVER;
        self.phase[i] = phase;
        self.since[i] = now;
    }
}
