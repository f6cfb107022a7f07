//! How long jobs of a group take, where some have not ended: the share that takes longer than so many seconds (Kaplan
//! and Meier's product limit). Those that still run count as taking longer than they have run.

use switchyard::order::by_value;

/// Where even the longest still runs, what lies beyond falls as one over the time, up to so many times that.
const MOST_BEYOND: f64 = 20.0;

/// The share of jobs that take longer, step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Survival {
    /// Seconds, ascending, after which some ended.
    seconds: Vec<f64>,
    /// By step: the share that takes longer.
    longer: Vec<f64>,
    /// By step: how many ended there or later.
    ended_from: Vec<u32>,
    /// How many are known of, ended or not.
    jobs: u32,
    /// The longest that any has run, ended or not.
    longest: f64,
}

impl Survival {
    /// Of jobs: how long each has run, and whether it has ended.
    pub(super) fn of(mut jobs: Vec<(f64, bool)>) -> Self {
        // At one time those that end go first.
        jobs.sort_by(|a, b| by_value(&a.0, &b.0).then(b.1.cmp(&a.1)));
        let mut of = Self {
            jobs: jobs.len() as u32,
            longest: jobs.last().map_or(0.0, |last| last.0),
            ..Self::default()
        };
        let mut longer = 1.0;
        let mut counts = Vec::new();
        let mut at = 0;
        while let Some(&(seconds, _)) = jobs.get(at) {
            let same = jobs[at..].iter().take_while(|job| job.0 == seconds);
            let (all, ended) = same.fold((0, 0), |(all, ended), job| {
                (all + 1, ended + u32::from(job.1))
            });
            if ended > 0 {
                longer *= 1.0 - f64::from(ended) / (jobs.len() - at) as f64;
                of.seconds.push(seconds);
                of.longer.push(longer);
                counts.push(ended);
            }
            at += all;
        }
        let mut left: u32 = counts.iter().sum();
        for ended in counts {
            of.ended_from.push(left);
            left -= ended;
        }
        of
    }

    /// How many are known of.
    pub(super) fn jobs(&self) -> u32 {
        self.jobs
    }

    /// How many have ended.
    pub(super) fn ended(&self) -> u32 {
        self.ended_from.first().copied().unwrap_or(0)
    }

    /// How many ended after more than so many seconds.
    pub(super) fn ended_beyond(&self, seconds: f64) -> u32 {
        let at = self.seconds.partition_point(|&of| of <= seconds);
        self.ended_from.get(at).copied().unwrap_or(0)
    }

    /// The share that takes longer than so many seconds, as far as is known.
    fn longer_than(&self, seconds: f64) -> f64 {
        let steps = self.seconds.partition_point(|&of| of <= seconds);
        steps.checked_sub(1).map_or(1.0, |at| self.longer[at])
    }

    /// The share that takes no longer, where half of those that take just as long count.
    pub(super) fn rank(&self, seconds: f64) -> f64 {
        let before = self.seconds.partition_point(|&of| of < seconds);
        let before = before.checked_sub(1).map_or(1.0, |at| self.longer[at]);
        1.0 - (before + self.longer_than(seconds)) / 2.0
    }

    /// The seconds within which the share `part` of all that take longer than `least` end.
    pub(super) fn quantile(&self, least: f64, part: f64) -> f64 {
        let wanted = self.longer_than(least) * (1.0 - part);
        let from = self.seconds.partition_point(|&of| of <= least);
        // What rounding leaves is less than a job in a million.
        let slack = 1e-9;
        let at = from + self.longer[from..].partition_point(|&longer| longer > wanted + slack);
        match self.seconds.get(at) {
            Some(&seconds) => seconds,
            None => {
                let last = self.longer.last().copied().unwrap_or(1.0);
                let last = last.min(self.longer_than(least));
                let factor = last / wanted.max(slack);
                self.longest.max(least) * factor.clamp(1.0, MOST_BEYOND)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_running_jobs_it_is_the_share_itself() {
        let of = Survival::of(vec![(10.0, true), (30.0, true), (20.0, true), (20.0, true)]);
        assert_eq!((of.jobs(), of.ended(), of.ended_beyond(20.0)), (4, 4, 1));
        assert_eq!(of.longer_than(10.0), 0.75);
        assert_eq!(of.rank(20.0), 0.5);
        let quantile = |least, part| of.quantile(least, part);
        assert_eq!(quantile(0.0, 0.2), 10.0);
        assert_eq!(quantile(0.0, 0.5), 20.0);
        assert_eq!(quantile(0.0, 0.9), 30.0);
        // Of those that take longer than 10 s, two of three take 20.
        assert_eq!(quantile(10.0, 0.6), 20.0);
        assert_eq!(quantile(10.0, 0.7), 30.0);
    }

    #[test]
    fn those_that_run_count_as_longer() {
        // Kaplan and Meier: after 10 s 3/4; the one that has run for 15 s leaves; after 20 s half of the rest.
        let of = Survival::of(vec![
            (10.0, true),
            (15.0, false),
            (20.0, true),
            (40.0, false),
        ]);
        assert_eq!(of.longer_than(12.0), 0.75);
        assert_eq!(of.longer_than(20.0), 0.375);
        assert_eq!(of.ended_beyond(15.0), 1);
        // Beyond the longest it falls as one over the time.
        assert!((of.quantile(0.0, 1.0 - 0.1875) - 80.0).abs() < 1e-6);
        assert_eq!(of.quantile(0.0, 1.0), 800.0);
        assert_eq!(Survival::default().quantile(50.0, 0.5), 100.0);
    }
}
