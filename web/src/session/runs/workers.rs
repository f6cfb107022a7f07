//! The workers of runs, by the runs' ids: what each was asked and what it was started with. How far a run is stands in
//! its record in the store.
//!
//! A machine holds only so many workers. Of runs that are over, those asked last keep theirs, to
//! tell why a job runs or waits; the others get one again when they are asked.

use super::weights::RunWeights;
use crate::bridge::client::WorkerHandle;
use crate::bridge::protocol::{RunInput, Runner};
use crate::machine::Machine;
use crate::state::LivesQuestion;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::engine::{LogBudget, SimulationProgress};
use switchyard::job::JobId;
use switchyard::workload::ApplicationSettings;
use switchyard::{RunSpec, Time};

/// What a run was started with, besides the jobs.
pub(super) struct Orders {
    /// The settings.
    pub(super) spec: Rc<RunSpec>,
    /// What adaptive jobs train.
    pub(super) applications: Option<Arc<ApplicationSettings>>,
    /// What it goes by if it has learned.
    pub(super) weights: RunWeights,
    /// Whether its log draws from what there is for all, and not from a budget that a person has chosen.
    pub(super) draws: bool,
}

impl Orders {
    /// What a worker makes the run of.
    pub(super) fn input(&self) -> RunInput {
        RunInput {
            spec: self.spec.clone(),
            applications: self.applications.clone(),
            has_user_weights: self.weights.user_file.is_some(),
        }
    }
}

/// What a run has of workers, generic over the worker for tests.
pub(super) struct RunWorker<Worker = WorkerHandle<Runner>> {
    /// The run's id.
    pub(super) id: u32,
    /// What it was started with.
    pub(super) orders: Orders,
    /// `None` once it is over and another needed the room.
    pub(super) worker: Option<Worker>,
    /// Whether its first worker has died.
    pub(super) is_second: bool,
    /// Whether a worker that was only to answer has died: it is not asked again.
    is_mute: bool,
    /// When its worker was last asked anything, counted in requests.
    used: u64,
    /// When the reducer was last told of its progress.
    pub(super) reported_ms: f64,
    /// How far it has come since then, if anything has been heard.
    pub(super) unreported: Option<SimulationProgress>,
    /// Pieces of its log that are taken in.
    pub(super) pieces: u32,
    /// The question to the worker that is not answered yet, and the last one answered.
    pub(super) pending_question: Option<(JobId, Time)>,
    pub(super) answered_question: Option<(JobId, Time)>,
    /// The same of questions about rounds.
    pub(super) pending_round: Option<Time>,
    pub(super) answered_round: Option<Time>,
    /// The question about jobs' lives that is not answered yet.
    pub(super) pending_lives: Option<LivesQuestion>,
}

impl<Worker> RunWorker<Worker> {
    /// A run that has just been given to a worker.
    pub(super) fn new(id: u32, orders: Orders, worker: Option<Worker>, is_second: bool) -> Self {
        Self {
            id,
            orders,
            worker,
            is_second,
            is_mute: false,
            used: 0,
            reported_ms: 0.0,
            unreported: None,
            pieces: 0,
            pending_question: None,
            answered_question: None,
            pending_round: None,
            answered_round: None,
            pending_lives: None,
        }
    }

    fn is_busy(&self) -> bool {
        self.pending_question.is_some()
            || self.pending_round.is_some()
            || self.pending_lives.is_some()
    }
}

/// The workers of all runs that have been started.
pub(super) struct Workers<Worker = WorkerHandle<Runner>> {
    machine: Machine,
    runs: Vec<RunWorker<Worker>>,
    /// Runs whose worker has died: they get another.
    to_replace: Vec<u32>,
    requests: u64,
}

impl<Worker> Workers<Worker> {
    /// None yet, on this machine.
    pub(super) fn new(machine: Machine) -> Self {
        Self {
            machine,
            runs: Vec::new(),
            to_replace: Vec::new(),
            requests: 0,
        }
    }

    /// How long the logs of all may become together.
    pub(super) fn log_pool(&self) -> LogBudget {
        self.machine.log_pool()
    }

    /// The run with this id.
    pub(super) fn get(&mut self, id: u32) -> Option<&mut RunWorker<Worker>> {
        self.runs.iter_mut().find(|run| run.id == id)
    }

    /// How many more may be under way where so many are.
    pub(super) fn room(&self, under_way: usize) -> usize {
        self.machine.runs_at_once().saturating_sub(under_way)
    }

    /// Sees to it that a run may have a worker, if need be by taking another's that has been idle
    /// longest; says whether it may. `is_running`: which runs are under way.
    pub(super) fn make_room_for(&mut self, id: u32, is_running: impl Fn(u32) -> bool) -> bool {
        self.requests += 1;
        if let Some(run) = self.runs.iter_mut().find(|run| run.id == id) {
            run.used = self.requests;
            if run.is_mute || run.worker.is_some() {
                return !run.is_mute;
            }
        }
        while self.workers() >= self.machine.workers() {
            let idle = self.runs.iter_mut();
            let idle =
                idle.filter(|run| run.worker.is_some() && !run.is_busy() && !is_running(run.id));
            let Some(longest) = idle.min_by_key(|run| run.used) else {
                return false;
            };
            longest.worker = None;
        }
        true
    }

