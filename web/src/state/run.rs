//! A run of the page's list: what is to be run, what it is called, and how far it is. Lists, canvases and whoever
//! carries runs read this one record. Its log, which is large and grows, is on the [stage](crate::stage), and its worker
//! with the [session](crate::session), both by its id.

use std::rc::Rc;
use switchyard::engine::SimulationProgress;
use switchyard::policies::PolicySpec;
use switchyard::report::{Outcomes, Summary};

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Stable as long as the run is in the list.
    pub id: u32,
    /// The policy, with the outages of its run alone.
    pub policy: PolicySpec,
    /// What a person has named it; "" if nobody has.
    pub given: String,
    /// What it is called, as its place in the list and others in it have it.
    pub(super) name: String,
    /// Which hue it has, and keeps; none until the list has given it one.
    pub(super) hue: Option<u32>,
    /// How far it is.
    pub phase: Phase,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Not started: it waits for a trace, for its turn, or for what it has learned.
    Waiting,
    /// Under way.
    Running(SimulationProgress),
    /// Complete.
    Finished(Rc<Finished>),
    /// Cancelled on the way.
    Cancelled(SimulationProgress),
    /// Broke off, or could not begin; why.
    Failed(String),
}

/// What came of a run.
#[derive(Debug)]
pub struct Finished {
    /// Per job.
    pub outcomes: Outcomes,
    /// In numbers.
    pub summary: Summary,
    /// Fingerprint of the log.
    pub log_hash: u64,
    /// Milliseconds of simulation; `None`: it came with the page.
    pub wall_ms: Option<f64>,
    /// Whether the program that serves the page carried it.
    pub is_native: bool,
    /// Of a placer that learned, if there is one.
    pub decisions: Option<u64>,
}

/// One run ends once: what came of it is compared by identity, since outcomes are large and hold NaNs.
impl PartialEq for Finished {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Phase {
    /// Whether nothing more comes of it.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Waiting | Self::Running(_) => false,
            Self::Finished(_) | Self::Cancelled(_) | Self::Failed(_) => true,
        }
    }

    /// Its name, for styles, scripts and tests.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Waiting => "idle",
            Self::Running(_) => "running",
            Self::Finished(_) => "done",
            Self::Cancelled(_) => "cancelled",
            Self::Failed(_) => "failed",
        }
    }
}

impl Run {
    /// One that has not been started, and has no name yet.
    pub(crate) fn new(id: u32, policy: PolicySpec) -> Self {
        Self {
            id,
            policy,
            given: String::new(),
            name: String::new(),
            hue: None,
            phase: Phase::Waiting,
        }
    }

    /// The same with this policy, not run yet.
    pub(super) fn anew(&self, policy: PolicySpec) -> Self {
        Self {
            given: self.given.clone(),
            name: self.name.clone(),
            hue: self.hue,
            ..Self::new(self.id, policy)
        }
    }

    /// Whether it has been started and is not over.
    pub fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running(_))
    }

    /// What came of it, once it is complete.
    pub fn finished(&self) -> Option<&Finished> {
        match &self.phase {
            Phase::Finished(finished) => Some(finished),
            Phase::Waiting | Phase::Running(_) | Phase::Cancelled(_) | Phase::Failed(_) => None,
        }
    }

    /// How many jobs have finished, of how many.
    pub fn done(&self) -> (u32, u32) {
        match &self.phase {
            Phase::Running(progress) | Phase::Cancelled(progress) => (progress.done, progress.jobs),
            Phase::Finished(of) => (of.summary.finished, of.summary.jobs),
            Phase::Waiting | Phase::Failed(_) => (0, 0),
        }
    }

    /// It in numbers, once it is complete.
    pub fn summary(&self) -> Option<&Summary> {
        self.finished().map(|of| &of.summary)
    }

    /// What it is called: as a person has named it, else by its policy's title and what tells it from
    /// others of the list.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its number among [`run_colour`](crate::draw::palette::run_colour)s: the same for as long as it is in
    /// the list, whatever comes and goes beside it.
    pub fn hue(&self) -> usize {
        self.hue.unwrap_or_default() as usize
    }
}
