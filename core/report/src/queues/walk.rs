//! A walk over a run's log, moment by moment, that knows what each queue uses and asks for.

use super::run_queues::RunQueues;
use crate::job::JobId;
use crate::sim::{EventKind, RunLog};
use crate::workload::Workload;
use serde::Serialize;
use switchyard_queues::lending::{Lending, Sums};
use switchyard_queues::tree::QueueId;

/// What a queue and those below it have at a moment, or on the mean of some time, in GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct QueueMoment {
    /// Its nominal quota, with those below.
    pub quota: f64,
    /// What its jobs use.
    pub used: f64,
    /// What of that is borrowed: used beyond what it is entitled to.
    pub borrowed: f64,
    /// What of its quota is idle and used by others.
    pub lent: f64,
    /// What its jobs use, and what those that wait ask for.
    pub asked: f64,
}

/// A leaf that borrows, the queue whose quota it is (none: no quota), and how many GPUs. Of all that is idle and may be
/// lent, each lends in proportion.
pub type Loan = (QueueId, Option<QueueId>, f64);

/// Of a queue, over time: GPU·s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) lending: Sums,
    pub(super) asked: f64,
    /// Used while some job waited.
    pub(super) used_while_waiting: f64,
}

/// What lendings do not know of a queue.
#[derive(Clone, Copy, Debug, Default)]
struct OwnTotals {
    used: i64,
    waiting: i64,
    waited: f64,
    used_while_waiting: f64,
    until: f64,
    /// For how long some job of the run had waited then.
    contended: f64,
}

/// How far a walk has come.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// How many events lie behind it.
    pub(super) events: usize,
    pub(super) now: f64,
    lendings: Vec<Lending>,
    beside: Vec<OwnTotals>,
    /// Jobs that wait, of all queues.
    waiting: u32,
    /// For how long some job has waited.
    contended: f64,
}

impl Place {
    /// Before the first event.
    pub(super) fn first(queues: &RunQueues, log: &RunLog) -> Self {
        let begin = log.event_times().first().copied().unwrap_or(0.0);
        let beside = OwnTotals {
            until: begin,
            ..OwnTotals::default()
        };
        Self {
            events: 0,
            now: begin,
            lendings: queues.lendings(begin),
            beside: vec![beside; queues.tree.queues().len()],
            waiting: 0,
            contended: 0.0,
        }
    }
}

/// A walk.
pub(super) struct Walk<'a> {
    queues: &'a RunQueues,
    workload: &'a Workload,
    log: &'a RunLog,
    pub(super) place: Place,
}

impl<'a> Walk<'a> {
    /// Before the first event.
    pub(super) fn new(queues: &'a RunQueues, workload: &'a Workload, log: &'a RunLog) -> Self {
        Self::from(Place::first(queues, log), queues, workload, log)
    }

    /// On from a place.
    pub(super) fn from(
        place: Place,
        queues: &'a RunQueues,
        workload: &'a Workload,
        log: &'a RunLog,
    ) -> Self {
        Self {
            queues,
            workload,
            log,
            place,
        }
    }

    /// When something happens next.
    pub(super) fn next(&self) -> Option<f64> {
        self.log.event_times().get(self.place.events).copied()
    }

    /// All that happens until a moment and at it, and time up to then.
    pub(super) fn go_to(&mut self, moment: f64) {
        while self.next().is_some_and(|time| time <= moment) {
            self.step();
        }
        self.advance(moment);
    }

    /// Time up to what happens next, and that.
    pub(super) fn step(&mut self) {
        if let Some(time) = self.next() {
            self.advance(time);
            self.happens(self.place.events);
            self.place.events += 1;
        }
    }

    fn advance(&mut self, now: f64) {
        let place = &mut self.place;
        if place.waiting > 0 {
            place.contended += now - place.now;
        }
        place.now = now;
        for lending in &mut place.lendings {
            lending.advance(now);
        }
    }

