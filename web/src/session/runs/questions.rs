//! Questions to the runs' workers: why a job runs or waits, and what a round decided.

use super::workers::RunWorker;
use crate::bridge::protocol::RunRequest;
use crate::session::Session;
use crate::state::LivesQuestion;
use switchyard::Time;

impl Session {
    /// Asks every run why the chosen job runs or waits, if that is not known for this time; while the clock runs on, if
    /// it is not known for any. Called now and then: while a worker has not answered, it is not asked again.
    pub fn explain_selected(&self) {
        let (job, now, playing) = {
            let stage = self.0.stage.read();
            (stage.selected(), Time(stage.clock.now), stage.clock.playing)
        };
        let Some(job) = job else {
            return;
        };
        let question = RunRequest::Explain { job, at: now };
        let at = (!playing).then_some(now);
        let wanting = self.0.runs.workers.borrow().not_told_of(job, at);
        for id in wanting {
            if self.ask_run(id, &question)
                && let Some(run) = self.0.runs.workers.borrow_mut().get(id)
            {
                run.pending_question = Some((job, now));
            }
        }
    }

    /// Asks a run that is over what its jobs spent their lives on, if it is not being asked.
    pub fn ask_lives(&self, of: LivesQuestion) {
        let id = of.run.0;
        let is_asked = |worker: &mut RunWorker| worker.pending_lives.as_ref() == Some(&of);
        let mut workers = self.0.runs.workers.borrow_mut();
        if workers.get(id).is_some_and(is_asked) {
            return;
        }
        drop(workers);
        let among = of.among.as_ref().map(|jobs| jobs.iter().collect());
        let request = RunRequest::Lives {
            whom: of.whom,
            among,
        };
        if self.ask_run(id, &request)
            && let Some(worker) = self.0.runs.workers.borrow_mut().get(id)
        {
            worker.pending_lives = Some(of);
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
