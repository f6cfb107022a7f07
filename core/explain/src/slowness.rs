//! How fast a job ran, and what cost it time. In: its speed and the causes, step by step. Out:
//! [`Slowness`].

use super::Cause;
use crate::Time;
use crate::job::JobId;
use crate::order;
use serde::{Deserialize, Serialize};

/// A job's speed over time, as a part of its full speed, and what slowed it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slowness {
    /// From when on it ran how fast; 0: it had no GPUs.
    pub speeds: Vec<(Time, f64)>,
    /// What cost it time, most first once it is over.
    pub losses: Vec<Loss>,
    /// Why it runs as fast as it does now.
    now: Vec<Cause>,
    /// Until when it is being restored, and loses nothing to these.
    ready: Time,
}

/// What one place cost a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// Seconds at full speed. Where several causes slow a job at once, each has its part.
    pub seconds: f64,
    /// Who caused them, and how many of them each, where others did.
    pub by: Vec<(JobId, f64)>,
    /// When it was slowed most, and by whom.
    pub worst: Cause,
    /// When that began.
    pub at: Time,
}

impl Slowness {
    /// It runs at this speed from now on, but not before it is ready; 0: it has no GPUs.
    pub fn note(
        &mut self,
        now: Time,
        ready: Time,
        speed: f64,
        causes: impl FnOnce() -> Vec<Cause>,
    ) {
        let last = self.speeds.last().copied();
        let before = last.map_or(0.0, |(_, before)| before);
        if (before, self.ready) == (speed, ready) || before == 0.0 && speed == 0.0 {
            return;
        }
        if let Some((since, before)) = last.filter(|&(_, before)| before > 0.0) {
            let held = now - since.max(self.ready);
            self.settle(since, held.max(0.0) * (1.0 - before));
        }
        self.ready = ready;
        self.now = if speed > 0.0 { causes() } else { Vec::new() };
        self.speeds.push((now, speed));
    }

    /// No more is to come.
    pub fn close(&mut self, now: Time) {
        self.note(now, now, 0.0, Vec::new);
        order::sort_by(&mut self.losses, |a, b| {
            order::by_value(&b.seconds, &a.seconds).then(a.at.cmp(&b.at))
        });
    }

    /// Seconds at full speed that it lost in all.
    pub fn lost(&self) -> f64 {
        self.losses.iter().map(|loss| loss.seconds).sum()
    }

    /// Its speed on average while it had GPUs.
    pub fn mean(&self) -> f64 {
        let held = self.speeds.windows(2).filter(|pair| pair[0].1 > 0.0);
        let held: f64 = held.map(|pair| pair[1].0 - pair[0].0).sum();
        if held > 0.0 {
            1.0 - self.lost() / held
        } else {
            1.0
        }
    }

    fn settle(&mut self, since: Time, lost: f64) {
        let causes = std::mem::take(&mut self.now);
        let all: f64 = causes.iter().map(|cause| 1.0 - cause.factor).sum();
        for cause in causes {
            let seconds = if all > 0.0 {
                lost * (1.0 - cause.factor) / all
            } else {
                0.0
            };
            let is_it = |of: &&mut Loss| of.worst.law == cause.law && of.worst.place == cause.place;
            match self.losses.iter_mut().find(is_it) {
                Some(loss) => {
                    loss.seconds += seconds;
                    charge(&mut loss.by, &cause.by, seconds);
                    if cause.factor < loss.worst.factor {
                        (loss.worst, loss.at) = (cause, since);
                    }
                }
                None => {
                    let mut by = Vec::new();
                    charge(&mut by, &cause.by, seconds);
                    self.losses.push(Loss {
                        seconds,
                        by,
                        worst: cause,
                        at: since,
                    });
                }
            }
        }
    }
}

/// Charges others with so many seconds, each by its share.
fn charge(by: &mut Vec<(JobId, f64)>, others: &[(JobId, f64)], seconds: f64) {
    let all: f64 = others.iter().map(|(_, share)| share).sum();
    for (job, share) in others.iter().filter(|_| all > 0.0) {
        let part = seconds * share / all;
        match by.iter_mut().find(|(known, _)| known == job) {
            Some((_, seconds)) => *seconds += part,
            None => by.push((*job, part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(place: &str, factor: f64) -> Cause {
        Cause {
            law: "contention".to_owned(),
            place: place.to_owned(),
            factor,
            load: None,
            by: vec![(JobId(7), 0.5)],
        }
    }

    #[test]
    fn what_was_lost_is_shared_out_among_its_causes() {
        let mut of = Slowness::default();
        let start = Time(10.0);
        of.note(Time(0.0), Time(0.0), 0.0, Vec::new);
        of.note(start, start, 0.5, || vec![cause("a", 0.5)]);
        of.note(Time(30.0), start, 0.5, || panic!("nothing has changed"));
        let both = || vec![cause("a", 0.5), cause("b", 0.5)];
        of.note(Time(50.0), start, 0.25, both);
        of.note(Time(70.0), start, 1.0, Vec::new);
        of.note(Time(80.0), start, 0.4, || vec![cause("b", 0.4)]);
        of.close(Time(90.0));
        assert_eq!(of.speeds.len(), 5);
        let losses: Vec<(&str, f64, f64)> = of
            .losses
            .iter()
            .map(|of| (of.worst.place.as_str(), of.seconds, of.at.seconds()))
            .collect();
        assert_eq!(losses, [("a", 27.5, 10.0), ("b", 13.5, 80.0)]);
        assert_eq!(of.losses[0].by, [(JobId(7), 27.5)]);
        assert_eq!(of.lost(), 41.0);
        assert_eq!(of.mean(), 1.0 - 41.0 / 80.0);
    }

    #[test]
    fn while_it_is_being_restored_it_loses_nothing_to_others() {
        let mut of = Slowness::default();
        of.note(Time(0.0), Time(30.0), 0.5, || vec![cause("a", 0.5)]);
        of.note(Time(50.0), Time(70.0), 0.5, || vec![cause("a", 0.5)]);
        of.close(Time(80.0));
        // From 30 to 50, and from 70 to 80.
        assert_eq!(of.lost(), 15.0);
    }
}
