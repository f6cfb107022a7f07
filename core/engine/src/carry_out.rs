//! What a plan does to the world.

use super::events::Due;
use super::halt::HaltReason;
use super::jobs::Phase;
use super::log::{EventKind, Rental, Round};
use super::plan::{Placed, Plan, PlanErrorKind};
use super::speed::Entering;
use super::standing::Standings;
use super::world::{Refusal, Trouble, World};
use crate::Time;
use crate::cluster::{Part, Pools, Share};
use crate::goodput::LocalBatch;
use crate::job::JobId;
use switchyard_model::pods::WHOLE;

impl World {
    pub(super) fn carry_out(&mut self, plan: &Plan) -> Result<(), Trouble> {
        self.nodes.begin_plan();
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
        for &(job, by) in &plan.preempted_for {
            self.check_running(job)?;
            let segment = self.jobs.segment[job.index()];
            self.log.push_preemption(segment, by);
        }
        for &job in &plan.preempted {
            self.check_running(job)?;
            self.pause(job)?;
        }
        // Every moved job leaves before any is placed: two may change places.
        for &Placed { job, .. } in &plan.placed {
            self.check_active(job)?;
            if self.jobs.phase[job.index()] == Phase::Running {
                self.pause(job)?;
            }
        }
        if let Some(nodes) = plan.rented {
            self.rent(nodes)?;
        }
        for placed in &plan.placed {
            let parts = &plan.parts[placed.from as usize..placed.to as usize];
            self.start(placed, parts)?;
        }
        for &(job, batch) in &plan.tuned {
            self.tune(job, batch)?;
        }
        if let Some((fitness, utility)) = plan.round {
            self.log.push_round(Round {
                time: self.now,
                fitness,
                utility,
            });
        }
        for &(job, at) in &plan.alarms {
            self.set_alarm(job, at)?;
        }
        for &(job, at) in &plan.limits {
            self.set_limit(job, at)?;
        }
        self.watch.planned(self.now, &self.log, self.standstill())?;
        if self.watch.is_to_look_ahead() {
            self.look_ahead()?;
        }
        Ok(())
    }

    fn check_active(&self, job: JobId) -> Result<(), Refusal> {
        match self.jobs.phase.get(job.index()) {
            None => Err((job, PlanErrorKind::UnknownJob)),
            Some(_) if self.is_on_cores(job) => Err((job, PlanErrorKind::NotActive)),
            Some(Phase::Waiting | Phase::Running) => Ok(()),
            Some(Phase::Future | Phase::Finished | Phase::Rejected) => {
                Err((job, PlanErrorKind::NotActive))
            }
        }
    }

    fn check_running(&self, job: JobId) -> Result<(), Refusal> {
        self.check_active(job)?;
        if self.jobs.phase[job.index()] == Phase::Running {
            Ok(())
        } else {
            Err((job, PlanErrorKind::NotRunning))
        }
    }

    fn pause(&mut self, job: JobId) -> Result<(), HaltReason> {
        let segment = self.jobs.segment[job.index()];
        let progressed = self.now > self.log.segment(segment as usize).ready;
        self.watch.stay_ended(job, progressed, self.nodes.gpus)?;
        self.send_back(job);
        self.log
            .push_event(self.now, EventKind::Pause, job, segment);
        Ok(())
    }

    /// Rents the first so many nodes from now on: nobody may be left on the others.
    #[cold]
    fn rent(&mut self, nodes: u32) -> Result<(), Refusal> {
        let rented = self.nodes.rent(nodes);
        for job in self.ledger.running() {
            let parts = self.ledger.parts(job);
            if let Some(&Part { node, .. }) = parts.iter().find(|part| part.node >= rented) {
                return Err((job, PlanErrorKind::NotRented { node, rented }));
            }
        }
        self.log.push_rental(Rental {
            time: self.now,
            nodes: rented,
        });
        Ok(())
    }

