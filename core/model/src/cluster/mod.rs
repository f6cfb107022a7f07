//! Nodes and GPUs: what a cluster is made of ([`ClusterSpec`], as [`text`] or [`json`], of known
//! [types](GpuModel)), how its nodes hang together ([`Tree`], [`Topology`]), which GPUs are taken
//! ([`Occupancy`]), and where one job sits ([`Placement`]), or one that asks for no GPU ([`CoreRoom`]).

mod core_part;
mod core_room;
mod cores;
mod form;
mod gpu_model;
mod group;
mod json;
mod occupancy;
mod part;
mod pools;
mod presets;
mod shares;
mod spec;
mod text;
mod topology;
mod tree;

pub use core_part::CorePart;
pub use core_room::{CoreDemand, CoreRoom};
pub use gpu_model::{GPU_MODELS, GpuModel, NoTypeName, slice, type_name, type_name_in_file};
pub use group::{CoreNodes, NodeGroup, NodeKind, TypeId};
pub use occupancy::{FreeGpus, Gpus, Occupancy, PlaceError};
pub use part::{Part, Placement, Share, Thousandths};
pub use pools::{Needs, Pools, Spare};
pub use presets::{CLUSTERS, ClusterPreset};
pub use shares::{Shares, Slot};
pub use spec::{ClusterError, ClusterSpec, MAX_GPUS, MAX_GPUS_PER_NODE, MAX_TYPES};
pub use topology::{Link, Topology};
pub use tree::{Capacity, MAX_LEVELS, NodeList, Switch, Switches, Tree, TreeError};
