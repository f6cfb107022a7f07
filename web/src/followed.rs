//! The job that is followed: what happens to it in a run, and the pace at which the clock passes that.

use switchyard::engine::{Event, EventKind, RunLog};
use switchyard::job::{Job, JobId};

/// A job's events in one run, as far as its log is there.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    job: Option<JobId>,
    read: usize,
    events: Vec<Event>,
}

/// Real seconds in which what is between two events shrinks to a third as one of them comes near.
const NEARER_IN: f64 = 0.5;
/// How much slower than its speed the clock is beside an event.
const SLOWER: f64 = 8.0;

impl Followed {
    /// Takes up what the log has brought of this job; another job's events are let go of.
    pub(crate) fn seek(&mut self, job: Option<JobId>, log: &RunLog, jobs: &[Job]) {
        if self.job != job {
            let record = job.and_then(|job| jobs.get(job.index()));
            let submit = record.map_or(f64::INFINITY, |job| job.submit.seconds());
            *self = Self {
                job,
                read: log.event_times().partition_point(|&at| at < submit),
                events: Vec::new(),
            };
        }
        let Some(job) = job else { return };
        while self.read < log.events() && !self.is_over() {
            let event = log.event(self.read);
            if event.job == job {
                self.events.push(event);
            }
            self.read += 1;
        }
    }

    /// What has happened to it, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether nothing more will happen to it.
    fn is_over(&self) -> bool {
        let last = self.events.last();
        last.is_some_and(|last| matches!(last.kind, EventKind::Finish | EventKind::Reject))
    }
}

/// How fast the clock goes from one event to the next, which are so many seconds away: slowly beside
/// them, and the faster the farther it is from both. Where nothing comes any more, at its `speed`.
pub(crate) fn pace(speed: f64, since: Option<f64>, until: Option<f64>) -> f64 {
    let Some(until) = until else { return speed };
    let nearest = since.map_or(until, |since| since.min(until));
    (nearest / NEARER_IN).max(speed / SLOWER)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Real seconds that the clock takes from one event to the next.
    fn takes(speed: f64, apart: f64) -> f64 {
        let (mut now, mut real) = (0.0, 0.0);
        while now < apart {
            now += pace(speed, Some(now), Some(apart - now)) / 60.0;
            real += 1.0 / 60.0;
        }
        real
    }

    #[test]
    fn slow_beside_events_and_fast_between_them() {
        assert_eq!(pace(800.0, None, None), 800.0);
        assert_eq!(pace(800.0, Some(0.0), Some(1e6)), 100.0);
        assert_eq!(pace(800.0, Some(1e6), Some(10.0)), 100.0);
        assert!(pace(800.0, Some(1e5), Some(1e5)) > 1e5);
        // Months pass within seconds, and a moment's neighbours are still seen.
        let (short, long) = (takes(3600.0, 60.0), takes(3600.0, 1e7));
        assert!((0.1..2.0).contains(&short), "{short}");
        assert!((2.0..15.0).contains(&long), "{long}");
    }
}
