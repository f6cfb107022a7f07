//! Random: any machine with room, and any of its GPUs.

use super::{Packer, Scored};

pub(super) const PACKER: Packer = Packer {
    name: "random",
    title: "Random",
    summary: "Any machine with room for the pod, and for a share any of its GPUs with room.",
    score: |_, _, _| Scored { score: 0, gpu: 0 },
    drawn: true,
};
