//! Attained service: GPUs × time held, restarts included (Tiresias, NSDI'19 §3.2.2). One way of
//! adding it up, [`Held`], for what policies see while a run goes on, for its results, and for any
//! time of its log ([`Attained`]). A promotion makes a job's count begin anew (§3.2.3,
//! PROMOTEKNOB).

use super::log::{EventKind, RunLog};
use crate::Time;

/// What counts as attained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// GPUs × seconds on them (2D-LAS).
    #[default]
    Service,
    /// Seconds on GPUs (LAS).
    Time,
}

impl Measure {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Service => "GPU·s",
            Self::Time => "s",
        }
    }

    /// What so many seconds on so many GPUs come to.
    pub fn of(self, seconds: f64, gpus: u32) -> f64 {
        match self {
            Self::Service => seconds * f64::from(gpus),
            Self::Time => seconds,
        }
    }
}

/// A job's stays on GPUs, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    seconds: f64,
    /// GPU·s of stays on other numbers of GPUs than the last.
    settled: f64,
    /// Seconds on the last number of GPUs.
    on_last: f64,
    last: u32,
}

impl Held {
    /// Adds a stay.
    pub fn stay(&mut self, gpus: u32, seconds: f64) {
        if gpus != self.last {
            self.settled = self.service();
            self.on_last = 0.0;
            self.last = gpus;
        }
        self.on_last += seconds;
        self.seconds += seconds;
    }

    /// Seconds on GPUs.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// GPU·s.
    pub fn service(&self) -> f64 {
        self.settled + Measure::Service.of(self.on_last, self.last)
    }

    /// What has come since `base` was all.
    pub fn attained_since(&self, base: &Self, measure: Measure) -> f64 {
        self.attained(measure) - base.attained(measure)
    }

    /// The one or the other.
    pub fn attained(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Service => self.service(),
            Measure::Time => self.seconds,
        }
    }
}

/// What must be known besides the log to tell what any job has attained at any time. Grows with
/// the log.
#[derive(Clone, Debug, Default)]
pub struct Attained {
    /// By segment: where what is known of it stands in `stays`; [`NOTHING`]: nothing had been before it.
    places: Vec<u32>,
    stays: Vec<Stay>,
    next_event: usize,
}

/// Most jobs have one stay, of which there is nothing to be known.
const NOTHING: u32 = u32::MAX;

/// What is known of a job at one of its stays on GPUs.
#[derive(Clone, Copy, Debug)]
struct Stay {
    /// When the stay began.
    before: Held,
    /// When it was last promoted before the stay: not counted any more.
    promoted: Held,
    /// When it was promoted, if that was between this stay and its next one.
    rises: Time,
}

const UNKNOWN: Stay = Stay {
    before: Held {
        seconds: 0.0,
        settled: 0.0,
        on_last: 0.0,
        last: 0,
    },
    promoted: Held {
        seconds: 0.0,
        settled: 0.0,
        on_last: 0.0,
        last: 0,
    },
    rises: Time::NEVER,
};

impl Attained {
    /// Takes in the log's next segment; `earlier` is its job's last segment before it, which has
    /// ended.
    pub fn add_segment(&mut self, log: &RunLog, earlier: Option<u32>) {
        let stay = earlier.map(|earlier| {
            let before = self.up_to(log, earlier, Time::NEVER);
            let stay = self.stay(earlier);
            let risen = stay.rises < Time::NEVER;
            Stay {
                before,
                promoted: if risen { before } else { stay.promoted },
                rises: Time::NEVER,
            }
        });
        let place = stay.map(|stay| self.know(stay));
        self.places.push(place.unwrap_or(NOTHING));
    }

    /// Where this stands now.
    fn know(&mut self, stay: Stay) -> u32 {
        self.stays.push(stay);
        self.stays.len() as u32 - 1
    }

    /// What is known of a segment that has been taken in, to be changed.
    fn known(&mut self, segment: u32) -> Option<&mut Stay> {
        if *self.places.get(segment as usize)? == NOTHING {
            self.places[segment as usize] = self.know(UNKNOWN);
        }
        self.stays.get_mut(self.places[segment as usize] as usize)
    }

    /// Takes in the promotions among the log's new events. `segments_of`: each job's segments.
    pub fn note_promotions(&mut self, log: &RunLog, segments_of: &[impl AsRef<[u32]>]) {
        for event in (self.next_event..log.events()).map(|i| log.event(i)) {
            let segments = segments_of.get(event.job.index());
            let (EventKind::Promote, Some(segments)) = (event.kind, segments) else {
                continue;
            };
            let segments = segments.as_ref();
            // It waits when it rises, and may begin its next stay at the same moment.
            let begun = segments.partition_point(|&i| log.segment(i as usize).start < event.time);
            let last = begun.checked_sub(1).map(|last| segments[last]);
            let attained = last.map_or(Held::default(), |last| self.up_to(log, last, event.time));
            if let Some(stay) = last.and_then(|last| self.known(last)) {
                stay.rises = event.time;
            }
            // Stays that came with the same piece of the log did not know of it yet.
            for &later in &segments[begun..] {
                if let Some(stay) = self.known(later) {
                    stay.promoted = attained;
                }
            }
        }
        self.next_event = log.events();
    }

    /// What the job that has these segments had held by `now`.
    pub fn held(&self, log: &RunLog, segments: &[u32], now: Time) -> Held {
        let last = begun(log, segments, now).checked_sub(1);
        last.map_or(Held::default(), |last| self.up_to(log, segments[last], now))
    }

    /// What it had attained, counted from its last promotion: what its queue hangs on.
    pub fn since_promotion(
        &self,
        log: &RunLog,
        segments: &[u32],
        now: Time,
        measure: Measure,
    ) -> f64 {
        let Some(last) = begun(log, segments, now).checked_sub(1) else {
            return 0.0;
        };
        let stay = self.stay(segments[last]);
        if stay.rises <= now {
            return 0.0;
        }
        let held = self.up_to(log, segments[last], now);
        held.attained_since(&stay.promoted, measure)
    }

    fn stay(&self, segment: u32) -> Stay {
        let place = self.places.get(segment as usize).copied();
        let stay = self.stays.get(place.unwrap_or(NOTHING) as usize);
        *stay.unwrap_or(&UNKNOWN)
    }

    /// At `now`, or at the segment's end, of the segment's job.
    fn up_to(&self, log: &RunLog, segment: u32, now: Time) -> Held {
        let mut held = self.stay(segment).before;
        let segment = log.segment(segment as usize);
        let seconds = segment.end.min(now) - segment.start;
        if seconds > 0.0 && seconds.is_finite() {
            held.stay(segment.gpu_count(), seconds);
        }
        held
    }
}

/// How many of a job's segments have begun at `now`.
fn begun(log: &RunLog, segments: &[u32], now: Time) -> usize {
    segments.partition_point(|&i| log.segment(i as usize).start <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two stays on 3 GPUs and one on 2.
    #[test]
    fn stays_add_up_whatever_their_gpus() {
        let mut held = Held::default();
        for (gpus, seconds) in [(3, 0.1), (3, 0.2), (2, 10.0)] {
            held.stay(gpus, seconds);
        }
        assert_eq!(held.service(), (0.1 + 0.2) * 3.0 + 20.0);
        assert_eq!(held.attained(Measure::Time), 0.1 + 0.2 + 10.0);
        assert_eq!(Held::default().attained(Measure::Service), 0.0);
    }
}