    fn happens(&mut self, at: usize) {
        let event = self.log.event(at);
        match event.kind {
            EventKind::Submit => self.waits(event.job, 1),
            EventKind::Start | EventKind::Restart => {
                self.waits(event.job, -1);
                self.holds(event.detail, 1);
            }
            EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                self.holds(event.detail, -1);
                self.waits(event.job, 1);
            }
            EventKind::Finish => self.holds(event.detail, -1),
            EventKind::Reject | EventKind::Demote | EventKind::Promote => {}
        }
    }

    fn leaf(&self, job: JobId) -> QueueId {
        self.queues.leaf_of[job.index()]
    }

    /// A job begins to wait, or waits no more.
    fn waits(&mut self, job: JobId, sign: i32) {
        let asks = &self.workload.jobs[job.index()];
        if asks.is_on_cores() {
            return;
        }
        self.place.waiting = self.place.waiting.saturating_add_signed(sign);
        let shares = self.queues.shares && asks.gpus == 1;
        let share = asks.demand.share.filter(|_| shares);
        let part = share.map_or(1000, |share| i64::from(share.get()));
        let change = i64::from(sign) * i64::from(asks.gpus) * part;
        let leaf = self.leaf(job);
        self.on_path(leaf, |of| of.waiting += change);
    }

    /// A segment begins or ends.
    fn holds(&mut self, segment: u32, sign: i64) {
        let segment = self.log.segment(segment as usize);
        let leaf = self.leaf(segment.job);
        let part = segment.share.map_or(1000, i64::from);
        let mut all = 0;
        for gpus in segment.gpus {
            let change = sign * i64::from(gpus.count()) * part;
            all += change;
            let kind = self.queues.kind_of(gpus.node);
            if let Some(lending) = self.place.lendings.get_mut(kind) {
                lending.change(leaf, change);
            }
        }
        self.on_path(leaf, |of| of.used += all);
    }

    fn on_path(&mut self, leaf: QueueId, change: impl Fn(&mut OwnTotals)) {
        let (now, contended) = (self.place.now, self.place.contended);
        for id in self.queues.tree.path(leaf) {
            let of = &mut self.place.beside[id.index()];
            of.sum_up(now, contended);
            change(of);
        }
    }

    /// What a queue has now.
    pub(super) fn standing(&self, id: QueueId) -> QueueMoment {
        let beside = &self.place.beside[id.index()];
        let asked = (beside.used + beside.waiting) as f64 / 1000.0;
        let zero = QueueMoment {
            asked,
            ..QueueMoment::default()
        };
        self.place.lendings.iter().fold(zero, |all, lending| {
            let of = lending.standing(id);
            QueueMoment {
                quota: all.quota + of.quota,
                used: all.used + of.used,
                borrowed: all.borrowed + of.borrowed,
                lent: all.lent + of.lent,
                asked,
            }
        })
    }

    /// What each queue has now, by [`QueueId`].
    pub(super) fn standings(&self) -> Vec<QueueMoment> {
        let all = (0..self.queues.tree.queues().len() as u32).map(QueueId);
        all.map(|id| self.standing(id)).collect()
    }

    /// From whom each leaf borrows now.
    pub(super) fn loans(&self) -> Vec<Loan> {
        let leaves = self.queues.tree.leaves().flat_map(|to| {
            let lenders = self.lenders(to).into_iter();
            lenders.map(move |(from, gpus)| (to, from, gpus))
        });
        leaves.collect()
    }

    /// From whom a leaf borrows now.
    fn lenders(&self, leaf: QueueId) -> Vec<(Option<QueueId>, f64)> {
        let lendings = self.place.lendings.iter();
        lendings.flat_map(|lending| lending.lenders(leaf)).collect()
    }

    /// What is used beyond all quotas now, in GPUs.
    pub(super) fn beyond_quotas(&self) -> f64 {
        let lendings = self.place.lendings.iter();
        lendings.fold(0.0, |all, lending| all + lending.beyond_quotas())
    }

    /// Of all queues, up to now.
    pub(super) fn totals(&mut self) -> Vec<Totals> {
        let place = &mut self.place;
        let mut totals: Vec<Totals> = vec![Totals::default(); place.beside.len()];
        for lending in &mut place.lendings {
            for (total, sums) in totals.iter_mut().zip(lending.sums()) {
                let of = &mut total.lending;
                of.used += sums.used;
                of.borrowed += sums.borrowed;
                of.lent += sums.lent;
                of.own_in_use += sums.own_in_use;
            }
        }
        let (now, contended) = (place.now, place.contended);
        for (total, beside) in totals.iter_mut().zip(&mut place.beside) {
            beside.sum_up(now, contended);
            total.asked = total.lending.used + beside.waited;
            total.used_while_waiting = beside.used_while_waiting;
        }
        totals
    }
}

impl OwnTotals {
    fn sum_up(&mut self, now: f64, contended: f64) {
        self.waited += self.waiting as f64 / 1000.0 * (now - self.until);
        self.used_while_waiting += self.used as f64 / 1000.0 * (contended - self.contended);
        self.until = now;
        self.contended = contended;
    }
}
