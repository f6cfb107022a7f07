//! The event loop: arrivals, completions, alarms and rounds in; segments and events out.

use super::log::{EventKind, LogDelta, LogMark, RunLog};
use super::plan::{Plan, PlanError, PlanErrorKind};
use super::view::{Phase, View};
use crate::Time;
use crate::cluster::{ClusterSpec, Occupancy};
use crate::job::JobId;
use crate::policy::{Explanation, Fact, Policy, Rng, Verdict};
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
    /// Seed of the policy's random generator.
    pub seed: u64,
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

/// A policy that asks for the same moment this often in a row is stopped.
const MOST_PLANS_PER_MOMENT: u32 = 10_000;

/// So many stays in a row that all end before the restart is over: nobody will ever get anywhere.
fn most_fruitless_stays(gpus: u32) -> u32 {
    10_000 + 100 * gpus
}

/// One run in the making. Advance it with [`step`](Self::step), as far and as often as wanted,
/// and read its [`log`](Self::log) at any time between.
pub struct Simulation {
    world: World,
    policy: Box<dyn Policy>,
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
    oracle: bool,
    traits: TraitsByJob,
    states: JobStates,
    queue: EventQueue,
    next_arrival: usize,
    waiting: u32,
    done: u32,
    now: Time,
    plans_this_moment: u32,
    /// Preempted or moved before any progress, one after the other.
    fruitless_stays: u32,
    round_pending: bool,
    /// Whether a round is due now.
    is_round: bool,
    arrived: Vec<JobId>,
    finished: Vec<JobId>,
    alarmed: Vec<JobId>,
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
    /// Seconds on GPUs before the present segment.
    held: Vec<f64>,
    pub(super) placement: Vec<Vec<(u32, u32)>>,
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
            held: vec![0.0; jobs],
            placement: vec![Vec::new(); jobs],
            segment: vec![0; jobs],
            version: vec![0; jobs],
            alarm: vec![Time::NEVER; jobs],
        }
    }

    pub(super) fn held_seconds(&self, job: JobId, now: Time) -> f64 {
        let i = job.index();
        let present = if self.phase[i] == Phase::Running {
            now - self.since[i]
        } else {
            0.0
        };
        self.held[i] + present
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
    heap: BinaryHeap<Reverse<(Time, u64, Due)>>,
    sequence: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Finish { job: JobId, version: u32 },
    Alarm { job: JobId, version: u32 },
    Round,
}

impl EventQueue {
    fn push(&mut self, time: Time, due: Due) {
        self.heap.push(Reverse((time, self.sequence, due)));
        self.sequence += 1;
    }

    fn next_time(&self) -> Time {
        self.heap
            .peek()
            .map_or(Time::NEVER, |Reverse((time, _, _))| *time)
    }

    fn pop_at(&mut self, time: Time) -> Option<Due> {
        if self.next_time() != time {
            return None;
        }
        self.heap.pop().map(|Reverse((_, _, due))| due)
    }
}

