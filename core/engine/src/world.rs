//! The world that schedulers act on, but for the schedulers: what happens in it by itself. What a
//! plan changes is in [`carry_out`](super::carry_out).

use super::checkpoints::Checkpoints;
use super::events::{Due, Events};
use super::groups::Groups;
use super::halt::HaltReason;
use super::jobs::{Jobs, Phase};
use super::ledger::Ledger;
use super::log::{Checkpointing, EventKind, RunLog, Stop, StopCause, Tuning};
use super::news::{Inbox, News};
use super::nodes::Nodes;
use super::on_cores::OnCores;
use super::outages::Timeline;
use super::plan::PlanErrorKind;
use super::progress::StretchEnd;
use super::scheduler::{Every, Policy, Scheduler};
use super::setting::{Setting, SimOptions};
use super::speed::Speeds;
use super::standing::Standings;
use super::view::View;
use super::watch::Watch;
use crate::Time;
use crate::cluster::{ClusterSpec, Shares, Spare};
use crate::goodput::LocalBatch;
use crate::job::JobId;
use crate::workload::Workload;
use std::sync::Arc;
use switchyard_model::outages::Outages;

/// Everything but the policy, which may look at it while it plans.
pub(super) struct World {
    pub(super) setting: Setting,
    pub(super) now: Time,
    /// Whether a round is due now.
    pub(super) is_round: bool,
    pub(super) nodes: Nodes,
    /// What of the nodes' cores and memory is not taken.
    pub(super) spare: Spare,
    pub(super) jobs: Jobs,
    /// `None`: all jobs ask for GPUs.
    pub(super) on_cores: Option<Box<OnCores>>,
    pub(super) ledger: Ledger,
    /// Jobs that have the same GPUs.
    pub(super) groups: Groups,
    /// Jobs beside which others may have the same GPUs.
    pub(super) standings: Standings,
    pub(super) speeds: Speeds,
    pub(super) events: Events,
    pub(super) outages: Timeline,
    pub(super) news: Inbox,
    pub(super) watch: Watch,
    pub(super) log: RunLog,
}

/// What is wrong with a plan, and about which job.
pub(super) type Refusal = (JobId, PlanErrorKind);

/// What stops a run: an impossible plan about a job, or no way on.
pub(super) enum Trouble {
    Plan(JobId, PlanErrorKind),
    Halt(HaltReason),
}

impl From<Refusal> for Trouble {
    fn from((job, kind): Refusal) -> Self {
        Self::Plan(job, kind)
    }
}

impl From<HaltReason> for Trouble {
    fn from(reason: HaltReason) -> Self {
        Self::Halt(reason)
    }
}

impl World {
    pub(super) fn new(
        workload: Arc<Workload>,
        cluster: &ClusterSpec,
        options: SimOptions,
        scheduler: &Scheduler,
    ) -> Self {
        let mut setting = Setting::new(
            workload,
            cluster,
            options,
            scheduler.oracle,
            scheduler.packs,
            scheduler.interleaves,
        );
        if scheduler.looks_at_links {
            setting = setting.with_network(cluster);
        }
        let mut nodes = Nodes::new(cluster);
        if setting.shares_gpus() {
            nodes.share(Shares::new(cluster, setting.typical()));
        }
        let workload = &setting.workload;
        let mut world = Self {
            now: Time::ZERO,
            is_round: false,
            jobs: Jobs::new(&setting, cluster),
            on_cores: OnCores::of(&setting, cluster, scheduler.replays),
            ledger: Ledger::new(workload.jobs.len(), workload.tenants.len()),
            groups: Groups::default(),
            standings: Standings::default(),
            speeds: Speeds::new(&setting, cluster),
            spare: setting.spare(),
            events: Events::default(),
            outages: Timeline::default(),
            news: Inbox::default(),
            watch: Watch::default(),
            log: RunLog::default(),
            nodes,
            setting,
        };
        world.expect(&Outages::default());
        world
    }

