//! Questions: to the runs' workers why a job runs or waits and what a round decided, and to the
//! goodput model.

use super::Session;
use super::run_workers::RunWorker;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{ModelReply, ModelRequest, RunRequest};
use crate::goodput::Question;
use crate::state::AnalysesAction;
use switchyard::Time;

impl Session {
    /// Asks every run why the chosen job runs or waits, if that is not known for this time.
    /// Called now and then: while a worker has not answered, it is not asked again.
    pub fn explain_selected(&self) {
        let (job, now, playing) = {
            let stage = self.0.stage.read();
            (stage.selected(), Time(stage.clock.now), stage.clock.playing)
        };
        let Some(job) = job.filter(|_| !playing) else {
            return;
        };
        let question = RunRequest::Explain { job, at: now };
        let wanting = self.0.workers.borrow().not_told_of(job, now);
        for id in wanting {
            if self.ask_run(id, &question)
                && let Some(run) = self.0.workers.borrow_mut().get(id)
            {
                run.asked = Some((job, now));
            }
        }
    }

    /// Shows the rounds of a run, or of none.
    pub fn show_rounds(&self, run: Option<u32>) {
        self.0.round_of.set(run);
    }

    /// Asks the run whose rounds are shown for the one at the clock's time, if that is not known.
    /// Called now and then: while its worker has not answered, it is not asked again.
    pub fn explain_round(&self) {
        let (now, playing) = {
            let clock = &self.0.stage.read().clock;
            (Time(clock.now), clock.playing)
        };
        let Some(id) = self.0.round_of.get().filter(|_| !playing) else {
            return;
        };
        let wants =
            |run: &mut RunWorker| run.round_asked.is_none() && run.round_answered != Some(now);
        let wants = self.0.workers.borrow_mut().get(id).is_some_and(wants);
        if wants
            && self.ask_run(id, &RunRequest::Round { at: now })
            && let Some(run) = self.0.workers.borrow_mut().get(id)
        {
            run.round_asked = Some(now);
        }
    }

    /// Asks the goodput model.
    pub fn ask_model(&self, question: Question) {
        let mut modeller = self.0.modeller.borrow_mut();
        let worker = modeller.take().unwrap_or_else(|| {
            let session = self.clone();
            WorkerHandle::start(move |news| session.hear_model(news))
        });
        let asked = worker.send(&ModelRequest(question.clone()), []);
        self.tell(AnalysesAction::Ask(question));
        match asked {
            Ok(()) => *modeller = Some(worker),
            Err(why) => self.tell(AnalysesAction::Answered(Err(why.to_string()))),
        }
    }

    fn hear_model(&self, news: News<ModelReply>) {
        match news {
            News::Reply(ModelReply(answer)) => self.tell(AnalysesAction::Answered(*answer)),
            News::Late => self.tell_late(),
            News::Died(why) => {
                // The next question gets a new worker.
                self.0.modeller.borrow_mut().take();
                let why = format!("the model's worker died ({why}): change a number to try again");
                self.tell(AnalysesAction::Answered(Err(why)));
            }
        }
    }
}
