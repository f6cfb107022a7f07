//! BestFit: the machine that would have least left, over cores and GPUs.

use super::{BEST, Node, Packer, Pod, Scale, Scored};

pub(super) const PACKER: Packer = Packer {
    name: "best-fit",
    title: "BestFit",
    summary: "The machine that would have the least left: cores and GPUs count the same, each as a part of the largest machine's.",
    score,
    drawn: false,
};

fn score(node: &Node, pod: &Pod, scale: &Scale) -> Scored {
    let cores = f64::from(node.cores() - pod.cores) / scale.cores;
    let gpus = f64::from(node.gpus_left()) - pod.gpu_thousandths() as f64;
    let left = 0.5 * cores + 0.5 * gpus / f64::from(scale.gpus);
    node.scored(pod, ((1.0 - left) * f64::from(BEST)) as i32)
}
