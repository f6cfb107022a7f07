//! What is worked out beside the runs: the goodput model, placements of shares, sweeps, when a job
//! would start.

use super::start::{StartNews, Starting};
use super::sweep::{More, Sweep};
use crate::complaint::Complaint;
use crate::selected_jobs::SelectedJobs;
use crate::ui::views::fragmentation::experiment::Measured;
use crate::ui::views::goodput::model::{Answer, Question};
use std::rc::Rc;
use switchyard::report::{GroupLives, Summary};
use switchyard_app::study::Whom;

/// The part of the state that is worked out beside the runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analyses {
    /// The goodput model's question and its answer, or why there is none.
    pub model: Model,
    /// Placements of shares, measured.
    pub packing: Option<Result<Rc<Measured>, Complaint>>,
    /// The last sweep, or why there is none.
    pub sweep: Option<Result<Rc<Sweep>, Complaint>>,
    /// When a job would start, or why nobody is asked.
    pub start: Option<Result<Rc<Starting>, Complaint>>,
    /// What the jobs of runs spent their lives on, those told last at the end.
    pub lives: Vec<Rc<RunLives>>,
}

/// Which jobs' lives are asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct LivesQuestion {
    /// In which run that is over: its id, and the fingerprint of its log.
    pub run: (u32, u64),
    /// By whom; `None`: together.
    pub whom: Option<Whom>,
    /// Which of them; `None`: all.
    pub among: Option<Rc<SelectedJobs>>,
}

/// What the jobs of a run spent their lives on.
#[derive(Debug, PartialEq)]
pub struct RunLives {
    /// Whose.
    pub of: LivesQuestion,
    /// What each group spent.
    pub groups: Vec<GroupLives>,
}

/// So many are kept, of runs, of groupings and of selections.
const LIVES: usize = 64;

/// What can happen to it.
#[derive(Debug)]
pub enum AnalysesAction {
    /// The goodput model is asked.
    Ask(Question),
    /// It answers, or says why it cannot.
    Answered(Result<Answer, Complaint>),
    /// Placements of shares are measured anew (`None`), have been, or cannot be.
    Packed(Option<Result<Rc<Measured>, Complaint>>),
    /// A sweep has begun, or cannot.
    Swept(Result<Rc<Sweep>, Complaint>),
    /// What came of one of its runs.
    SweptRun(usize, Result<Summary, Complaint>),
    /// It is a search, and has further runs.
    SweptMore(More),
    /// No more of its runs are started.
    LeftSweep,
    /// Schedulers are asked when a job would start, or cannot.
    AskedStart(Result<Rc<Starting>, Complaint>),
    /// What came of one of them.
    OfStart(usize, StartNews),
    /// No more is asked of them.
    LeftStart,
    /// What the jobs of a run spent their lives on is known.
    Lived(Rc<RunLives>),
}

impl Analyses {
    pub(super) fn apply(&mut self, action: AnalysesAction) {
        match action {
            AnalysesAction::Ask(question) => self.model.question = question,
            AnalysesAction::Answered(answer) => self.model.answer = Some(answer.map(Rc::new)),
            AnalysesAction::Packed(measured) => self.packing = measured,
            AnalysesAction::Swept(sweep) => self.sweep = Some(sweep),
            AnalysesAction::SweptRun(at, outcome) => {
                if let Some(Ok(sweep)) = &mut self.sweep {
                    Sweep::note(sweep, at, outcome);
                }
            }
            AnalysesAction::SweptMore(more) => {
                if let Some(Ok(sweep)) = &mut self.sweep {
                    Sweep::go_on(sweep, more);
                }
            }
            AnalysesAction::AskedStart(start) => self.start = Some(start),
            AnalysesAction::OfStart(at, news) => {
                if let Some(Ok(start)) = &mut self.start {
                    Rc::make_mut(start).note(at, news);
                }
            }
            AnalysesAction::Lived(lives) => {
                self.lives.retain(|told| told.of != lives.of);
                self.lives.push(lives);
                let old = self.lives.len().saturating_sub(LIVES);
                self.lives.drain(..old);
            }
            AnalysesAction::LeftStart => {
                if let Some(Ok(start)) = &mut self.start {
                    Rc::make_mut(start).under_way = false;
                }
            }
            AnalysesAction::LeftSweep => {
                if let Some(Ok(sweep)) = &mut self.sweep {
                    Rc::make_mut(sweep).under_way = false;
                }
            }
        }
    }
}

/// The goodput model, to play with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// What was asked last.
    pub question: Question,
    /// What it said last.
    pub answer: Option<Result<Rc<Answer>, Complaint>>,
}
