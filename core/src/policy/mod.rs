//! Schedulers: one per file, chosen and configured by a textual [`PolicySpec`].
//!
//! A policy looks at a [`View`](crate::sim::View) and writes a [`Plan`](crate::sim::Plan); it
//! never touches anything else. To add one: a file here with its `POLICY`, and a line in
//! `registry.rs`.

mod continuous;
mod explanation;
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
mod round_report;
mod rounds;
mod service_distribution;
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

pub use explanation::{Explanation, Fact, Line, Mark, Plot, Verdict};
pub use history::{HistoryError, ServiceHistory};
pub use registry::{BuildContext, POLICIES, PolicyEntry, build, entry};
pub use round_report::{RoundReport, RoundRow};
pub use service_distribution::ServiceDistribution;
pub use spec::{ParamInfo, ParamKind, Params, PolicySpec, SpecError};

use crate::job::JobId;
use crate::sim::{Plan, View};

/// The random generator handed to policies: seeded per run, the same on every platform.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// When a policy wants to be asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cadence {
    /// On every arrival, completion and due alarm.
    pub on_change: bool,
    /// At every multiple of so many seconds, while jobs are active.
    pub every: Option<Every>,
}

/// The rounds of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Every {
    /// Their length.
    pub seconds: f64,
    /// The policy's parameter that sets it.
    pub parameter: &'static str,
    /// Whether they matter while no job waits. Otherwise they are left out then, for a job that
    /// runs alone for thirty years has a thousand million of one second.
    pub while_all_run: bool,
}

/// A scheduler.
pub trait Policy {
    /// The canonical spec: what is given, without the defaults.
    fn spec(&self) -> &PolicySpec;

    /// When it wants to be asked.
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: None,
        }
    }

    /// Whether it sees true remaining work, which no real scheduler knows.
    fn is_oracle(&self) -> bool {
        false
    }

    /// Looks at the view and writes the changes it wants.
    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan);

    /// The batch (samples per GPU and pass, accumulation passes) with which an adaptive job that
    /// has just ended an epoch goes on; `None`: the one it has.
    fn tune(&mut self, _view: &View<'_>, _job: JobId) -> Option<(u32, u32)> {
        None
    }

    /// The numbers behind its last decision about a job.
    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation;

    /// What it decided in its last round, for policies that decide by rounds over all jobs.
    fn round(&self) -> Option<RoundReport> {
        None
    }
}
