//! What the placer that learned sees: features of the part to be placed, of every group of GPUs, server,
//! rack and partition. In: what is free, and who sends how much where. Out: [`Observation`].
//!
//! A socket, its PCIe switch and its GPUs are a chain, so that one *group* stands for the three, with the
//! loads of its edges. All features are about 0 to 1, and clipped to [0, 4].

use crate::cluster::Topology;
use std::ops::Range;

/// Features of the part to be placed: is it a worker, or a parameter server; its job's gradients ÷ 0.5 GB,
/// computing ÷ 0.5 s a step, cores ÷ 8 and GPU memory ÷ 16 GB of a worker; workers ÷ 8, servers ÷ 8, and
/// those left ÷ 8; hours waited; 1 if none of its parts is placed yet.
pub const JOB: usize = 12;

/// Features of a group: free GPUs ÷ 4, GPUs ÷ 4, loads of its PCIe and of its socket's edge, workers of
/// the same job there ÷ 4, what others there are slowed by (mean of 1 − factor), what these want of the
/// NIC ÷ what it carries, and 1 if the part fits there.
pub const GROUP: usize = 8;

/// Features of a server: load of its NIC, free GPUs ÷ 8, free cores ÷ 56, cores wanted ÷ cores − 1,
/// workers ÷ 8 and servers ÷ 8 of the same job, what others there are slowed by, 1 if it takes jobs.
pub const SERVER: usize = 8;

/// Features of a rack: load of its uplink, part of its GPUs that are free, parts of the same job ÷ 8, what
/// others there are slowed by.
pub const RACK: usize = 4;

/// The same of a partition.
pub const PARTITION: usize = 4;

/// Which groups, servers, racks and partitions there are, and what hangs on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Of each server the number of its first group, and behind the last server how many there are.
    pub groups: Vec<u32>,
    /// Of each server its rack.
    pub racks: Vec<u32>,
    /// Of each rack its partition.
    pub partitions: Vec<u32>,
}

/// What is seen when a part is to be placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// What there is.
    pub layout: std::sync::Arc<Layout>,
    /// See [`JOB`].
    pub job: [f32; JOB],
    /// See [`GROUP`]; server by server.
    pub groups: Vec<[f32; GROUP]>,
    /// See [`SERVER`].
    pub servers: Vec<[f32; SERVER]>,
    /// See [`RACK`].
    pub racks: Vec<[f32; RACK]>,
    /// See [`PARTITION`].
    pub partitions: Vec<[f32; PARTITION]>,
}

impl Layout {
    /// Of a cluster's tree; all in one partition, if one agent is to decide for all.
    pub fn of(tree: &Topology, one_agent: bool) -> Self {
        let mut groups = vec![0];
        for node in 0..tree.nodes() {
            groups.push(groups[node as usize] + tree.sockets(node));
        }
        let partition = |rack| match one_agent {
            true => 0,
            false => tree.partition_of(rack),
        };
        Self {
            groups,
            racks: (0..tree.nodes()).map(|node| tree.rack_of(node)).collect(),
            partitions: (0..tree.racks()).map(partition).collect(),
        }
    }

    /// The groups of a server.
    pub fn groups_of(&self, server: usize) -> Range<usize> {
        self.groups[server] as usize..self.groups[server + 1] as usize
    }

    /// The partition of a server.
    pub fn partition_of(&self, server: usize) -> u32 {
        self.partitions[self.racks[server] as usize]
    }
}