impl Simulation {
    /// A run at its very beginning. Jobs wanting more GPUs than the cluster has are rejected at
    /// their submission.
    pub fn new(
        workload: Arc<Workload>,
        cluster: &ClusterSpec,
        policy: Box<dyn Policy>,
        options: SimOptions,
    ) -> Self {
        let world = World {
            options,
            occupancy: Occupancy::new(cluster),
            node_size: cluster.largest_node(),
            gpus: cluster.gpus(),
            oracle: policy.is_oracle(),
            traits: TraitsByJob::of(&workload),
            states: JobStates::new(workload.jobs.len()),
            queue: EventQueue::default(),
            next_arrival: 0,
            waiting: 0,
            done: 0,
            now: Time::ZERO,
            plans_this_moment: 0,
            fruitless_stays: 0,
            round_pending: false,
            is_round: false,
            arrived: Vec::new(),
            finished: Vec::new(),
            alarmed: Vec::new(),
            log: RunLog::default(),
            workload,
        };
        Self {
            world,
            policy,
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
    pub fn step(&mut self) -> Result<bool, PlanError> {
        let now = self.world.next_time();
        if now == Time::NEVER {
            return Ok(false);
        }
        let round = self.world.advance_to(now);
        let cadence = self.policy.cadence();
        if round || (cadence.on_change && self.world.has_news()) {
            self.ask_policy()?;
            self.world.forget_news();
        }
        if let Some(every) = cadence.every {
            self.world.schedule_round(every);
        }
        self.world.sample();
        Ok(true)
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Result<(), PlanError> {
        while self.step()? {}
        Ok(())
    }

    /// Runs up to and including moment `until`.
    pub fn run_until(&mut self, until: Time) -> Result<(), PlanError> {
        while self.next_time() <= until && self.step()? {}
        Ok(())
    }

    /// The numbers behind the policy's last decision about a job, as they stand at a time between
    /// the moment reached and the next event; and who took the job's GPUs, if it has lost them.
    pub fn explain(&self, job: JobId, at: Time) -> Explanation {
        let view = View {
            now: at.max(self.world.now),
            ..self.world.view()
        };
        let mut explanation = self.policy.explain(&view, job);
        if explanation.verdict == Verdict::NotActive {
            // Numbers of a moment that is past, or to come.
            return Explanation::new(Verdict::NotActive, Vec::new());
        }
        let states = &self.world.states;
        let i = job.index();
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

    fn ask_policy(&mut self) -> Result<(), PlanError> {
        self.plan.clear();
        self.policy
            .plan(&self.world.view(), &mut self.rng, &mut self.plan);
        self.world
            .carry_out(&self.plan)
            .map_err(|(job, kind)| PlanError {
                policy: self.policy.spec().to_string(),
                time: self.world.now,
                job,
                kind,
            })
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
    fn advance_to(&mut self, now: Time) -> bool {
        self.plans_this_moment = if now == self.now {
            self.plans_this_moment + 1
        } else {
            0
        };
        self.now = now;
        let round = self.apply_due_events();
        self.admit_arrivals();
        // The first jobs begin the first round.
        self.is_round = round || now == Time::ZERO;
        round
    }

    fn has_news(&self) -> bool {
        !(self.arrived.is_empty() && self.finished.is_empty() && self.alarmed.is_empty())
    }

    fn forget_news(&mut self) {
        self.arrived.clear();
        self.finished.clear();
        self.alarmed.clear();
    }

    /// Sees to it that a round is due at the next multiple of `every`, while jobs are active.
    fn schedule_round(&mut self, every: f64) {
        let active = self.done < self.next_arrival as u32;
        if active && !self.round_pending {
            let rounds = libm::floor(self.now.seconds() / every) + 1.0;
            // Rounding can bring this very moment out again.
            let next = if rounds * every > self.now.seconds() {
                rounds
            } else {
                rounds + 1.0
            };
            self.queue.push(Time(next * every), Due::Round);
            self.round_pending = true;
        }
    }

    fn sample(&mut self) {
        let allocated = self.gpus - self.occupancy.free().total();
        self.log.push_sample(self.now, self.waiting, allocated);
    }

    fn view(&self) -> View<'_> {
        View {
            now: self.now,
            jobs: &self.workload.jobs,
            states: &self.states,
            traits: &self.traits,
            is_round: self.is_round,
            free: self.occupancy.free(),
            node_size: self.node_size,
            oracle: self.oracle,
            arrived: &self.arrived,
            finished: &self.finished,
            alarmed: &self.alarmed,
        }
    }

    /// Applies what is due now; says whether a round is.
    fn apply_due_events(&mut self) -> bool {
        let mut round = false;
        while let Some(due) = self.queue.pop_at(self.now) {
            match due {
                Due::Finish { job, version } if self.states.version[job.index()] == version => {
                    self.finish(job)
                }
                Due::Alarm { job, version }
                    if self.states.version[job.index()] == version
                        && self.states.alarm[job.index()] == self.now =>
                {
                    self.states.alarm[job.index()] = Time::NEVER;
                    self.alarmed.push(job);
                }
                Due::Round => {
                    round = true;
                    self.round_pending = false;
                }
                Due::Finish { .. } | Due::Alarm { .. } => {}
            }
        }
        round
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
                self.arrived.push(id);
                self.log.push_event(self.now, EventKind::Submit, id, 0);
            }
        }
    }

    fn finish(&mut self, job: JobId) {
        let i = job.index();
        self.release(job);
        self.fruitless_stays = 0;
        self.states.phase[i] = Phase::Finished;
        self.states.since[i] = self.now;
        self.done += 1;
        self.finished.push(job);
        self.log
            .push_event(self.now, EventKind::Finish, job, self.states.segment[i]);
        // A job that ends at the very moment of its alarm has nothing left to be asked about.
        self.alarmed.retain(|&alarmed| alarmed != job);
    }

    /// Ends the job's segment and takes its GPUs back.
    fn release(&mut self, job: JobId) {
        let i = job.index();
        self.states.executed[i] = self.states.executed_seconds(job, self.now);
        self.states.held[i] = self.states.held_seconds(job, self.now);
        self.states.version[i] += 1;
        self.states.alarm[i] = Time::NEVER;
        self.states.placement[i].clear();
        let segment = self.states.segment[i];
        for &gpus in self.log.segment(segment as usize).gpus {
            self.occupancy.give(gpus);
        }
        self.log.close_segment(segment, self.now);
    }

    fn carry_out(&mut self, plan: &Plan) -> Result<(), (JobId, PlanErrorKind)> {
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
                return Err((job, PlanErrorKind::NotRunning));
            }
            self.pause(job)?;
        }
        // Every moved job leaves before any is placed: two may change places.
        for &(job, _, _) in &plan.placed {
            self.check_active(job)?;
            if self.states.phase[job.index()] == Phase::Running {
                self.pause(job)?;
            }
        }
        for &(job, from, to) in &plan.placed {
            self.start(job, &plan.parts[from as usize..to as usize])?;
        }
        for &(job, at) in &plan.alarms {
            self.check_active(job)?;
            let i = job.index();
            if at.seconds().is_nan() {
                return Err((job, PlanErrorKind::AlarmAtNoTime));
            }
            if at <= self.now && self.plans_this_moment >= MOST_PLANS_PER_MOMENT {
                return Err((job, PlanErrorKind::TimeStandsStill));
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

    fn pause(&mut self, job: JobId) -> Result<(), (JobId, PlanErrorKind)> {
        self.fruitless_stays = if self.now > self.states.ready[job.index()] {
            0
        } else {
            self.fruitless_stays + 1
        };
        if self.fruitless_stays > most_fruitless_stays(self.gpus) {
            return Err((job, PlanErrorKind::NoProgress));
        }
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

    fn start(&mut self, job: JobId, parts: &[(u32, u32)]) -> Result<(), (JobId, PlanErrorKind)> {
        let i = job.index();
        let requested = self.workload.jobs[i].gpus;
        if self.states.phase[i] == Phase::Running {
            return Err((job, PlanErrorKind::NamedTwice));
        }
        let given = parts
            .iter()
            .fold(0u32, |sum, &(_, gpus)| sum.saturating_add(gpus));
        if given != requested {
            return Err((job, PlanErrorKind::GangBroken { requested, given }));
        }
        for &(node, count) in parts {
            let gpus = self
                .occupancy
                .take(node, count)
                .map_err(|error| (job, PlanErrorKind::Place(error)))?;
            self.log.push_gpus(gpus);
        }
        let first = self.states.version[i] == 0;
        let ready = if first {
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
        self.states.spread[i] = parts.len() as u32 > requested.div_ceil(self.node_size);
        self.states.rate[i] = self.rate(job);
        self.states.segment[i] = segment;
        self.states.version[i] += 1;
        self.states.alarm[i] = Time::NEVER;
        self.states.placement[i].extend_from_slice(parts);
        self.waiting -= 1;
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
}
