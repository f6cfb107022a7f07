//! The goodput model: a worker answers what a person asks of it.

use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{ModelReply, ModelRequest};
use crate::complaint::Complaint;
use crate::session::Session;
use crate::state::AnalysesAction;
use crate::ui::views::goodput::model::Question;

impl Session {
    /// Asks the goodput model.
    pub fn ask_model(&self, question: Question) {
        let mut goodput = self.0.analyses.goodput.borrow_mut();
        let worker = goodput.take().unwrap_or_else(|| {
            let session = self.clone();
            WorkerHandle::start(move |news| session.on_model_news(news))
        });
        let asked = worker.send(&ModelRequest(question.clone()), []);
        self.dispatch(AnalysesAction::Ask(question));
        match asked {
            Ok(()) => *goodput = Some(worker),
            Err(why) => self.dispatch(AnalysesAction::Answered(Err(Complaint::of(why)))),
        }
    }

    fn on_model_news(&self, news: News<ModelReply>) {
        match news {
            News::Reply(ModelReply(answer)) => self.dispatch(AnalysesAction::Answered(*answer)),
            News::Late => self.report_slow_network(),
            News::Died(why) => {
                // The next question gets a new worker.
                self.0.analyses.goodput.borrow_mut().take();
                let why = format!("the model's worker died ({why}): change a number to try again");
                self.dispatch(AnalysesAction::Answered(Err(why.into())));
            }
        }
    }
}
