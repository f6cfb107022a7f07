//! How a gang is laid on nodes: one placement per file, shared by the policies.
//!
//! A placement sees the free GPUs per node and either lays the gang or says that it must wait; where
//! nodes are unlike, a [`Room`] shows it those of one kind after another. One that asks sees the links,
//! too, and who is on them: a [`NetworkState`]. To add one: a file here with one `impl` of [`Placement`](placement::Placement), its
//! module in this file, and its line in the table, in `strategy.rs`.

#![forbid(unsafe_code)]

mod congestion_aware;
mod consolidated;
mod gang;
pub mod graph_rl;
mod least_fragmentation;
mod least_interference;
mod least_interference_waiting;
mod load_balancing;
mod locality;
mod network_state;
mod nodes;
mod on_links;
mod packed;
mod placement;
mod queue;
mod room;
mod servers;
mod share;
pub mod sharing;
mod skew;
mod spread;
mod strategy;
mod tetris;
mod yarn;

pub use gang::{Asker, Gang};
pub use network_state::{Learned, NetworkContext, NetworkState, Resident, Site};
pub use queue::Queue;
pub use room::{Budget, Room};
pub use strategy::{Strategy, UnknownStrategy};

use switchyard_model::{Time, cluster, contention, draw, job, meant, order, workload};
