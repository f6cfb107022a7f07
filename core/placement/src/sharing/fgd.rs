//! FGD, fragmentation gradient descent: the machine, and the GPU, on which the expected
//! fragmentation grows least.

use super::{BEST, Node, Packer, Pod, Scale, Scored};
use switchyard_model::cluster::MAX_GPUS_PER_NODE;
use switchyard_model::pods::WHOLE;

pub(super) const PACKER: Packer = Packer {
    name: "fgd",
    title: "FGD",
    summary: "The machine, and for a share the GPU, whose GPUs would be left in fragments least: by how much more of them typical pods could not use.",
    score,
    drawn: false,
};

fn score(node: &Node, pod: &Pod, scale: &Scale) -> Scored {
    let typical = &scale.typical;
    let cores = node.cores() - pod.cores;
    let before = typical.fragments(node.left(), node.cores(), node.gpu_type());
    let mut left = [0; MAX_GPUS_PER_NODE as usize];
    let left = &mut left[..node.left().len()];
    left.copy_from_slice(node.left());
    let worth = |left: &[u16]| {
        let after = typical.fragments(left, cores, node.gpu_type());
        // GPUs by which fragments shrink.
        let shrink = (before as f64 - after as f64) / (typical.total() * f64::from(WHOLE));
        (f64::from(BEST) / (1.0 + libm::exp(-shrink))) as i32
    };
    if !pod.is_share() {
        let idle = left.iter_mut().filter(|left| **left == WHOLE);
        idle.take(pod.gpus as usize).for_each(|left| *left = 0);
        let score = worth(left);
        return Scored { score, gpu: 0 };
    }
    let mut best: Option<Scored> = None;
    for gpu in 0..left.len() {
        let here = left[gpu];
        // GPUs with as much left are alike.
        if here < pod.share || left[..gpu].contains(&here) {
            continue;
        }
        left[gpu] = here - pod.share;
        let score = worth(left);
        left[gpu] = here;
        if best.is_none_or(|best| score > best.score) {
            let gpu = gpu as u8;
            best = Some(Scored { score, gpu });
        }
    }
    best.unwrap_or(Scored { score: 0, gpu: 0 })
}
