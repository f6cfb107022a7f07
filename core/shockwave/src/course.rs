//! The course of a job of which a trace tells a model and a duration: its epochs, how long each takes, and with which
//! batch size.
//!
//! In: the name of a model, GPUs, seconds of execution. Out: a profile as the paper's jobs have it, for as many seconds. A
//! trace of the paper tells durations with the first batch size. They say how many epochs a job has; if it changes its
//! batch size these take less time together, and are stretched until the job's duration is what the trace tells. A job of
//! which nothing was measured has equal epochs with one batch size.

use crate::batches::Training;
use crate::measured::steps_per_second;
use crate::shockwave::Profile;

/// Epochs of a job of which nothing was measured: of so many seconds, at most so many.
const EPOCH: f64 = 60.0;
const MOST_EVEN: f64 = 100.0;

/// A job of more epochs has none that are worth telling apart.
const MOST_EPOCHS: u64 = 10_000;

/// How a job goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// What it trains; none: it was not measured.
    pub training: Option<Training>,
    /// Its epochs.
    pub profile: Profile,
    /// When each epoch is over, seconds of execution.
    ends: Vec<f64>,
}

impl Course {
    /// Of a model, if a trace names one, for so many seconds of execution on a gang.
    pub fn of(model: Option<&str>, gang: u32, seconds: f64) -> Self {
        let training = model.and_then(|model| Training::told(model, gang));
        let measured = training.and_then(|training| {
            let profile = measured(training, seconds)?;
            Some(Self::along(Some(training), profile))
        });
        measured.unwrap_or_else(|| Self::along(None, even(gang, seconds)))
    }

    fn along(training: Option<Training>, profile: Profile) -> Self {
        let mut end = 0.0;
        let mut ends = Vec::with_capacity(profile.durations.len());
        for duration in &profile.durations {
            end += duration;
            ends.push(end);
        }
        Self {
            training,
            profile,
            ends,
        }
    }

    /// How many epochs are done after so many seconds of execution.
    pub fn epochs_done(&self, run: f64) -> usize {
        self.ends.partition_point(|&end| end <= run)
    }

    /// The epoch that it is in then.
    fn epoch(&self, run: f64) -> usize {
        self.epochs_done(run).min(self.ends.len().saturating_sub(1))
    }

    /// Steps that are left then, if it keeps its batch size. Of a job that was not measured a second is a step.
    pub fn steps_left(&self, run: f64) -> f64 {
        let (at, durations) = (self.epoch(run), &self.profile.durations);
        let (Some(end), Some(duration)) = (self.ends.get(at), durations.get(at)) else {
            return 0.0;
        };
        let of_this = ((end - run) / duration).clamp(0.0, 1.0);
        let seconds = (of_this + (durations.len() - at - 1) as f64) * duration;
        seconds * self.steps_per_second(run)
    }

    /// The batch size that it trains with then; none: it was not measured.
    pub fn batch(&self, run: f64) -> Option<u32> {
        self.training?;
        self.profile.batches.get(self.epoch(run)).copied()
    }

    /// Samples per second then.
    pub fn samples_per_second(&self, run: f64) -> f64 {
        let duration = self.profile.durations.get(self.epoch(run));
        duration.map_or(0.0, |duration| self.profile.samples / duration)
    }

    /// Steps per second then. Of a job that was not measured a second is a step.
    pub fn steps_per_second(&self, run: f64) -> f64 {
        match self.batch(run) {
            Some(batch) => self.samples_per_second(run) / f64::from(batch),
            None => 1.0,
        }
    }
}

/// The profile of what was measured.
fn measured(training: Training, seconds: f64) -> Option<Profile> {
    let speed = |batch| steps_per_second(training.model, batch, training.gpus);
    let steps = (seconds * speed(training.batch)?).ceil();
    let epochs = training.epochs((steps as u64).max(1));
    if epochs > MOST_EPOCHS {
        return None;
    }
    let batches = training.profile(epochs);
    let samples = training.model.samples() as f64;
    let duration = |&batch: &u32| Some(samples / f64::from(batch) / speed(batch)?);
    let mut durations = batches.iter().map(duration).collect::<Option<Vec<_>>>()?;
    let stretch = seconds / durations.iter().sum::<f64>();
    durations
        .iter_mut()
        .for_each(|duration| *duration *= stretch);
    Some(Profile {
        samples,
        gang: training.gpus,
        batches,
        durations,
    })
}

/// Epochs that are all alike, with a sample a second.
fn even(gang: u32, seconds: f64) -> Profile {
    let epochs = (seconds / EPOCH).ceil().clamp(1.0, MOST_EVEN);
    let duration = seconds / epochs;
    let epochs = epochs as usize;
    Profile {
        samples: duration,
        gang,
        batches: vec![1; epochs],
        durations: vec![duration; epochs],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_job_that_doubles_its_batch_has_shorter_epochs_later() {
        let course = Course::of(Some("LM (batch size 10), gns"), 1, 1418.0);
        // 134583 steps, 5968 of an epoch.
        assert_eq!(course.profile.batches.len(), 23);
        let at = [0.0, 0.9, 0.99].map(|part| course.batch(part * 1418.0));
        assert_eq!(at, [Some(10), Some(20), Some(10)]);
        let [small, large] = [0, 12].map(|at| course.profile.durations[at]);
        assert!(large < small, "{large} {small}");
        let never = Course::of(Some("LM (batch size 10)"), 1, 1418.0);
        assert_eq!(never.batch(1300.0), Some(10));
        assert!((never.steps_per_second(0.0) - 94.9 * 23.0 / 22.55).abs() < 0.2);
    }

    #[test]
    fn of_what_was_not_measured_nothing_is_told() {
        for model in [None, Some("vgg16"), Some("CycleGAN (batch size 1)")] {
            let course = Course::of(model, 3, 90.0);
            assert_eq!((course.training, course.batch(10.0)), (None, None));
            assert_eq!(course.profile.durations, [45.0, 45.0]);
            assert_eq!(
                [0.0, 45.0, 1e9].map(|run| course.epochs_done(run)),
                [0, 1, 2]
            );
            assert_eq!(course.steps_per_second(50.0), 1.0);
        }
    }

    proptest! {
        #[test]
        fn epochs_take_as_long_as_the_job(
            at in 0usize..4, gang in 1u32..70, seconds in prop_oneof![1e-6..1.0, 1.0..1e5, 1e5..1e14]
        ) {
            let models = ["LM (batch size 5), gns", "ResNet-18 (batch size 64), accordion", "ResNet-50 (batch size 64), static", "x"];
            let course = Course::of(Some(models[at]), gang, seconds);
            let sum: f64 = course.profile.durations.iter().sum();
            prop_assert!((sum / seconds - 1.0).abs() < 1e-9, "{sum} {seconds}");
            prop_assert!(course.samples_per_second(seconds) > 0.0);
        }
    }
}