    fn start(&mut self, placed: &Placed, parts: &[Part]) -> Result<(), Refusal> {
        let &Placed { job, batch, .. } = placed;
        let given = parts
            .iter()
            .fold(0u32, |sum, part| sum.saturating_add(part.gpus));
        let (together, first_of_group) = placed.turns;
        let beside = (first_of_group != job).then_some(first_of_group);
        if together > 1 {
            self.check_turns(placed)?;
        }
        let standing = placed.standing;
        // Their law is not there.
        if standing.is_some() && !cfg!(feature = "solvers") {
            return Err((job, PlanErrorKind::CannotRunBeside));
        }
        let (shared, taken) = self
            .check_start(job, parts, given, batch)
            .and_then(|()| self.check_nodes(job, parts, batch.is_some()))
            .and_then(|()| match (beside, standing) {
                (None, None) => {
                    let shared = self.nodes.take(parts, &mut self.log)?;
                    Ok((shared, Part::gpus_of(parts)))
                }
                (None, Some(_)) => Ok((None, self.take_co_located(job, parts)?)),
                (Some(other), _) => {
                    self.take_with(other);
                    Ok((None, 0))
                }
            })
            .map_err(|kind| (job, kind))?;
        let parts = shared.as_ref().map_or(parts, std::slice::from_ref);
        let first = self.ledger.starts(job) == 0;
        let ready = if first && !self.setting.options.first_start_pays {
            self.now
        } else {
            self.now + self.setting.restart_seconds(job)
        };
        let segment = self.log.open_segment(job, self.now, ready);
        if let Some(share) = shared.and_then(|part| part.share) {
            let thousandths = u32::from(share.thousandths.get());
            self.log.push_share(segment, thousandths);
        }
        if together > 1 {
            let (all, count) = (u32::from(WHOLE), u32::from(together));
            // The first has what cannot be divided.
            let rest = if beside.is_none() { all % count } else { 0 };
            self.log.push_share(segment, all / count + rest);
        }
        if standing.is_some() {
            let part = u32::from(WHOLE) / Standings::MOST as u32;
            self.log.push_share(segment, part);
        }
        for part in parts.iter().filter(|part| part.servers > 0) {
            self.log.push_servers(segment, part.node, part.servers);
        }
        let kind = if first {
            EventKind::Start
        } else {
            EventKind::Restart
        };
        self.log.push_event(self.now, kind, job, segment);

        let largest = match (&self.setting.pools, parts.first()) {
            (Some(pools), Some(part)) => pools.largest(pools.of_node(part.node)),
            _ => self.nodes.largest,
        };
        let nodes = parts.iter().filter(|part| part.has_workers()).count() as u32;
        let is_spread = nodes > given.div_ceil(largest).max(1);
        let own = self.setting.job(job);
        let times = (self.now, ready);
        self.jobs.queue.leave(own.gpus);
        self.jobs.enter(job, times, segment, is_spread);
        self.ledger.enter(job, own, parts, taken);
        if let Some(other) = beside {
            self.groups.join(job, other);
        }
        if let Some(standing) = standing {
            let gpus = self.log.segment(segment as usize).gpus;
            self.standings.enter(job, standing, gpus);
        }
        if self.setting.pools.is_some() {
            self.spare.take(parts, self.setting.needs(job));
        }
        if !self.speeds.is_empty() {
            self.speeds.enter(&Entering {
                id: job,
                setting: &self.setting,
                parts,
                gpus: self.log.segment(segment as usize).gpus,
                is_spread,
                beside,
                standing,
                trains: self.jobs.training(job).is_some(),
            });
        }
        if let Some(training) = self.jobs.training_mut(job) {
            let limits = training.limits_on(parts);
            let batch = batch.unwrap_or_else(|| limits.split(training.asked, given));
            training.configure(parts, batch);
            self.note_tuning(job, batch);
        }
        self.go_on_from(job, ready);
        Ok(())
    }

    /// Whether a job may take turns with the others of its group, the first of which has its GPUs.
    #[cold]
    fn check_turns(&self, placed: &Placed) -> Result<(), Refusal> {
        let (count, first) = placed.turns;
        let fits = cfg!(feature = "solvers")
            && usize::from(count) <= Plan::MOST_TOGETHER
            && self.setting.may_take_turns(placed.job)
            && (first == placed.job || self.jobs.phase[first.index()] == Phase::Running);
        match fits {
            true => Ok(()),
            false => Err((placed.job, PlanErrorKind::CannotTakeTurns)),
        }
    }

    /// Hands out, for the log's next segment, the GPUs that another job has.
    #[cold]
    fn take_with(&mut self, other: JobId) {
        let segment = self.jobs.segment[other.index()];
        let gpus = self.log.segment(segment as usize).gpus.to_vec();
        gpus.into_iter().for_each(|gpus| self.log.push_gpus(gpus));
    }

    /// Hands out, for the log's next segment, GPUs that others may have, too. Returns how many were free.
    #[cold]
    fn take_co_located(&mut self, job: JobId, parts: &[Part]) -> Result<u32, PlanErrorKind> {
        let named = |part: &Part| part.wished.count_ones() == part.gpus;
        if !self.setting.may_be_co_located(job) || !parts.iter().all(named) {
            return Err(PlanErrorKind::CannotRunBeside);
        }
        self.nodes
            .take_co_located(parts, &self.standings, &mut self.log)
    }

