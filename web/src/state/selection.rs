//! The chosen job, the one that is followed, and what workers have told of them.

use crate::bridge::protocol::ToldLife;
use std::rc::Rc;
use switchyard::Time;
use switchyard::job::JobId;
use switchyard::policies::{Explanation, RoundReport};

/// The part of the state that is about a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The chosen job.
    pub job: Option<JobId>,
    /// The job that is followed: all others stand back, and the clock is slow where something happens to it.
    pub followed: Option<JobId>,
    /// Why the chosen job runs or waits, per run, and for which time.
    pub explanations: Vec<(u32, Time, Explanation)>,
    /// What the chosen job's life was spent on, per run.
    pub lives: Vec<(u32, Rc<ToldLife>)>,
    /// A run's round at the clock's time.
    pub round: Option<(u32, Rc<RoundReport>)>,
}

/// What can happen to it.
#[derive(Debug)]
pub enum SelectionAction {
    /// Choose a job, or none.
    Select(Option<JobId>),
    /// Follow a job, or none any more.
    FollowJob(Option<JobId>),
    /// A worker has explained a job.
    Explained(u32, JobId, Time, Box<Explanation>),
    /// A worker has seen what a job's life was spent on.
    Lived(u32, JobId, Rc<ToldLife>),
    /// A worker has told a round.
    Round(u32, Option<Rc<RoundReport>>),
}

impl Selection {
    pub(super) fn apply(&mut self, action: SelectionAction) {
        match action {
            SelectionAction::Select(job) => {
                self.job = job;
                self.explanations.clear();
                self.lives.clear();
            }
            SelectionAction::FollowJob(job) => self.followed = job,
            SelectionAction::Explained(run, job, at, explanation) => {
                if self.job == Some(job) {
                    self.explanations.retain(|(of, _, _)| *of != run);
                    self.explanations.push((run, at, *explanation));
                }
            }
            SelectionAction::Lived(run, job, life) => {
                if self.job == Some(job) {
                    self.lives.retain(|(of, _)| *of != run);
                    self.lives.push((run, life));
                }
            }
            SelectionAction::Round(run, report) => self.round = report.map(|report| (run, report)),
        }
    }

    /// What was told of a run is not known any more.
    pub(super) fn forget_run(&mut self, id: u32) {
        self.explanations.retain(|(run, _, _)| *run != id);
        self.lives.retain(|(run, _)| *run != id);
    }
}
