//! Switchyard's engine: *given this trace and this cluster, what would that scheduler have done, and why?*
//!
//! Data goes one way, and each arrow is one pure function a test can call alone:
//!
//! ```text
//! bytes ──trace──▶ Trace ──workload──▶ Workload ─┐
//! ClusterSpec, PolicySpec, seed ─────────────────┴──sim──▶ RunLog ──report──▶ Summary
//!                                           ▲
//!                                 policy looks at a View, writes a Plan
//! ```
//!
//! Nothing here knows a browser, a file, a clock, a thread or global state, so the same
//! inputs and seed give the same [`sim::RunLog`] bit for bit, natively and in wasm.

#![forbid(unsafe_code)]

pub mod cluster;
mod experiment;
pub mod goodput;
pub mod job;
pub mod order;
mod percentile;
pub mod placement;
pub mod playground;
pub mod policy;
mod preset;
pub mod report;
mod run;
pub mod sim;
mod spreadsheet;
pub mod tell;
mod time;
pub mod trace;
pub mod workload;

pub use experiment::Experiment;
pub use preset::{Preset, UnknownPreset};
pub use run::{MissingHistory, RunSpec};
pub use time::Time;
