//! One run: the world, and the scheduler that plans for it.

use super::halt::{Halt, HaltReason, LogBudget, Remedy, RunError};
use super::jobs::Phase;
use super::log::RunLog;
use super::node_state::NodeState;
use super::plan::{Plan, PlanError, ProgramError};
use super::scheduler::Scheduler;
use super::setting::SimOptions;
use super::training_plots::training_plots;
use super::world::{Trouble, World};
use crate::Time;
use crate::cluster::ClusterSpec;
use crate::draw::Rng;
use crate::job::JobId;
use crate::workload::{DEFAULT_PACKLIMIT, Workload};
use rand_xoshiro::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use switchyard_explain::{
    Cause, Explanation, Fact, Life, RoundReport, Said, Slowness, Spent, Unit, Verdict,
};
use switchyard_model::outages::Outages;
use switchyard_placement::Learned;
use switchyard_placement::Strategy;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationProgress {
    /// The moment reached.
    pub now: Time,
    /// Jobs finished or rejected.
    pub done: u32,
    /// Jobs in the workload.
    pub jobs: u32,
}

/// One run in the making. Advance it with [`step`](Self::step), as far and as often as wanted,
/// and read its [`log`](Self::log) at any time between.
pub struct Simulation {
    world: World,
    scheduler: Scheduler,
    rng: Rng,
    plan: Plan,
}

impl Simulation {
    /// A run at its very beginning. Jobs wanting more GPUs than the cluster has are rejected at
    /// their submission.
    pub fn new(
        workload: Arc<Workload>,
        cluster: &ClusterSpec,
        scheduler: Scheduler,
        options: SimOptions,
    ) -> Self {
        Self {
            world: World::new(workload, cluster, options, &scheduler),
            scheduler,
            rng: Rng::seed_from_u64(options.seed),
            plan: Plan::default(),
        }
    }

    /// The same run with these outages, besides those that its options draw. It has not begun yet.
    pub fn with_outages(mut self, outages: &Outages) -> Self {
        self.world.expect(outages);
        self
    }

    /// The same run, where placements that have learned go by this. It has not begun yet.
    pub fn with_learned(mut self, learned: impl Learned + 'static) -> Self {
        if let Some(network_context) = self
            .world
            .setting
            .network_context
            .as_mut()
            .and_then(Arc::get_mut)
        {
            network_context.set_learned(Arc::new(learned));
        }
        self
    }

    /// From now on notes how a placement that has learned decides about a job, for its
    /// [explanation](Self::explain).
    pub fn watch(&self, job: JobId) {
        if let Some(learned) = self.learned() {
            learned.watch(job);
        }
    }

    /// How many decisions a placement that has learned has made; `None`: there is none.
    pub fn decisions(&self) -> Option<u64> {
        self.learned().map(Learned::decisions)
    }

    fn learned(&self) -> Option<&dyn Learned> {
        self.world.setting.network_context.as_ref()?.learned()
    }

    /// What has happened so far.
    pub fn log(&self) -> &RunLog {
        &self.world.log
    }

    /// What has happened so far, by value.
    pub fn into_log(self) -> RunLog {
        self.world.log
    }

    /// How far the run has come.
    pub fn progress(&self) -> SimulationProgress {
        SimulationProgress {
            now: self.world.now,
            done: self.world.jobs.done,
            jobs: self.world.setting.workload.jobs.len() as u32,
        }
    }

    /// When the next event is due; [`Time::NEVER`] once the run is over.
    pub fn next_time(&self) -> Time {
        self.world.next_time()
    }

    /// Applies every event of the next moment, asks the policy and carries out its plan.
    /// `false`: nothing was left to do; jobs that still wait can never run under this policy.
    ///
    /// A run that gets nowhere, or whose log outgrows its budget, ends with an error; what has
    /// happened until then stays in the log.
    pub fn step(&mut self) -> Result<bool, RunError> {
        let now = self.world.next_time();
        if now == Time::NEVER {
            return Ok(false);
        }
        let round = self
            .world
            .advance_to(now, self.scheduler.policy.as_mut())
            .map_err(|what| self.error(what.into()))?;
        self.world
            .change_nodes()
            .map_err(|trouble| self.error(trouble))?;
        let cadence = self.scheduler.policy.cadence();
        if round || (cadence.on_change && !self.world.news.is_empty()) {
            self.ask_policy()?;
            self.world.news.clear();
        }
        self.world.start_on_cores();
        self.world.adjust_speeds();
        if let Some(every) = cadence.every {
            self.world.schedule_round(every);
        }
        self.world.sample();
        self.world.forget_stale_events();
        self.world
            .check_budget()
            .map_err(|reason| self.error(reason.into()))?;
        Ok(true)
    }

