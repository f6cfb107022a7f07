//! One cycle of KAI: allocate, consolidate, reclaim, preempt, evict stale gangs.
//!
//! In: a tree of queues, nodes, jobs with tasks and where they run. Out: where every task is afterwards, and what was decided about each
//! job, with the numbers.
//! Source: `pkg/scheduler/actions`. Jobs ask for whole things; parts of GPUs, topologies and affinities between tasks are
//! not modelled.
//!
//! It looks at all queues and nodes for each job, and tries scenarios of victims by evicting them and placing all anew,
//! as the original does. It is the reference for small clusters.

pub mod actions;
pub mod cluster;
pub mod facts;
pub mod gang;
pub mod place;
pub mod turns;
pub mod victims;
