//! Who runs together, and how it stands on each type: its share of the time, and what it has had of it.
//! Out: whom a type serves first (Narayanan et al., OSDI'20 §5).

use crate::job::JobId;
use crate::order;
use std::cmp::Ordering;

/// A job alone, or two on one GPU.
#[derive(Clone, Debug)]
pub(in crate::policy) struct Combination {
    pub(super) jobs: (JobId, Option<JobId>),
    /// What is known of it on each type.
    pub(super) on: Vec<Standing>,
    /// Where it ran in the last round.
    pub(super) ran: Option<usize>,
}

/// A combination on one type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// The share of time that it is to run.
    pub(super) share: f64,
    /// Seconds that it has run since shares were last found, and half a round.
    pub(super) received: f64,
    /// Seconds that it should have run before, less those that it did.
    pub(super) denied: f64,
}

impl Combination {
    pub(super) fn new(jobs: (JobId, Option<JobId>), shares: impl Iterator<Item = f64>) -> Self {
        let on = shares.map(|share| Standing {
            share,
            ..Standing::default()
        });
        Self {
            jobs,
            on: on.collect(),
            ran: None,
        }
    }

    pub(super) fn members(&self) -> impl Iterator<Item = JobId> + use<> {
        [Some(self.jobs.0), self.jobs.1].into_iter().flatten()
    }
}

/// Whom a type serves first.
pub(super) fn first(a: &Standing, b: &Standing) -> Ordering {
    let lag = |of: &Standing| of.share / of.received;
    let by_lag = order::by_value(&lag(b), &lag(a));
    let by_denied = || order::by_value(&b.denied, &a.denied);
    by_lag.then_with(by_denied)
}
