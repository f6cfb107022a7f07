//! GpuPacking, after Salus (MLSys'20): GPUs in use before idle ones, machines in use before idle ones.

use super::{BEST, Node, Packer, Pod, Scale, Scored};
use switchyard_model::pods::WHOLE;

pub(super) const PACKER: Packer = Packer {
    name: "gpu-packing",
    title: "GpuPacking",
    summary: "A GPU in use that has room, the fullest first; else idle GPUs of a machine in use; else an idle machine.",
    score,
    drawn: false,
};

fn score(node: &Node, pod: &Pod, _scale: &Scale) -> Scored {
    if pod.gpus == 0 {
        return node.scored(pod, 0);
    }
    let idle = node.left().iter().filter(|&&left| left == WHOLE).count() as i32;
    if idle as usize == node.left().len() {
        return node.scored(pod, (BEST / 3 - idle).max(idle));
    }
    if !pod.is_share() {
        let gpus = pod.gpus.min(BEST as u32) as i32;
        return node.scored(pod, (BEST / 2 - gpus).max(BEST / 3));
    }
    let gpu = node.tightest(pod);
    let left = node.left().get(usize::from(gpu)).copied().unwrap_or(WHOLE);
    let score = if left == WHOLE {
        BEST / 2 - 1
    } else {
        let percent = i32::from(left) * 100 / i32::from(WHOLE);
        (BEST - percent / 10).max(BEST / 2)
    };
    Scored { score, gpu }
}
