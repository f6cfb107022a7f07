//! Applications: what is trained, how fast its steps are on a placement, and what a step is worth
//! in each phase of training.
//!
//! An [`Application`] has limits and a profile, of one of two kinds. [`Measured`] interpolates in
//! tables, as the artifact of Pollux (OSDI'21) has them; [`Fitted`] is seven throughput parameters
//! and a few curves of the noise scale, such as the six that come with the engine
//! ([`Application::embedded`]) or those a person defines ([`Application::from_json`]). Step times may
//! have been measured on types of GPUs apart ([`Application::on`]).
//!
//! Progress is counted in iterations at M0: one of batch M is worth its gain
//! `(var + sqr)/(var·M0/M + sqr)`. Training has a fixed number of epochs, of which each ends at a
//! fixed progress.

mod definition;
mod delaunay;
mod embedded;
mod fitted;
mod measured;
mod profile_tables;

pub use definition::DefinitionError;
pub use fitted::{Curve, Fitted, ModelOn};
pub use measured::Measured;
pub use profile_tables::{Cells, ProfileError, ProfileTable, TableName, each_row};

use crate::goodput::batch::choose_by;
use crate::goodput::{Choice, GradientStats, LearningRateRule, Limits, LocalBatch};
use serde::{Deserialize, Serialize};

/// Something to train.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Application {
    /// Its name, as workloads refer to it.
    pub name: Box<str>,
    /// What batch sizes it allows.
    pub limits: Limits,
    /// How its optimiser scales the learning rate.
    pub rule: LearningRateRule,
    /// Samples in its data set.
    pub samples_per_epoch: f64,
    /// Configurations that an expert would ask for. May be empty.
    pub tuned: Vec<Tuned>,
    /// Progress at the end of each epoch, iterations at M0; increasing, at least one.
    boundaries: Vec<f64>,
    profile: Profile,
}

/// Where an application's times and statistics come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Profile {
    /// Measured tables.
    Measured(Box<Measured>),
    /// Fitted parameters and curves.
    Fitted(Fitted),
}

/// Seconds of one pass over `m` samples per GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepTimes {
    /// With synchronisation.
    pub step: f64,
    /// What synchronisation adds; a pass that only accumulates takes `step − sync`.
    pub sync: f64,
}

impl StepTimes {
    /// Seconds of an iteration with `s` accumulation passes.
    pub fn iteration(&self, s: u32) -> f64 {
        self.step + f64::from(s) * (self.step - self.sync)
    }
}

impl Application {
    /// How many epochs training takes.
    pub fn epochs(&self) -> u32 {
        self.boundaries.len() as u32
    }

    /// Progress when `epochs` epochs are complete, iterations at M0; the last epoch's end beyond.
    pub fn progress_after(&self, epochs: u32) -> f64 {
        let Some(index) = (epochs as usize).checked_sub(1) else {
            return 0.0;
        };
        let boundary = self.boundaries.get(index).or(self.boundaries.last());
        boundary.copied().unwrap_or(0.0)
    }

    /// Progress at the end of training, iterations at M0.
    pub fn total_progress(&self) -> f64 {
        self.progress_after(self.epochs())
    }

    /// The epoch, from 0, in which a job with this progress is; the last one at the end.
    pub fn epoch_at(&self, progress: f64) -> u32 {
        let complete = self.boundaries.partition_point(|&end| end <= progress) as u32;
        complete.min(self.epochs().saturating_sub(1))
    }

    /// The same on GPUs of the type that clusters call so: other step times, and the most samples that a GPU holds.
    /// `None` where it was not measured on that type.
    pub fn on(&self, gpu: &str) -> Option<Self> {
        let (profile, max_local) = match &self.profile {
            Profile::Measured(measured) => {
                let (there, most) = measured.on(gpu)?;
                (Profile::Measured(Box::new(there)), most)
            }
            Profile::Fitted(fitted) => {
                let (there, most) = fitted.on(gpu)?;
                (Profile::Fitted(there), most)
            }
        };
        Some(Self {
            limits: Limits {
                max_local,
                ..self.limits
            },
            profile,
            ..self.clone()
        })
    }

    /// Where times and statistics come from.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// True seconds of a pass of `m` samples per GPU on a placement: GPUs per node in the nodes'
    /// order, zeros ignored.
    pub fn step_times(&self, placement: &[u32], m: u32) -> StepTimes {
        match &self.profile {
            Profile::Measured(measured) => measured.step_times(placement, m),
            Profile::Fitted(fitted) => fitted.step_times(placement, m),
        }
    }

    /// True gradient statistics at a total batch during an epoch, from 0.
    pub fn stats(&self, batch: f64, epoch: u32) -> GradientStats {
        let epoch = epoch.min(self.epochs().saturating_sub(1));
        match &self.profile {
            Profile::Measured(measured) => measured.stats(batch, epoch),
            Profile::Fitted(fitted) => {
                let phase = (f64::from(epoch) + 0.5) / f64::from(self.epochs());
                fitted.stats(&self.limits, batch, phase)
            }
        }
    }

    /// Iterations that training with a total batch takes until so many epochs are complete: as
    /// counted when it was measured, else by the gain.
    pub fn iterations(&self, batch: u32, epochs: u32) -> f64 {
        if let Profile::Measured(measured) = &self.profile
            && let Some(iterations) = measured.iterations(batch, epochs)
        {
            return iterations;
        }
        let scale = self.limits.scale(f64::from(batch));
        (0..epochs.min(self.epochs()))
            .map(|epoch| {
                let progress = self.progress_after(epoch + 1) - self.progress_after(epoch);
                progress / self.stats(f64::from(batch), epoch).gain(scale)
            })
            .sum()
    }

