//! KAI-Scheduler: fair shares of queues, which queue is next, and who may reclaim from whom.
//!
//! In: what queues are entitled to, have and ask for. Out: shares, orders, permissions, and the numbers that decided.
//! Source: github:kai-scheduler/KAI-Scheduler, `pkg/scheduler`, Apache-2.0, as of 2026-08-07. Each file names its part.

pub mod cases;
pub mod cycle;
pub mod division;
pub mod history;
pub mod levels;
pub mod min_runtime;
pub mod order;
pub mod reclaim;
pub mod standing;
pub mod usage;
