//! Whether a run can go on as it does: what the [watch](super::watch) has counted, beside what is to come in the world.

use super::events::Due;
use super::halt::HaltReason;
use super::watch::{LEAST_PACE, MOST_EMPTY_PLANS, MOST_PLANS_OF_RESTARTS, Standstill};
use super::world::{World, is_live};
use crate::Time;
use crate::job::JobId;

impl World {
    /// Whether jobs wait and nobody runs.
    pub(super) fn standstill(&self) -> Option<Standstill> {
        let waiting = self.jobs.queue.jobs();
        if waiting == 0 || self.nodes.in_use() > 0 {
            return None;
        }
        let closed = self.nodes.closed();
        Some(Standstill {
            waiting,
            closed,
            will_end: self.next_arrival() < Time::NEVER
                || self.outages.are_to_be_over()
                || self.on_cores.as_deref().is_some_and(|of| of.running() > 0),
            may_end: self.outages.are_by_chance(),
        })
    }

    /// Ends a run whose policy would be asked too often before anything comes of it.
    #[cold]
    pub(super) fn look_ahead(&mut self) -> Result<(), HaltReason> {
        let now = self.now;
        let segment = |job: JobId| self.log.segment(self.jobs.segment[job.index()] as usize);
        let running = self.ledger.running();
        let ready = running.map(|job| segment(job).ready).min();
        let ready = ready.unwrap_or(Time::NEVER);
        if ready < now {
            self.watch.worked(now);
        }
        let plans = &self.watch.since_work;
        // On other GPUs whoever comes works at once.
        let work = ready
            .min(self.next_arrival())
            .min(self.outages.next_listed());
        if ready < Time::NEVER
            && plans.are_to_be_looked_at()
            && plans.until(now, work) > MOST_PLANS_OF_RESTARTS
        {
            let asked = plans.asked;
            return Err(HaltReason::StillRestarting { asked, ready });
        }
        let plans = &self.watch.since_event;
        let is_end = |time, due| {
            matches!(due, Due::Epoch { .. } | Due::Limit { .. }) && is_live(&self.jobs, time, due)
        };
        let until = self
            .next_arrival()
            .min(self.outages.next_time())
            .min(self.events.next_of(is_end));
        // At one moment time stands still.
        if plans.are_to_be_looked_at()
            && now > plans.since
            && plans.pace(now) < LEAST_PACE
            && plans.until(now, until) > f64::from(MOST_EMPTY_PLANS)
        {
            return Err(HaltReason::AskedTooOften {
                asked: plans.asked,
                since: plans.since,
                until,
            });
        }
        Ok(())
    }
}
