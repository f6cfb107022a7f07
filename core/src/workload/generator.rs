//! Workloads as Pollux's evaluation draws them (OSDI'21, section 5.1): 160 jobs over eight hours
//! of Philly's day, by its hourly arrivals, of six applications in the shares of its GPU-time
//! classes, each with a configuration that an expert tuned to 50–80 % scaling efficiency.
//!
//! Own implementation, and other draws than the artifact's. Arrivals: jobs of at least 60 s and
//! less than 1000 GPU-hours in the artifact's cut of the Philly trace, counted by the hour of day in
//! which they were submitted. Shares: observed over the three published workloads.

use super::application::{Application, Tuned, packed};
use super::drawn;
use crate::draw::{Rng, below, unit};
use crate::order;
use crate::trace::{Record, Trace};
use rand_xoshiro::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use thiserror::Error;

/// Jobs submitted in each hour of the day.
const ARRIVALS: [u32; 24] = [
    4086, 3204, 3550, 3368, 2240, 3728, 5169, 6585, 3499, 3154, 2933, 2603, 2061, 2185, 2058, 2098,
    2890, 2101, 2534, 2202, 2968, 2637, 3551, 3024,
];

/// Shares of the applications, in thousandths.
pub const MIX: [(&str, u32); 6] = [
    ("cifar10", 387),
    ("ncf", 393),
    ("deepspeech2", 87),
    ("bert", 67),
    ("yolov3", 46),
    ("imagenet", 20),
];

/// GPUs per node of the cluster that the configurations were tuned for.
const GPUS_PER_NODE: u32 = 4;

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolluxGenerator {
    /// Jobs; 160 is the paper's load 1, 320 its load 2.
    pub jobs: u32,
    /// The hour of day at which the workload begins, 0..24.
    pub start_hour: u32,
    /// Over how many hours jobs are submitted.
    pub hours: u32,
    /// For the draws.
    pub seed: u64,
}

impl Default for PolluxGenerator {
    /// 160 jobs over eight hours from two o'clock, seed 0.
    fn default() -> Self {
        Self {
            jobs: 160,
            start_hour: 2,
            hours: 8,
            seed: 0,
        }
    }
}

/// Why nothing can be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GeneratorError {
    /// No jobs or hours, or very many.
    #[error("{what} is {is}, but must be from 1 to {most}")]
    Range {
        /// The setting.
        what: &'static str,
        /// Its value.
        is: u32,
        /// The most it can be.
        most: u32,
    },
    /// An application of the mix is missing, or has no tuned configuration.
    #[error("the mix needs an application '{0}' with a tuned configuration")]
    Application(&'static str),
}

impl PolluxGenerator {
    /// Draws the workload: records with application, GPUs and batch, whose durations are those of
    /// `applications`.
    ///
    /// # Errors
    ///
    /// A [`GeneratorError`] for settings out of range, or an application that is not there.
    pub fn generate(&self, applications: &[Application]) -> Result<Trace, GeneratorError> {
        for (what, is, most) in [("jobs", self.jobs, 1_000_000), ("hours", self.hours, 8760)] {
            if !(1..=most).contains(&is) {
                return Err(GeneratorError::Range { what, is, most });
            }
        }
        let mut mix: Vec<(&Application, u32)> = Vec::new();
        for (name, share) in MIX {
            let found = applications.iter().find(|a| &*a.name == name);
            let found = found.filter(|a| !a.tuned.is_empty());
            mix.push((found.ok_or(GeneratorError::Application(name))?, share));
        }
        let hours: Vec<u32> = (0..self.hours)
            .map(|hour| {
                let of_day = (u64::from(self.start_hour) + u64::from(hour)) % 24;
                ARRIVALS.get(of_day as usize).copied().unwrap_or(0)
            })
            .collect();
        let mut rng = Rng::seed_from_u64(self.seed);
        let mut jobs: Vec<(u32, usize, Tuned)> = (0..self.jobs)
            .map(|_| {
                let hour = weighted(&mut rng, hours.iter().copied());
                let time = hour as u32 * 3600 + below(&mut rng, 3600);
                let application = weighted(&mut rng, mix.iter().map(|&(_, share)| share));
                let tuned = mix.get(application).map_or(&[][..], |(a, _)| &a.tuned);
                let tuned = tuned.get(below(&mut rng, tuned.len() as u32) as usize);
                (
                    time,
                    application,
                    tuned.copied().unwrap_or(Tuned { gpus: 1, batch: 1 }),
                )
            })
            .collect();
        order::sort_by_key(&mut jobs, |&(time, ..)| time);
        // Few configurations are used by many jobs.
        let mut durations: BTreeMap<(usize, u32, u32), f64> = BTreeMap::new();
        let records: Vec<Record> = (0..)
            .zip(jobs)
            .map(|(index, (time, application, Tuned { gpus, batch }))| {
                let (name, duration) = mix.get(application).map_or(("", 1.0), |(a, _)| {
                    let time = durations
                        .entry((application, gpus, batch))
                        .or_insert_with(|| a.training_time(&packed(gpus, GPUS_PER_NODE), batch));
                    (&*a.name, *time)
                });
                Record {
                    // Where it will stand in the table it can be saved as.
                    name: format!("{name}-{index}").into(),
                    model: Some(application as u32),
                    ..Record::plain(index + 2, f64::from(time), gpus, duration)
                }
                .with_batch(Some(batch))
            })
            .collect();
        Ok(drawn::trace(
            ("adaptdl", "Pollux workload, generated"),
            self.seed,
            "Durations follow from the profile of each application.",
            MIX.iter().map(|(name, _)| (*name).to_owned()).collect(),
            records,
        ))
    }
}