    /// These outages are to come, besides those that are drawn. Nothing has happened yet.
    pub(super) fn expect(&mut self, outages: &Outages) {
        let options = self.setting.options;
        self.outages = Timeline::new(outages, &options, self.nodes.count() as u32);
        let (interval, cost) = (options.checkpoint_interval, options.checkpoint_cost);
        if !self.outages.is_empty() || self.jobs.are_to_fail() {
            let jobs = self.setting.workload.jobs.len();
            self.jobs.save_by(Checkpoints::new(jobs, interval, cost));
        }
        if interval > 0.0 && self.log.checkpointing().is_none() {
            self.log
                .push_checkpointing(Checkpointing { interval, cost });
        }
    }

    /// From when on a job makes progress on its present or last GPUs.
    pub(super) fn ready(&self, job: JobId) -> Time {
        let segment = self.jobs.segment[job.index()];
        self.log.segment(segment as usize).ready
    }

    pub(super) fn view(&self) -> View<'_> {
        self.view_at(self.now)
    }

    /// The same at a time between now and the next event.
    pub(super) fn view_at(&self, now: Time) -> View<'_> {
        View {
            now,
            is_round: self.is_round,
            news: self.news.news(),
            setting: &self.setting,
            nodes: &self.nodes,
            spare: &self.spare,
            on_cores: self.on_cores.as_deref(),
            jobs: &self.jobs,
            ledger: &self.ledger,
            groups: &self.groups,
            standings: &self.standings,
            log: &self.log,
            outages: &self.outages,
        }
    }

    pub(super) fn next_time(&self) -> Time {
        let jobs = &self.setting.workload.jobs;
        let next = self.next_arrival().min(self.events.next_time());
        // Without jobs it does not matter what fails.
        if (self.jobs.done as usize) < jobs.len() {
            next.min(self.outages.next_time())
        } else {
            next
        }
    }

    /// When the next job comes.
    pub(super) fn next_arrival(&self) -> Time {
        let job = self.setting.workload.jobs.get(self.jobs.submitted);
        job.map_or(Time::NEVER, |job| job.submit)
    }

    /// Applies every event due at `now`; says whether a round is.
    pub(super) fn advance_to(
        &mut self,
        now: Time,
        policy: &mut dyn Policy,
    ) -> Result<bool, Refusal> {
        self.now = now;
        let round = self.apply_due_events(policy)?;
        self.admit_arrivals();
        // The first jobs begin the first round.
        self.is_round = round || now == Time::ZERO;
        Ok(round)
    }

    /// Applies what is due now; says whether a round is.
    fn apply_due_events(&mut self, policy: &mut dyn Policy) -> Result<bool, Refusal> {
        let mut round = false;
        let early = self.events.is_early();
        while let Some(due) = self.events.pop_at(self.now, early) {
            if !is_live(&self.jobs, self.now, due) {
                continue;
            }
            match due {
                Due::Epoch { job, .. } => {
                    self.watch.happened(self.now);
                    self.end_epoch(job, policy)?;
                }
                Due::Alarm { job, .. } => {
                    self.jobs.alarm[job.index()] = Time::NEVER;
                    if self.is_on_cores(job) {
                        self.wait_on_cores(job);
                    } else {
                        self.news.push(News::Alarm(job));
                    }
                }
                Due::Limit { job, .. } => {
                    self.watch.happened(self.now);
                    self.finish(job, Some(StopCause::TimedOut));
                }
                Due::Round => round = true,
            }
        }
        Ok(round)
    }

    fn admit_arrivals(&mut self) {
        while let Some(job) = self.setting.workload.jobs.get(self.jobs.submitted)
            && job.submit == self.now
        {
            self.watch.happened(self.now);
            let i = self.jobs.submitted;
            let id = JobId(i as u32);
            self.jobs.submitted += 1;
            self.jobs.since[i] = self.now;
            let (gpus, on_cores) = (job.gpus, job.is_on_cores());
            let fits = match on_cores {
                true => self.admit_on_cores(id),
                false => gpus <= self.setting.largest_gang(id),
            };
            let (kind, detail) = if !fits {
                self.jobs.phase[i] = Phase::Rejected;
                self.jobs.done += 1;
                (EventKind::Reject, gpus)
            } else {
                self.jobs.phase[i] = Phase::Waiting;
                if !on_cores {
                    self.jobs.queue.join(gpus);
                    self.news.push(News::Arrived(id));
                }
                (EventKind::Submit, 0)
            };
            self.log.push_event(self.now, kind, id, detail);
        }
    }

    /// Completes a job's epoch: it ends, or goes on with the batch that the policy wants.
    fn end_epoch(&mut self, job: JobId, policy: &mut dyn Policy) -> Result<(), Refusal> {
        if self.jobs.is_to_fail(job) {
            self.fail(job);
            return Ok(());
        }
        if self.jobs.is_in_last_epoch(job) {
            self.jobs.complete_epoch(job, self.now);
            self.finish(job, self.setting.ending(job));
            return Ok(());
        }
        let tuned = policy.tune(&self.view(), job);
        self.jobs.complete_epoch(job, self.now);
        if let Some(batch) = tuned {
            self.set_batch(job, batch)?;
        }
        self.go_on(job);
        Ok(())
    }

    /// A job ends, for this cause if it is not done.
    fn finish(&mut self, job: JobId, cause: Option<StopCause>) {
        self.release(job, Phase::Finished);
        self.watch.finished();
        self.jobs.done += 1;
        let segment = self.jobs.segment[job.index()];
        self.log
            .push_event(self.now, EventKind::Finish, job, segment);
        if let Some(cause) = cause {
            self.log.push_stop(Stop {
                time: self.now,
                segment,
                cause,
                lost: 0.0,
            });
        }
        if !self.is_on_cores(job) {
            self.news.finished(job);
        }
    }

    /// A running job goes back to the queue.
    pub(super) fn send_back(&mut self, job: JobId) {
        self.release(job, Phase::Waiting);
        if self.is_on_cores(job) {
            self.wait_on_cores(job);
            return;
        }
        self.jobs.queue.join(self.setting.job(job).gpus);
    }

    /// Ends the job's segment and takes its GPUs back.
    pub(super) fn release(&mut self, job: JobId, phase: Phase) {
        if self.is_on_cores(job) {
            self.release_on_cores(job, phase);
            return;
        }
        let gpus = self.ledger.gpus(job);
        self.jobs.leave(job, self.now, gpus, phase);
        self.speeds.leave(job);
        if self.setting.pools.is_some() {
            let needs = self.setting.needs(job);
            self.spare.give(self.ledger.parts(job), needs);
        }
        let shared = self.ledger.share(job);
        let others_stay = self.groups.leave(job);
        let alone = match cfg!(feature = "solvers") {
            true => self.standings.leave(job),
            false => None,
        };
        let segment = self.jobs.segment[job.index()];
        let gpus = match &alone {
            Some(alone) => alone.as_slice(),
            None if others_stay => &[][..],
            None => self.log.segment(segment as usize).gpus,
        };
        let freed = match shared {
            Some(_) => 0,
            None => gpus.iter().map(|gpus| gpus.count()).sum(),
        };
        self.ledger.leave(job, self.setting.job(job), freed);
        if self.log.segment(segment as usize).ready < self.now {
            self.watch.worked(self.now);
        }
        match shared {
            Some((node, share)) => self.nodes.give_share(node, share),
            None => self.nodes.give(gpus),
        }
        self.log.close_segment(segment, self.now);
    }

    /// Gives a running adaptive job, whose stretch has ended, another batch.
    #[cold]
    pub(super) fn set_batch(&mut self, job: JobId, batch: LocalBatch) -> Result<(), Refusal> {
        let Some(training) = self.jobs.training_mut(job) else {
            return Err((job, PlanErrorKind::NotAdaptive));
        };
        if training.batch == batch {
            return Ok(());
        }
        let parts = self.ledger.parts(job);
        training
            .check_batch(parts, batch)
            .map_err(|kind| (job, kind))?;
        training.configure(parts, batch);
        self.note_tuning(job, batch);
        Ok(())
    }

    pub(super) fn note_tuning(&mut self, job: JobId, batch: LocalBatch) {
        self.log.push_tuning(Tuning {
            time: self.now,
            segment: self.jobs.segment[job.index()],
            m: batch.m,
            s: batch.s,
            epochs: self.jobs.epochs_at(job, self.now),
        });
    }

    /// From now on, or when its restart is over, a running job progresses to its epoch's end.
    pub(super) fn go_on(&mut self, job: JobId) {
        let segment = self.jobs.segment[job.index()];
        let ready = self.log.segment(segment as usize).ready;
        self.go_on_from(job, self.now.max(ready));
    }

    pub(super) fn go_on_from(&mut self, job: JobId, from: Time) {
        let factor = self.speeds.of(job);
        let whole_seconds = self.setting.options.whole_second_epochs;
        let StretchEnd { at, early, stretch } = self.jobs.go_on(job, from, factor, whole_seconds);
        self.events.push_at(at, early, Due::Epoch { job, stretch });
    }

    /// Jobs go on at the speed that others have left them.
    pub(super) fn adjust_speeds(&mut self) {
        for job in self.speeds.changed() {
            self.jobs.settle(job, self.now);
            self.go_on(job);
        }
    }

    /// Sees to it that a round is due, while jobs are active. Where rounds matter only to those who
    /// wait and nobody does, or nobody can run, the next that can matter is the first at or after whatever
    /// happens next.
    pub(super) fn schedule_round(&mut self, every: Every) {
        let on_cores = self.on_cores.as_deref();
        let on_cores = on_cores.map_or(0, |on_cores| on_cores.active());
        if self.jobs.active() == on_cores {
            return;
        }
        let next = self.next_time();
        let all_are_away = self.nodes.closed() as usize == self.nodes.count();
        let nobody_can_run = all_are_away && self.nodes.in_use() == 0 && next < Time::NEVER;
        let from = if !nobody_can_run && (every.while_all_run || self.jobs.queue.jobs() > 0) {
            self.now
        } else {
            next
        };
        self.events.schedule_round(every, from, self.now);
    }

    pub(super) fn sample(&mut self) {
        let in_use = self.nodes.in_use();
        let on_cores = self.on_cores.as_deref();
        let waiting = self.jobs.queue.jobs() + on_cores.map_or(0, OnCores::waiting);
        self.log.push_sample(self.now, waiting, in_use);
    }

    pub(super) fn forget_stale_events(&mut self) {
        let jobs = &self.jobs;
        self.events
            .forget_stale(|time, due| is_live(jobs, time, due));
    }

    pub(super) fn check_budget(&self) -> Result<(), HaltReason> {
        if self.setting.options.log_budget.is_spent(&self.log) {
            return Err(HaltReason::LogFull {
                events: self.log.events() as u64,
                bytes: self.log.bytes(),
            });
        }
        Ok(())
    }
}

/// Whether what is due then still stands.
pub(super) fn is_live(jobs: &Jobs, time: Time, due: Due) -> bool {
    match due {
        Due::Epoch { job, stretch } => jobs.progress[job.index()].is_in(stretch),
        Due::Alarm { job, version } => {
            jobs.version[job.index()] == version && jobs.alarm[job.index()] == time
        }
        Due::Limit { job, version } => jobs.version[job.index()] == version,
        Due::Round => true,
    }
}
