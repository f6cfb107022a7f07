//! Step functions over time in equal stretches, and a run's samples in as many as there are pixels.

use crate::stage::StageRun;

/// What a step function does within a stretch of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) least: f64,
    pub(super) most: f64,
    /// How much of the stretch it is known for, seconds, and its integral over that.
    pub(super) covered: f64,
    pub(super) area: f64,
}

/// A function that takes `values(i)` from `times[i]` on, up to `end`, in stretches of `width` seconds from
/// `begin` on, without an end.
pub(super) fn stretches(
    times: &[f64],
    values: impl Fn(usize) -> f64,
    begin: f64,
    width: f64,
    end: f64,
) -> impl Iterator<Item = Stretch> {
    let until = move |i: usize| times.get(i + 1).copied().unwrap_or(end).min(end);
    let mut i = times
        .partition_point(|&time| time <= begin)
        .saturating_sub(1);
    (0u32..).map(move |at| {
        let edge = |at: f64| begin + at * width;
        let (from, to) = (edge(f64::from(at)), edge(f64::from(at) + 1.0));
        let mut stretch = Stretch {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            covered: 0.0,
            area: 0.0,
        };
        while i < times.len() && times[i] < to {
            let held = until(i).min(to) - times[i].max(from);
            let value = values(i);
            stretch.area += value * held;
            stretch.covered += held;
            stretch.least = stretch.least.min(value);
            stretch.most = stretch.most.max(value);
            // The last value of a stretch goes on in the next one.
            if until(i) > to {
                break;
            }
            i += 1;
        }
        stretch
    })
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
        let span = end / columns as f64;
        let known = ((run.reached() / span) as usize + 1).min(columns);
        let known = if times.is_empty() { 0 } else { known };
        let until = known as f64 * span;
        let (waiting, gpus) = (run.log.sample_waiting(), run.log.sample_gpus());
        let waiting = stretches(times, |i| f64::from(waiting[i]), 0.0, span, until).take(known);
        self.waiting.clear();
        self.waiting
            .extend(waiting.map(|stretch| stretch.most.max(0.0)));
        let gpus = stretches(times, |i| f64::from(gpus[i]), 0.0, span, until).take(known);
        self.gpus.clear();
        self.gpus.extend(gpus.map(|stretch| stretch.area / span));
        self.most_waiting = self.waiting.iter().copied().fold(0.0, f64::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_keep_peaks_and_means() {
        let (times, values) = ([0.0, 5.0, 6.0, 25.0], [2.0, 10.0, 4.0, 0.0]);
        let all: Vec<Stretch> = stretches(&times, |i| values[i], 0.0, 10.0, 30.0)
            .take(3)
            .collect();
        let of = |what: fn(&Stretch) -> f64| all.iter().map(what).collect::<Vec<f64>>();
        assert_eq!(of(|stretch| stretch.most), [10.0, 4.0, 4.0]);
        assert_eq!(of(|stretch| stretch.least), [2.0, 4.0, 0.0]);
        assert_eq!(of(|stretch| stretch.area), [36.0, 40.0, 20.0]);
        assert_eq!(of(|stretch| stretch.covered), [10.0; 3]);
        let later = stretches(&times, |i| values[i], 5.5, 10.0, 30.0).next();
        assert_eq!(
            later.map(|stretch| (stretch.most, stretch.area)),
            Some((10.0, 43.0))
        );
        let mut none = stretches(&[], |_| 0.0, 0.0, 10.0, 30.0);
        assert_eq!(none.next().map(|stretch| stretch.covered), Some(0.0));
    }
}
