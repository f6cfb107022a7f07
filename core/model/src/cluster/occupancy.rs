//! Which GPUs are taken.
//!
//! Policies and placement strategies count GPUs per node ([`FreeGpus`]); the engine alone
//! hands out particular GPUs ([`Occupancy`]), lowest number first, so that the same plan
//! always names the same GPUs.

use super::{ClusterSpec, MAX_GPUS_PER_NODE, Part, Share, Shares, Topology};
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Free GPUs counted per node. A closed node takes nobody: it has no GPUs here, whoever still holds
/// some of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreeGpus {
    per_node: Vec<u32>,
    /// Taken or free, per node; 0 of a closed one.
    node_sizes: Arc<[u32]>,
    /// The rack of every node; empty where all are in one.
    racks: Arc<[u32]>,
    total: u32,
    /// GPUs that are neither free nor taken whole; `None` where GPUs are not shared.
    shares: Option<Box<Shares>>,
}

impl FreeGpus {
    /// A whole cluster, all free.
    pub fn all(cluster: &ClusterSpec) -> Self {
        let per_node: Vec<u32> = cluster.gpus_per_node().collect();
        let racks: Vec<u32> = if cluster.tree().is_plain() {
            Vec::new()
        } else {
            let topology = Topology::of(cluster);
            let nodes = 0..topology.nodes();
            let several = topology.racks() > 1;
            let racks = nodes.filter(|_| several).map(|node| topology.rack_of(node));
            racks.collect()
        };
        Self {
            racks: racks.into(),
            node_sizes: per_node.as_slice().into(),
            total: per_node.iter().sum(),
            per_node,
            shares: None,
        }
    }

    /// Nodes with so many GPUs each, and so many of them free; these are shared.
    pub fn of(free: Vec<u32>, sizes: &[u32], shares: Option<Shares>) -> Self {
        Self {
            total: free.iter().sum(),
            node_sizes: sizes.into(),
            racks: Arc::default(),
            per_node: free,
            shares: shares.map(Box::new),
        }
    }

    /// The same nodes, in their racks, as if they had so many GPUs, so many of them free, and these
    /// shared.
    pub fn narrowed(&self, free: Vec<u32>, sizes: &[u32], shares: Option<Shares>) -> Self {
        Self {
            racks: Arc::clone(&self.racks),
            ..Self::of(free, sizes, shares)
        }
    }

    /// The same nodes with so many free GPUs each, and none shared; those beyond are closed.
    pub fn with_free(&self, free: &[u32]) -> Self {
        let mut per_node = free.to_vec();
        per_node.resize(self.node_sizes.len(), 0);
        let mut node_sizes = Arc::clone(&self.node_sizes);
        if free.len() < node_sizes.len() {
            Arc::make_mut(&mut node_sizes)[free.len()..].fill(0);
        }
        Self {
            node_sizes,
            racks: Arc::clone(&self.racks),
            total: per_node.iter().sum(),
            per_node,
            shares: None,
        }
    }

    /// GPUs in use by shares; `None` where GPUs are not shared.
    pub fn shares(&self) -> Option<&Shares> {
        self.shares.as_deref()
    }

    /// Free GPUs of every node, in node order.
    pub fn per_node(&self) -> &[u32] {
        &self.per_node
    }

    /// GPUs of every node, taken or free, in node order; 0 of a closed one.
    pub fn node_sizes(&self) -> &[u32] {
        &self.node_sizes
    }

    /// The rack of every node, in node order; empty where all are in one.
    pub fn racks(&self) -> &[u32] {
        &self.racks
    }

    /// Free GPUs in all.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Whether a node takes jobs.
    pub fn is_open(&self, node: u32) -> bool {
        self.node_sizes
            .get(node as usize)
            .is_some_and(|&size| size > 0)
    }

    /// How many of these GPUs are on nodes that take jobs.
    pub fn open_gpus(&self, parts: &[Part]) -> u32 {
        let open = parts.iter().filter(|part| self.is_open(part.node));
        open.map(|part| part.gpus).sum()
    }

    /// Whether who held these may keep them: each part is free here, or on a closed node, which
    /// nobody else can take.
    pub fn fits(&self, parts: &[Part]) -> bool {
        parts.iter().all(
            |&Part {
                 node, gpus, share, ..
             }| {
                let free = self.per_node.get(node as usize).copied();
                let fits = match share {
                    None => free.is_some_and(|free| gpus <= free),
                    Some(share) => self.fits_share(node, &share),
                };
                fits || !self.is_open(node)
            },
        )
    }

    /// Counts `parts` as taken. The caller has seen that they fit.
    #[inline]
    pub fn take(&mut self, parts: &[Part]) {
        for &Part {
            node, gpus, share, ..
        } in parts
        {
            let gpus = match (share, &mut self.shares) {
                (None, _) => gpus,
                (Some(share), Some(shares)) => u32::from(shares.take(node, &share)),
                (Some(_), None) => 0,
            };
            if self.is_open(node) {
                self.per_node[node as usize] -= gpus;
                self.total -= gpus;
            }
        }
    }