    fn workers(&self) -> usize {
        self.runs.iter().filter(|run| run.worker.is_some()).count()
    }

    /// Takes in a run, in the place of the one with its id.
    pub(super) fn put(&mut self, mut run: RunWorker<Worker>) {
        run.used = self.requests;
        self.runs.retain(|other| other.id != run.id);
        self.runs.push(run);
    }

    /// Lets go of a run.
    pub(super) fn take(&mut self, id: u32) -> Option<RunWorker<Worker>> {
        let at = self.runs.iter().position(|run| run.id == id)?;
        Some(self.runs.swap_remove(at))
    }

    /// A run's worker is no more. Gives back the run if it was under way: it is lost with it.
    pub(super) fn on_worker_died(
        &mut self,
        id: u32,
        is_running: bool,
    ) -> Option<RunWorker<Worker>> {
        let run = self.get(id)?;
        if is_running {
            if !run.is_second {
                self.to_replace.push(id);
            }
            return self.take(id);
        }
        run.is_mute = run.is_busy();
        (run.worker, run.pending_question) = (None, None);
        (run.pending_round, run.pending_lives) = (None, None);
        None
    }

    /// Whether a run that begins takes the place of one whose worker has died; it does so once.
    pub(super) fn replaces_dead(&mut self, id: u32) -> bool {
        let before = self.to_replace.len();
        self.to_replace.retain(|other| *other != id);
        self.to_replace.len() < before
    }

    /// Keeps those whose id is wanted.
    pub(super) fn retain(&mut self, wanted: impl Fn(u32) -> bool) {
        self.runs.retain(|run| wanted(run.id));
    }

    /// Ends all.
    pub(super) fn clear(&mut self) {
        self.runs.clear();
    }

    /// The runs that have neither told of this job at this time, or at any (`None`), nor are about to.
    pub(super) fn not_told_of(&self, job: JobId, at: Option<Time>) -> Vec<u32> {
        let is_told = |answered: &(JobId, Time)| match at {
            Some(at) => *answered == (job, at),
            None => answered.0 == job,
        };
        let runs = self.runs.iter();
        let wanting = runs.filter(|run| {
            run.pending_question.is_none() && !run.answered_question.as_ref().is_some_and(is_told)
        });
        wanting.map(|run| run.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::cluster::ClusterSpec;

    /// A machine for two runs at once and four workers.
    fn workers() -> Workers<()> {
        Workers::new(Machine {
            cores: 2,
            gigabytes: 2.0,
        })
    }

    fn start(runs: &mut Workers<()>, id: u32, is_running: impl Fn(u32) -> bool) {
        assert!(runs.make_room_for(id, is_running));
        let orders = Orders {
            spec: Rc::new(RunSpec::new(
                "fifo".parse().unwrap(),
                ClusterSpec::uniform(1, 1).unwrap(),
            )),
            applications: None,
            weights: RunWeights::default(),
            draws: true,
        };
        runs.put(RunWorker::new(id, orders, Some(()), false));
    }

    fn with_worker(runs: &Workers<()>) -> Vec<u32> {
        let runs = runs.runs.iter().filter(|run| run.worker.is_some());
        runs.map(|run| run.id).collect()
    }

    #[test]
    fn more_runs_than_the_machine_holds_take_turns() {
        let mut runs = workers();
        let mut started = 0;
        for over in 0..200 {
            while runs.room((started - over) as usize) > 0 && started < 200 {
                start(&mut runs, started, |id| id >= over);
                started += 1;
            }
            assert!(runs.workers() <= 4);
        }
        assert_eq!(with_worker(&runs), [196, 197, 198, 199]);
        // The first is asked, and one that is idle makes room.
        assert!(runs.make_room_for(0, |_| false));
        assert_eq!(with_worker(&runs), [197, 198, 199]);
        assert_eq!(runs.not_told_of(JobId(0), Some(Time::ZERO)).len(), 200);
    }

    #[test]
    fn nobody_makes_room_while_at_work() {
        let mut runs = workers();
        for id in 0..4 {
            start(&mut runs, id, |_| false);
            runs.get(id).unwrap().pending_question = Some((JobId(0), Time::ZERO));
        }
        assert!(!runs.make_room_for(4, |_| false));
        runs.get(2).unwrap().pending_question = None;
        assert!(!runs.make_room_for(4, |id| id == 2));
        assert!(runs.make_room_for(4, |_| false));
        assert_eq!(with_worker(&runs), [0, 1, 3]);
    }

    #[test]
    fn a_run_is_lost_with_its_worker_only_while_it_is_under_way() {
        let mut runs = workers();
        start(&mut runs, 0, |_| true);
        start(&mut runs, 1, |_| true);
        assert!(runs.on_worker_died(0, true).is_some());
        assert!(runs.replaces_dead(0) && !runs.replaces_dead(0));
        assert!(runs.on_worker_died(1, false).is_none());
        assert!(runs.get(1).is_some() && with_worker(&runs).is_empty());
        // It died while nobody asked it: it may come back.
        assert!(runs.make_room_for(1, |_| false));
        runs.get(1).unwrap().pending_round = Some(Time::ZERO);
        assert!(runs.on_worker_died(1, false).is_none());
        assert!(!runs.make_room_for(1, |_| false));
    }
}
