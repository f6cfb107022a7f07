//! Runs: declared by the reducer's list of schedulers, carried by workers.

use super::Session;
use super::runs::{Orders, Run};
use super::weighing::{Given, Weighed};
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::parcel::ParcelError;
use crate::bridge::protocol::{LogShortage, Program, RunReply, RunRequest, Runner};
use crate::links::Links;
use crate::log_room::{refused, remedies, room};
use crate::stage::StageRun;
use crate::state::link::Link;
use crate::state::{Action, AppState, Card, RunStatus};
use std::rc::Rc;
use switchyard::report::{Outcomes, Summary};
use switchyard::sim::{LogBudget, Progress};
use switchyard::{RunSpec, Time};

/// Progress is told to the reducer at most this often, in milliseconds.
const PROGRESS_EVERY_MS: f64 = 120.0;

impl Session {
    /// Starts what is in the list and not yet at work, as far as there is room; ends what is no
    /// longer in it.
    pub fn reconcile(&self, state: &AppState) {
        let mut stage = self.0.stage.write();
        stage.show(state);
        drop(stage);
        self.check_linked_time(state);
        if state.trace.is_some() && !self.is_opening() {
            let shown = Link::of(state, &self.0.stage.read());
            self.0.way_back.borrow_mut().latest = Some(shown);
        }
        if state.trace.is_none() || self.0.desk.borrow().awaits_jobs() {
            return;
        }
        if self.is_to_choose_again(state) {
            return;
        }
        let is_started = |id: u32| {
            state
                .card(id)
                .is_some_and(|card| card.status != RunStatus::Idle)
        };
        self.0.runs.borrow_mut().retain(is_started);
        {
            let mut stage = self.0.stage.write();
            let before = stage.runs.len();
            // What waits for its turn would be shown with settings that are not its own.
            stage.runs.retain(|run| is_started(run.id));
            let mut is_new = stage.runs.len() != before;
            for run in &mut stage.runs {
                let card = state.card(run.id);
                let shown = card.map_or(("", 0), |card| (card.name(), card.hue()));
                if (run.name.as_str(), run.hue) != shown {
                    (run.name, run.hue) = (shown.0.to_owned(), shown.1);
                    is_new = true;
                }
            }
            if is_new {
                stage.touch();
                drop(stage);
                // What was rendered of them until now had those that are gone, and old names.
                self.tell(Action::Restaged);
            }
        }
        let is_idle = |card: &&Card| card.status == RunStatus::Idle;
        for card in state.cards.iter().filter(is_idle) {
            if !self.0.runs.borrow().has_room() {
                return;
            }
            let spec = state.run_spec(card);
            match self.weigh(&spec) {
                Weighed::Ready(weights) => self.start(card, spec, weights, state),
                Weighed::OnTheirWay => {}
                Weighed::Missing(why) => {
                    self.tell(Action::Set(card.id, RunStatus::Failed(why)));
                }
            }
        }
    }

    /// Ends a run where it is, or does not let it begin; what it has shown stays.
    pub fn cancel(&self, id: u32) {
        let run = self.0.runs.borrow_mut().take(id);
        self.stop(id);
        let jobs = self.0.stage.read().workload.jobs.len();
        let progress = run.map_or_else(|| nothing_of(jobs), |run| run.progress);
        self.tell(Action::Set(id, RunStatus::Cancelled(progress)));
    }

    /// The clock does not wait for this run any more.
    fn stop(&self, id: u32) {
        if let Some(run) = self.0.stage.write().run_mut(id) {
            run.stopped = true;
        }
    }

