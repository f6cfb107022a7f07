//! A placer that learned: each partition of the cluster is an agent, which lays a job part by part on
//! groups of GPUs, forwards it to another partition or leaves it waiting. *Our own system after the
//! abstract* of Zhao & Wu (TNSM 19(4), 2022): neither their network nor their code is published.
//!
//! [`scene`] is what is seen, [`network`] what is made of it.

pub mod network;
pub mod scene;