/// A trace whose records have application and batch, as the table that AdaptDL's simulator reads;
/// records without them are left out.
pub fn adaptdl_csv(trace: &Trace) -> String {
    let mut text = "name,time,application,num_replicas,batch_size\n".to_owned();
    for record in &trace.records {
        let application = record.model.and_then(|m| trace.models.get(m as usize));
        if let (Some(application), Some(batch)) = (application, record.batch()) {
            let (name, time, gpus) = (&record.name, record.submit, record.gpus);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name},{time},{application},{gpus},{batch}");
        }
    }
    text
}

/// An index, by weight.
fn weighted(rng: &mut Rng, weights: impl Iterator<Item = u32> + Clone) -> usize {
    let total: f64 = weights.clone().map(f64::from).sum();
    let mut left = unit(rng) * total;
    let mut last = 0;
    for (index, weight) in weights.enumerate() {
        last = index;
        left -= f64::from(weight);
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{OpenOptions, Opened, SourceFile, open};
    use crate::workload::{ApplicationSettings, Workload};

    #[test]
    fn shares_and_arrivals_are_the_paper_s() {
        let generator = PolluxGenerator {
            jobs: 20_000,
            ..PolluxGenerator::default()
        };
        let trace = generator.generate(&Application::embedded()).expect("sound");
        let mut by_application: BTreeMap<u32, f64> = BTreeMap::new();
        let mut by_hour = [0.0; 8];
        for record in &trace.records {
            *by_application
                .entry(record.model.expect("named"))
                .or_default() += 1.0;
            by_hour[(record.submit / 3600.0) as usize] += 1.0;
        }
        for (index, (name, share)) in (0..).zip(MIX) {
            let seen = by_application[&index] / 20.0;
            assert!((seen - f64::from(share)).abs() < 15.0, "{name}: {seen}");
        }
        let all: u32 = ARRIVALS[2..10].iter().sum();
        for (seen, weight) in by_hour.iter().zip(&ARRIVALS[2..10]) {
            let expected = 20_000.0 * f64::from(*weight) / f64::from(all);
            assert!((seen / expected - 1.0).abs() < 0.08, "{seen} {expected}");
        }
    }

    #[test]
    fn a_seed_is_a_workload_and_can_be_saved() {
        let applications = Application::embedded();
        let trace = PolluxGenerator::default()
            .generate(&applications)
            .expect("sound");
        assert_eq!(trace.records.len(), 160);
        assert_eq!(
            PolluxGenerator::default().generate(&applications),
            Ok(trace.clone())
        );
        let other = PolluxGenerator {
            seed: 1,
            ..PolluxGenerator::default()
        };
        assert_ne!(
            other.generate(&applications).expect("sound").records,
            trace.records
        );
        let csv = adaptdl_csv(&trace);
        let file = SourceFile {
            name: "saved.csv",
            bytes: csv.as_bytes(),
        };
        let Ok(Opened::Trace(opened)) = open(&[file], &OpenOptions::default()) else {
            panic!("what is saved can be opened");
        };
        let seen = |trace: &Trace| -> Vec<_> {
            let records = trace.records.iter();
            records
                .map(|r| {
                    let model = trace.models[r.model.expect("named") as usize].clone();
                    (
                        r.name.clone(),
                        r.submit,
                        r.duration,
                        r.gpus,
                        model,
                        r.batch(),
                        r.line,
                    )
                })
                .collect()
        };
        assert_eq!(seen(&opened), seen(&trace));
    }

    #[test]
    fn settings_out_of_range() {
        let applications = Application::embedded();
        let none = PolluxGenerator {
            jobs: 0,
            ..PolluxGenerator::default()
        };
        assert_eq!(
            none.generate(&applications).unwrap_err().to_string(),
            "jobs is 0, but must be from 1 to 1000000"
        );
        assert_eq!(
            PolluxGenerator::default().generate(&applications[..3]),
            Err(GeneratorError::Application("ncf"))
        );
        let late = PolluxGenerator {
            start_hour: u32::MAX,
            ..PolluxGenerator::default()
        };
        assert!(late.generate(&applications).is_ok());
    }

    #[test]
    fn a_workload_that_has_travelled_gets_its_applications_back() {
        let generator = PolluxGenerator::default();
        let trace = generator.generate(&Application::embedded());
        let workload = trace.expect("sound settings").workload();
        let travelled = Workload {
            applications: Vec::new(),
            ..workload.clone()
        };
        let settings = ApplicationSettings::default();
        assert_eq!(settings.bind(travelled), Ok(workload));
    }
}
