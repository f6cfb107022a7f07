//! One run of a challenge's workload.

use super::challenge::Challenge;
use crate::Deciding;
use crate::driver::Driver;
use std::sync::Arc;
use switchyard::engine::{RunError, RunLog, SimOptions};
use switchyard::policies::PolicySpec;
use switchyard::report::{Outcomes, Summary};
use switchyard::weights::Weights;
use switchyard::workload::Workload;
use switchyard::{RunSpec, RunSpecError};

/// Carries a run of a workload to its end. If it stops before, there is no score.
pub type Carry<'a> = dyn FnMut(&mut Driver) -> Result<(), RunError> + 'a;

/// A scheduler that is scored.
#[derive(Clone, Copy)]
pub struct Contender<'a> {
    /// The policy; where something else decides, what that says of itself.
    pub policy: &'a PolicySpec,
    /// What decides in its place, if anything does.
    pub deciding: Option<&'a Deciding>,
}

impl<'a> From<&'a PolicySpec> for Contender<'a> {
    fn from(policy: &'a PolicySpec) -> Self {
        Self {
            policy,
            deciding: None,
        }
    }
}

impl Contender<'_> {
    /// As results have it.
    pub(super) fn policy(&self) -> String {
        match self.deciding {
            None => self.policy.to_string(),
            Some(of) => format!("function:{}", of.called),
        }
    }

    /// For people.
    pub(super) fn label(&self) -> String {
        match self.deciding {
            None => self.policy.label(),
            Some(of) => of.called.clone(),
        }
    }
}

/// Why a scheduler has no score.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScoreError {
    /// It sees the future.
    #[error("{0} is an oracle: challenges are for schedulers that do not know durations")]
    Oracle(String),
    /// It cannot begin.
    #[error(transparent)]
    Spec(#[from] RunSpecError),
    /// Whoever carried its runs has stopped.
    #[error("stopped")]
    Stopped,
    /// It did not come to its end.
    #[error("{challenge} (draw {draw}): {error}")]
    Run {
        /// The challenge.
        challenge: &'static str,
        /// The number that it was drawn from.
        draw: u64,
        /// Why.
        error: RunError,
    },
    /// It leaves jobs waiting for ever.
    #[error(
        "{challenge} (draw {draw}): {policy} leaves {left} of {jobs} jobs unfinished. A mean over the others is \
         not a mean over the same jobs as Tiresias'"
    )]
    Unfinished {
        /// The challenge.
        challenge: &'static str,
        /// The number that it was drawn from.
        draw: u64,
        /// The scheduler.
        policy: String,
        /// Jobs that never ran to their end.
        left: u32,
        /// All of them.
        jobs: u32,
    },
}

/// A workload of a challenge.
pub(super) struct Drawn {
    pub(super) challenge: &'static Challenge,
    /// The number that is named with it.
    pub(super) draw: u64,
    /// Of its jobs, and of what happens by chance.
    pub(super) seed: u64,
    pub(super) workload: Arc<Workload>,
}

impl Drawn {
    pub(super) fn new(challenge: &'static Challenge, draw: u64, seed: u64) -> Self {
        Self {
            challenge,
            draw,
            seed,
            workload: Arc::new(challenge.workload_of(seed)),
        }
    }

    /// The workload that everybody knows.
    pub(super) fn open(challenge: &'static Challenge) -> Self {
        Self {
            challenge,
            draw: 0,
            seed: 0,
            workload: Arc::new(challenge.open_workload()),
        }
    }

    /// What becomes of its jobs: how long each takes from submission to finish, and the log.
    pub(super) fn run(
        &self,
        contender: Contender<'_>,
        carry: &mut Carry<'_>,
    ) -> Result<(Vec<f64>, RunLog), ScoreError> {
        let settings = self.challenge.settings();
        let spec = RunSpec {
            placement: settings.placement,
            options: SimOptions {
                seed: self.seed,
                ..settings.options
            },
            outages: settings.outages,
            queues: settings.queues,
            ..RunSpec::new(
                contender.policy.without_outages(),
                self.challenge.sample().cluster_spec(),
            )
        };
        spec.check()?;
        let workload = &self.workload;
        let simulation = match contender.deciding {
            None => spec.start(Arc::clone(workload)),
            Some(of) => of.start(&spec, Arc::clone(workload), &Weights::default())?,
        };
        let mut run = Driver::new(simulation, Arc::clone(workload));
        carry(&mut run).map_err(|error| ScoreError::Run {
            challenge: self.challenge.name,
            draw: self.draw,
            error,
        })?;
        if !run.is_over() {
            return Err(ScoreError::Stopped);
        }
        let log = run.into_log();
        let outcomes = Outcomes::of(workload, &spec.cluster, &log);
        let summary = Summary::of_outcomes(&outcomes, &spec.cluster, &log);
        if !summary.is_whole() {
            return Err(ScoreError::Unfinished {
                challenge: self.challenge.name,
                draw: self.draw,
                policy: contender.label(),
                left: summary.jobs - summary.finished,
                jobs: summary.jobs,
            });
        }
        Ok((outcomes.jct, log))
    }
}
