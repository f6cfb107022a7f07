//! Interleaving: jobs that share GPUs take turns at storage and CPUs, GPUs and network (Muri, SIGCOMM'22).
//!
//! In: how long each job's iteration needs each resource. Out: how long a group's cycle lasts (`cycle`), which jobs make
//! groups (`matching`, `grouping`), and the rules of the schedulers that the paper compares with (`antman`, `fairness`).
//! Nothing there knows a simulation. `replay` is the simulator that the authors published, with its quirks: from a
//! trace and a scheduler to when each job ends.

#![forbid(unsafe_code)]

pub mod antman;
pub mod cycle;
pub mod fairness;
pub mod gangs;
pub mod grouping;
pub mod matching;
pub mod measured;
pub mod published;
pub mod replay;
