//! Nodes and GPUs: what a cluster is ([`ClusterSpec`]), which GPUs are taken ([`Occupancy`]),
//! and where one job sits ([`Placement`]).

mod occupancy;
mod part;
mod spec;

pub use occupancy::{FreeGpus, Gpus, Occupancy, PlaceError};
pub use part::{Part, Placement};
pub use spec::{ClusterError, ClusterSpec, MAX_GPUS, MAX_GPUS_PER_NODE, NodeGroup};
