//! A placer that learned: each partition of the cluster is an agent, which lays a job part by part on
//! groups of GPUs, forwards it to another partition or leaves it waiting. *Our own system after the
//! abstract* of Zhao & Wu (TNSM 19(4), 2022): neither their network nor their code is published.
//!
//! [`scene`] is what is seen, [`network`] what is made of it, [`agent`](Placer) what is done,
//! the weights what was learned. Where no weights are at hand, gangs are laid by [locality](crate::Strategy::LOCALITY);
//! whoever starts a run for people says so instead.

mod agent;
pub mod network;
pub(crate) mod placements;
pub mod scene;

pub use agent::{Argmax, Chooser, Decision, Placer, chances};
