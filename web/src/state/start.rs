//! When would a job start: what is asked of which schedulers, and what they have said so far.

use crate::complaint::Complaint;
use std::rc::Rc;
use switchyard::RunSpec;
use switchyard_app::start::{Asked, Told, When};

/// What has been asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Starting {
    /// Seconds since the first submission.
    pub moment: f64,
    /// Of how many runs each answer is made.
    pub draws: u32,
    /// Of whom.
    pub runs: Vec<StartRun>,
    /// Whether somebody still says something.
    pub under_way: bool,
}

/// What one scheduler says.
#[derive(Clone, Debug, PartialEq)]
pub struct StartRun {
    /// Its name.
    pub name: String,
    /// Its hue.
    pub hue: usize,
    /// When the job starts in each of its runs so far, seconds since the first submission.
    pub starts: Vec<f64>,
    /// What they tell.
    pub so_far: Option<When>,
    /// How many other wishes have been begun.
    pub helps: u32,
    /// The whole answer.
    pub told: Option<Result<Rc<Told>, Complaint>>,
}

/// What comes from a worker.
#[derive(Debug)]
pub enum StartNews {
    /// More runs are over, and what all tell.
    Drawn(Vec<f64>, When),
    /// So many other wishes have been begun.
    Helping(u32),
    /// The answer, or why there is none.
    Told(Box<Result<Told, Complaint>>),
}

/// What a worker is asked.
#[derive(Clone, Debug)]
pub struct StartOrder {
    /// The run.
    pub spec: RunSpec,
    /// The job.
    pub asked: Asked,
}

impl Starting {
    pub(super) fn note(&mut self, at: usize, news: StartNews) {
        let Some(run) = self.runs.get_mut(at) else {
            return;
        };
        match news {
            StartNews::Drawn(starts, so_far) => {
                run.starts.extend(starts);
                run.so_far = Some(so_far);
            }
            StartNews::Helping(helps) => run.helps = helps,
            StartNews::Told(told) => run.told = Some((*told).map(Rc::new)),
        }
        self.under_way = self.runs.iter().any(|run| run.told.is_none());
    }
}
