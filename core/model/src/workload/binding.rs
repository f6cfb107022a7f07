//! Which application a plain job trains, so that any trace runs under schedulers that adapt
//! batch and replicas.
//!
//! A job that names an application gets it. The others go by their GPU-time (GPUs × duration),
//! as Pollux's evaluation assigns Philly's jobs (OSDI'21, section 5.1): below 1 GPU-hour cifar10 or
//! ncf, below 10 deepspeech2 or bert, below 100 yolov3, else imagenet; where a class has several,
//! one is drawn with equal chances, by a hash of the seed and the job's own figures, so that
//! names and the order of rows decide nothing.
//!
//! The batch is what the record asks for, or the one that trains fastest on its GPUs, packed on
//! nodes. Training is then stretched by `scale`, so that on those GPUs and with that batch it takes
//! exactly the trace's duration. A record with a batch comes from a workload without durations, and
//! is not stretched.

use crate::application::{Application, packed};
use crate::meant::hint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What is known of a job before it trains anything.
#[derive(Clone, Copy, Debug)]
pub struct Unbound<'a> {
    /// The model it names.
    pub model: Option<&'a str>,
    /// When it is submitted, seconds.
    pub submit: f64,
    /// How long it runs on its GPUs, seconds.
    pub duration: f64,
    /// GPUs.
    pub gpus: u32,
    /// The total batch it asks for, samples.
    pub batch: Option<u32>,
}

/// What a job trains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Index into the applications.
    pub application: u32,
    /// The total batch its owner would run it with, samples.
    pub batch: u32,
    /// By what the application's progress is multiplied; > 0.
    pub scale: f64,
}

/// How plain records are bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindingRule {
    /// By GPU-time, increasing; the last one has no end.
    pub classes: Vec<GpuTimeClass>,
    /// GPUs per node of the placements that durations refer to.
    pub gpus_per_node: u32,
    /// For the draws.
    pub seed: u64,
}

/// A class of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuTimeClass {
    /// GPU-hours that its records stay below; `None`: no end.
    pub below_gpu_hours: Option<f64>,
    /// What they train, by name.
    pub applications: Vec<String>,
}

/// Why records cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BindError {
    /// A name that no application has.
    #[error("there is no application '{name}'{}: there are {known}", hint(.name, .known.split(", ")))]
    UnknownApplication {
        /// The name.
        name: String,
        /// Those there are.
        known: String,
    },
    /// A class without applications.
    #[error("class {class} names no application: give it at least one")]
    EmptyClass {
        /// Which, from 1.
        class: usize,
    },
    /// Classes that leave a gap or come in the wrong order.
    #[error(
        "class {class} must end at more GPU-hours than the one before, and only the last has no end"
    )]
    Order {
        /// Which, from 1.
        class: usize,
    },
    /// There is no class.
    #[error("there is no class: give at least one")]
    NoClass,
}

impl Default for BindingRule {
    /// The paper's classes, nodes of 4 GPUs, seed 0.
    fn default() -> Self {
        let class = |below_gpu_hours, applications: &[&str]| GpuTimeClass {
            below_gpu_hours,
            applications: applications.iter().map(|&name| name.to_owned()).collect(),
        };
        Self {
            classes: vec![
                class(Some(1.0), &["cifar10", "ncf"]),
                class(Some(10.0), &["deepspeech2", "bert"]),
                class(Some(100.0), &["yolov3"]),
                class(None, &["imagenet"]),
            ],
            gpus_per_node: 4,
            seed: 0,
        }
    }
}

/// A class with its applications found.
struct Class {
    below: f64,
    applications: Vec<usize>,
}

