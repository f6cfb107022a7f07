//! Schedulers: one per file, chosen and configured by a textual [`PolicySpec`].
//!
//! A policy looks at a [`View`](crate::sim::View) and writes a [`Plan`](crate::sim::Plan); it
//! never touches anything else. To add one: a file here with its `POLICY`, and a line in
//! `registry.rs`.

mod continuous;
mod entry;
mod fifo;
mod gandiva;
mod gavel;
mod gittins;
mod history;
mod las;
mod multilevel;
pub mod optimus;
mod pack_limit;
pub mod pollux;
mod priority_walk;
mod registry;
mod rigid;
mod rounds;
mod service_distribution;
mod service_history;
mod shortest_expected;
mod sjf;
mod spec;
mod srsf;
mod srtf;
mod themis;
mod tiresias_gittins;
mod tiresias_las;
mod tiresias_tuned;
mod waiting_room;
mod yarn_cs;

pub use crate::sim::{Cadence, Every, Policy};
pub use crate::tell::{Explanation, Fact, Line, Mark, Plot, RoundReport, RoundRow, Verdict};
pub use entry::{BuildContext, PolicyEntry};
pub use registry::{POLICIES, build, entry};
pub use service_distribution::ServiceDistribution;
pub use service_history::{HistoryError, ServiceHistory};
pub use spec::{ParamInfo, ParamKind, Params, PolicySpec, SpecError};

/// The random generator handed to policies: seeded per run, the same on every platform.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;
