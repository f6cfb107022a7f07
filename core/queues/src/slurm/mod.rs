//! Slurm's order of jobs: usage that fades, fair share, and the priority of many factors.
//!
//! In: a tree of associations (accounts and users) with shares, what each has used, and what a job asks for. Out: each
//! association's fair share and each job's priority, with the numbers behind them.
//!
//! Source: the plugin `priority/multifactor` of Slurm 26.11 (<https://github.com/SchedMD/slurm>,
//! `src/plugins/priority/multifactor`), and its pages `priority_multifactor`, `classic_fair_share` and `fair_tree`.
//!
//! What differs. Slurm on x86 computes with 80 bits where this has 64: level fair shares that are equal on paper may
//! differ in another last digit. `DEPTH_OBLIVIOUS` is not here.

pub mod associations;
pub mod classic;
pub mod config;
pub mod factors;
pub mod fair_tree;
pub mod priority;
pub mod usage;
