//! The event loop: arrivals, completions, alarms and rounds in; segments and events out.

use super::attained::Held;
use super::halt::{Halt, HaltReason, LogBudget, Remedy, RunError, Watch};
use super::ledger::Ledger;
use super::log::{EventKind, LogDelta, LogMark, Rental, Round, RunLog, Tuning};
use super::news::News;
use super::plan::{Placed, Plan, PlanError, PlanErrorKind};
use super::scheduler::{Every, Policy, Scheduler};
use super::training::{Training, trainings};
use super::training_plots::training_plots;
use super::view::{Phase, View};
use crate::Time;
use crate::cluster::{ClusterSpec, Occupancy, Part};
use crate::goodput::LocalBatch;
use crate::job::JobId;
use crate::policy::Rng;
use crate::tell::{Explanation, Fact, Plot, RoundReport, Verdict};
use crate::workload::{GpuGeneration, TraitsByJob, Workload};
use rand_xoshiro::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// What does not belong to trace, cluster or policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimOptions {
    /// Seconds without progress after every resume or move (checkpoint, restore, re-join). GPUs
    /// are held meanwhile. A first start is free.
    pub restart_cost: f64,
    /// Adds to the restart cost what checkpoint and resume of the job's model take
    /// ([`ModelTraits::restart_seconds`](crate::workload::ModelTraits::restart_seconds)).
    #[serde(default)]
    pub restart_by_model: bool,
    /// GPUs of this generation train slower when a gang is on more nodes than it needs
    /// ([`ModelTraits::spread_rate`](crate::workload::ModelTraits::spread_rate)); `None`: the
    /// placement does not matter.
    #[serde(default)]
    pub spread_slowdown: Option<GpuGeneration>,
    /// A first start costs what every other does.
    #[serde(default)]
    pub first_start_pays: bool,
    /// By this share an adaptive job on several nodes is slower while another such job shares one
    /// of them; below 1.
    #[serde(default)]
    pub interference: f64,
    /// Epochs of adaptive jobs take whole seconds, as in the simulator of Pollux.
    #[serde(default)]
    pub whole_second_epochs: bool,
    /// Seed of the policy's random generator.
    pub seed: u64,
    /// How much the run may write into its log before it is ended.
    #[serde(default)]
    pub log_budget: LogBudget,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
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

/// Everything but the policy, which may look at it while it plans.
struct World {
    workload: Arc<Workload>,
    options: SimOptions,
    occupancy: Occupancy,
    /// GPUs of the largest node.
    node_size: u32,
    /// GPUs of the cluster.
    gpus: u32,
    /// Nodes on which jobs may run: the first so many.
    rented: u32,
    oracle: bool,
    traits: TraitsByJob,
    states: JobStates,
    queue: EventQueue,
    next_arrival: usize,
    waiting: u32,
    done: u32,
    now: Time,
    watch: Watch,
    round_pending: bool,
    /// Whether a round is due now.
    is_round: bool,
    /// By job; empty unless some adapt.
    trainings: Vec<Option<Training>>,
    /// Running adaptive jobs on several nodes, and whether that has changed; kept where they
    /// disturb one another.
    distributed: Vec<JobId>,
    distributed_changed: bool,
    ledger: Ledger,
    news: Vec<News>,
    /// Whether some of it is an alarm.
    alarmed: bool,
    log: RunLog,
}

/// Columns indexed by job.
#[derive(Debug)]
pub(super) struct JobStates {
    pub(super) phase: Vec<Phase>,
    /// When the phase began; for a running job, when it got its present GPUs.
    pub(super) since: Vec<Time>,
    /// When the present GPUs begin to make progress.
    ready: Vec<Time>,
    /// Seconds of progress per second on the present GPUs.
    pub(super) rate: Vec<f64>,
    /// Whether the present (or last) GPUs are on more nodes than the gang needs.
    pub(super) spread: Vec<bool>,
    /// Seconds of progress before the present segment.
    executed: Vec<f64>,
    /// Stays on GPUs before the present segment.
    held: Vec<Held>,
    segment: Vec<u32>,
    /// Counts changes of placement: events of an earlier version are stale.
    version: Vec<u32>,
    alarm: Vec<Time>,
}