    /// Makes room for the log that its jobs come to if each runs once, as far as the budget goes.
    pub fn reserve_log(&mut self) {
        let setting = &self.world.setting;
        let affordable = setting.options.log_budget.bytes / RunLog::least_bytes(1);
        let jobs = setting.workload.jobs.len().min(affordable as usize);
        self.world.log.reserve(jobs);
    }

    /// Lets the log become longer or less long from now on.
    pub fn set_log_budget(&mut self, budget: LogBudget) {
        self.world.setting.options.log_budget = budget;
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Result<(), RunError> {
        while self.step()? {}
        Ok(())
    }

    /// Runs up to and including moment `until`.
    pub fn run_until(&mut self, until: Time) -> Result<(), RunError> {
        while self.next_time() <= until && self.step()? {}
        Ok(())
    }

    /// The numbers behind the policy's last decision about a job, as they stand at a time between
    /// the moment reached and the next event; who took the job's GPUs, if it has lost them; and
    /// how an adaptive job has trained so far, which a finished one keeps.
    pub fn explain(&self, job: JobId, at: Time) -> Explanation {
        let unit = self.world.setting.workload.unit;
        self.explained(job, at).counted_in(unit)
    }

    /// The same as policies and laws have it, who speak of GPUs.
    fn explained(&self, job: JobId, at: Time) -> Explanation {
        let world = &self.world;
        if world.is_on_cores(job) {
            return world.explain_on_cores(job);
        }
        let view = world.view_at(at.max(world.now));
        let mut explanation = self.scheduler.policy.explain(&view, job);
        if explanation.verdict == Verdict::NotActive {
            // Numbers of a moment that is past, or to come.
            explanation = Explanation::new(Verdict::NotActive, Vec::new());
        }
        let Some(&phase) = world.jobs.phase.get(job.index()) else {
            return explanation;
        };
        let training = world.jobs.training(job);
        if let Some(training) = training {
            let until = if phase == Phase::Finished {
                view.since(job)
            } else {
                view.now
            };
            explanation.plots.extend(training_plots(
                &world.log,
                job,
                (view.submit(job), until),
                world.jobs.epochs_at(job, until),
                &training.application,
            ));
        }
        if explanation.verdict == Verdict::NotActive {
            return explanation;
        }
        explanation.placing = self.learned().and_then(|learned| {
            // All that have learned are told the same of a gang.
            let placement = Strategy::ALL.into_iter().find(|of| of.is_learned());
            let placement = placement.filter(|_| phase == Phase::Waiting);
            let gang = placement.map(|of| view.gang(job, of, DEFAULT_PACKLIMIT));
            learned.placing_of(job, gang)
        });
        if phase == Phase::Running {
            explanation.slow = world.speeds.causes(job);
            let segment = world.jobs.segment[job.index()];
            let servers = servers(&world.log, segment as usize);
            if !servers.value.is_empty() {
                explanation.facts.push(servers);
            }
        }
        if let Some(training) = training {
            let application = training.application.name.to_string();
            explanation.facts.push(Fact::new("trains", application));
        }
        if phase == Phase::Waiting {
            explanation
                .facts
                .extend(failure_facts(world, job, explanation.verdict));
        }
        if phase == Phase::Waiting && world.ledger.starts(job) > 0 {
            let segment = world.jobs.segment[job.index()];
            let takers = world.log.successors(segment as usize);
            let takers: Vec<JobId> = takers.collect();
            if !takers.is_empty() {
                let name = |taker: JobId| view.name(taker);
                let fact = Fact::jobs("its GPUs went to", takers, name);
                explanation.facts.push(fact);
            }
        }
        explanation
    }

    /// The part of a job's work that is done at a time between the moment reached and the next event, from 0 to 1.
    pub fn executed_share(&self, job: JobId, at: Time) -> f64 {
        let world = &self.world;
        let executed = world.jobs.executed(job, at.max(world.now));
        executed / world.setting.job(job).work.seconds()
    }

    /// Whether anything slows jobs.
    pub fn slows_jobs(&self) -> bool {
        !self.world.speeds.is_empty()
    }

    /// Notes how fast a job runs after the last step. `false`: it is over, and nothing more is to be
    /// noted.
    pub fn note_speed(&self, job: JobId, slowness: &mut Slowness) -> bool {
        let world = &self.world;
        match world.jobs.phase.get(job.index()) {
            Some(Phase::Running) => {
                let causes = || world.speeds.causes(job);
                let ready = world.ready(job);
                slowness.note(world.now, ready, world.speeds.of(job), causes);
            }
            Some(Phase::Future | Phase::Waiting) => {
                slowness.note(world.now, world.now, 0.0, Vec::new);
            }
            _ => {
                slowness.close(world.now);
                return false;
            }
        }
        true
    }

    /// Notes what a job does after the last step. `false`: it is over, and nothing more is to be noted.
    pub fn note_life(&self, job: JobId, life: &mut Life) -> bool {
        let world = &self.world;
        match world.jobs.phase.get(job.index()) {
            Some(Phase::Running) => life.run(world.now, world.ready(job)),
            Some(Phase::Waiting) => life.wait(world.now, || self.waits_for(job)),
            Some(Phase::Future) => {}
            _ => {
                life.close(world.now);
                return false;
            }
        }
        true
    }

    /// What a job that waits is waiting for; and the queue's head, if it is that.
    pub fn waits_for(&self, job: JobId) -> (Spent, Option<JobId>) {
        let world = &self.world;
        let verdict = match world.is_on_cores(job) {
            true => world.explain_on_cores(job).verdict,
            false => self.scheduler.policy.explain(&world.view(), job).verdict,
        };
        match verdict {
            Verdict::BehindHead { head } => (Spent::BehindHead, Some(head)),
            Verdict::TooFewGpus { wants, left } if wants <= left + gpus_away(world) => {
                (Spent::NodesAway, None)
            }
            verdict => (verdict.into(), None),
        }
    }

    /// The jobs that wait after the last step, by their numbers.
    pub fn waiting(&self) -> impl Iterator<Item = JobId> {
        let jobs = &self.world.jobs;
        let phases = (0u32..).zip(&jobs.phase[..jobs.submitted]);
        let waiting = phases.filter(|(_, phase)| **phase == Phase::Waiting);
        waiting.map(|(job, _)| JobId(job))
    }

    /// The jobs that hold GPUs after the last step, and how many each.
    pub fn running(&self) -> impl Iterator<Item = (JobId, f64)> {
        let ledger = &self.world.ledger;
        ledger.running().map(|job| {
            let share = ledger.share(job).map(|(_, share)| share.thousandths);
            let gpus = match share {
                Some(thousandths) => f64::from(thousandths.get()) / 1000.0,
                None => f64::from(ledger.gpus(job)),
            };
            (job, gpus)
        })
    }

    /// How fast a running job is, of its full speed, and why not faster; `None` while it is being restored.
    pub fn speed(&self, job: JobId) -> Option<(f64, Vec<Cause>)> {
        let world = &self.world;
        (world.now >= world.ready(job)).then(|| {
            let speed = world.speeds.of(job);
            (
                speed,
                if speed < 1.0 {
                    world.speeds.causes(job)
                } else {
                    Vec::new()
                },
            )
        })
    }

    /// What the policy decided in its last round, if it decides by rounds over all jobs.
    pub fn round(&self) -> Option<RoundReport> {
        self.scheduler.policy.round()
    }

    fn ask_policy(&mut self) -> Result<(), RunError> {
        self.plan.clear();
        self.scheduler
            .policy
            .plan(&self.world.view(), &mut self.rng, &mut self.plan);
        if let Some(mistake) = self.plan.mistake.take() {
            let error = ProgramError {
                policy: self.scheduler.spec.clone(),
                time: self.world.now,
                mistake: *mistake,
            };
            return Err(error.into());
        }
        self.world
            .carry_out(&self.plan)
            .map_err(|trouble| self.error(trouble))
    }

    fn error(&self, trouble: Trouble) -> RunError {
        let Scheduler {
            spec,
            given,
            policy: scheduler,
            ..
        } = &self.scheduler;
        let SimulationProgress { now, done, jobs } = self.progress();
        let (policy, time) = (spec.clone(), now);
        let unit = self.world.setting.workload.unit;
        let reason = match trouble {
            Trouble::Plan(job, kind) => {
                let error = PlanError {
                    policy,
                    time,
                    job,
                    kind,
                    unit,
                };
                return error.into();
            }
            Trouble::Halt(reason) => reason,
        };
        let options = &self.world.setting.options;
        let is_wasted = || options.log_budget.is_wasted(&self.world.log, jobs);
        let remedy = match (scheduler.cadence().every, reason) {
            (_, HaltReason::LogFull { .. }) if !is_wasted() => Remedy::FewerJobs,
            // Asked less often, it would start nobody either.
            (None, _) | (_, HaltReason::NobodyRuns { .. }) => Remedy::Other(given.clone()),
            (Some(every), _) => Remedy::Greater(every.parameter),
        };
        let halt = Halt {
            policy,
            time,
            done,
            jobs,
            reason,
            remedy,
            unit,
        };
        halt.into()
    }
}

/// Why failures have to do with a job's waiting: it lost its GPUs to one, or the GPUs that it waits
/// for are on nodes that are away.
fn failure_facts(world: &World, job: JobId, verdict: Verdict) -> Vec<Fact> {
    let mut facts = Vec::new();
    let log = &world.log;
    let segment = world.jobs.segment[job.index()];
    let evictions = (0..log.evictions()).rev().map(|i| log.eviction(i));
    let since = world.jobs.since[job.index()];
    let mut evictions = evictions.take_while(|eviction| eviction.time >= since);
    if world.ledger.starts(job) > 0
        && let Some(eviction) = evictions.find(|eviction| eviction.segment == segment)
    {
        let fact = Fact::of(LOST, vec![Said::Node(eviction.node)]).then(" failed");
        facts.push(with_work_lost(fact, eviction.lost));
    }
    let stop = log.stop_of(segment, since);
    if world.ledger.starts(job) > 0
        && let Some(stop) = stop
    {
        let what = format!("it {}, as its trace records", stop.cause);
        facts.push(with_work_lost(Fact::new(LOST, what), stop.lost));
    }
    if world.nodes.closed() == 0 {
        return facts;
    }
    let absences = log.absences();
    let away: Vec<_> = absences.iter().filter(|of| of.to == Time::NEVER).collect();
    let gpus = gpus_away(world);
    let enough = match verdict {
        Verdict::TooFewGpus { wants, left } if wants <= left + gpus => ", enough for it",
        _ => "",
    };
    let mut fact = Fact::gpus("away", gpus).then(enough);
    let mut before = ": ";
    for of in away.iter().take(MOST_NODES_NAMED) {
        fact = fact
            .then(before)
            .and(Said::Node(of.node))
            .then(&format!(" is {}", of.state));
        fact = match of.until < Time::NEVER {
            true => fact.then(" until ").and(Said::Moment(of.until)),
            false => fact.then(" for good"),
        };
        before = ", ";
    }
    if away.len() > MOST_NODES_NAMED {
        let more = away.len() - MOST_NODES_NAMED;
        fact = fact.then(&format!("{before}{more} more"));
    }
    facts.push(fact);
    facts
}

/// GPUs of the nodes that are away.
fn gpus_away(world: &World) -> u32 {
    if world.nodes.closed() == 0 {
        return 0;
    }
    let sizes = (0u32..).zip(world.nodes.sizes());
    let away = sizes.filter(|(node, _)| world.nodes.by_outages(*node) != NodeState::Up);
    away.map(|(_, gpus)| gpus).sum()
}

/// What it is called that a job lost its GPUs; the value says why.
const LOST: &str = "lost its GPUs";

/// The same with how many seconds of work.
fn with_work_lost(why: Fact, seconds: f64) -> Fact {
    why.then("; ")
        .and(Said::Span(seconds))
        .then(" of work are lost")
}

/// How many parameter servers of a segment are on which node; without a value where there are none.
fn servers(log: &RunLog, segment: usize) -> Fact {
    let mut fact = Fact::of("parameter servers", Vec::new());
    for (at, (node, count)) in log.servers(segment).enumerate() {
        fact = fact
            .then(if at > 0 { ", " } else { "" })
            .and(Said::count(count, Unit::None))
            .then(" on ")
            .and(Said::Node(node));
    }
    fact
}

/// How many nodes an explanation names.
const MOST_NODES_NAMED: usize = 4;