    /// Counts `parts` as free again, but for those on closed nodes.
    #[inline]
    pub fn give(&mut self, parts: &[Part]) {
        for &Part {
            node, gpus, share, ..
        } in parts
        {
            let gpus = match (share, &mut self.shares) {
                (None, _) => gpus,
                (Some(share), Some(shares)) => u32::from(shares.give(node, &share)),
                (Some(_), None) => 0,
            };
            if self.is_open(node) {
                self.per_node[node as usize] += gpus;
                self.total += gpus;
            }
        }
    }

    /// Whether there is room for a share on its GPU, or, where that is idle, on an idle one.
    fn fits_share(&self, node: u32, share: &Share) -> bool {
        let Some(shares) = &self.shares else {
            return false;
        };
        match shares.slot(node, share.gpu) {
            Some(slot) => slot.has_room(share),
            None => {
                let free = self.per_node.get(node as usize);
                free.is_some_and(|&free| free > 0) && shares.fits_idle(node, share)
            }
        }
    }

    /// From now on the node has so many GPUs, of which so many are free.
    fn resize(&mut self, node: u32, size: u32, free: u32) {
        let Some(here) = self.per_node.get_mut(node as usize) else {
            return;
        };
        self.total = self.total - *here + free;
        *here = free;
        Arc::make_mut(&mut self.node_sizes)[node as usize] = size;
    }

    /// Becomes a copy of `other` without allocating, if as large.
    pub fn copy_from(&mut self, other: &FreeGpus) {
        self.per_node.clone_from(&other.per_node);
        self.node_sizes.clone_from(&other.node_sizes);
        self.racks.clone_from(&other.racks);
        self.total = other.total;
        self.shares.clone_from(&other.shares);
    }
}

/// Particular GPUs of one node. Without padding, so that a list of them can be copied as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Pod, Zeroable)]
#[repr(C, packed(4))]
pub struct Gpus {
    /// The node.
    pub node: u32,
    /// Bit `i` set: GPU `i` of that node.
    pub mask: u64,
}

impl Gpus {
    /// How many.
    pub fn count(self) -> u32 {
        self.mask.count_ones()
    }

    /// The number of each at its node, ascending.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        (0..u64::BITS).filter(move |gpu| self.mask >> gpu & 1 == 1)
    }
}

/// The lowest bit of those set.
fn lowest(mask: u64) -> u64 {
    mask & mask.wrapping_neg()
}

/// Every GPU, free or taken.
#[derive(Clone, Debug)]
pub struct Occupancy {
    free_masks: Vec<u64>,
    free: FreeGpus,
    /// GPUs of every node, closed or not.
    sizes: Arc<[u32]>,
}

/// Why GPUs cannot be handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// No such node.
    #[error("there is no node {0}")]
    NoSuchNode(u32),
    /// A share that its GPU has no room for.
    #[error("no GPU {gpu} of node {node} has room for the share")]
    GpuFull {
        /// The node.
        node: u32,
        /// The GPU.
        gpu: u8,
    },
    /// More than the node has free.
    #[error("node {node} has {free} GPUs free, not {wanted}")]
    NodeFull {
        /// The node.
        node: u32,
        /// What it has free.
        free: u32,
        /// What was asked of it.
        wanted: u32,
    },
}

impl Occupancy {
    /// A whole cluster, all free.
    pub fn new(cluster: &ClusterSpec) -> Self {
        let free = FreeGpus::all(cluster);
        let free_masks = free
            .per_node
            .iter()
            .map(|&gpus| u64::MAX >> (64 - gpus))
            .collect();
        let sizes = Arc::clone(&free.node_sizes);
        Self {
            free_masks,
            free,
            sizes,
        }
    }

    /// From now on GPUs can be shared.
    pub fn share(&mut self, shares: Shares) {
        self.free.shares = Some(Box::new(shares));
    }

    /// GPUs of every node, closed or not.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// What is free, counted.
    pub fn free(&self) -> &FreeGpus {
        &self.free
    }

    /// Hands out `count` GPUs of `node`: the wished ones that are free, then others, lowest numbers
    /// first.
    pub fn take(&mut self, node: u32, count: u32, wished: u64) -> Result<Gpus, PlaceError> {
        let free = *self
            .free
            .per_node
            .get(node as usize)
            .ok_or(PlaceError::NoSuchNode(node))?;
        if count > free {
            return Err(PlaceError::NodeFull {
                node,
                free,
                wanted: count,
            });
        }
        let all = self.free_masks[node as usize];
        let wished = all & wished;
        let mut left = count;
        let mut rest = all;
        while wished & rest != 0 && left > 0 {
            rest &= !lowest(wished & rest);
            left -= 1;
        }
        for _ in 0..left {
            rest &= rest - 1;
        }
        self.free_masks[node as usize] = rest;
        self.free.take(&[Part::new(node, count)]);
        Ok(Gpus {
            node,
            mask: all & !rest,
        })
    }