impl BindingRule {
    /// What each of these jobs trains, in their order.
    ///
    /// # Errors
    ///
    /// A [`BindError`] if the classes have gaps or name an application that is not among
    /// `applications`, or if a job with a batch does.
    pub fn bind<'a>(
        &self,
        jobs: impl Iterator<Item = Unbound<'a>>,
        applications: &[Application],
    ) -> Result<Vec<Bound>, BindError> {
        let find = |name: &str| applications.iter().position(|a| &*a.name == name);
        let unknown = |name: &str| BindError::UnknownApplication {
            name: name.to_owned(),
            known: applications
                .iter()
                .map(|a| &*a.name)
                .collect::<Vec<_>>()
                .join(", "),
        };
        let classes = self.classes(&find, &unknown)?;
        // Many records share application and GPUs: batch and training time.
        let mut trained: BTreeMap<(usize, u32), (u32, f64)> = BTreeMap::new();
        let bind = |job: Unbound<'_>| {
            let named = job.model.and_then(find);
            let index = match (named, job.batch) {
                (Some(index), _) => index,
                (None, Some(_)) => return Err(unknown(job.model.unwrap_or_default())),
                (None, None) => self.draw(&classes, &job),
            };
            let bound = |batch, scale| Bound {
                application: index as u32,
                batch,
                scale,
            };
            let Some(application) = applications.get(index) else {
                return Err(unknown(""));
            };
            if let Some(batch) = job.batch {
                return Ok(bound(batch, 1.0));
            }
            let (batch, time) = *trained.entry((index, job.gpus)).or_insert_with(|| {
                let placement = packed(job.gpus, self.gpus_per_node);
                let batch = application.best_batch(&placement);
                (batch, application.training_time(&placement, batch))
            });
            Ok(bound(batch, job.duration / time))
        };
        jobs.map(bind).collect()
    }

    fn classes(
        &self,
        find: &dyn Fn(&str) -> Option<usize>,
        unknown: &dyn Fn(&str) -> BindError,
    ) -> Result<Vec<Class>, BindError> {
        let mut classes: Vec<Class> = Vec::new();
        for (class, given) in (1..).zip(&self.classes) {
            let last = class == self.classes.len();
            let below = given.below_gpu_hours.unwrap_or(f64::INFINITY);
            let before = classes.last().map_or(0.0, |class| class.below);
            let increasing = below > before;
            if !increasing || last != (below == f64::INFINITY) {
                return Err(BindError::Order { class });
            }
            if given.applications.is_empty() {
                return Err(BindError::EmptyClass { class });
            }
            let names = given.applications.iter();
            let applications: Result<Vec<usize>, BindError> = names
                .map(|name| find(name).ok_or_else(|| unknown(name)))
                .collect();
            classes.push(Class {
                below,
                applications: applications?,
            });
        }
        if classes.is_empty() {
            return Err(BindError::NoClass);
        }
        Ok(classes)
    }

    /// The application of a job that names none.
    fn draw(&self, classes: &[Class], job: &Unbound<'_>) -> usize {
        let hours = f64::from(job.gpus) * job.duration / 3600.0;
        let class = classes.iter().find(|class| hours < class.below);
        let choices = class.map_or(&[][..], |class| &class.applications);
        let mut bytes = [0; 20];
        let figures = job.submit.to_le_bytes().into_iter();
        let figures = figures
            .chain(job.duration.to_le_bytes())
            .chain(job.gpus.to_le_bytes());
        for (byte, figure) in bytes.iter_mut().zip(figures) {
            *byte = figure;
        }
        let hash = xxh3_64_with_seed(&bytes, self.seed);
        let index = (u128::from(hash) * choices.len() as u128) >> 64;
        choices.get(index as usize).copied().unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(submit: f64, duration: f64, gpus: u32) -> Unbound<'static> {
        Unbound {
            model: None,
            submit,
            duration,
            gpus,
            batch: None,
        }
    }

    #[test]
    fn by_gpu_time_and_scaled_to_the_duration() {
        // 0.5, 5, 50 and 500 GPU-hours, many of each.
        let durations = [900.0, 9_000.0, 90_000.0, 900_000.0];
        let jobs: Vec<_> = (0..400)
            .map(|i| job(f64::from(i) * 10.0, durations[i as usize % 4], 2))
            .collect();
        let applications = Application::embedded();
        let rule = BindingRule::default();
        let bind = |rule: &BindingRule| rule.bind(jobs.iter().copied(), &applications);
        let bound = bind(&rule).expect("the paper's rule");
        let mut counts: BTreeMap<(u64, &str), u32> = BTreeMap::new();
        for (job, bound) in jobs.iter().zip(&bound) {
            let application = &applications[bound.application as usize];
            let placement = packed(job.gpus, 4);
            let time = application.training_time(&placement, bound.batch) * bound.scale;
            assert!((time / job.duration - 1.0).abs() < 1e-12);
            *counts
                .entry((job.duration as u64, &application.name))
                .or_default() += 1;
        }
        let of = |duration, name| counts.get(&(duration, name)).copied().unwrap_or(0);
        assert_eq!(of(900, "cifar10") + of(900, "ncf"), 100);
        assert_eq!(of(9_000, "deepspeech2") + of(9_000, "bert"), 100);
        assert!((30..=70).contains(&of(900, "ncf")) && (30..=70).contains(&of(9_000, "bert")));
        assert_eq!((of(90_000, "yolov3"), of(900_000, "imagenet")), (100, 100));
        // The seed draws anew; the order does not.
        assert_eq!(bind(&rule).as_ref(), Ok(&bound));
        let other = BindingRule {
            seed: 1,
            ..rule.clone()
        };
        assert_ne!(bind(&other).as_ref(), Ok(&bound));
        let mut again = rule
            .bind(jobs.iter().rev().copied(), &applications)
            .expect("the same jobs");
        again.reverse();
        assert_eq!(again, bound);
    }

    #[test]
    fn a_named_application_is_taken_at_its_word() {
        let applications = Application::embedded();
        let rule = BindingRule::default();
        let asks = |model, batch| Unbound {
            model: Some(model),
            batch,
            ..job(0.0, 77.0, 2)
        };
        let jobs = [
            asks("bert", Some(384)),
            asks("ncf", Some(512)),
            asks("yolov3", None),
        ];
        let bound = rule.bind(jobs.into_iter(), &applications).expect("known");
        let name = |bound: &Bound| applications[bound.application as usize].name.clone();
        assert_eq!(
            bound
                .iter()
                .map(|b| name(b).to_string())
                .collect::<Vec<_>>(),
            ["bert", "ncf", "yolov3"]
        );
        assert_eq!((bound[0].batch, bound[0].scale), (384, 1.0));
        assert_eq!((bound[1].batch, bound[1].scale), (512, 1.0));
    }

    #[test]
    fn rules_that_cannot_be() {
        let jobs = [job(0.0, 5.0, 1), job(1.0, 6.0, 1)];
        let applications = Application::embedded();
        let message = |change: &dyn Fn(&mut BindingRule)| {
            let mut rule = BindingRule::default();
            change(&mut rule);
            let error = rule
                .bind(jobs.into_iter(), &applications)
                .expect_err("refused");
            error.to_string()
        };
        assert_eq!(
            message(&|rule| rule.classes[2].applications[0] = "gpt5".into()),
            "there is no application 'gpt5': there are bert, cifar10, deepspeech2, imagenet, ncf, yolov3"
        );
        let order = |class| {
            format!(
                "class {class} must end at more GPU-hours than the one before, and only the last has no end"
            )
        };
        assert_eq!(
            message(&|rule| rule.classes[1].below_gpu_hours = Some(0.5)),
            order(2)
        );
        assert_eq!(
            message(&|rule| rule.classes[1].below_gpu_hours = Some(f64::NAN)),
            order(2)
        );
        assert_eq!(message(&|rule| rule.classes.truncate(3)), order(3));
        assert!(message(&|rule| rule.classes.clear()).contains("no class"));
        assert!(message(&|rule| rule.classes[0].applications.clear()).contains("class 1"));
    }
}
