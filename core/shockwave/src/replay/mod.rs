//! The simulator of Shockwave's artifact: rounds that end with their slowest job, integer steps, overheads, deficits.
//!
//! In: jobs and throughputs (`files` reads them), a number of GPUs, a scheduler. Out: when each job was done, and the
//! paper's figures. Its rules are the artifact's, quirks included: they differ from the engine's, and are kept here so
//! that decisions can be held to published digits. Source: uw-mad-dash/shockwave, `scheduler/scheduler.py`.

mod choice;
pub mod files;
mod job;
mod lease;
mod outcome;
mod rounds;

pub use choice::Scheduler;
pub use files::{Job, Throughputs};
pub use outcome::{Done, Outcome};
pub use rounds::{Failure, profiled, replay};
