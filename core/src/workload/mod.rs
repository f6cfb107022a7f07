//! Workloads from outside: Pollux', Gavel's and Lublin's generators, files of measured profiles, jobs as
//! files of other formats, and sequences of a trace's jobs. What a [`Workload`] is and its samples are the model's.

mod drawn;
pub mod export;
mod gavel;
mod generator;
mod lublin;
pub mod profiles;
mod python_random;
mod sequences;

pub use gavel::{GavelGenerator, GavelGeneratorError};
pub use generator::{GeneratorError, MIX, PolluxGenerator, adaptdl_csv};
pub use lublin::LublinGenerator;
pub use sequences::{Sequence, Sequences, at_days};
pub use switchyard_model::application::{self, Application};
pub use switchyard_model::workload::*;
