//! The simulator that Muri's authors published (github:Rivendile/Muri, `simulator/`, Apache-2.0, as of 2022-06-30), as a
//! pure function from jobs and a scheduler to when each job ends.
//!
//! In: a trace (`trace`), a cluster, a scheduler. Out: outcomes in the order in which jobs end, and their figures. Quirks
//! that shape every figure are kept (`world`): at each event every running job loses the overhead of a start, but when
//! it ends is foretold without it.

mod antman;
mod job;
mod muri;
mod overheads;
mod run;
mod shortest;
mod themis;
mod tiresias;
mod trace;
mod world;

pub use job::{Figures, Job, Outcome, Priority, Replay};
pub use run::{Scheduler, replay};
pub use trace::{TraceError, read};
pub use world::ReplayError;
