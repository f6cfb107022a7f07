//! Queues as Kueue runs them: quota in a tree of cohorts, borrowing, fair sharing, preemption.
//!
//! In: a [`QueueTree`](crate::tree::QueueTree), what runs, and the heads of the queues. Out: what is admitted, who is
//! evicted for whom, and the numbers that decided. Source of all of it: github.com/kubernetes-sigs/kueue, Apache-2.0,
//! snapshot of 2026-08-22; each file names the files that it follows.
//!
//! From the bottom up: [`amount`] counts, [`quotas`] is what the tree allows, [`book`] what is used of it, [`share`] the
//! dominant resource share, [`state`] the workloads that run, [`preemption`] looks for victims, [`assignment`] chooses
//! flavors, `tournament` orders heads, [`cycle`] is one pass over the heads.

pub mod amount;
pub mod assignment;
pub mod book;
pub mod cases;
pub mod cycle;
pub mod preemption;
pub mod quotas;
pub mod share;
pub mod state;
mod tournament;