    /// From now on a node takes nobody; who is there stays.
    pub fn close(&mut self, node: u32) {
        self.free.resize(node, 0, 0);
    }

    /// A closed node takes jobs again.
    pub fn open(&mut self, node: u32) {
        let size = self.sizes.get(node as usize);
        let free = self.free_masks.get(node as usize);
        if let (Some(&size), Some(free)) = (size, free) {
            self.free.resize(node, size, free.count_ones());
        }
    }

    /// Hands out a share of a GPU in use by shares, or of the lowest free one; says which it is.
    pub fn take_share(&mut self, node: u32, share: Share) -> Result<Share, PlaceError> {
        let mask = self.free_masks.get(node as usize).copied();
        let mask = mask.ok_or(PlaceError::NoSuchNode(node))?;
        let is_new = u32::from(share.gpu) >= MAX_GPUS_PER_NODE;
        let gpu = if is_new {
            mask.trailing_zeros() as u8
        } else {
            share.gpu
        };
        let given = Share { gpu, ..share };
        let is_known = self
            .free
            .shares
            .as_ref()
            .and_then(|shares| shares.slot(node, gpu));
        let is_open = self.free.is_open(node);
        if !is_open || is_new != is_known.is_none() || !self.free.fits_share(node, &given) {
            return Err(PlaceError::GpuFull { node, gpu });
        }
        if is_new {
            self.free_masks[node as usize] &= mask - 1;
        }
        self.free.take(&[Part::of_share(node, given)]);
        Ok(given)
    }

    /// Takes a share back; says whether its GPU is idle now.
    pub fn give_share(&mut self, node: u32, share: Share) -> bool {
        self.free.give(&[Part::of_share(node, share)]);
        let shares = self.free.shares.as_ref();
        let is_idle = shares.is_some_and(|shares| shares.slot(node, share.gpu).is_none());
        if is_idle {
            self.free_masks[node as usize] |= 1 << share.gpu;
        }
        is_idle
    }

    /// Takes GPUs back.
    pub fn give(&mut self, gpus: Gpus) {
        debug_assert_eq!(
            self.free_masks[gpus.node as usize] & gpus.mask,
            0,
            "these GPUs are free already"
        );
        self.free_masks[gpus.node as usize] |= gpus.mask;
        self.free.give(&[Part::new(gpus.node, gpus.count())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_out_the_lowest_free_gpus() {
        let mut occupancy = Occupancy::new(&ClusterSpec::uniform(1, 4).unwrap());
        let first = occupancy.take(0, 2, 0).unwrap();
        let second = occupancy.take(0, 1, 0).unwrap();
        assert_eq!((first.mask, second.mask), (0b0011, 0b0100));
        occupancy.give(first);
        assert_eq!({ occupancy.take(0, 3, 0).unwrap().mask }, 0b1011);
        assert_eq!(occupancy.free().total(), 0);
    }

    #[test]
    fn wished_gpus_come_first_and_taken_ones_are_made_up_for() {
        let mut occupancy = Occupancy::new(&ClusterSpec::uniform(1, 8).unwrap());
        assert_eq!(
            { occupancy.take(0, 2, 0b1111_0000).unwrap().mask },
            0b0011_0000
        );
        assert_eq!(
            { occupancy.take(0, 3, 0b0111_0000).unwrap().mask },
            0b0100_0011
        );
        assert_eq!(
            { occupancy.take(0, 1, u64::MAX).unwrap().mask },
            0b0000_0100
        );
        assert!(occupancy.take(0, 3, u64::MAX).is_err());
    }

    #[test]
    fn a_closed_node_has_nothing_to_give() {
        let mut occupancy = Occupancy::new(&ClusterSpec::uniform(2, 4).unwrap());
        let held = occupancy.take(1, 3, 0).unwrap();
        occupancy.close(1);
        assert_eq!(occupancy.free().per_node(), [4, 0]);
        assert_eq!(occupancy.free().node_sizes(), [4, 0]);
        assert_eq!(
            occupancy
                .free()
                .open_gpus(&[Part::new(0, 1), Part::new(1, 3)]),
            1
        );
        assert!(occupancy.take(1, 1, 0).is_err());
        occupancy.give(held);
        assert_eq!(
            (occupancy.free().total(), occupancy.free().is_open(1)),
            (4, false)
        );
        occupancy.open(1);
        assert_eq!(
            occupancy.free(),
            Occupancy::new(&ClusterSpec::uniform(2, 4).unwrap()).free()
        );
    }

    #[test]
    fn refuses_what_is_not_there() {
        let mut occupancy = Occupancy::new(&ClusterSpec::uniform(2, 64).unwrap());
        assert_eq!(occupancy.take(2, 1, 0), Err(PlaceError::NoSuchNode(2)));
        assert_eq!(
            occupancy.take(1, 65, 0),
            Err(PlaceError::NodeFull {
                node: 1,
                free: 64,
                wanted: 65
            })
        );
        assert_eq!({ occupancy.take(1, 64, 0).unwrap().mask }, u64::MAX);
    }
}
