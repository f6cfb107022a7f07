//! GpuClustering, after Gandiva (OSDI'18): pods that ask for as many GPUs lie together.

use super::node::Company;
use super::{BEST, Node, Packer, Pod, Scale, Scored};

pub(super) const PACKER: Packer = Packer {
    name: "gpu-clustering",
    title: "GpuClustering",
    summary: "Machines that have only pods of as many GPUs come first, then those that also have others, then idle ones, then the rest; among them the fullest.",
    score,
    drawn: false,
};

fn score(node: &Node, pod: &Pod, scale: &Scale) -> Scored {
    if pod.gpus == 0 {
        return node.scored(pod, 0);
    }
    let quarter = BEST / 4;
    let tier = match node.company(pod) {
        Company::Own => 3,
        Company::Mixed => 2,
        Company::None => 1,
        Company::Others => 0,
    };
    let taken = scale.gpus.saturating_sub(node.gpus_left());
    let fullness = u64::from(taken) * quarter as u64 / u64::from(scale.gpus);
    node.scored(pod, quarter * tier + fullness as i32)
}
