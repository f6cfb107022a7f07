//! What the engine asks of a scheduler: when it wants to be asked ([`Cadence`]), what is to change
//! ([`Policy::plan`]), and why.

use super::{Plan, View};
use crate::draw::Rng;
use crate::goodput::LocalBatch;
use crate::job::JobId;
use switchyard_explain::{Explanation, RoundReport};

/// When a policy wants to be asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cadence {
    /// On every arrival, completion, eviction and due alarm, and when nodes go or come back, or cores are freed.
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

/// A policy, and what messages call it.
pub struct Scheduler {
    /// Its canonical spec.
    pub spec: String,
    /// The parameters it was given.
    pub given: Vec<String>,
    /// Whether it sees true remaining work, which no real scheduler knows.
    pub oracle: bool,
    /// Whether it starts jobs when their trace records it.
    pub replays: bool,
    /// Whether it puts two jobs that ask for a GPU each on one.
    pub packs: bool,
    /// Whether it lets several gangs take turns on the same GPUs.
    pub interleaves: bool,
    /// Whether its placement looks at links.
    pub looks_at_links: bool,
    /// The policy.
    pub policy: Box<dyn Policy>,
}

/// What decides.
pub trait Policy {
    /// When it wants to be asked.
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: None,
        }
    }

    /// Looks at the view and writes the changes it wants.
    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan);

    /// The batch with which an adaptive job that has just ended an epoch goes on; `None`: the one
    /// it has.
    fn tune(&mut self, _view: &View<'_>, _job: JobId) -> Option<LocalBatch> {
        None
    }

    /// The numbers behind its last decision about a job.
    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation;

    /// What it decided in its last round, for policies that decide by rounds over all jobs.
    fn round(&self) -> Option<RoundReport> {
        None
    }
}
