//! Sees whether a run goes on: [`Watch`]. That time passes is not enough. A policy moves the clock by being
//! asked: an alarm a nanosecond away does, and so does a round in which everybody restarts. What counts is
//! what jobs do, and what the world does by itself: jobs come and end, nodes go and return.
//!
//! Waiting is no fault, however long it takes: until jobs come, until nodes are back, until the one job that runs
//! for years makes room. So it is plans that are counted and not seconds, and most of them only while nothing is
//! to come. Where something is, its time is known; from the pace of the plans so far follows how many
//! would come before it, and a run is ended where those are more than anybody can wait for.

use super::halt::HaltReason;
use super::log::RunLog;
use crate::Time;
use crate::job::JobId;

/// A policy that asks for the same moment this often in a row is ended.
const MOST_PLANS_PER_MOMENT: u32 = 10_000;

/// So often in a row a policy may be asked while jobs wait, nobody runs and nothing is to come, and change nothing.
const MOST_IDLE_PLANS: u32 = 1_000;

/// So often it may be asked in a row and change nothing; and so often before anything happens, where it is
/// asked [faster](LEAST_PACE) than by rounds.
pub(super) const MOST_EMPTY_PLANS: u32 = 10_000_000;

/// Seconds from one plan to the next. The shortest rounds that policies may have are of one second: only alarms
/// can be closer together.
pub(super) const LEAST_PACE: f64 = 0.5;

/// So often it may be asked until one of those who run has restarted. Rounds of a minute are as many in ten weeks,
/// and some policies search for long in each.
pub(super) const MOST_PLANS_OF_RESTARTS: f64 = 100_000.0;

/// After so many plans the pace is looked at, and after each so many more.
const LOOK_AHEAD_EVERY: u32 = 1_000;

/// So many stays in a row that all end before the restart is over: nobody will ever get anywhere.
fn most_fruitless_stays(gpus: u32) -> u32 {
    10_000 + 100 * gpus
}

/// Jobs wait and nobody runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standstill {
    /// Jobs that wait.
    pub(super) waiting: u32,
    /// Nodes that take nobody.
    pub(super) closed: u32,
    /// Whether nodes that a list has taken away will be back, or jobs will come.
    pub(super) will_end: bool,
    /// Whether nodes may be back by chance.
    pub(super) may_end: bool,
}

/// What has been seen of a run.
#[derive(Debug, Default)]
pub(super) struct Watch {
    moment: Time,
    plans_this_moment: u32,
    /// Rows about jobs in the log when the policy was last asked.
    rows: usize,
    /// Plans in a row without such a row.
    empty_plans: u32,
    /// Those of them at a standstill that does not end, and nodes that went or came by chance meanwhile.
    idle_plans: u32,
    /// Since the world last did something by itself.
    pub(super) since_event: Plans,
    /// Since a job last worked.
    pub(super) since_work: Plans,
    /// Without any progress, one after the other.
    fruitless_stays: u32,
    /// Those of them that a failure ended; the policy ended the others.
    ended_by_failures: u32,
}

/// How often a policy was asked since some moment.
#[derive(Debug, Default)]
pub(super) struct Plans {
    pub(super) since: Time,
    pub(super) asked: u32,
}

impl Plans {
    fn begin_anew(&mut self, now: Time) {
        *self = Self {
            since: now,
            asked: 0,
        };
    }

    pub(super) fn are_to_be_looked_at(&self) -> bool {
        self.asked > 0 && self.asked.is_multiple_of(LOOK_AHEAD_EVERY)
    }

    /// How many seconds there are from one to the next.
    pub(super) fn pace(&self, now: Time) -> f64 {
        (now - self.since) / f64::from(self.asked)
    }

    /// How many more come until then.
    pub(super) fn until(&self, now: Time, then: Time) -> f64 {
        (then - now) / self.pace(now)
    }
}

impl Watch {
    /// A job has finished.
    pub(super) fn finished(&mut self) {
        (self.fruitless_stays, self.ended_by_failures) = (0, 0);
    }

    /// A job has come or ends an epoch, or a node goes or returns.
    pub(super) fn happened(&mut self, now: Time) {
        self.since_event.begin_anew(now);
    }

    /// A job has worked until now.
    pub(super) fn worked(&mut self, now: Time) {
        self.since_work.begin_anew(now);
    }

    /// A job loses its GPUs, having made progress on them or not.
    pub(super) fn stay_ended(
        &mut self,
        job: JobId,
        progressed: bool,
        gpus: u32,
    ) -> Result<(), HaltReason> {
        self.stayed(job, progressed, false, gpus)
    }

