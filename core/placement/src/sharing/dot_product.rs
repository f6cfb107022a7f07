//! DotProd, after Tetris (SIGCOMM'14), turned round: the machine whose rest points least along what
//! the pod asks for.

use super::{BEST, Node, Packer, Pod, Scale, Scored};

pub(super) const PACKER: Packer = Packer {
    name: "dot-prod",
    title: "DotProd",
    summary: "The machine with the smallest dot product of what it has left and what the pod asks for, over cores and GPUs as parts of the largest machine's.",
    score,
    drawn: false,
};

fn score(node: &Node, pod: &Pod, scale: &Scale) -> Scored {
    let gpus = f64::from(scale.gpus);
    let by_cores = f64::from(node.cores()) / scale.cores * (f64::from(pod.cores) / scale.cores);
    let by_gpus = f64::from(node.gpus_left()) / gpus * (pod.gpu_thousandths() as f64 / gpus);
    let product = (by_cores + by_gpus) / 2.0;
    node.scored(pod, ((1.0 - product) * f64::from(BEST)) as i32)
}
