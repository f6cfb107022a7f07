//! Workloads from outside: Pollux' generator, files of measured profiles, and jobs as files of other
//! formats. What a [`Workload`] is and its samples are the model's.

pub mod export;
mod generator;
pub mod profiles;

pub use generator::{GeneratorError, MIX, PolluxGenerator, adaptdl_csv};
pub use switchyard_model::application::{self, Application};
pub use switchyard_model::workload::*;
