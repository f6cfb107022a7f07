//! Switchyard's engine: *given this trace and this cluster, what would that scheduler have done, and why?*
//!
//! Data goes one way, and each arrow is one pure function a test can call alone:
//!
//! ```text
//! bytes ──trace──▶ Trace ──workload──▶ Workload ─┐
//! ClusterSpec, PolicySpec, seed ─────────────────┴──engine──▶ RunLog ──report──▶ Summary
//!                                                     ▲
//!                                   policy looks at a View, writes a Plan
//! ```
//!
//! Nothing here knows a browser, a file, a clock, a thread or global state, so the same
//! inputs and seed give the same [`engine::RunLog`] bit for bit, natively and in wasm.

#![forbid(unsafe_code)]

pub mod weights;
pub mod workload;

pub use switchyard_engine as engine;
pub use switchyard_explain as explain;
pub use switchyard_model::{
    Finite, Index, Resource, Time, calendar, cluster, contention, draw, goodput, job, meant, order,
    outages, pods, seconds_of, spreadsheet, throughputs,
};
pub use switchyard_placement as placement;
pub use switchyard_placement::sharing;
pub use switchyard_policies as policies;
pub use switchyard_queues as queues;
pub use switchyard_report as report;
pub use switchyard_run::{
    Preset, RunSpec, RunSpecError, SETTINGS, Setting, SettingGroup, Settings, UnknownPreset,
};
pub use switchyard_trace as trace;