    /// A job loses its GPUs to a failure, having saved anything on them or not.
    pub(super) fn evicted(&mut self, job: JobId, saved: bool, gpus: u32) -> Result<(), HaltReason> {
        self.stayed(job, saved, true, gpus)
    }

    fn stayed(
        &mut self,
        job: JobId,
        progressed: bool,
        by_failure: bool,
        gpus: u32,
    ) -> Result<(), HaltReason> {
        if progressed {
            (self.fruitless_stays, self.ended_by_failures) = (0, 0);
            return Ok(());
        }
        self.fruitless_stays += 1;
        self.ended_by_failures += u32::from(by_failure);
        if self.fruitless_stays <= most_fruitless_stays(gpus) {
            return Ok(());
        }
        // What ended most of them is to blame.
        Err(if self.ended_by_failures > self.fruitless_stays / 2 {
            HaltReason::NothingSaved { job }
        } else {
            HaltReason::NoProgress { job }
        })
    }

    /// A node has gone or come back, as it stands in a list: those have an end.
    pub(super) fn nodes_changed(&mut self) {
        self.empty_plans = 0;
        self.idle_plans = 0;
    }

    /// A node has gone or come back by chance, which goes on for ever.
    pub(super) fn nodes_changed_by_chance(
        &mut self,
        standstill: Option<Standstill>,
    ) -> Result<(), HaltReason> {
        match standstill {
            Some(of) if !of.will_end => self.idles(of),
            _ => Ok(()),
        }
    }

    /// A plan was carried out.
    pub(super) fn planned(
        &mut self,
        now: Time,
        log: &RunLog,
        standstill: Option<Standstill>,
    ) -> Result<(), HaltReason> {
        self.plans_this_moment = if now == self.moment {
            self.plans_this_moment + 1
        } else {
            0
        };
        self.moment = now;
        if self.plans_this_moment > MOST_PLANS_PER_MOMENT {
            let asked = self.plans_this_moment;
            return Err(HaltReason::TimeStandsStill { asked });
        }
        self.since_event.asked += 1;
        self.since_work.asked += 1;
        let rows = log.events() + log.tunings();
        if rows != self.rows {
            self.rows = rows;
            self.empty_plans = 0;
            self.idle_plans = 0;
            return Ok(());
        }
        self.empty_plans += 1;
        // Who asks for the same moment again does not wait.
        let waits = self.plans_this_moment == 0;
        if let Some(of) = standstill
            && !(waits && (of.will_end || of.may_end))
        {
            self.idles(of)?;
        }
        let asked = self.empty_plans;
        if asked >= MOST_EMPTY_PLANS {
            return Err(HaltReason::NothingChanges { asked });
        }
        Ok(())
    }

    fn idles(&mut self, of: Standstill) -> Result<(), HaltReason> {
        self.idle_plans += 1;
        let asked = self.idle_plans;
        if asked >= MOST_IDLE_PLANS {
            return Err(HaltReason::NobodyRuns {
                waiting: of.waiting,
                asked,
                closed: of.closed,
            });
        }
        Ok(())
    }

    /// Whether it is time to [look ahead](super::look_ahead).
    pub(super) fn is_to_look_ahead(&self) -> bool {
        self.since_event.are_to_be_looked_at() || self.since_work.are_to_be_looked_at()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stays of which every so many-th is ended by a failure and the others by the policy, none with any progress.
    fn ended(every: u32) -> HaltReason {
        let mut watch = Watch::default();
        (1..)
            .find_map(|stay: u32| {
                let job = JobId(stay % 3);
                if stay.is_multiple_of(every) {
                    watch.evicted(job, false, 8).err()
                } else {
                    watch.stay_ended(job, false, 8).err()
                }
            })
            .expect("an end")
    }

    #[test]
    fn what_ended_most_stays_is_to_blame_whatever_ended_the_last() {
        let most = most_fruitless_stays(8) + 1;
        let failed_at_last = (2..most).find(|every| most.is_multiple_of(*every));
        let reason = ended(failed_at_last.expect("a divisor"));
        assert!(
            matches!(reason, HaltReason::NoProgress { .. }),
            "{reason:?}"
        );
        let reason = ended(1);
        assert!(
            matches!(reason, HaltReason::NothingSaved { .. }),
            "{reason:?}"
        );
    }

    #[test]
    fn a_job_that_progresses_begins_the_count_anew() {
        let mut watch = Watch::default();
        for _ in 0..3 {
            for _ in 0..most_fruitless_stays(8) {
                assert_eq!(watch.stay_ended(JobId(0), false, 8), Ok(()));
            }
            assert_eq!(watch.evicted(JobId(1), true, 8), Ok(()));
        }
    }
}
