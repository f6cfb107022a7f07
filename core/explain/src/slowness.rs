//! How fast a job ran, and what cost it time. In: its speed and the causes, step by step. Out:
//! [`Slowness`].

use super::Cause;
use crate::Time;
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
}

/// What one place cost a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// Seconds at full speed. Where several causes slow a job at once, each has its part.
    pub seconds: f64,
    /// When it was slowed most, and by whom.
    pub worst: Cause,
    /// When that began.
    pub at: Time,
}

impl Slowness {
    /// It runs at this speed from now on; 0: it has no GPUs.
    pub fn note(&mut self, now: Time, speed: f64, causes: impl FnOnce() -> Vec<Cause>) {
        let last = self.speeds.last().copied();
        if last.map_or(0.0, |(_, before)| before) == speed {
            return;
        }
        if let Some((since, before)) = last.filter(|&(_, before)| before > 0.0) {
            self.settle(since, (now - since) * (1.0 - before));
        }
        self.now = if speed > 0.0 { causes() } else { Vec::new() };
        self.speeds.push((now, speed));
    }

    /// No more is to come.
    pub fn close(&mut self, now: Time) {
        self.note(now, 0.0, Vec::new);
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
                    if cause.factor < loss.worst.factor {
                        (loss.worst, loss.at) = (cause, since);
                    }
                }
                None => self.losses.push(Loss {
                    seconds,
                    worst: cause,
                    at: since,
                }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobId;

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
        of.note(Time(0.0), 0.0, Vec::new);
        of.note(Time(10.0), 0.5, || vec![cause("a", 0.5)]);
        of.note(Time(30.0), 0.5, || panic!("nothing has changed"));
        of.note(Time(50.0), 0.25, || vec![cause("a", 0.5), cause("b", 0.5)]);
        of.note(Time(70.0), 1.0, Vec::new);
        of.note(Time(80.0), 0.4, || vec![cause("b", 0.4)]);
        of.close(Time(90.0));
        assert_eq!(of.speeds.len(), 5);
        let losses: Vec<(&str, f64, f64)> = of
            .losses
            .iter()
            .map(|of| (of.worst.place.as_str(), of.seconds, of.at.seconds()))
            .collect();
        assert_eq!(losses, [("a", 27.5, 10.0), ("b", 13.5, 80.0)]);
        assert_eq!(of.lost(), 41.0);
        assert_eq!(of.mean(), 1.0 - 41.0 / 80.0);
    }
}
