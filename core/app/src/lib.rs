//! The application layer: what page, command line, Python, module, lessons and sweeps have in common.
//!
//! The engine lies below and whoever shows its results above. Nothing here knows a DOM, a terminal or an interpreter.

#![forbid(unsafe_code)]

pub mod arithmetic;
pub mod capacity;
pub mod challenges;
mod deciding;
pub mod described;
pub mod driver;
mod experiment;
mod explained;
pub mod figures;
pub mod format;
pub mod lives;
pub mod moments;
pub mod options;
mod permalink;
pub mod queue_files;
pub mod resized;
mod rules;
pub mod slurm_settings;
pub mod start;
pub mod student;
pub mod study;
mod whom;
mod window;

pub use deciding::Deciding;
pub use experiment::Experiment;
pub use explained::{Explained, FactRow};
pub use permalink::Permalink;
pub use switchyard::report::{METRICS, Metric};
pub use window::Window;
