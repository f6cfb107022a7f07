//! Metrics over a run's log: what happened to each job ([`Outcomes`]), and the run in numbers
//! ([`Summary`]).

mod distribution;
mod outcomes;
mod summary;

pub use distribution::{Distribution, percentile};
pub use outcomes::Outcomes;
pub use summary::{Fairness, Summary};
