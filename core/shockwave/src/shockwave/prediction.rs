//! How long a job still takes (Shockwave §5): which batch sizes its epochs will have is a Dirichlet distribution over
//! those of its profile, and every epoch that was seen counts for its own; how long epochs take is profiled, and
//! measured again where the two are far apart. Times are seconds.

use std::collections::BTreeMap;

/// What is known of a job before it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Samples of an epoch.
    pub samples: f64,
    /// GPUs of its gang.
    pub gang: u32,
    /// The batch size of each epoch.
    pub batches: Vec<u32>,
    /// The seconds of each epoch.
    pub durations: Vec<f64>,
}

/// Epochs that are left with a batch size, by expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Which.
    pub batch: u32,
    /// How many epochs.
    pub epochs: f64,
    /// What each takes on the mean, seconds.
    pub seconds: f64,
}

/// Up to this part measured and profiled samples may differ.
const ACCURATE: f64 = 0.4;

/// So many measurements are kept, the latest.
const MEASURED: usize = 1000;

/// A job, as it is predicted.
#[derive(Clone, Debug)]
pub(super) struct Predicted {
    pub(super) id: usize,
    pub(super) gang: u32,
    samples: f64,
    batches: Vec<u32>,
    /// Whole seconds of each epoch, from one on; as profiled, and as measured.
    profiled: Vec<f64>,
    durations: Vec<f64>,
    /// Epochs that are done.
    pub(super) progress: usize,
    /// Samples per second by the round that they were measured in.
    measured: BTreeMap<usize, f64>,
    /// When it came.
    pub(super) submit: f64,
}

impl Predicted {
    pub(super) fn of(id: usize, profile: &Profile, submit: f64) -> Self {
        let whole = |duration: &f64| duration.round_ties_even().max(1.0);
        let profiled: Vec<f64> = profile.durations.iter().map(whole).collect();
        Self {
            id,
            gang: profile.gang,
            samples: profile.samples,
            batches: profile.batches.clone(),
            durations: profiled.clone(),
            profiled,
            progress: 0,
            measured: BTreeMap::new(),
            submit,
        }
    }

    pub(super) fn epochs(&self) -> usize {
        self.profiled.len()
    }

    pub(super) fn reach(&mut self, epochs: u64) {
        self.progress = usize::try_from(epochs).map_or(self.epochs(), |at| at.min(self.epochs()));
    }

    pub(super) fn measure(&mut self, round: usize, samples_per_second: f64) {
        self.measured.insert(round, samples_per_second);
        if self.measured.len() > MEASURED {
            self.measured.pop_first();
        }
    }

    /// Holds what was profiled to what was measured, in rounds of so many seconds.
    pub(super) fn calibrate(&mut self, round: f64) {
        let Some(&last) = self.measured.keys().next_back() else {
            return;
        };
        let (mut before, mut measured) = (0, 0.0);
        for (&at, speed) in &self.measured {
            measured += speed * round * (at - before) as f64;
            before = at;
        }
        let span = round * last as f64;
        let (mut time, mut samples, mut epoch) = (0.0, 0.0, 0);
        for (at, duration) in self.profiled.iter().enumerate() {
            epoch = at;
            if time + duration > span {
                break;
            }
            time += duration;
            samples += self.samples;
        }
        if span > time {
            samples += self.samples * (span - time) / self.durations[epoch];
        }
        let is_accurate = (measured - samples).abs() / samples <= ACCURATE;
        if measured > 0.0 && samples > 0.0 && !is_accurate {
            let slower = samples / measured;
            self.durations = self
                .profiled
                .iter()
                .map(|duration| duration * slower)
                .collect();
        }
    }

    /// The mean duration of the epochs so far, with the one that it is in.
    pub(super) fn epoch(&self) -> f64 {
        let seen = &self.durations[..self.epochs().min(self.progress + 1)];
        seen.iter().sum::<f64>() / seen.len() as f64
    }

    /// Seconds that its epochs took and will take.
    pub(super) fn total(&self) -> f64 {
        self.durations[..self.progress].iter().sum::<f64>() + self.remaining()
    }

