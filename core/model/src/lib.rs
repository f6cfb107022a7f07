//! What everything else speaks of: jobs and time, clusters and which of their GPUs are taken,
//! applications and their goodput, and a [`Workload`] of jobs that are ready to run.
//!
//! Nothing here reads files, simulates or decides.

#![forbid(unsafe_code)]

pub mod application;
pub mod batch_mode;
pub mod calendar;
pub mod cluster;
mod compact;
pub mod contention;
mod demand;
pub mod draw;
pub mod goodput;
pub mod job;
pub mod meant;
pub mod order;
pub mod outages;
mod percentile;
pub mod pods;
mod resource;
pub mod spreadsheet;
pub mod throughputs;
mod time;
pub mod workload;

pub use compact::{Finite, Index};
pub use percentile::percentile;
pub use resource::{Resource, UnknownResource};
pub use time::{Time, seconds_of, time_unit};
pub use workload::Workload;
