//! What a placement of pods is.

use super::node::Node;
use super::score::{Scale, Scored};
use switchyard_model::pods::Pod;

/// A placement of pods.
#[derive(Clone, Copy, Debug)]
pub struct Packer {
    /// The name in specs and results.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// The score of a machine that can take the pod.
    pub(super) score: fn(&Node, &Pod, &Scale) -> Scored,
    /// Whether the machine, and the GPU of a share, are drawn: scores do not matter.
    pub(super) drawn: bool,
}
