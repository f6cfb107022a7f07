//! Questions to the runs' workers: why a job runs or waits, and what a round decided.

use super::workers::RunWorker;
use crate::bridge::protocol::RunRequest;
use crate::session::Session;
use crate::state::RunIdentity;
use switchyard::Time;
use switchyard_app::study::Whom;

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

    /// Asks a run that is over what all its jobs spent their lives on, by whom or together, if it is not being asked.
    pub fn ask_lives(&self, run: RunIdentity, whom: Option<Whom>) {
        let asked = Some((run, whom));
        let is_asked = |worker: &mut RunWorker| worker.pending_lives == asked;
        if self
            .0
            .runs
            .workers
            .borrow_mut()
            .get(run.0)
            .is_some_and(is_asked)
        {
            return;
        }
        if self.ask_run(run.0, &RunRequest::Lives { whom })
            && let Some(worker) = self.0.runs.workers.borrow_mut().get(run.0)
        {
            worker.pending_lives = asked;
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