    /// Iterations at M0 per second.
    pub fn speed(&self, placement: &[u32], batch: LocalBatch, epoch: u32) -> f64 {
        let total = batch.total(placement.iter().sum());
        let gain = self.stats(total, epoch).gain(self.limits.scale(total));
        gain / self.step_times(placement, batch.m).iteration(batch.s)
    }

    /// The truly best batch on a placement during an epoch, and its goodput in samples per
    /// second: what an oracle would choose. `None` where no split is within the limits.
    pub fn best_choice(&self, placement: &[u32], epoch: u32) -> Option<Choice> {
        let m0 = f64::from(self.limits.m0);
        choose_by(&self.limits, placement.iter().sum(), |batch| {
            m0 * self.speed(placement, batch, epoch)
        })
    }

    /// The total batch with which training on a placement is shortest, of M0's multiples by powers
    /// of two and Mmax.
    pub fn best_batch(&self, placement: &[u32]) -> u32 {
        let most = self.limits.max_batch;
        let doubled = std::iter::successors(Some(self.limits.m0), |batch| batch.checked_mul(2));
        let mut best = (f64::INFINITY, most);
        for batch in doubled.take_while(|&batch| batch < most).chain([most]) {
            let replicas: u32 = placement.iter().sum();
            let local = self.limits.split(batch, replicas);
            // Smaller is allowed only where nothing else is.
            if local.m < self.limits.min_local && batch < most {
                continue;
            }
            let time = self.training_time(placement, batch);
            if time < best.0 {
                best = (time, batch);
            }
        }
        best.1
    }

    /// Seconds to train from beginning to end on one placement at one total batch.
    pub fn training_time(&self, placement: &[u32], batch: u32) -> f64 {
        let replicas = placement.iter().sum::<u32>().max(1);
        let batch = self.limits.split(batch, replicas);
        let mut from = 0.0;
        let mut seconds = 0.0;
        for (epoch, &to) in (0..).zip(&self.boundaries) {
            seconds += (to - from) / self.speed(placement, batch, epoch);
            from = to;
        }
        seconds
    }
}

/// `replicas` as evenly as possible on `nodes`: the placement that stands for all of so many nodes
/// and replicas.
pub fn even(nodes: u32, replicas: u32) -> Vec<u32> {
    let nodes = nodes.clamp(1, replicas.max(1));
    let (each, more) = (replicas / nodes, replicas % nodes);
    (0..nodes).map(|i| each + u32::from(i < more)).collect()
}

/// `gpus` GPUs on as few nodes of `per_node` as possible: the placement that applications are
/// tuned for.
pub fn packed(gpus: u32, per_node: u32) -> Vec<u32> {
    let per_node = per_node.max(1);
    let mut placement = vec![per_node; (gpus / per_node) as usize];
    if !gpus.is_multiple_of(per_node) {
        placement.push(gpus % per_node);
    }
    placement
}

/// GPUs and a batch that an expert would ask for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Tuned {
    /// GPUs.
    pub gpus: u32,
    /// The total batch, samples.
    pub batch: u32,
}

impl From<(u32, u32)> for Tuned {
    fn from((gpus, batch): (u32, u32)) -> Self {
        Self { gpus, batch }
    }
}

impl From<Tuned> for (u32, u32) {
    fn from(tuned: Tuned) -> Self {
        (tuned.gpus, tuned.batch)
    }
}

/// What is known of an application by its name: what the tables do not say.
struct Known {
    limits: Limits,
    rule: LearningRateRule,
    epochs: u32,
    tuned: Vec<Tuned>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements() {
        assert_eq!(packed(10, 4), [4, 4, 2]);
        assert_eq!(packed(8, 4), [4, 4]);
        assert_eq!(packed(3, 8), [3]);
        assert_eq!(even(3, 8), [3, 3, 2]);
        assert_eq!(even(4, 2), [1, 1]);
        assert_eq!(even(0, 5), [5]);
    }

    #[test]
    fn the_best_batch_grows_with_the_gpus() {
        for application in Application::embedded() {
            let of = |gpus| application.best_batch(&packed(gpus, 4));
            assert!(of(1) >= application.limits.m0);
            assert!(of(16) >= of(1));
            // More GPUs than the limits have work for.
            assert_eq!(of(1024 * 64), application.limits.max_batch);
        }
    }

    #[test]
    fn an_oracle_is_at_least_as_good_as_any_batch() {
        for application in Application::embedded() {
            for placement in [packed(1, 4), packed(4, 4), packed(12, 4)] {
                let replicas = placement.iter().sum();
                let best = application.best_choice(&placement, 1).expect("fits");
                let m0 = f64::from(application.limits.m0);
                for (batch, _) in [
                    (application.limits.max_batch, 0),
                    (application.limits.m0, 0),
                ] {
                    let batch = application.limits.split(batch, replicas);
                    if batch.m >= application.limits.min_local {
                        let other = m0 * application.speed(&placement, batch, 1);
                        assert!(best.goodput >= other * 0.98, "{}", application.name);
                    }
                }
            }
        }
    }
}