impl JobStates {
    fn new(jobs: usize) -> Self {
        Self {
            phase: vec![Phase::Future; jobs],
            since: vec![Time::ZERO; jobs],
            ready: vec![Time::ZERO; jobs],
            rate: vec![1.0; jobs],
            spread: vec![false; jobs],
            executed: vec![0.0; jobs],
            held: vec![Held::default(); jobs],
            segment: vec![0; jobs],
            version: vec![0; jobs],
            alarm: vec![Time::NEVER; jobs],
        }
    }

    /// Stays on GPUs until now; on so many at present.
    pub(super) fn held(&self, job: JobId, now: Time, gpus: u32) -> Held {
        let i = job.index();
        let mut held = self.held[i];
        if self.phase[i] == Phase::Running {
            held.stay(gpus, now - self.since[i]);
        }
        held
    }

    pub(super) fn executed_seconds(&self, job: JobId, now: Time) -> f64 {
        let i = job.index();
        let present = if self.phase[i] == Phase::Running {
            at_least_zero(now - self.ready[i]) * self.rate[i]
        } else {
            0.0
        };
        self.executed[i] + present
    }
}

/// `x.max(0.0)`, which is a call in wasm (of other rules for NaN), in an instruction.
pub(super) fn at_least_zero(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

/// Events to come other than arrivals, ordered by (time, sequence number).
#[derive(Debug, Default)]
struct EventQueue {
    /// By time; at one time, those that rounding put before their true time come last.
    heap: BinaryHeap<Reverse<(Time, bool, u64, Due)>>,
    sequence: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Finish { job: JobId, version: u32 },
    Epoch { job: JobId, stretch: u32 },
    Alarm { job: JobId, version: u32 },
    Round,
}

impl EventQueue {
    fn push(&mut self, time: Time, due: Due) {
        self.push_at(time, false, due);
    }

    fn push_at(&mut self, time: Time, early: bool, due: Due) {
        self.heap.push(Reverse((time, early, self.sequence, due)));
        self.sequence += 1;
    }

    /// Whether all that is left of the next moment is early.
    fn is_early(&self) -> bool {
        self.heap
            .peek()
            .is_some_and(|Reverse((_, early, _, _))| *early)
    }

    fn next_time(&self) -> Time {
        self.heap
            .peek()
            .map_or(Time::NEVER, |Reverse((time, ..))| *time)
    }

    fn pop_at(&mut self, time: Time, early: bool) -> Option<Due> {
        if self.next_time() != time || self.is_early() != early {
            return None;
        }
        self.heap.pop().map(|Reverse((.., due))| due)
    }
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
        let world = World {
            options,
            occupancy: Occupancy::new(cluster),
            node_size: cluster.largest_node(),
            gpus: cluster.gpus(),
            rented: cluster.nodes(),
            oracle: scheduler.policy.is_oracle(),
            traits: TraitsByJob::of(&workload),
            states: JobStates::new(workload.jobs.len()),
            queue: EventQueue::default(),
            next_arrival: 0,
            waiting: 0,
            done: 0,
            now: Time::ZERO,
            watch: Watch::default(),
            round_pending: false,
            is_round: false,
            trainings: trainings(&workload, cluster),
            distributed: Vec::new(),
            distributed_changed: false,
            ledger: Ledger::new(workload.jobs.len(), workload.tenants.len()),
            news: Vec::new(),
            alarmed: false,
            log: RunLog::default(),
            workload,
        };
        Self {
            world,
            scheduler,
            rng: Rng::seed_from_u64(options.seed),
            plan: Plan::default(),
        }
    }

    /// What has happened so far.
    pub fn log(&self) -> &RunLog {
        &self.world.log
    }

    /// What has happened so far, by value.
    pub fn into_log(self) -> RunLog {
        self.world.log
    }

    /// What has happened since `mark`, which is moved on.
    pub fn take_delta(&self, mark: &mut LogMark) -> LogDelta {
        let delta = self.world.log.delta_since(*mark);
        *mark = self.world.log.mark();
        delta
    }

    /// How far the run has come.
    pub fn progress(&self) -> Progress {
        Progress {
            now: self.world.now,
            done: self.world.done,
            jobs: self.world.workload.jobs.len() as u32,
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
        let cadence = self.scheduler.policy.cadence();
        if round || (cadence.on_change && self.world.has_news()) {
            self.ask_policy()?;
            self.world.forget_news();
        }
        self.world.disturb();
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
        let view = View {
            now: at.max(self.world.now),
            ..self.world.view()
        };
        let mut explanation = self.scheduler.policy.explain(&view, job);
        if explanation.verdict == Verdict::NotActive {
            // Numbers of a moment that is past, or to come.
            explanation = Explanation::new(Verdict::NotActive, Vec::new());
        }
        let training = self.world.training_plots(job, view.now);
        explanation.plots.extend(training);
        if explanation.verdict == Verdict::NotActive {
            return explanation;
        }
        let states = &self.world.states;
        let i = job.index();
        if let Some(Some(training)) = self.world.trainings.get(i) {
            let application = training.application.name.to_string();
            explanation.facts.push(Fact::new("trains", application));
        }
        if states.phase.get(i) == Some(&Phase::Waiting) && states.version[i] > 0 {
            let takers: Vec<&str> = self
                .world
                .log
                .successors(states.segment[i] as usize)
                .map(|taker| view.name(taker))
                .collect();
            if !takers.is_empty() {
                let fact = Fact::new("its GPUs went to", takers.join(", "));
                explanation.facts.push(fact);
            }
        }
        explanation
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
        self.world
            .carry_out(&self.plan)
            .map_err(|trouble| self.error(trouble))
    }

    fn error(&self, trouble: Trouble) -> RunError {
        let Scheduler {
            spec,
            given,
            policy: scheduler,
        } = &self.scheduler;
        let Progress { now, done, jobs } = self.progress();
        let (policy, time) = (spec.clone(), now);
        let reason = match trouble {
            Trouble::Plan(job, kind) => {
                let error = PlanError {
                    policy,
                    time,
                    job,
                    kind,
                };
                return error.into();
            }
            Trouble::Halt(reason) => reason,
        };
        let remedy = match (scheduler.cadence().every, reason) {
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
        };
        halt.into()
    }
}

/// What stops a run: an impossible plan about a job, or no way on.
enum Trouble {
    Plan(JobId, PlanErrorKind),
    Halt(HaltReason),
}

impl From<(JobId, PlanErrorKind)> for Trouble {
    fn from((job, kind): (JobId, PlanErrorKind)) -> Self {
        Self::Plan(job, kind)
    }
}

impl From<HaltReason> for Trouble {
    fn from(reason: HaltReason) -> Self {
        Self::Halt(reason)
    }
}

impl World {
    fn next_time(&self) -> Time {
        let arrival = self
            .workload
            .jobs
            .get(self.next_arrival)
            .map_or(Time::NEVER, |job| job.submit);
        arrival.min(self.queue.next_time())
    }

    /// Applies every event due at `now`; says whether a round is.
    fn advance_to(
        &mut self,
        now: Time,
        policy: &mut dyn Policy,
    ) -> Result<bool, (JobId, PlanErrorKind)> {
        self.now = now;
        let round = self.apply_due_events(policy)?;
        self.admit_arrivals();
        // The first jobs begin the first round.
        self.is_round = round || now == Time::ZERO;
        Ok(round)
    }

    fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    fn forget_news(&mut self) {
        self.news.clear();
        self.alarmed = false;
    }

    /// Sees to it that a round is due at the next multiple of `every`, while jobs are active. Where
    /// rounds matter only to those who wait and nobody does, the next that can matter is the first
    /// at or after whatever happens next.
    fn schedule_round(&mut self, every: Every) {
        let active = self.done < self.next_arrival as u32;
        if !active || self.round_pending {
            return;
        }
        let from = if every.while_all_run || self.waiting > 0 {
            self.now
        } else {
            self.next_time()
        };
        if from < Time::NEVER {
            let next = first_multiple(every.seconds, from, self.now);
            self.queue.push(next, Due::Round);
            self.round_pending = true;
        }
    }

    fn sample(&mut self) {
        let allocated = self.gpus - self.occupancy.free().total();
        self.log.push_sample(self.now, self.waiting, allocated);
    }

    /// Keeps the queue from growing with every restart and alarm: what is due to jobs that have
    /// moved on since may lie years ahead.
    fn forget_stale_events(&mut self) {
        let active = self.next_arrival - self.done as usize;
        // A job has three events to come at most: far fewer are left than it takes to be here again.
        if self.queue.heap.len() < 64 + 8 * active {
            return;
        }
        let (states, trainings) = (&self.states, &self.trainings);
        self.queue
            .heap
            .retain(|&Reverse((time, _, _, due))| match due {
                Due::Finish { job, version } => states.version[job.index()] == version,
                Due::Alarm { job, version } => {
                    states.version[job.index()] == version && states.alarm[job.index()] == time
                }
                Due::Epoch { job, stretch } => trainings
                    .get(job.index())
                    .and_then(Option::as_ref)
                    .is_some_and(|training| training.stretch == stretch),
                Due::Round => true,
            });
    }

    fn check_budget(&self) -> Result<(), HaltReason> {
        if self.options.log_budget.is_spent(&self.log) {
            return Err(HaltReason::LogFull {
                events: self.log.events() as u64,
                bytes: self.log.bytes(),
            });
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        View {
            now: self.now,
            jobs: &self.workload.jobs,
            states: &self.states,
            traits: &self.traits,
            is_round: self.is_round,
            trainings: &self.trainings,
            free: self.occupancy.free(),
            node_size: self.node_size,
            oracle: self.oracle,
            news: &self.news,
            ledger: &self.ledger,
        }
    }

    /// Applies what is due now; says whether a round is.
    fn apply_due_events(
        &mut self,
        policy: &mut dyn Policy,
    ) -> Result<bool, (JobId, PlanErrorKind)> {
        let mut round = false;
        let early = self.queue.is_early();
        while let Some(due) = self.queue.pop_at(self.now, early) {
            match due {
                Due::Epoch { job, stretch }
                    if self
                        .training(job)
                        .is_some_and(|training| training.stretch == stretch) =>
                {
                    self.end_epoch(job, policy)?;
                }
                Due::Finish { job, version } if self.states.version[job.index()] == version => {
                    self.finish(job)
                }
                Due::Alarm { job, version }
                    if self.states.version[job.index()] == version
                        && self.states.alarm[job.index()] == self.now =>
                {
                    self.states.alarm[job.index()] = Time::NEVER;
                    self.news.push(News::Alarm(job));
                    self.alarmed = true;
                }
                Due::Round => {
                    round = true;
                    self.round_pending = false;
                }
                Due::Finish { .. } | Due::Alarm { .. } | Due::Epoch { .. } => {}
            }
        }
        Ok(round)
    }

    fn admit_arrivals(&mut self) {
        while let Some(job) = self.workload.jobs.get(self.next_arrival)
            && job.submit == self.now
        {
            let id = JobId(self.next_arrival as u32);
            self.next_arrival += 1;
            self.states.since[id.index()] = self.now;
            if job.gpus > self.gpus {
                self.states.phase[id.index()] = Phase::Rejected;
                self.done += 1;
                self.log
                    .push_event(self.now, EventKind::Reject, id, job.gpus);
            } else {
                self.states.phase[id.index()] = Phase::Waiting;
                self.waiting += 1;
                self.news.push(News::Arrived(id));
                self.log.push_event(self.now, EventKind::Submit, id, 0);
            }
        }
    }

    fn finish(&mut self, job: JobId) {
        let i = job.index();
        self.release(job);
        self.watch.finished();
        self.states.phase[i] = Phase::Finished;
        self.states.since[i] = self.now;
        self.done += 1;
        self.log
            .push_event(self.now, EventKind::Finish, job, self.states.segment[i]);
        // A job that ends at the very moment of its alarm has nothing left to be asked about.
        if self.alarmed {
            self.news.retain(|&news| news != News::Alarm(job));
        }
        self.news.push(News::Finished(job));
    }

    fn training(&mut self, job: JobId) -> Option<&mut Training> {
        self.trainings.get_mut(job.index())?.as_mut()
    }

    /// How an adaptive job has trained until `now`, or its end.
    fn training_plots(&self, job: JobId, now: Time) -> Vec<Plot> {
        let i = job.index();
        let Some(training) = self.trainings.get(i).and_then(Option::as_ref) else {
            return Vec::new();
        };
        let until = if self.states.phase[i] == Phase::Finished {
            self.states.since[i]
        } else {
            now
        };
        let submit = self.workload.jobs[i].submit;
        let reached = training.epochs_at(until);
        training_plots(
            &self.log,
            job,
            (submit, until),
            reached,
            &training.application,
        )
    }

    /// Completes a job's epoch: it ends, or goes on with the batch that the policy wants.
    fn end_epoch(
        &mut self,
        job: JobId,
        policy: &mut dyn Policy,
    ) -> Result<(), (JobId, PlanErrorKind)> {
        let now = self.now;
        let Some(training) = self.training(job) else {
            return Ok(());
        };
        if training.epoch + 1 >= training.application.epochs() {
            training.complete_epoch(now);
            self.finish(job);
            return Ok(());
        }
        let tuned = policy.tune(&self.view(), job);
        if let Some(training) = self.training(job) {
            training.complete_epoch(now);
        }
        if let Some(batch) = tuned {
            self.set_batch(job, batch)?;
        }
        self.begin_stretch(job, now);
        Ok(())
    }

    /// Gives a running adaptive job another batch; its stretch has ended.
    fn set_batch(&mut self, job: JobId, batch: LocalBatch) -> Result<(), (JobId, PlanErrorKind)> {
        let i = job.index();
        let (now, segment) = (self.now, self.states.segment[i]);
        let Some(training) = self.trainings.get_mut(i).and_then(Option::as_mut) else {
            return Err((job, PlanErrorKind::NotAdaptive));
        };
        if training.batch == batch {
            return Ok(());
        }
        check_batch(training, training.replicas, batch).map_err(|kind| (job, kind))?;
        training.configure(self.ledger.parts(job), batch);
        let tuning = Tuning {
            time: now,
            segment,
            m: batch.m,
            s: batch.s,
            epochs: training.epochs_at(now),
        };
        self.log.push_tuning(tuning);
        Ok(())
    }

    /// From `at`, or when its restart is over, an adaptive job progresses to its epoch's end.
    fn begin_stretch(&mut self, job: JobId, at: Time) {
        let i = job.index();
        let at = at.max(self.states.ready[i]);
        let options = self.options;
        let Some(training) = self.trainings.get_mut(i).and_then(Option::as_mut) else {
            return;
        };
        let lost = if training.disturbed {
            options.interference
        } else {
            0.0
        };
        let end = training.go_on(at, lost, options.whole_second_epochs);
        self.states.rate[i] = training.rate();
        let stretch = training.stretch;
        self.queue
            .push_at(end.at, end.early, Due::Epoch { job, stretch });
    }

    /// Adaptive jobs on several nodes slow one another where they share a node.
    fn disturb(&mut self) {
        if !self.distributed_changed {
            return;
        }
        self.distributed_changed = false;
        let mut there = vec![0u32; self.occupancy.free().node_sizes().len()];
        for job in &self.distributed {
            for part in self.ledger.parts(*job) {
                there[part.node as usize] += 1;
            }
        }
        for at in 0..self.distributed.len() {
            let job = self.distributed[at];
            let parts = self.ledger.parts(job);
            let disturbed = parts.iter().any(|part| there[part.node as usize] > 1);
            let now = self.now;
            let Some(training) = self.training(job) else {
                continue;
            };
            if training.disturbed != disturbed {
                training.settle(now);
                training.disturbed = disturbed;
                self.begin_stretch(job, now);
            }
        }
    }

    /// Ends the job's segment and takes its GPUs back.
    fn release(&mut self, job: JobId) {
        let i = job.index();
        let now = self.now;
        if let Some(training) = self.training(job) {
            training.settle(now);
            training.disturbed = false;
            if training.is_distributed() && self.options.interference > 0.0 {
                self.distributed.retain(|&other| other != job);
                self.distributed_changed = true;
            }
        }
        self.states.executed[i] = self.states.executed_seconds(job, self.now);
        let gpus = self.ledger.gpus(job);
        self.states.held[i] = self.states.held(job, self.now, gpus);
        self.states.version[i] += 1;
        self.states.alarm[i] = Time::NEVER;
        self.ledger.leave(job, &self.workload.jobs[i]);
        let segment = self.states.segment[i];
        for &gpus in self.log.segment(segment as usize).gpus {
            self.occupancy.give(gpus);
        }
        self.log.close_segment(segment, self.now);
    }

    fn carry_out(&mut self, plan: &Plan) -> Result<(), Trouble> {
        for change in &plan.queue_moves {
            self.check_active(change.job)?;
            let kind = if change.demoted {
                EventKind::Demote
            } else {
                EventKind::Promote
            };
            self.log
                .push_event(self.now, kind, change.job, change.queue);
        }
        for &job in &plan.preempted {
            self.check_active(job)?;
            if self.states.phase[job.index()] != Phase::Running {
                return Err((job, PlanErrorKind::NotRunning).into());
            }
            self.pause(job)?;
        }
        // Every moved job leaves before any is placed: two may change places.
        for &Placed { job, .. } in &plan.placed {
            self.check_active(job)?;
            if self.states.phase[job.index()] == Phase::Running {
                self.pause(job)?;
            }
        }
        if let Some(nodes) = plan.rented {
            self.rent(nodes)?;
        }
        for placed in &plan.placed {
            let parts = &plan.parts[placed.from as usize..placed.to as usize];
            self.start(placed.job, parts, placed.batch)?;
        }
        for &(job, batch) in &plan.tuned {
            self.check_active(job)?;
            if self.states.phase[job.index()] != Phase::Running {
                return Err((job, PlanErrorKind::NotRunning).into());
            }
            let now = self.now;
            let Some(training) = self.training(job) else {
                return Err((job, PlanErrorKind::NotAdaptive).into());
            };
            if training.batch != batch {
                training.settle(now);
                self.set_batch(job, batch)?;
                self.begin_stretch(job, now);
            }
        }
        if let Some((fitness, utility)) = plan.round {
            self.log.push_round(Round {
                time: self.now,
                fitness,
                utility,
            });
        }
        for &(job, at) in &plan.alarms {
            self.check_active(job)?;
            let i = job.index();
            if at.seconds().is_nan() {
                return Err((job, PlanErrorKind::AlarmAtNoTime).into());
            }
            let at = at.max(self.now);
            self.states.alarm[i] = at;
            self.queue.push(
                at,
                Due::Alarm {
                    job,
                    version: self.states.version[i],
                },
            );
        }
        let in_use = self.gpus - self.occupancy.free().total();
        self.watch
            .planned(self.now, &self.log, self.waiting, in_use)?;
        Ok(())
    }

    fn check_active(&self, job: JobId) -> Result<(), (JobId, PlanErrorKind)> {
        match self.states.phase.get(job.index()) {
            None => Err((job, PlanErrorKind::UnknownJob)),
            Some(Phase::Waiting | Phase::Running) => Ok(()),
            Some(Phase::Future | Phase::Finished | Phase::Rejected) => {
                Err((job, PlanErrorKind::NotActive))
            }
        }
    }

    fn pause(&mut self, job: JobId) -> Result<(), HaltReason> {
        let progressed = self.now > self.states.ready[job.index()];
        self.watch.stay_ended(job, progressed, self.gpus)?;
        self.release(job);
        self.states.phase[job.index()] = Phase::Waiting;
        self.states.since[job.index()] = self.now;
        self.waiting += 1;
        self.log.push_event(
            self.now,
            EventKind::Pause,
            job,
            self.states.segment[job.index()],
        );
        Ok(())
    }

    /// Rents the first so many nodes from now on: nobody may be left on the others.
    fn rent(&mut self, nodes: u32) -> Result<(), (JobId, PlanErrorKind)> {
        let all = self.occupancy.free().node_sizes().len() as u32;
        let rented = nodes.min(all);
        for job in self.ledger.running() {
            let parts = self.ledger.parts(job);
            if let Some(&Part { node, .. }) = parts.iter().find(|part| part.node >= rented) {
                return Err((job, PlanErrorKind::NotRented { node, rented }));
            }
        }
        self.rented = rented;
        self.log.push_rental(Rental {
            time: self.now,
            nodes: rented,
        });
        Ok(())
    }

    fn restart_seconds(&self, job: JobId) -> f64 {
        let by_model = if self.options.restart_by_model {
            let model = self.workload.jobs[job.index()].model;
            self.traits.get(model, job).restart_seconds()
        } else {
            0.0
        };
        self.options.restart_cost + by_model
    }

    /// Seconds of progress per second on the present GPUs.
    fn rate(&self, job: JobId) -> f64 {
        let i = job.index();
        match self.options.spread_slowdown {
            Some(generation) if self.states.spread[i] => {
                let model = self.workload.jobs[i].model;
                self.traits.get(model, job).spread_rate(generation)
            }
            _ => 1.0,
        }
    }

    fn start(
        &mut self,
        job: JobId,
        parts: &[Part],
        batch: Option<LocalBatch>,
    ) -> Result<(), (JobId, PlanErrorKind)> {
        let i = job.index();
        let requested = self.workload.jobs[i].gpus;
        if self.states.phase[i] == Phase::Running {
            return Err((job, PlanErrorKind::NamedTwice));
        }
        let given = parts
            .iter()
            .fold(0u32, |sum, part| sum.saturating_add(part.gpus));
        match (self.trainings.get(i).and_then(Option::as_ref), batch) {
            (Some(training), Some(batch)) => {
                let most = training.application.limits.max_replicas().max(requested);
                if !(1..=most).contains(&given) {
                    return Err((job, PlanErrorKind::TooManyGpus { most, given }));
                }
                check_batch(training, given, batch).map_err(|kind| (job, kind))?;
            }
            (None, Some(_)) => return Err((job, PlanErrorKind::NotAdaptive)),
            (_, None) if given != requested => {
                return Err((job, PlanErrorKind::GangBroken { requested, given }));
            }
            (_, None) => {}
        }
        for &Part { node, gpus } in parts {
            // Beyond the cluster there is nothing to rent.
            if node >= self.rented && (node as usize) < self.occupancy.free().node_sizes().len() {
                let rented = self.rented;
                return Err((job, PlanErrorKind::NotRented { node, rented }));
            }
            let gpus = self
                .occupancy
                .take(node, gpus)
                .map_err(|error| (job, PlanErrorKind::Place(error)))?;
            self.log.push_gpus(gpus);
        }
        let first = self.states.version[i] == 0;
        let ready = if first && !self.options.first_start_pays {
            self.now
        } else {
            self.now + self.restart_seconds(job)
        };
        let segment = self.log.open_segment(job, self.now, ready);
        let kind = if first {
            EventKind::Start
        } else {
            EventKind::Restart
        };
        self.log.push_event(self.now, kind, job, segment);

        self.states.phase[i] = Phase::Running;
        self.states.since[i] = self.now;
        self.states.ready[i] = ready;
        self.states.spread[i] = parts.len() as u32 > given.div_ceil(self.node_size);
        self.states.rate[i] = self.rate(job);
        self.states.segment[i] = segment;
        self.states.version[i] += 1;
        self.states.alarm[i] = Time::NEVER;
        self.ledger.enter(job, &self.workload.jobs[i], parts);
        self.waiting -= 1;
        if self.begin_training(job, batch) {
            return Ok(());
        }
        let duration = self.workload.jobs[i].work.seconds();
        let finish =
            ready + at_least_zero(duration - self.states.executed[i]) / self.states.rate[i];
        self.queue.push(
            finish,
            Due::Finish {
                job,
                version: self.states.version[i],
            },
        );
        Ok(())
    }

    /// Begins to train on the GPUs just given; `false` for a plain job.
    fn begin_training(&mut self, job: JobId, batch: Option<LocalBatch>) -> bool {
        let i = job.index();
        let (now, segment) = (self.now, self.states.segment[i]);
        let Some(training) = self.trainings.get_mut(i).and_then(Option::as_mut) else {
            return false;
        };
        let parts = self.ledger.parts(job);
        let gpus = self.ledger.gpus(job);
        let limits = &training.application.limits;
        let batch = batch.unwrap_or_else(|| limits.split(training.asked, gpus));
        training.configure(parts, batch);
        let tuning = Tuning {
            time: now,
            segment,
            m: batch.m,
            s: batch.s,
            epochs: training.epochs_at(now),
        };
        if training.is_distributed() && self.options.interference > 0.0 {
            self.distributed.push(job);
            self.distributed_changed = true;
        }
        self.log.push_tuning(tuning);
        self.begin_stretch(job, now);
        true
    }
}

/// The first multiple of `every` seconds that is not before `from`, but after `now`; `now` where
/// numbers so great have no such multiple.
fn first_multiple(every: f64, from: Time, now: Time) -> Time {
    let rounds = libm::floor(from.seconds() / every);
    // Rounding may have brought the quotient to the next whole number, or kept it below its own.
    (0..3)
        .map(|more| Time((rounds + f64::from(more)) * every))
        .find(|&at| at >= from && at > now)
        .unwrap_or(now)
}

fn check_batch(training: &Training, replicas: u32, batch: LocalBatch) -> Result<(), PlanErrorKind> {
    let limits = &training.application.limits;
    let local = 1..=limits.max_local;
    if local.contains(&batch.m) && batch.total(replicas) <= f64::from(limits.max_batch) {
        Ok(())
    } else {
        let LocalBatch { m, s } = batch;
        Err(PlanErrorKind::BadBatch { m, s })
    }
}
