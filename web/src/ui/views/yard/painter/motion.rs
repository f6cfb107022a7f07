//! Jobs on their way: from the platform to their nodes, back, from nodes to other nodes, and away.
//!
//! Motion shows what has just happened, so it lasts a third of a second of real time whatever the clock's
//! speed. Where more happens than an eye can follow, there is none; nor after a jump in time.

use super::platform::Platform;
use crate::draw::space::Rect;
use crate::stage::{Clock, StageRun};
use switchyard::engine::EventKind;
use switchyard::job::JobId;

/// How long a flight takes.
pub(super) const FLIGHT_MS: f64 = 330.0;

/// Events in a second of real time beyond which nothing moves; motion resumes at half as many.
const TOO_MANY_PER_SECOND: f64 = 80.0;

/// Events in one frame that count as a jump while the clock is playing.
const JUMP: usize = 64;

/// A job on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) job: JobId,
    /// The segment that has begun or ended.
    pub(super) segment: usize,
    pub(super) kind: FlightKind,
    began_ms: f64,
}

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FlightKind {
    /// From a place in the queue to the segment's GPUs.
    Placed { from: Rect },
    /// From an earlier segment's GPUs to the segment's.
    Moved { from: usize },
    /// From the segment's GPUs to the queue.
    Preempted,
    /// From the segment's GPUs down and away.
    Finished,
}

/// What moves.
#[derive(Debug, Default)]
pub(super) struct Motion {
    flights: Vec<Flight>,
    /// The moment's first event to come when last painted, and when that was.
    seen: Option<(usize, f64)>,
    /// Events per second of real time, smoothed.
    rate: f64,
    steady: bool,
}

impl Motion {
    /// Takes note of what has happened since the last frame. `platform` is still the last frame's.
    pub(super) fn note(
        &mut self,
        run: &StageRun,
        clock: &Clock,
        platform: &Platform,
        real_ms: f64,
        allowed: bool,
    ) {
        let next = run.moment.next_event();
        let Some((seen, seen_ms)) = self.seen.replace((next, real_ms)) else {
            return;
        };
        self.flights
            .retain(|flight| real_ms - flight.began_ms < FLIGHT_MS);
        let news = next.saturating_sub(seen);
        let passed = (real_ms - seen_ms).clamp(1.0, 200.0);
        let weight = passed / (passed + 150.0);
        self.rate += (news as f64 * 1000.0 / passed - self.rate) * weight;
        let limit = if self.steady {
            TOO_MANY_PER_SECOND / 2.0
        } else {
            TOO_MANY_PER_SECOND
        };
        self.steady = clock.playing && self.rate > limit;

        if next < seen || next > run.log.events() || !allowed || self.steady || news > JUMP {
            self.flights.clear();
            return;
        }
        // While the clock stands, only a step to the next moment with events is no jump.
        let one_moment = || run.log.event(seen).time == run.log.event(next - 1).time;
        if news > 0 && (clock.playing || one_moment()) {
            (seen..next).for_each(|event| self.begin(run, event, platform, real_ms));
        } else if news > 0 {
            self.flights.clear();
        }
    }

    fn begin(&mut self, run: &StageRun, event: usize, platform: &Platform, real_ms: f64) {
        let event = run.log.event(event);
        // Who runs on cores alone has no place in the yard.
        let is_stay = !matches!(
            event.kind,
            EventKind::Submit | EventKind::Reject | EventKind::Promote | EventKind::Demote
        );
        if is_stay && run.log.segment(event.detail as usize).gpus.is_empty() {
            return;
        }
        let left = self
            .flights
            .iter()
            .position(|flight| flight.job == event.job)
            .map(|known| self.flights.swap_remove(known));
        let kind = match event.kind {
            EventKind::Start | EventKind::Restart => match left {
                // Paused and restarted at once: it goes straight there.
                Some(Flight {
                    kind: FlightKind::Preempted,
                    segment,
                    ..
                }) => FlightKind::Moved { from: segment },
                _ => FlightKind::Placed {
                    from: platform.place(event.job),
                },
            },
            EventKind::Pause | EventKind::Evict | EventKind::Fail => FlightKind::Preempted,
            EventKind::Finish => FlightKind::Finished,
            _ => {
                self.flights.extend(left);
                return;
            }
        };
        self.flights.push(Flight {
            job: event.job,
            segment: event.detail as usize,
            kind,
            began_ms: real_ms,
        });
    }

    /// What is on its way.
    pub(super) fn flights(&self) -> &[Flight] {
        &self.flights
    }

    /// Whether too much happens for motion.
    pub(super) fn is_steady(&self) -> bool {
        self.steady
    }
}

impl Flight {
    /// How far it has come, from 0 to 1; slowly off, slowly in.
    pub(super) fn part(&self, real_ms: f64) -> f64 {
        let t = ((real_ms - self.began_ms) / FLIGHT_MS).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }
}
