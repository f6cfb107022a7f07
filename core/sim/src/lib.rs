//! Simulation and schedulers: a [`RunSpec`] with a [`Workload`](switchyard_model::Workload) gives a
//! [`RunLog`](sim::RunLog), event by event.
//!
//! Nothing here knows where jobs came from, nor what becomes of logs.

#![forbid(unsafe_code)]

pub mod placement;
pub mod policy;
mod preset;
mod run;
mod settings;
pub mod sharing;
pub mod sim;
pub mod tell;
pub mod weights;

pub use preset::{Preset, UnknownPreset};
pub use run::{RunSpec, RunSpecError};
pub use settings::{Group, SETTINGS, Setting, Settings};

use switchyard_model::{
    Resource, Time, application, cluster, contention, draw, goodput, job, meant, order, outages,
    seconds_of, throughputs, workload,
};
