//! A run's samples in as many columns as there are pixels, made anew only when they change.

use crate::stage::StageRun;

/// What a column keeps of the samples in its span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keep {
    /// The largest.
    Peak,
    /// The mean over time.
    Mean,
}

/// One run's queue length and allocation from the start to `end`, in columns of equal spans. There
/// are columns as far as the run has come.
#[derive(Debug, Default)]
pub(super) struct Columns {
    made_for: (u32, usize, usize, f64),
    /// Most jobs waiting at once.
    pub(super) waiting: Vec<f64>,
    /// GPUs allocated on average.
    pub(super) gpus: Vec<f64>,
    /// The largest of `waiting`.
    pub(super) most_waiting: f64,
}

impl Columns {
    /// Brings the columns up to date.
    pub(super) fn update(&mut self, run: &StageRun, columns: usize, end: f64) {
        let times = run.log.sample_times();
        let made_for = (run.id, times.len(), columns, end);
        if self.made_for == made_for {
            return;
        }
        self.made_for = made_for;
        let reached = run.reached();
        fill(
            times,
            run.log.sample_waiting(),
            Keep::Peak,
            columns,
            end,
            reached,
            &mut self.waiting,
        );
        fill(
            times,
            run.log.sample_gpus(),
            Keep::Mean,
            columns,
            end,
            reached,
            &mut self.gpus,
        );
        self.most_waiting = self.waiting.iter().copied().fold(0.0, f64::max);
    }
}

fn fill(
    times: &[f64],
    values: &[u32],
    keep: Keep,
    columns: usize,
    end: f64,
    reached: f64,
    out: &mut Vec<f64>,
) {
    out.clear();
    if columns == 0 || end <= 0.0 || times.is_empty() {
        return;
    }
    let span = end / columns as f64;
    let mut next = 0;
    let mut value = 0.0;
    for column in 0..columns {
        let (from, to) = (column as f64 * span, (column as f64 + 1.0) * span);
        if from > reached {
            return;
        }
        // The value that holds at `from`, then each that begins before `to`.
        let (mut since, mut kept) = (from, if keep == Keep::Peak { value } else { 0.0 });
        while next < times.len() && times[next] < to {
            let at = times[next].max(from);
            if keep == Keep::Mean {
                kept += value * (at - since);
            }
            since = at;
            value = f64::from(values[next]);
            if keep == Keep::Peak {
                kept = f64::max(kept, value);
            }
            next += 1;
        }
        out.push(match keep {
            Keep::Peak => kept,
            Keep::Mean => (kept + value * (to - since)) / span,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_keep_peaks_and_means() {
        let (times, values) = ([0.0, 5.0, 6.0, 25.0], [2, 10, 4, 0]);
        let mut out = Vec::new();
        fill(&times, &values, Keep::Peak, 4, 40.0, 25.0, &mut out);
        assert_eq!(out, [10.0, 4.0, 4.0]);
        fill(&times, &values, Keep::Mean, 4, 40.0, 25.0, &mut out);
        let means = [(2.0 * 5.0 + 10.0 + 4.0 * 4.0) / 10.0, 4.0, 2.0];
        assert!(
            out.iter().zip(means).all(|(a, b)| (a - b).abs() < 1e-12),
            "{out:?}"
        );
        fill(&[], &[], Keep::Mean, 4, 40.0, 0.0, &mut out);
        assert!(out.is_empty());
    }
}
