//! How the jobs of a trace are distributed: what small charts show.

use super::Record;
use serde::{Deserialize, Serialize};

/// How jobs are distributed: what small charts show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distributions {
    /// Jobs by duration in seconds: bounds 1, 2, 5, 10, 20, 50, … up to 10^10.
    pub duration: Vec<Bin>,
    /// Jobs by GPUs: 1, 2, 3–4, 5–8, 9–16, …
    pub gpus: Vec<Bin>,
    /// Submissions by the hour of the day, 24 of them: in UTC, or where the trace does not tell
    /// absolute time since its first submission.
    pub hour: Vec<u32>,
}

/// Jobs of which a value is within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The lower bound: exclusive, but for GPUs' first.
    pub above: f64,
    /// The upper bound, inclusive.
    pub to: f64,
    /// How many jobs.
    pub jobs: u32,
}

/// Bins without jobs, between bounds.
fn empty_bins(bounds: impl Iterator<Item = f64>) -> Vec<Bin> {
    let mut above = 0.0;
    let bin = |to| {
        let bin = Bin { above, to, jobs: 0 };
        above = to;
        bin
    };
    bounds.map(bin).collect()
}

/// Leaves out the bins at both ends without jobs.
fn trim(mut bins: Vec<Bin>) -> Vec<Bin> {
    let used = bins.iter().rposition(|bin| bin.jobs > 0);
    bins.truncate(used.map_or(0, |last| last + 1));
    let first = bins.iter().position(|bin| bin.jobs > 0);
    bins.drain(..first.unwrap_or(0));
    bins
}

impl Distributions {
    /// `start`: what hours count from.
    pub(super) fn of(records: &[Record], start: f64) -> Self {
        let mut bounds = Vec::new();
        let mut decade = 1.0;
        while decade <= 1e10 {
            bounds.extend([decade, 2.0 * decade, 5.0 * decade]);
            decade *= 10.0;
        }
        // Where the search for a duration's bin begins, by the power of two below the duration:
        // a step or two on it ends, while cutting in halves would guess wrong at every step.
        let powers = (0..36).map(|power| (1u64 << power) as f64);
        let starts = powers.map(|least| bounds.partition_point(|&bound| bound < least));
        let starts: Vec<usize> = starts.collect();
        let mut duration = empty_bins(bounds.iter().copied());
        let mut gpus = empty_bins((0..=32).map(|power| (1u64 << power) as f64));
        let mut hour = vec![0u32; 24];
        for record in records {
            let power = u64::BITS - (record.duration as u64 | 1).leading_zeros() - 1;
            let mut at = starts.get(power as usize).copied().unwrap_or(0);
            while let Some(bin) = duration.get_mut(at) {
                if record.duration <= bin.to {
                    bin.jobs += 1;
                    break;
                }
                at += 1;
            }
            // Of none there is no power of two.
            if let Some(gpus_above) = record.gpus.checked_sub(1)
                && let Some(bin) = gpus.get_mut((u32::BITS - gpus_above.leading_zeros()) as usize)
            {
                bin.jobs += 1;
            }
            // Whole seconds suffice, and dividing them costs less.
            let at = (record.submit - start) as u64 / 3600 % 24;
            if let Some(count) = hour.get_mut(at as usize) {
                *count += 1;
            }
        }
        Self {
            duration: trim(duration),
            gpus: trim(gpus),
            hour,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::trace;

    #[test]
    fn bins_hold_what_is_at_most_their_bound() {
        let mut text = "job,submit,duration,gpus\n".to_owned();
        let jobs = [
            (0.5, 1),
            (1.0, 2),
            (1.5, 3),
            (2.0, 4),
            (5.0, 5),
            (5.1, 8),
            (1e9, 9),
        ];
        for (i, (duration, gpus)) in jobs.iter().enumerate() {
            text.push_str(&format!("{i},{},{duration},{gpus}\n", 3600 * i + 100));
        }
        let seen = trace("t", text.as_bytes()).report.distributions;
        let shown = |bins: &[Bin]| {
            let bins = bins.iter().filter(|bin| bin.jobs > 0);
            bins.map(|b| (b.above, b.to, b.jobs)).collect::<Vec<_>>()
        };
        assert_eq!(
            shown(&seen.duration),
            [
                (0.0, 1.0, 2),
                (1.0, 2.0, 2),
                (2.0, 5.0, 1),
                (5.0, 10.0, 1),
                (5e8, 1e9, 1)
            ]
        );
        assert_eq!(
            shown(&seen.gpus),
            [
                (0.0, 1.0, 1),
                (1.0, 2.0, 1),
                (2.0, 4.0, 2),
                (4.0, 8.0, 2),
                (8.0, 16.0, 1)
            ]
        );
        assert_eq!(seen.hour[..8], [1, 1, 1, 1, 1, 1, 1, 0]);
    }
}
