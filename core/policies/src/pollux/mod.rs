//! Pollux' scheduler (Qiao et al., OSDI'21 §4.2, arXiv 2008.12260): a genetic search over who gets
//! which GPUs, for the greatest power mean of the jobs' speedups.
//!
//! [`Problem`] is one scheduling round as plain data: nodes, jobs, and what each job would gain
//! from GPUs, tabulated. [`Search`] keeps the Pareto front from round to round and answers with an
//! [`Outcome`]. Only `policy` knows the simulator. The semantics are those of the paper's artifact
//! (petuum/adaptdl, branch `osdi21-artifact`), which runs pymoo's NSGA-II.
//!
//! [`autoscale`] decides the size of a cluster in a cloud, `fleet` asks it at every round.

pub mod autoscale;
mod chance;
mod crossover;
mod fitness;
mod fleet;
mod genome;
mod mean;
mod mutate;
mod policy;
mod problem;
mod repair;
mod search;
mod select;
#[cfg(test)]
mod tests;

pub use fitness::Fitness;
pub(super) use policy::{POLICY, Parameters, build};
pub use problem::{Allocation, Candidate, Node, Problem, ProblemError, SearchParameters};
pub use search::{Outcome, Search, Stopped};
