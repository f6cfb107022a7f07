//! Queues with quotas: a tree of them, and how schedulers divide a cluster among its queues.
//!
//! In: a tree, what each queue uses and asks for. Out: shares, victims, orders, with the numbers that decided. Nothing
//! here knows a simulation or a policy, nor opens a file: `files` reads texts.

pub mod change;
pub mod files;
pub mod kai;
pub mod kueue;
pub mod lending;
pub mod membership;
mod names;
pub mod rules;
pub mod slurm;
pub mod text;
pub mod tree;
pub mod volcano;
pub mod yarn;
