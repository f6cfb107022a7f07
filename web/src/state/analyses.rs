//! What is worked out beside the runs: the goodput model, placements of shares, sweeps.

use super::sweep::Sweep;
use crate::complaint::Complaint;
use crate::ui::views::fragmentation::experiment::Measured;
use crate::ui::views::goodput::model::{Answer, Question};
use std::rc::Rc;
use switchyard::report::Summary;

/// The part of the state that is worked out beside the runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analyses {
    /// The goodput model's question and its answer, or why there is none.
    pub model: Model,
    /// Placements of shares, measured.
    pub packing: Option<Result<Rc<Measured>, Complaint>>,
    /// The last sweep, or why there is none.
    pub sweep: Option<Result<Rc<Sweep>, Complaint>>,
}

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
    /// No more of its runs are started.
    LeftSweep,
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
