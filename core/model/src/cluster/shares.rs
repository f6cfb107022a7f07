//! GPUs that several jobs share: what is left of each, beside the whole ones that
//! [`FreeGpus`](super::FreeGpus) counts.

use super::{ClusterSpec, MAX_GPUS_PER_NODE, Share};
use crate::pods::{Typical, WHOLE};
use std::sync::Arc;

/// A GPU in use by shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its node.
    pub node: u32,
    /// Its number there; from [`MAX_GPUS_PER_NODE`] on one that the engine has not handed out yet.
    pub gpu: u8,
    /// Thousandths left.
    pub left: u16,
    /// Memory left, MiB.
    pub memory: u32,
}

impl Slot {
    /// Whether it has room for as much as this share.
    pub fn has_room(&self, share: &Share) -> bool {
        share.thousandths.get() <= self.left && share.memory <= self.memory
    }
}

/// The GPUs in use by shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// By node and GPU.
    slots: Vec<Slot>,
    /// Memory of each GPU of a node, MiB; without limit where it is not known.
    memory: Arc<[u32]>,
    typical: Arc<Typical>,
}

impl Shares {
    /// None yet. `typical`: what jobs of this run ask for.
    pub fn new(cluster: &ClusterSpec, typical: Typical) -> Self {
        let memory = cluster
            .kinds_per_node()
            .map(|kind| cluster.gpu_memory(kind).unwrap_or(u32::MAX));
        Self {
            slots: Vec::new(),
            memory: memory.collect(),
            typical: Arc::new(typical),
        }
    }

    /// The same of some nodes.
    pub fn of_nodes(&self, mut has: impl FnMut(u32) -> bool) -> Self {
        let slots = self.slots.iter().filter(|slot| has(slot.node));
        Self {
            slots: slots.copied().collect(),
            memory: Arc::clone(&self.memory),
            typical: Arc::clone(&self.typical),
        }
    }

    /// Every GPU in use by shares, by node.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Those of one node.
    pub fn of_node(&self, node: u32) -> &[Slot] {
        let from = self.slots.partition_point(|slot| slot.node < node);
        let count = self.slots[from..].partition_point(|slot| slot.node == node);
        &self.slots[from..from + count]
    }

    /// What jobs of this run typically ask for.
    pub fn typical(&self) -> &Typical {
        &self.typical
    }

    /// The number of a GPU of a node that is not in use yet.
    pub fn next_gpu(&self, node: u32) -> u8 {
        let last = self.of_node(node).last().map_or(0, |slot| slot.gpu + 1);
        last.max(MAX_GPUS_PER_NODE as u8)
    }

    /// Whether a whole GPU of a node has enough memory for a share.
    pub fn fits_idle(&self, node: u32, share: &Share) -> bool {
        let memory = self.memory.get(node as usize);
        memory.is_some_and(|&memory| share.memory <= memory)
    }

    /// The slot of a share's GPU, if it is in use.
    pub fn slot(&self, node: u32, gpu: u8) -> Option<&Slot> {
        Some(&self.slots[self.find(node, gpu).ok()?])
    }

    fn find(&self, node: u32, gpu: u8) -> Result<usize, usize> {
        self.slots
            .binary_search_by_key(&(node, gpu), |slot| (slot.node, slot.gpu))
    }

    /// Takes a share; says whether its GPU was idle. The caller has seen that it fits.
    pub(super) fn take(&mut self, node: u32, share: &Share) -> bool {
        let thousandths = share.thousandths.get();
        match self.find(node, share.gpu) {
            Ok(at) => {
                let slot = &mut self.slots[at];
                slot.left -= thousandths;
                slot.memory -= share.memory;
                false
            }
            Err(at) => {
                let slot = Slot {
                    node,
                    gpu: share.gpu,
                    left: WHOLE - thousandths,
                    memory: self.memory[node as usize] - share.memory,
                };
                self.slots.insert(at, slot);
                true
            }
        }
    }

    /// Takes a share back; says whether its GPU is idle now.
    pub(super) fn give(&mut self, node: u32, share: &Share) -> bool {
        let Ok(at) = self.find(node, share.gpu) else {
            return false;
        };
        let slot = &mut self.slots[at];
        slot.left += share.thousandths.get();
        slot.memory += share.memory;
        let is_idle = slot.left >= WHOLE;
        if is_idle {
            self.slots.remove(at);
        }
        is_idle
    }
}
