//! Machines as pods come to them: what is left, what of it is fragments, and the scores.

use super::{Node, Packer, Scale, Scored};
use crate::draw::{Rng, below};
use std::collections::BTreeMap;
use switchyard_model::pods::{Fleet, Pod, Typical};

/// A cluster under one packer.
pub struct Packing {
    packer: &'static Packer,
    scale: Scale,
    nodes: Vec<Node>,
    /// Of each node, as [`Typical::fragments`] says.
    fragments: Vec<u64>,
    all_fragments: u64,
    /// Thousandths of GPUs taken, and of all.
    taken: u64,
    all: u64,
    /// Demands that have come, and where their scores stand.
    demands: BTreeMap<Pod, usize>,
    scores: Vec<Scores>,
    /// Nodes that were given a pod, in order.
    touched: Vec<u32>,
}

/// Every node's score for one demand.
struct Scores {
    /// [`NO_ROOM`] where it does not fit.
    by_node: Vec<Scored>,
    /// How many of the touched nodes these know of.
    seen: usize,
}

const NO_ROOM: Scored = Scored { score: -1, gpu: 0 };

impl Packing {
    /// An idle cluster, its machines in this order.
    pub fn new(fleet: &Fleet, packer: &'static Packer, typical: Typical) -> Self {
        let nodes: Vec<Node> = fleet.machines.iter().map(Node::new).collect();
        let fragments: Vec<u64> = nodes.iter().map(|node| of(node, &typical)).collect();
        Self {
            packer,
            all_fragments: fragments.iter().sum(),
            fragments,
            nodes,
            taken: 0,
            all: fleet.gpu_thousandths(),
            scale: Scale::of(fleet, typical),
            demands: BTreeMap::new(),
            scores: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// The machines.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Part of all GPUs that is taken.
    pub fn allocation(&self) -> f64 {
        self.taken as f64 / self.all.max(1) as f64
    }

    /// Part of what is left of GPUs that is fragments; 1 where nothing is left.
    pub fn fragmentation(&self) -> f64 {
        let left = (self.all - self.taken) as f64 * self.scale.typical.total();
        if left > 0.0 {
            self.all_fragments as f64 / left
        } else {
            1.0
        }
    }

    /// Lays a pod: its node, and its GPUs there as bits. `None`: no machine has room.
    pub fn place(&mut self, pod: &Pod, rng: &mut Rng) -> Option<(u32, u64)> {
        let (index, gpu) = self.choose(pod, rng)?;
        let node = &mut self.nodes[index];
        let mask = node.take(pod, gpu);
        self.taken += pod.gpu_thousandths();
        let fragments = of(node, &self.scale.typical);
        self.all_fragments = self.all_fragments + fragments - self.fragments[index];
        self.fragments[index] = fragments;
        self.touched.push(index as u32);
        Some((index as u32, mask))
    }

    fn choose(&mut self, pod: &Pod, rng: &mut Rng) -> Option<(usize, u8)> {
        let demand = self.rescore(pod);
        let by_node = &self.scores[demand].by_node;
        if !self.packer.drawn {
            let mut best = NO_ROOM;
            let mut at = 0;
            for (node, &scored) in by_node.iter().enumerate() {
                if scored.score > best.score {
                    (best, at) = (scored, node);
                }
            }
            return (best != NO_ROOM).then_some((at, best.gpu));
        }
        let with_room = || (0..).zip(by_node).filter(|(_, scored)| **scored != NO_ROOM);
        let count = with_room().count() as u32;
        if count == 0 {
            return None;
        }
        let (node, _) = with_room().nth(below(rng, count) as usize)?;
        let left: &[u16] = self.nodes[node].left();
        let gpus = || {
            (0u8..)
                .zip(left)
                .filter(|(_, left)| **left >= pod.share.max(1))
        };
        let gpu = match gpus().count() as u32 {
            0 => 0,
            count => gpus().nth(below(rng, count) as usize)?.0,
        };
        Some((node, gpu))
    }

    /// Brings every node's score for a pod up to date, and says where they stand.
    fn rescore(&mut self, pod: &Pod) -> usize {
        let (packer, scale, nodes) = (self.packer, &self.scale, &self.nodes);
        let score = |node: &Node| {
            if node.fits(pod) {
                (packer.score)(node, pod, scale)
            } else {
                NO_ROOM
            }
        };
        let known = self.scores.len();
        let index = *self.demands.entry(*pod).or_insert(known);
        let seen = self.touched.len();
        if index == known {
            let by_node = nodes.iter().map(score).collect();
            self.scores.push(Scores { by_node, seen });
        }
        let scores = &mut self.scores[index];
        for &node in &self.touched[scores.seen..] {
            let node = node as usize;
            scores.by_node[node] = score(&nodes[node]);
        }
        scores.seen = seen;
        index
    }
}

fn of(node: &Node, typical: &Typical) -> u64 {
    typical.fragments(node.left(), node.cores(), node.gpu_type())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{Strategy as _, prop, prop_assert, prop_assert_eq, proptest};
    use rand_xoshiro::rand_core::SeedableRng;
    use switchyard_model::pods::{Machine, WHOLE};

    fn machine() -> impl proptest::strategy::Strategy<Value = Machine> {
        (0u32..20, 0u32..20, 0u32..=8, prop::option::of(0u8..3)).prop_map(
            |(cores, memory, gpus, gpu_type)| Machine {
                cores,
                memory,
                gpus,
                gpu_type,
            },
        )
    }

    fn pod() -> impl proptest::strategy::Strategy<Value = Pod> {
        let gpus = prop::sample::select(vec![
            (0u32, 0u16),
            (1, 1),
            (1, 300),
            (1, 500),
            (1, 999),
            (1, 1000),
            (2, 1000),
            (8, 1000),
        ]);
        (0u32..6, 0u32..6, gpus, 0u64..8).prop_map(|(cores, memory, (gpus, share), types)| Pod {
            cores,
            share,
            gpus,
            types,
            memory,
        })
    }

    proptest! {
        /// No GPU, core or byte is given twice; who is refused fits nowhere; remembered scores and
        /// sums are what they would be anew.
        #[test]
        fn a_packing_keeps_within_its_machines(
            machines in prop::collection::vec(machine(), 1..8),
            pods in prop::collection::vec(pod(), 1..60),
            seed in 0u64..100,
        ) {
            let fleet = Fleet { machines, pods, types: Vec::new() };
            for packer in Packer::ALL {
                let mut rng = Rng::seed_from_u64(seed);
                let mut packing = Packing::new(&fleet, packer, Typical::of(&fleet.pods));
                let mut taken: Vec<Vec<u32>> = fleet.machines.iter().map(|m| vec![0; m.gpus as usize]).collect();
                let mut rest = fleet.machines.clone();
                for pod in &fleet.pods {
                    match packing.place(pod, &mut rng) {
                        Some((node, gpus)) => {
                            let node = node as usize;
                            prop_assert!(pod.gpus == 0 || pod.allows(rest[node].gpu_type));
                            prop_assert_eq!(gpus.count_ones(), pod.gpus);
                            rest[node].cores = rest[node].cores.checked_sub(pod.cores).expect("cores");
                            rest[node].memory = rest[node].memory.checked_sub(pod.memory).expect("memory");
                            for (gpu, taken) in taken[node].iter_mut().enumerate() {
                                if gpus >> gpu & 1 == 1 {
                                    *taken += u32::from(pod.share);
                                    prop_assert!(*taken <= u32::from(WHOLE));
                                }
                            }
                        }
                        None => prop_assert!(packing.nodes().iter().all(|node| !node.fits(pod))),
                    }
                    let anew: u64 = packing.nodes.iter().map(|node| of(node, &packing.scale.typical)).sum();
                    prop_assert_eq!(packing.all_fragments, anew);
                    prop_assert!((0.0..=1.0).contains(&packing.fragmentation()));
                    for (pod, &index) in packing.demands.clone().iter() {
                        packing.rescore(pod);
                        for (node, &scored) in packing.nodes.iter().zip(&packing.scores[index].by_node) {
                            let anew = if node.fits(pod) { (packer.score)(node, pod, &packing.scale) } else { NO_ROOM };
                            prop_assert_eq!(scored, anew);
                        }
                    }
                }
                let sum: u32 = taken.iter().flatten().sum();
                prop_assert_eq!(u64::from(sum), packing.taken);
            }
        }
    }
}
