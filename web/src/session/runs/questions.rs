//! Questions to the runs' workers: why a job runs or waits, and what a round decided.

use super::workers::RunWorker;
use crate::bridge::protocol::RunRequest;
use crate::session::Session;
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
        let wanting = self.0.runs.workers.borrow().not_told_of(job, now);
        for id in wanting {
            if self.ask_run(id, &question)
                && let Some(run) = self.0.runs.workers.borrow_mut().get(id)
            {
                run.pending_question = Some((job, now));
            }
        }
    }

    /// Shows the rounds of a run, or of none.
    pub fn show_rounds(&self, run: Option<u32>) {
        self.0.runs.round_of.set(run);
    }

    /// Asks the run whose rounds are shown for the one at the clock's time, if that is not known.
    /// Called now and then: while its worker has not answered, it is not asked again.
    pub fn explain_round(&self) {
        let (now, playing) = {
            let clock = &self.0.stage.read().clock;
            (Time(clock.now), clock.playing)
        };
        let Some(id) = self.0.runs.round_of.get().filter(|_| !playing) else {
            return;
        };
        let wants =
            |run: &mut RunWorker| run.pending_round.is_none() && run.answered_round != Some(now);
        let wants = self.0.runs.workers.borrow_mut().get(id).is_some_and(wants);
        if wants
            && self.ask_run(id, &RunRequest::Round { at: now })
            && let Some(run) = self.0.runs.workers.borrow_mut().get(id)
        {
            run.pending_round = Some(now);
        }
    }
}