    /// Starts a scheduler's run with the settings of now.
    fn start(&self, card: &Card, mut spec: RunSpec, weights: Given, state: &AppState) {
        let id = card.id;
        let budget = &mut spec.options.log_budget;
        let draws = *budget == LogBudget::default();
        if draws {
            *budget = self.0.runs.borrow().log_pool();
            if let Some(why) = self.refused_room(id, state) {
                self.0.stage.write().runs.retain(|run| run.id != id);
                return self.tell(Action::Set(id, RunStatus::Failed(why)));
            }
        }
        let orders = Orders {
            spec: Rc::new(spec),
            applications: state.applications(),
            weights,
            draws,
        };
        let trains = orders.applications.is_some();
        let is_second = {
            let mut runs = self.0.runs.borrow_mut();
            runs.make_room_for(id);
            runs.replaces_dead(id)
        };
        match self.worker(id, &orders, true) {
            Ok(worker) => {
                let jobs = self.0.stage.read().workload.jobs.len();
                let progress = nothing_of(jobs);
                let run = Run::new(id, orders, worker, progress, is_second);
                self.0.runs.borrow_mut().put(run);
                let mut run = StageRun::new(id, card.policy.to_string(), jobs);
                (run.name, run.hue) = (card.name().to_owned(), card.hue());
                run.trains = trains;
                self.put_on_stage(run, state);
                self.tell(Action::Set(id, RunStatus::Running(progress)));
            }
            Err(why) => self.tell(Action::Set(id, RunStatus::Failed(why.to_string()))),
        }
    }

    /// A worker for a run, with the jobs that are on stage.
    fn worker(
        &self,
        id: u32,
        orders: &Orders,
        simulate: bool,
    ) -> Result<WorkerHandle<Runner>, ParcelError> {
        let session = self.clone();
        let program = Program::of(&orders.spec.policy);
        let worker = WorkerHandle::start_in(program, move |news| session.hear_run(id, news));
        let jobs = self.0.jobs.borrow().clone();
        let with = std::iter::once(jobs.into()).chain(orders.weights.files());
        worker.send(&RunRequest::Load(orders.input()), with)?;
        if simulate {
            worker.send(&RunRequest::Simulate, [])?;
        }
        Ok(worker)
    }

    /// Asks a run's worker; one that was let go comes back if there is room. Says whether it was
    /// asked.
    pub(super) fn ask_run(&self, id: u32, question: &RunRequest) -> bool {
        let mut runs = self.0.runs.borrow_mut();
        if !runs.make_room_for(id) {
            return false;
        }
        let Some(run) = runs.get(id) else {
            return false;
        };
        if run.worker.is_none() {
            match self.worker(id, &run.orders, false) {
                Ok(worker) => run.worker = Some(worker),
                Err(_) => return false,
            }
        }
        let worker = run.worker.as_ref();
        worker.is_some_and(|worker| worker.send(question, []).is_ok())
    }

    /// Puts a run where its scheduler stands in the list.
    fn put_on_stage(&self, mut run: StageRun, state: &AppState) {
        let mut stage = self.0.stage.write();
        stage.cluster = state.setup.cluster.clone();
        let contends = state.setup.settings.options.contention;
        run.links = contends.then(|| Links::of(&stage.cluster, &stage.workload));
        stage.runs.retain(|other| other.id != run.id);
        let position = |id: u32| state.cards.iter().position(|card| card.id == id);
        let at = stage
            .runs
            .partition_point(|other| position(other.id) < position(run.id));
        stage.runs.insert(at, run);
        stage.touch();
    }

    fn hear_run(&self, id: u32, news: News<RunReply>) {
        match news {
            News::Reply(RunReply::Log { delta, progress }) => {
                self.0.stage.write().receive(id, *delta, progress);
                let now = now_ms();
                let room = self.room_of(id);
                if let Some(run) = self.0.runs.borrow_mut().get(id) {
                    run.pieces += 1;
                    if let Some(worker) = &run.worker {
                        // A number can always be written.
                        let pieces = run.pieces;
                        let _ = worker.send(&RunRequest::Taken { pieces, room }, []);
                    }
                    run.progress = progress;
                    if now - run.told_ms < PROGRESS_EVERY_MS {
                        return;
                    }
                    run.told_ms = now;
                }
                self.tell(Action::Progress(id, RunStatus::Running(progress)));
            }
            News::Reply(RunReply::Done {
                log_hash,
                wall_ms,
                decisions,
                rho,
            }) => {
                self.0.runs.borrow_mut().is_over(id);
                let done = RunStatus::Done {
                    log_hash,
                    wall_ms,
                    decisions,
                };
                self.finish(id, done, rho);
            }
            News::Reply(RunReply::Failed { mut why, shortage }) => {
                if let Some(shortage) = shortage {
                    why = format!("{why}, or {}", self.ways_to_room(id, shortage));
                }
                self.0.runs.borrow_mut().is_over(id);
                self.stop(id);
                self.tell(Action::Progress(id, RunStatus::Failed(why)));
            }
            News::Reply(RunReply::Explained {
                job,
                at,
                explanation,
            }) => {
                if let Some(run) = self.0.runs.borrow_mut().get(id) {
                    run.asked = None;
                    run.answered = Some((job, at));
                }
                self.tell(Action::Explained(id, job, at, explanation));
            }
            News::Reply(RunReply::Slowed { job, slowness }) => {
                self.tell(Action::Slowed(id, job, Rc::new(*slowness)));
            }
            News::Reply(RunReply::Round { at, report }) => {
                if let Some(run) = self.0.runs.borrow_mut().get(id) {
                    run.round_asked = None;
                    run.round_answered = Some(at);
                }
                self.tell(Action::Round(id, report.map(|report| Rc::new(*report))));
            }
            News::Late => self.tell_late(),
            News::Died(why) => self.bury(id, &why),
        }
    }