    /// Seconds that it still runs.
    pub(super) fn remaining(&self) -> f64 {
        if self.progress >= self.epochs() {
            return 1.0;
        }
        let rests = self.rests();
        let seconds = rests.iter().map(|of| of.epochs * of.sum / of.all);
        let (left, of) = self.part(&rests);
        seconds.sum::<f64>() * left / of
    }

    /// Of the epochs that are left, how many have each batch size, by expectation.
    pub(super) fn expected(&self) -> Vec<Expected> {
        let rests = self.rests();
        let (left, of) = self.part(&rests);
        let each = |rest: &Rest| Expected {
            batch: rest.batch,
            epochs: rest.epochs * left / of,
            seconds: rest.sum / rest.all,
        };
        rests.iter().map(each).collect()
    }

    /// How many epochs are left, of how many that are expected.
    fn part(&self, rests: &[Rest]) -> (f64, f64) {
        let left = (self.epochs() - self.progress) as f64;
        let expected: f64 = rests.iter().map(|of| of.epochs).sum();
        (left, (expected + 1.0).trunc().max(left))
    }

    /// By batch size the epochs to come by the distribution.
    fn rests(&self) -> Vec<Rest> {
        // Epochs seen, all epochs, and the sum of their durations.
        let mut modes: BTreeMap<u32, (f64, f64, f64)> = BTreeMap::new();
        for (at, (&batch, duration)) in self.batches.iter().zip(&self.durations).enumerate() {
            let (seen, all, sum) = modes.entry(batch).or_default();
            *seen += if at <= self.progress { 1.0 } else { 0.0 };
            *all += 1.0;
            *sum += duration;
        }
        let epochs = self.epochs() as f64;
        let prior = epochs / modes.len() as f64;
        let concentration: f64 = modes.values().map(|(seen, ..)| prior + seen).sum();
        let rest = |(&batch, (seen, all, sum)): (&u32, &(f64, f64, f64))| {
            let epochs = epochs * (prior + seen) / concentration;
            Rest {
                batch,
                // One is taken away for each that was seen, as long as one is there.
                epochs: epochs - seen.min(epochs.floor()),
                sum: *sum,
                all: *all,
            }
        };
        modes.iter().map(rest).collect()
    }
}

/// Epochs to come with a batch size.
struct Rest {
    batch: u32,
    epochs: f64,
    /// The seconds of all epochs with it, and how many these are.
    sum: f64,
    all: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(batches: &[u32], durations: &[f64]) -> Predicted {
        let profile = Profile {
            samples: 100.0,
            gang: 1,
            batches: batches.to_vec(),
            durations: durations.to_vec(),
        };
        Predicted::of(0, &profile, 0.0)
    }

    #[test]
    fn of_one_batch_size_all_is_known() {
        let mut job = job(&[8; 10], &[5.2; 10]);
        assert!((job.remaining() - 45.0).abs() < 1e-9, "{}", job.remaining());
        job.reach(4);
        assert!((job.total() - 20.0 - job.remaining()).abs() < 1e-9);
        job.reach(10);
        assert_eq!(job.remaining(), 1.0);
    }

    #[test]
    fn epochs_seen_count_for_their_batch_size() {
        let mut job = job(
            &[8, 8, 8, 8, 16, 16, 16, 16],
            &[10.0, 10.0, 10.0, 10.0, 2.0, 2.0, 2.0, 2.0],
        );
        let before = job.remaining();
        job.reach(3);
        // 8 · (4 + 4)/12 − 4 epochs of 10 s, and 8 · 4/12 of 2 s: four epochs of the last ones.
        let expected = (8.0 * 8.0 / 12.0 - 4.0) * 10.0 + 8.0 * 4.0 / 12.0 * 2.0;
        assert!((job.remaining() - expected).abs() < 1e-9);
        assert!(before > job.remaining());
    }

    #[test]
    fn what_is_measured_far_off_stretches_epochs() {
        let mut job = job(&[8; 10], &[120.0; 10]);
        job.measure(1, 100.0 / 240.0);
        job.calibrate(120.0);
        assert!((job.epoch() - 240.0).abs() < 1e-9);
    }
}
