//! What many draws say: within which times the job starts, and who starts before it.

use super::inquiry::Draw;
use std::collections::BTreeMap;
use switchyard::Time;
use switchyard::job::JobId;
use switchyard::order::by_value;

/// When a job starts, as far as anybody can say.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The start in each draw, ascending; [`Time::NEVER`]: it does not.
    starts: Vec<f64>,
    /// The moment that it is asked at.
    moment: f64,
    /// Those that waited at the moment and start before it: in which share of draws, by job.
    pub before: Vec<(JobId, f64)>,
    /// How many on average come later and start before it.
    pub later: f64,
}

impl Answer {
    /// Of these draws, one or more.
    pub fn of(moment: Time, draws: &[Draw]) -> Self {
        let mut starts: Vec<f64> = draws.iter().map(|draw| draw.start.seconds()).collect();
        starts.sort_by(by_value);
        let all = draws.len().max(1) as f64;
        let mut counts: BTreeMap<JobId, u32> = BTreeMap::new();
        for job in draws.iter().flat_map(|draw| &draw.before) {
            *counts.entry(*job).or_default() += 1;
        }
        let later: u32 = draws.iter().map(|draw| draw.later).sum();
        let shares = counts.into_iter();
        Self {
            starts,
            moment: moment.seconds(),
            before: shares
                .map(|(job, count)| (job, f64::from(count) / all))
                .collect(),
            later: f64::from(later) / all,
        }
    }

    /// The time before which the job starts with this chance, between 0 and 1. Of n draws the k-th earliest stands for
    /// k ÷ (n + 1), since the truth is as likely in each of the n + 1 gaps; infinite: it may never start.
    pub fn quantile(&self, chance: f64) -> f64 {
        let Some(last) = self.starts.len().checked_sub(1) else {
            return f64::NAN;
        };
        let rank = (chance * (last as f64 + 2.0) - 1.0).clamp(0.0, last as f64);
        let below = rank as usize;
        let (low, high) = (self.starts[below], self.starts[(below + 1).min(last)]);
        let part = rank - below as f64;
        match part > 0.0 && high > low {
            true => low + (high - low) * part,
            false => low,
        }
    }

    /// The chance that it starts at the moment, or has started.
    pub fn at_once(&self) -> f64 {
        self.share(|start| start <= self.moment)
    }

    /// The chance that it never starts.
    pub fn never(&self) -> f64 {
        self.share(|start| start == f64::INFINITY)
    }

    /// How many draws there were.
    pub fn draws(&self) -> usize {
        self.starts.len()
    }

    fn share(&self, is_such: impl Fn(f64) -> bool) -> f64 {
        let such = self.starts.iter().filter(|&&start| is_such(start)).count();
        such as f64 / self.starts.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(starts: &[f64]) -> Answer {
        let draw = |&start: &f64| Draw {
            start: Time(start),
            before: vec![JobId(1)],
            later: 2,
        };
        let draws: Vec<Draw> = starts.iter().map(draw).collect();
        Answer::of(Time(10.0), &draws)
    }

    #[test]
    fn the_kth_of_n_stands_for_k_of_n_and_one() {
        let of = answer(&[40.0, 10.0, 20.0, 30.0]);
        assert_eq!(of.quantile(0.2), 10.0);
        assert_eq!(of.quantile(0.5), 25.0);
        assert_eq!(of.quantile(0.8), 40.0);
        assert_eq!((of.quantile(0.0), of.quantile(1.0)), (10.0, 40.0));
        assert_eq!((of.at_once(), of.never(), of.later), (0.25, 0.0, 2.0));
        assert_eq!(of.before, [(JobId(1), 1.0)]);
    }

    #[test]
    fn a_job_may_never_start() {
        let of = answer(&[20.0, f64::INFINITY, f64::INFINITY]);
        assert_eq!(of.quantile(0.25), 20.0);
        assert_eq!(of.quantile(0.5), f64::INFINITY);
        assert!((of.never() - 2.0 / 3.0).abs() < 1e-12);
    }
}
