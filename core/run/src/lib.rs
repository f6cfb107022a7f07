//! A run: a [`RunSpec`] with a [`Workload`](switchyard_model::Workload) makes a
//! [`Simulation`](switchyard_engine::Simulation). Here are its settings, presets and weights, for here alone policies,
//! placements and the engine are known together.
//!
//! Nothing here knows where jobs came from, nor what becomes of logs.

#![forbid(unsafe_code)]

mod preset;
mod run;
mod settings;
mod weights;

pub use preset::{Preset, UnknownPreset};
pub use run::{RunSpec, RunSpecError};
pub use settings::{SETTINGS, Setting, SettingGroup, Settings};
pub use weights::Weights;

use switchyard_model::{cluster, meant, outages, seconds_of, workload};
