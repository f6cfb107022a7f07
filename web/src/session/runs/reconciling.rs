//! Runs begin and end as the list of schedulers says, and what their workers say is taken in.

use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::parcel::ParcelError;
use crate::bridge::protocol::{LogShortage, Program, RunReply, RunRequest, Runner};
use crate::links::Links;
use crate::log_room::{refused, remedies, room};
use crate::selected_jobs::selecting;
use crate::session::Session;
use crate::session::runs::weights::ResolvedWeights;
use crate::session::runs::weights::RunWeights;
use crate::session::runs::workers::{Orders, RunWorker};
use crate::stage::StageRun;
use crate::state::link::Link;
use crate::state::{
    AnalysesAction, AppState, Finished, NoticesAction, Phase, Run, RunLives, RunsAction,
    SelectionAction,
};
use std::rc::Rc;
use switchyard::RunSpec;
use switchyard::engine::LogBudget;
use switchyard::report::{Outcomes, Summary};

/// Progress is told to the reducer at most this often, in milliseconds.
const PROGRESS_EVERY_MS: f64 = 120.0;

impl Session {
    /// Starts what is in the list and not yet at work, as far as there is room; ends what is no
    /// longer in it.
    pub fn reconcile(&self) {
        let state = self.state();
        selecting::show(&mut self.0.stage.write(), &state);
        self.check_linked_time(&state);
        if state.opening.trace.is_some() && !self.is_opening() {
            let shown = Link::of(&state, &self.0.stage.read());
            self.0.history.note_shown(shown);
        }
        if state.opening.trace.is_none() || self.0.opening.awaits_jobs() {
            return;
        }
        if self.is_to_choose_again(&state) {
            return;
        }
        let is_started = |id: u32| state.run(id).is_some_and(|run| run.phase != Phase::Waiting);
        self.0.runs.workers.borrow_mut().retain(is_started);
        for run in &state.runs.list {
            if run.phase != Phase::Waiting {
                continue;
            }
            if self.room() == 0 {
                return;
            }
            let spec = state.run_spec(run);
            match self.resolve_weights(&spec) {
                ResolvedWeights::Ready(weights) => self.start(run, spec, weights, &state),
                ResolvedWeights::Loading => {}
                ResolvedWeights::Missing(why) => {
                    self.dispatch(RunsAction::CannotBegin(run.id, why))
                }
            }
        }
    }

    /// How many runs more may be under way.
    pub(in crate::session) fn room(&self) -> usize {
        let under_way = self.state().runs.under_way();
        self.0.runs.workers.borrow().room(under_way)
    }

    /// Sees to it that a run may have a worker; says whether it may.
    pub(in crate::session) fn make_room_for(&self, id: u32) -> bool {
        let state = self.state();
        let is_running = |id: u32| state.run(id).is_some_and(Run::is_running);
        self.0
            .runs
            .workers
            .borrow_mut()
            .make_room_for(id, is_running)
    }

    /// Ends a run where it is, or does not let it begin; what it has shown stays.
    pub fn cancel(&self, id: u32) {
        let worker = self.0.runs.workers.borrow_mut().take(id);
        if let Some(progress) = worker.and_then(|worker| worker.unreported) {
            self.dispatch(RunsAction::Progress(id, progress));
        }
        let jobs = self.0.stage.read().workload.jobs.len();
        self.dispatch(RunsAction::Cancelled(id, jobs));
    }

    /// Starts a run with the settings of now.
    fn start(&self, run: &Run, mut spec: RunSpec, weights: RunWeights, state: &AppState) {
        let id = run.id;
        let budget = &mut spec.options.log_budget;
        let draws = *budget == LogBudget::default();
        if draws {
            *budget = self.0.runs.workers.borrow().log_pool();
            if let Some(why) = self.refused_room(id, state) {
                self.0.stage.write().runs.retain(|run| run.id != id);
                return self.dispatch(RunsAction::CannotBegin(id, why));
            }
        }
        let orders = Orders {
            spec: Rc::new(spec),
            applications: state.applications(),
            weights,
            draws,
        };
        if let Some(recorded) = self.take_recorded(&orders.spec, state) {
            self.begin_run(RunWorker::new(id, orders, None, false));
            return self.tell_recorded(id, recorded);
        }
        self.make_room_for(id);
        let is_second = self.0.runs.workers.borrow_mut().replaces_dead(id);
        match self.worker(id, &orders, true) {
            Ok(worker) => self.begin_run(RunWorker::new(id, orders, Some(worker), is_second)),
            Err(why) => self.dispatch(RunsAction::CannotBegin(id, why.to_string())),
        }
    }

