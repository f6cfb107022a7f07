//! Which application a plain record trains, so that any trace runs under schedulers that adapt
//! batch and replicas.
//!
//! A record that names an application gets it. The others go by their GPU-time (GPUs × duration),
//! as Pollux's evaluation assigns Philly's jobs (OSDI'21, section 5.1): below 1 GPU-hour cifar10 or
//! ncf, below 10 deepspeech2 or bert, below 100 yolov3, else imagenet; where a class has several,
//! one is drawn with equal chances, by a hash of the seed and the record's own figures, so that
//! names and the order of rows decide nothing.
//!
//! The batch is what the record asks for, or the one that trains fastest on its GPUs, packed on
//! nodes. Training is then stretched by `scale`, so that on those GPUs and with that batch it takes
//! exactly the trace's duration. A record with a batch comes from a workload without durations, and
//! is not stretched.

use super::application::{Application, packed};
use crate::trace::{Record, Trace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What a record trains.
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
    #[error("there is no application '{name}': there are {known}")]
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
    /// What each record of a trace trains, in the records' order.
    ///
    /// # Errors
    ///
    /// A [`BindError`] if the classes have gaps or name an application that is not among
    /// `applications`, or if a record with a batch does.
    pub fn bind(
        &self,
        trace: &Trace,
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
        let bind = |record: &Record| {
            let model = record.model.and_then(|m| trace.models.get(m as usize));
            let named = model.and_then(|name| find(name));
            let index = match (named, record.batch) {
                (Some(index), _) => index,
                (None, Some(_)) => return Err(unknown(model.map_or("", String::as_str))),
                (None, None) => self.draw(&classes, record),
            };
            let bound = |batch, scale| Bound {
                application: index as u32,
                batch,
                scale,
            };
            let Some(application) = applications.get(index) else {
                return Err(unknown(""));
            };
            if let Some(batch) = record.batch {
                return Ok(bound(batch, 1.0));
            }
            let (batch, time) = *trained.entry((index, record.gpus)).or_insert_with(|| {
                let placement = packed(record.gpus, self.gpus_per_node);
                let batch = application.best_batch(&placement);
                (batch, application.training_time(&placement, batch))
            });
            Ok(bound(batch, record.duration / time))
        };
        trace.records.iter().map(bind).collect()
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

    /// The application of a record that names none.
    fn draw(&self, classes: &[Class], record: &Record) -> usize {
        let hours = f64::from(record.gpus) * record.duration / 3600.0;
        let class = classes.iter().find(|class| hours < class.below);
        let choices = class.map_or(&[][..], |class| &class.applications);
        let mut bytes = [0; 20];
        let figures = record.submit.to_le_bytes().into_iter();
        let figures = figures
            .chain(record.duration.to_le_bytes())
            .chain(record.gpus.to_le_bytes());
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
    use crate::trace::{OpenOptions, Opened, SourceFile, open};
    use std::fmt::Write;

    fn trace(text: &str) -> Trace {
        let file = SourceFile {
            name: "jobs.csv",
            bytes: text.as_bytes(),
        };
        match open(&[file], &OpenOptions::default()) {
            Ok(Opened::Trace(trace)) => trace,
            other => panic!("no trace: {other:?}"),
        }
    }

    #[test]
    fn by_gpu_time_and_scaled_to_the_duration() {
        // 0.5, 5, 50 and 500 GPU-hours, many of each.
        let mut text = "job_id,submit_time,duration,num_gpu\n".to_owned();
        for i in 0..400 {
            let duration = [900, 9_000, 90_000, 900_000][i % 4];
            writeln!(text, "{i},{},{duration},2", i * 10).unwrap();
        }
        let trace = trace(&text);
        let applications = Application::embedded();
        let rule = BindingRule::default();
        let bound = rule.bind(&trace, &applications).expect("the paper's rule");
        let mut counts: BTreeMap<(u64, &str), u32> = BTreeMap::new();
        for (record, bound) in trace.records.iter().zip(&bound) {
            let application = &applications[bound.application as usize];
            let placement = packed(record.gpus, 4);
            let time = application.training_time(&placement, bound.batch) * bound.scale;
            assert!((time / record.duration - 1.0).abs() < 1e-12);
            *counts
                .entry((record.duration as u64, &application.name))
                .or_default() += 1;
        }
        let of = |duration, name| counts.get(&(duration, name)).copied().unwrap_or(0);
        assert_eq!(of(900, "cifar10") + of(900, "ncf"), 100);
        assert_eq!(of(9_000, "deepspeech2") + of(9_000, "bert"), 100);
        assert!((30..=70).contains(&of(900, "ncf")) && (30..=70).contains(&of(9_000, "bert")));
        assert_eq!((of(90_000, "yolov3"), of(900_000, "imagenet")), (100, 100));
        // The seed draws anew; order and names do not.
        assert_eq!(rule.bind(&trace, &applications).as_ref(), Ok(&bound));
        let other = BindingRule {
            seed: 1,
            ..rule.clone()
        };
        assert_ne!(other.bind(&trace, &applications).as_ref(), Ok(&bound));
        let mut reversed = trace.clone();
        reversed.records.reverse();
        for record in &mut reversed.records {
            record.name = "x".into();
        }
        let mut again = rule
            .bind(&reversed, &applications)
            .expect("the same records");
        again.reverse();
        assert_eq!(again, bound);
    }

    #[test]
    fn a_named_application_is_taken_at_its_word() {
        let applications = Application::embedded();
        let rule = BindingRule::default();
        let workload = trace(
            "name,time,application,num_replicas,batch_size\na,0,bert,12,384\nb,1,ncf,1,512\n",
        );
        let bound = rule.bind(&workload, &applications).expect("known");
        let seen: Vec<_> = bound
            .iter()
            .map(|b| {
                (
                    &*applications[b.application as usize].name,
                    b.batch,
                    b.scale,
                )
            })
            .collect();
        assert_eq!(seen, [("bert", 384, 1.0), ("ncf", 512, 1.0)]);
        let named = trace("job_id,submit_time,duration,num_gpu,model\na,0,77,2,yolov3\n");
        let bound = rule.bind(&named, &applications).expect("known");
        assert_eq!(&*applications[bound[0].application as usize].name, "yolov3");
    }

    #[test]
    fn rules_that_cannot_be() {
        let trace = trace("job_id,submit_time,duration,num_gpu\na,0,5,1\nb,1,6,1\n");
        let applications = Application::embedded();
        let message = |change: &dyn Fn(&mut BindingRule)| {
            let mut rule = BindingRule::default();
            change(&mut rule);
            let error = rule.bind(&trace, &applications).expect_err("refused");
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
