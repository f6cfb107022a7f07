//! What is left of one machine.

use super::{Pod, Scored};
use switchyard_model::pods::{Machine, WHOLE};

/// A machine and what is left of it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Thousandths left of each GPU.
    left: Box<[u16]>,
    /// Thousandths of a core left.
    cores: u32,
    /// MiB left.
    memory: u32,
    gpu_type: Option<u8>,
    /// How many pods it has of each kind: shares, then by their GPUs.
    kinds: Box<[u16]>,
}

impl Node {
    /// All of a machine.
    pub fn new(machine: &Machine) -> Self {
        let gpus = machine.gpus as usize;
        Self {
            left: vec![WHOLE; gpus].into(),
            cores: machine.cores,
            memory: machine.memory,
            gpu_type: machine.gpu_type,
            kinds: vec![0; gpus + 1].into(),
        }
    }

    /// A machine of which only GPUs are known: what is left of each, and whether there are shares, or
    /// jobs with whole GPUs.
    pub(super) fn seen(left: Vec<u16>, shares: bool, whole: bool) -> Self {
        Self {
            left: left.into(),
            cores: 0,
            memory: 0,
            gpu_type: None,
            kinds: [u16::from(shares), u16::from(whole)].into(),
        }
    }

    /// Thousandths left of each GPU.
    pub fn left(&self) -> &[u16] {
        &self.left
    }

    /// Thousandths of a core left.
    pub fn cores(&self) -> u32 {
        self.cores
    }

    /// The type of its GPUs.
    pub fn gpu_type(&self) -> Option<u8> {
        self.gpu_type
    }

    /// Thousandths left over all GPUs.
    pub fn gpus_left(&self) -> u32 {
        self.left.iter().map(|&left| u32::from(left)).sum()
    }

    /// Whether it has room for a pod.
    pub fn fits(&self, pod: &Pod) -> bool {
        if pod.cores > self.cores || pod.memory > self.memory {
            return false;
        }
        pod.gpus == 0
            || pod.allows(self.gpu_type)
                && self.left.iter().filter(|&&left| left >= pod.share).count() >= pod.gpus as usize
    }

    /// The GPU with the least left that has room for a share, the lowest number first.
    pub(super) fn tightest(&self, pod: &Pod) -> u8 {
        let with_room = (0u8..)
            .zip(&*self.left)
            .filter(|(_, left)| **left >= pod.share);
        with_room
            .min_by_key(|(_, left)| **left)
            .map_or(0, |(gpu, _)| gpu)
    }

    /// The same score for whichever GPU is tightest.
    pub(super) fn scored(&self, pod: &Pod, score: i32) -> Scored {
        Scored {
            score,
            gpu: if pod.is_share() {
                self.tightest(pod)
            } else {
                0
            },
        }
    }

    /// Which of its kinds a pod is of, and whether there are pods of it, of others, or none.
    pub(super) fn company(&self, pod: &Pod) -> Company {
        let of = |kind: usize| self.kinds.get(kind).is_some_and(|&pods| pods > 0);
        // Where only that is known, whole GPUs are one kind.
        let own = kind(pod).min(self.kinds.len() - 1);
        let others = (0..self.kinds.len()).any(|other| other != own && of(other));
        match (of(own), others) {
            (true, false) => Company::Own,
            (true, true) => Company::Mixed,
            (false, false) => Company::None,
            (false, true) => Company::Others,
        }
    }

    /// Gives room to a pod: a share on the GPU named, whole GPUs from the lowest number on. Returns
    /// the GPUs, one bit each. The caller has seen that it fits.
    pub(super) fn take(&mut self, pod: &Pod, gpu: u8) -> u64 {
        self.cores -= pod.cores;
        self.memory -= pod.memory;
        if pod.gpus == 0 {
            return 0;
        }
        self.kinds[kind(pod)] += 1;
        if pod.is_share() {
            self.left[usize::from(gpu)] -= pod.share;
            return 1 << gpu;
        }
        let mut mask = 0;
        let free = (0u8..)
            .zip(&mut *self.left)
            .filter(|(_, left)| **left == WHOLE);
        for (gpu, left) in free.take(pod.gpus as usize) {
            *left = 0;
            mask |= 1 << gpu;
        }
        mask
    }
}

/// Which pods of GPUs a machine has, seen by one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// Only of its own kind.
    Own,
    /// Of its own kind and of others.
    Mixed,
    /// None.
    None,
    /// Only of others.
    Others,
}

/// Shares are one kind, and pods of whole GPUs one by how many they are.
fn kind(pod: &Pod) -> usize {
    if pod.is_share() { 0 } else { pod.gpus as usize }
}