    fn check_start(
        &self,
        job: JobId,
        parts: &[Part],
        given: u32,
        batch: Option<LocalBatch>,
    ) -> Result<(), PlanErrorKind> {
        let requested = self.setting.job(job).gpus;
        if self.jobs.phase[job.index()] == Phase::Running {
            return Err(PlanErrorKind::NamedTwice);
        }
        let (wanted, there) = (
            self.setting.needs(job).servers().count,
            parts.iter().map(|part| part.servers).sum(),
        );
        if wanted != there {
            return Err(PlanErrorKind::ServersBroken { wanted, there });
        }
        if self.setting.share(job).is_some() || parts.iter().any(|part| part.share.is_some()) {
            return self.check_share(job, parts, batch);
        }
        match (self.jobs.training(job), batch) {
            (Some(training), Some(batch)) => {
                let most = training.application.limits.max_replicas().max(requested);
                if !(1..=most).contains(&given) {
                    return Err(PlanErrorKind::TooManyGpus { most, given });
                }
                training.check_batch(parts, batch)
            }
            (None, Some(_)) => Err(PlanErrorKind::NotAdaptive),
            (_, None) if given != requested => Err(PlanErrorKind::GangBroken { requested, given }),
            (_, None) => Ok(()),
        }
    }

    /// Whether a job that shares a GPU gets the share that it asked for, or half of one.
    #[cold]
    fn check_share(
        &self,
        job: JobId,
        parts: &[Part],
        batch: Option<LocalBatch>,
    ) -> Result<(), PlanErrorKind> {
        let amount = |share: Share| (share.thousandths, share.memory);
        let given = match parts {
            [part] if batch.is_none() => part.share.map(amount),
            _ => return Err(PlanErrorKind::NotItsShare),
        };
        let asked = self.setting.share(job).map(amount);
        let half = self.setting.half(job).map(amount);
        match given == asked || given == half {
            true => Ok(()),
            false => Err(PlanErrorKind::NotItsShare),
        }
    }

    /// Whether a job may run on these nodes, and its gang, unless it was resized, on one type of them.
    fn check_nodes(&self, job: JobId, parts: &[Part], resized: bool) -> Result<(), PlanErrorKind> {
        match &self.setting.pools {
            Some(pools) => self.check_pools(pools, job, parts, resized),
            None => Ok(()),
        }
    }

    #[cold]
    fn check_pools(
        &self,
        pools: &Pools,
        job: JobId,
        parts: &[Part],
        resized: bool,
    ) -> Result<(), PlanErrorKind> {
        let needs = self.setting.needs(job);
        let pool = |part: &Part| pools.of_node(part.node);
        let mut first = None;
        for part in parts.iter().filter(|part| part.has_workers()) {
            let pool = pool(part);
            if !needs.allows(pool) {
                return Err(PlanErrorKind::NotAllowedOn { node: part.node });
            }
            if !resized && *first.get_or_insert(pool) != pool {
                return Err(PlanErrorKind::TypesMixed);
            }
        }
        if !self.spare.fits(parts, needs) {
            return Err(PlanErrorKind::NoCoresOrMemory);
        }
        Ok(())
    }

    /// Lets a running adaptive job go on with another batch.
    #[cold]
    fn tune(&mut self, job: JobId, batch: LocalBatch) -> Result<(), Refusal> {
        self.check_running(job)?;
        match self.jobs.training(job) {
            None => return Err((job, PlanErrorKind::NotAdaptive)),
            Some(training) if training.batch == batch => return Ok(()),
            Some(_) => {}
        }
        self.jobs.settle(job, self.now);
        self.set_batch(job, batch)?;
        self.go_on(job);
        Ok(())
    }

    fn set_alarm(&mut self, job: JobId, at: Time) -> Result<(), Refusal> {
        self.check_active(job)?;
        if at.seconds().is_nan() {
            return Err((job, PlanErrorKind::AlarmAtNoTime));
        }
        self.alarm_at(job, at.max(self.now));
        Ok(())
    }

    fn set_limit(&mut self, job: JobId, at: Time) -> Result<(), Refusal> {
        self.check_running(job)?;
        if at.seconds().is_nan() {
            return Err((job, PlanErrorKind::AlarmAtNoTime));
        }
        let version = self.jobs.version[job.index()];
        let due = Due::Limit { job, version };
        self.events.push_last(at.max(self.now), due);
        Ok(())
    }

    /// A job is looked at again then.
    pub(super) fn alarm_at(&mut self, job: JobId, at: Time) {
        let version = self.jobs.version[job.index()];
        self.jobs.alarm[job.index()] = at;
        self.events.push(at, Due::Alarm { job, version });
    }
}
