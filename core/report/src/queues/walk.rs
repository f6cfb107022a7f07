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
struct Beside {
    used: i64,
    waiting: i64,
    waited: f64,
    used_while_waiting: f64,
    until: f64,
    /// For how long some job of the run had waited then.
    contended: f64,
}

/// A walk.
pub(super) struct Walk<'a> {
    queues: &'a RunQueues,
    workload: &'a Workload,
    log: &'a RunLog,
    next: usize,
    now: f64,
    lendings: Vec<Lending>,
    beside: Vec<Beside>,
    /// Jobs that wait, of all queues.
    waiting: u32,
    /// For how long some job has waited.
    contended: f64,
}

impl<'a> Walk<'a> {
    /// Before the first event.
    pub(super) fn new(queues: &'a RunQueues, workload: &'a Workload, log: &'a RunLog) -> Self {
        let begin = log.event_times().first().copied().unwrap_or(0.0);
        let beside = Beside {
            until: begin,
            ..Beside::default()
        };
        Self {
            lendings: queues.lendings(begin),
            beside: vec![beside; queues.tree.queues().len()],
            queues,
            workload,
            log,
            next: 0,
            now: begin,
            waiting: 0,
            contended: 0.0,
        }
    }

    /// When something happens next.
    pub(super) fn next(&self) -> Option<f64> {
        self.log.event_times().get(self.next).copied()
    }

    /// All that happens until a moment and at it, and time up to then.
    pub(super) fn go_to(&mut self, moment: f64) {
        while let Some(time) = self.next().filter(|&time| time <= moment) {
            self.advance(time);
            self.happens(self.next);
            self.next += 1;
        }
        self.advance(moment);
    }

    fn advance(&mut self, now: f64) {
        if self.waiting > 0 {
            self.contended += now - self.now;
        }
        self.now = now;
        for lending in &mut self.lendings {
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
        self.waiting = self.waiting.saturating_add_signed(sign);
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
            if let Some(lending) = self.lendings.get_mut(kind) {
                lending.change(leaf, change);
            }
        }
        self.on_path(leaf, |of| of.used += all);
    }

    fn on_path(&mut self, leaf: QueueId, change: impl Fn(&mut Beside)) {
        for id in self.queues.tree.path(leaf) {
            let of = &mut self.beside[id.index()];
            of.sum_up(self.now, self.contended);
            change(of);
        }
    }

    /// What a queue has now.
    pub(super) fn standing(&self, id: QueueId) -> QueueMoment {
        let beside = &self.beside[id.index()];
        let asked = (beside.used + beside.waiting) as f64 / 1000.0;
        let zero = QueueMoment {
            asked,
            ..QueueMoment::default()
        };
        self.lendings.iter().fold(zero, |all, lending| {
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

    /// From whom a leaf borrows now.
    pub(super) fn lenders(&self, leaf: QueueId) -> Vec<(Option<QueueId>, f64)> {
        let lendings = self.lendings.iter();
        lendings.flat_map(|lending| lending.lenders(leaf)).collect()
    }

    /// What is used beyond all quotas now, in GPUs.
    pub(super) fn beyond_quotas(&self) -> f64 {
        let lendings = self.lendings.iter();
        lendings.fold(0.0, |all, lending| all + lending.beyond_quotas())
    }

    /// Of all queues, up to now.
    pub(super) fn totals(&mut self) -> Vec<Totals> {
        let mut totals: Vec<Totals> = vec![Totals::default(); self.beside.len()];
        for lending in &mut self.lendings {
            for (total, sums) in totals.iter_mut().zip(lending.sums()) {
                let of = &mut total.lending;
                of.used += sums.used;
                of.borrowed += sums.borrowed;
                of.lent += sums.lent;
                of.own_in_use += sums.own_in_use;
            }
        }
        let (now, contended) = (self.now, self.contended);
        for (total, beside) in totals.iter_mut().zip(&mut self.beside) {
            beside.sum_up(now, contended);
            total.asked = total.lending.used + beside.waited;
            total.used_while_waiting = beside.used_while_waiting;
        }
        totals
    }
}

impl Beside {
    fn sum_up(&mut self, now: f64, contended: f64) {
        self.waited += self.waiting as f64 / 1000.0 * (now - self.until);
        self.used_while_waiting += self.used as f64 / 1000.0 * (contended - self.contended);
        self.until = now;
        self.contended = contended;
    }
}
