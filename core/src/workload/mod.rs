//! Workloads from outside: Pollux' and Gavel's generators, files of measured profiles, and jobs as
//! files of other formats. What a [`Workload`] is and its samples are the model's.

mod drawn;
pub mod export;
mod gavel;
mod generator;
pub mod profiles;
mod python_random;

pub use gavel::{GavelGenerator, GavelGeneratorError};
pub use generator::{GeneratorError, MIX, PolluxGenerator, adaptdl_csv};
pub use switchyard_model::application::{self, Application};
pub use switchyard_model::workload::*;
