//! Queues with quotas: a tree of them, and how schedulers divide a cluster among its queues.
//!
//! In: a tree, what each queue uses and asks for. Out: shares, victims, orders, with the numbers that decided. Nothing
//! here knows a simulation, a policy or a file.

pub mod files;
pub mod kai;
pub mod kueue;
pub mod slurm;
pub mod text;
pub mod tree;