    /// How long a run's log may become by now, if it draws from what there is for all.
    fn room_of(&self, id: u32) -> Option<u64> {
        let draws = self.0.runs.borrow_mut().get(id)?.orders.draws;
        draws.then(|| self.room_beside_others(id))
    }

    fn room_beside_others(&self, id: u32) -> u64 {
        let pool = self.0.runs.borrow().log_pool().bytes;
        let stage = self.0.stage.read();
        let others = stage.runs.iter().filter(|run| run.id != id);
        room(pool, stage.log_once(), others.map(StageRun::part))
    }

    /// Why a run does not begin that the others leave no room for.
    fn refused_room(&self, id: u32, state: &AppState) -> Option<String> {
        let pool = self.0.runs.borrow().log_pool().bytes;
        let room = self.room_beside_others(id);
        let why = refused(pool, self.0.stage.read().log_once(), room)?;
        let remedies = remedies(0, pool - room, true, false);
        let policy = state.card(id)?.policy.label();
        Some(format!("{policy} has not begun: {why}, or {remedies}"))
    }

    /// What of the page gives a run's log more room.
    fn ways_to_room(&self, id: u32, shortage: LogShortage) -> String {
        let mut runs = self.0.runs.borrow_mut();
        let chosen = runs.get(id).is_some_and(|run| !run.orders.draws);
        let (mut own, mut others) = (0, 0);
        for run in &self.0.stage.read().runs {
            *(if run.id == id { &mut own } else { &mut others }) += run.log.bytes();
        }
        remedies(own, others, shortage == LogShortage::Jobs, chosen)
    }

    fn finish(&self, id: u32, done: RunStatus, rho: Option<Vec<f64>>) {
        let mut stage = self.0.stage.write();
        let (workload, cluster) = (stage.workload.clone(), stage.cluster.clone());
        let Some(run) = stage.run_mut(id) else { return };
        let mut outcomes = Outcomes::of(&workload, &cluster, &run.log);
        if let Some(rho) = rho.filter(|rho| rho.len() == outcomes.rho.len()) {
            outcomes.rho = rho;
        }
        let summary = Summary::of_outcomes(&outcomes, &cluster, &run.log);
        run.results = Some((outcomes, summary));
        run.complete = true;
        stage.touch();
        drop(stage);
        self.tell(Action::Finished(id, done, summary));
    }

    /// A run's worker has died: once, the run gets another; then it has failed. One that was only
    /// asked about is what it was.
    fn bury(&self, id: u32, why: &str) {
        let Some(run) = self.0.runs.borrow_mut().bury(id) else {
            return;
        };
        if run.is_second {
            let failed = RunStatus::Failed(format!(
                "Its worker died twice: {why}. Press Run to try again."
            ));
            self.stop(id);
            self.tell(Action::Progress(id, failed));
        } else {
            self.tell(Action::Notice(Some(format!(
                "The worker of {} died and was restarted ({why}).",
                run.orders.spec.policy.label()
            ))));
            self.tell(Action::Progress(id, RunStatus::Idle));
        }
    }
}

/// The progress of a run that has not begun.
fn nothing_of(jobs: usize) -> Progress {
    Progress {
        now: Time::ZERO,
        done: 0,
        jobs: jobs as u32,
    }
}

fn now_ms() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}
