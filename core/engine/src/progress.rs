//! How far a job has come. One machine for all: a plain job is one epoch of fixed length, an
//! adaptive one has its application's. From one change of its speed to the next a job progresses
//! evenly: a *stretch*, whose end is one event.

use crate::Time;

/// Of one job, in any unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobProgress {
    /// When the stretch began, and how far the job had come.
    since: Time,
    done: f64,
    /// Per second; 0 unless the job runs.
    speed: f64,
    /// Where its epoch ends.
    goal: f64,
    /// Counts stretches: the ends of earlier ones are stale.
    stretch: u32,
}

/// The end of a stretch that lasts until the end of its epoch.
pub(super) struct StretchEnd {
    pub(super) at: Time,
    /// Whether rounding has put it before its true time.
    pub(super) early: bool,
    pub(super) stretch: u32,
}

impl JobProgress {
    /// At the very beginning of an epoch.
    pub(super) fn towards(goal: f64) -> Self {
        Self {
            since: Time::ZERO,
            done: 0.0,
            speed: 0.0,
            goal,
            stretch: 0,
        }
    }

    pub(super) fn at(&self, now: Time) -> f64 {
        let passed = now - self.since;
        if passed <= 0.0 || self.speed <= 0.0 {
            return self.done;
        }
        let done = self.done + passed * self.speed;
        if done < self.goal { done } else { self.goal }
    }

    /// Where its epoch ends.
    pub(super) fn goal(&self) -> f64 {
        self.goal
    }

    /// Per second; 0 unless the job runs.
    pub(super) fn speed(&self) -> f64 {
        self.speed
    }

    /// When the stretch began.
    pub(super) fn since(&self) -> Time {
        self.since
    }

    /// Whether anything has been done in this stretch.
    pub(super) fn has_moved(&self, now: Time) -> bool {
        self.speed > 0.0 && now > self.since
    }

    /// Whether this is the stretch of that number.
    pub(super) fn is_in(&self, stretch: u32) -> bool {
        self.stretch == stretch
    }

    /// Ends the stretch.
    pub(super) fn settle(&mut self, now: Time) {
        self.done = self.at(now);
        self.speed = 0.0;
        self.stretch += 1;
    }

    /// Falls back to what was done earlier, in an epoch that ends there.
    pub(super) fn fall_back(&mut self, now: Time, done: f64, goal: f64) {
        *self = Self {
            since: now,
            done,
            speed: 0.0,
            goal,
            stretch: self.stretch + 1,
        };
    }

    /// Begins a stretch; the one before is settled.
    pub(super) fn set_speed(&mut self, from: Time, speed: f64) {
        self.since = from;
        self.speed = speed;
    }

    /// When the epoch ends at this speed; after whole seconds, if so asked.
    pub(super) fn next_due(&self, whole_seconds: bool) -> StretchEnd {
        let seconds = at_least_zero(self.goal - self.done) / self.speed;
        let rounded = if whole_seconds {
            libm::rint(seconds)
        } else {
            seconds
        };
        StretchEnd {
            at: self.since + rounded,
            early: rounded < seconds,
            stretch: self.stretch,
        }
    }

    /// Completes the epoch; the next one ends there.
    pub(super) fn complete(&mut self, now: Time, next_goal: f64) {
        *self = Self {
            since: now,
            done: self.goal,
            speed: 0.0,
            goal: next_goal,
            stretch: self.stretch + 1,
        };
    }
}

/// `x.max(0.0)`, which is a call in wasm (of other rules for NaN), in an instruction.
pub(super) fn at_least_zero(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}