    /// The run is under way, by this worker.
    fn begin_run(&self, run: RunWorker) {
        let id = run.id;
        self.0.runs.workers.borrow_mut().put(run);
        let jobs = self.0.stage.read().workload.jobs.len();
        self.dispatch(RunsAction::Began(id, jobs));
        self.put_on_stage(id, jobs);
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
        let worker = WorkerHandle::start_in(program, move |news| session.on_run_news(id, news));
        let jobs = self.0.opening.jobs();
        let with = std::iter::once(jobs.into()).chain(orders.weights.files());
        worker.send(&RunRequest::Load(orders.input()), with)?;
        if simulate {
            worker.send(&RunRequest::Simulate, [])?;
        }
        Ok(worker)
    }

    /// Asks a run's worker; one that was let go comes back if there is room. Says whether it was
    /// asked.
    pub(in crate::session) fn ask_run(&self, id: u32, question: &RunRequest) -> bool {
        if !self.make_room_for(id) {
            return false;
        }
        let mut runs = self.0.runs.workers.borrow_mut();
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

    /// Puts a run where it stands in the list.
    fn put_on_stage(&self, id: u32, jobs: usize) {
        let state = self.state();
        let Some(place) = state.runs.position(id) else {
            return;
        };
        let mut run = StageRun::new(state.runs.list[place].clone(), jobs);
        let mut stage = self.0.stage.write();
        stage.cluster = state.setup.cluster.clone();
        let contends = state.setup.settings.options.contention;
        run.links = contends.then(|| Links::of(&stage.cluster, &stage.workload));
        stage.runs.retain(|other| other.id != id);
        let at = stage
            .runs
            .partition_point(|other| state.runs.position(other.id) < Some(place));
        stage.runs.insert(at, run);
        stage.touch();
    }

    fn on_run_news(&self, id: u32, news: News<RunReply>) {
        match news {
            News::Reply(RunReply::Log { piece, progress }) => {
                let appended = self.0.stage.write().receive(id, |log| piece.append_to(log));
                if let Err(why) = appended {
                    return self.on_worker_died(id, &why.to_string());
                }
                let now = now_ms();
                let room = self.room_of(id);
                if let Some(run) = self.0.runs.workers.borrow_mut().get(id) {
                    run.pieces += 1;
                    if let Some(worker) = &run.worker {
                        // A number can always be written.
                        let pieces = run.pieces;
                        let _ = worker.send(&RunRequest::Taken { pieces, room }, []);
                    }
                    run.unreported = Some(progress);
                    if now - run.reported_ms < PROGRESS_EVERY_MS {
                        return;
                    }
                    (run.reported_ms, run.unreported) = (now, None);
                }
                self.dispatch(RunsAction::Progress(id, progress));
            }
            News::Reply(RunReply::Done {
                log_hash,
                wall_ms,
                is_native,
                decisions,
                rho,
            }) => {
                let finished = |outcomes, summary| Finished {
                    outcomes,
                    summary,
                    log_hash,
                    wall_ms: Some(wall_ms),
                    is_native,
                    decisions,
                };
                self.finish(id, finished, rho);
                self.check_linked_time(&self.state());
            }
            News::Reply(RunReply::Failed { mut why, shortage }) => {
                if let Some(shortage) = shortage {
                    why = format!("{why}, or {}", self.ways_to_room(id, shortage));
                }
                self.dispatch(RunsAction::BrokeOff(id, why));
                self.check_linked_time(&self.state());
            }
            News::Reply(RunReply::Explained {
                job,
                at,
                explanation,
            }) => {
                if let Some(run) = self.0.runs.workers.borrow_mut().get(id) {
                    run.pending_question = None;
                    run.answered_question = Some((job, at));
                }
                self.dispatch(SelectionAction::Explained(
                    id,
                    job,
                    at,
                    Box::new(explanation),
                ));
            }
            News::Reply(RunReply::Lived { job, life }) => {
                self.dispatch(SelectionAction::Lived(id, job, Rc::new(*life)));
            }
            News::Reply(RunReply::Lives { groups }) => {
                let mut runs = self.0.runs.workers.borrow_mut();
                let asked = runs.get(id).and_then(|run| run.pending_lives.take());
                drop(runs);
                if let Some(of) = asked {
                    let lives = RunLives { of, groups };
                    self.dispatch(AnalysesAction::Lived(Rc::new(lives)));
                }
            }
            News::Reply(RunReply::Round { at, report }) => {
                if let Some(run) = self.0.runs.workers.borrow_mut().get(id) {
                    run.pending_round = None;
                    run.answered_round = Some(at);
                }
                self.dispatch(SelectionAction::Round(
                    id,
                    report.map(|report| Rc::new(*report)),
                ));
            }
            News::Late => self.report_slow_network(),
            News::Died(why) => self.on_worker_died(id, &why),
        }
    }

    /// How long a run's log may become by now, if it draws from what there is for all.
    fn room_of(&self, id: u32) -> Option<u64> {
        let draws = self.0.runs.workers.borrow_mut().get(id)?.orders.draws;
        draws.then(|| self.room_beside_others(id))
    }

    fn room_beside_others(&self, id: u32) -> u64 {
        let pool = self.0.runs.workers.borrow().log_pool().bytes;
        let stage = self.0.stage.read();
        let others = stage.runs.iter().filter(|run| run.id != id);
        room(pool, stage.log_once(), others.map(StageRun::part))
    }

    /// Why a run does not begin that the others leave no room for.
    fn refused_room(&self, id: u32, state: &AppState) -> Option<String> {
        let pool = self.0.runs.workers.borrow().log_pool().bytes;
        let room = self.room_beside_others(id);
        let why = refused(pool, self.0.stage.read().log_once(), room)?;
        let remedies = remedies(0, pool - room, true, false);
        let policy = state.run(id)?.policy.label();
        Some(format!("{policy} has not begun: {why}, or {remedies}"))
    }

    /// What of the page gives a run's log more room.
    fn ways_to_room(&self, id: u32, shortage: LogShortage) -> String {
        let mut runs = self.0.runs.workers.borrow_mut();
        let chosen = runs.get(id).is_some_and(|run| !run.orders.draws);
        let (mut own, mut others) = (0, 0);
        for run in &self.0.stage.read().runs {
            *(if run.id == id { &mut own } else { &mut others }) += run.log.bytes();
        }
        remedies(own, others, shortage == LogShortage::Jobs, chosen)
    }

    pub(in crate::session) fn finish(
        &self,
        id: u32,
        finished: impl FnOnce(Outcomes, Summary) -> Finished,
        rho: Option<Vec<f64>>,
    ) {
        let stage = self.0.stage.read();
        let (workload, cluster) = (stage.workload.clone(), stage.cluster.clone());
        let Some(run) = stage.run(id) else { return };
        let mut outcomes = Outcomes::of(&workload, &cluster, &run.log);
        if let Some(rho) = rho.filter(|rho| rho.len() == outcomes.rho.len()) {
            outcomes.rho = rho;
        }
        let summary = Summary::of_outcomes(&outcomes, &cluster, &run.log);
        drop(stage);
        let finished = Box::new(finished(outcomes, summary));
        self.dispatch(RunsAction::Finished(id, finished));
    }

    /// A run's worker has died: once, the run gets another; then it has failed. One that was only
    /// asked about is what it was.
    pub(in crate::session) fn on_worker_died(&self, id: u32, why: &str) {
        let is_running = self.state().run(id).is_some_and(Run::is_running);
        let dead = self
            .0
            .runs
            .workers
            .borrow_mut()
            .on_worker_died(id, is_running);
        let Some(run) = dead else {
            return;
        };
        if run.is_second {
            let why = format!("Its worker died twice: {why}. Press Run to try again.");
            self.dispatch(RunsAction::BrokeOff(id, why));
        } else {
            self.dispatch(NoticesAction::Notice(Some(format!(
                "The worker of {} died and was restarted ({why}).",
                run.orders.spec.policy.label()
            ))));
            self.dispatch(RunsAction::BeginAgain(id));
        }
    }
}

fn now_ms() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}
