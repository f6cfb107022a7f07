//! Shockwave's comparison (Zheng et al., NSDI'23): how seven schedulers share one kind of GPU among jobs that change
//! their batch size while they train.
//!
//! In: jobs with gangs, throughputs and remaining steps. Out: shares of time (`allocations`) or whole rounds
//! (`shockwave`). `batches` says when batch sizes change, `measured` how fast jobs
//! are with each, and `course` what follows for a job of which no more than a model and a duration is known. `replay` is the simulator that the paper's figures come
//! from, with its own rules, which are not those of Switchyard's engine. Those figures are in `published`.

pub mod allocations;
pub mod batches;
pub mod course;
pub mod measured;
pub mod published;
pub mod replay;
pub mod shockwave;
