//! One job as its trace tells it: [`Record`].

use super::rare::Rare;
use crate::job::{Demand, JobName, Status, TypeSet};
use crate::{Finite, Index};
use serde::{Deserialize, Serialize};

/// One job as a trace tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The line it begins on in its file, from 1.
    pub line: u32,
    /// The job's id, not necessarily unique; the line where the format has none.
    pub name: JobName,
    /// Seconds: since 1970 where [`Trace::epoch`](super::Trace::epoch) is known and times are absolute, else since
    /// whatever the file calls 0. At least 0.
    pub submit: f64,
    /// Seconds it ran; > 0 and finite.
    pub duration: f64,
    /// When it began, on the submission's clock, as [`RecordedRun`](switchyard_model::workload::RecordedRun) has it; not told: `None`.
    pub start: Option<Finite>,
    /// The GPU types that it ran on, by their index in [`Trace::gpu_types`](super::Trace::gpu_types); any: not told.
    pub ran_on: TypeSet,
    /// GPUs it asked for, rounded up; none where it asks for cores alone.
    pub gpus: u32,
    /// How much of the last of them it asked for: 1, or less where it asked for a fraction.
    pub share: f32,
    /// Index into [`Trace::tenants`](super::Trace::tenants).
    pub tenant: Option<u32>,
    /// Its combination of [`Trace::labels`](super::Trace::labels).
    pub labels: Option<Index>,
    /// Index into [`Trace::node_names`](super::Trace::node_names).
    pub nodes: Option<Index>,
    /// Its priority, as its scheduler counted it.
    pub priority: Option<Finite>,
    /// Index into [`Trace::models`](super::Trace::models).
    pub model: Option<u32>,
    /// What it asked for besides GPUs: types by their index in [`Trace::gpu_types`](super::Trace::gpu_types).
    pub demand: Demand,
    /// How it ended.
    pub status: Status,
    /// What few records tell, apart, so that the others take no room for it.
    pub rare: Option<Box<Rare>>,
}

impl Record {
    /// A gang for so many seconds: of no name and nobody, and nothing else is told of it.
    pub fn plain(line: u32, submit: f64, gpus: u32, duration: f64) -> Self {
        Self {
            line,
            name: JobName::default(),
            submit,
            duration,
            start: None,
            ran_on: TypeSet::ANY,
            gpus,
            share: 1.0,
            tenant: None,
            labels: None,
            nodes: None,
            priority: None,
            model: None,
            demand: Demand::default(),
            status: Status::Unknown,
            rare: None,
        }
    }

    /// The same with a batch size, or without.
    #[must_use]
    pub fn with_batch(mut self, batch: Option<u32>) -> Self {
        self.set_batch(batch);
        self
    }

    /// The same with the seconds of attempts that failed.
    #[must_use]
    pub fn with_attempts(mut self, attempts: Vec<f64>) -> Self {
        self.set_attempts(attempts);
        self
    }

    /// The total batch size it asked for, samples; where it is known, the model is an
    /// application by name.
    pub fn batch(&self) -> Option<u32> {
        self.rare.as_ref()?.batch
    }

    /// Seconds of the attempts that failed before the last one, which are a part of its duration.
    pub fn attempts(&self) -> &[f64] {
        self.rare.as_ref().map_or(&[], |rare| &rare.attempts)
    }

    pub(crate) fn set_batch(&mut self, batch: Option<u32>) {
        if self.rare.is_some() || batch.is_some() {
            self.rare.get_or_insert_default().batch = batch;
        }
    }

    pub(crate) fn set_attempts(&mut self, attempts: Vec<f64>) {
        if self.rare.is_some() || !attempts.is_empty() {
            self.rare.get_or_insert_default().attempts = attempts;
        }
    }

    /// It takes so many times as long, each of its attempts alike, and asks for it.
    pub(crate) fn stretch(&mut self, factor: f64) {
        self.duration *= factor;
        self.demand.time = self.demand.time.map(|time| time * factor);
        if let Some(rare) = &mut self.rare {
            rare.attempts.iter_mut().for_each(|of| *of *= factor);
        }
    }
}

/// The earliest submission; 0 where there are no records.
pub(crate) fn earliest(records: &[Record]) -> f64 {
    let submits = records.iter().map(|record| record.submit);
    let least = submits.reduce(|a, b| if b < a { b } else { a });
    least.unwrap_or(0.0)
}
