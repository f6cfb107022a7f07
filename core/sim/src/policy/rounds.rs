//! What round-based policies share: at every round all active jobs are put in a new order and
//! GPUs are given out down that order, preempting; between rounds, arrivals and completions only
//! start what fits on free GPUs, in the order of the last round (newcomers last).

use super::priority_walk::PriorityWalk;
use super::waiting_room::Waiter;
use super::{Cadence, Every, ParamInfo, ParamKind, Params, Verdict};
use crate::job::JobId;
use crate::placement::Strategy;
use crate::sim::{Plan, View};

/// The length of a round, with a default.
pub(super) const fn round(name: &'static str, default: &'static str) -> ParamInfo {
    ParamInfo {
        name,
        aliases: &["interval"],
        kind: ParamKind::Seconds { min: 1.0, max: 1e6 },
        default,
        help: "Length of a round, seconds: running jobs are preempted only at its end.",
        expert: false,
    }
}

/// Only at rounds of so many seconds, by this parameter; they decide over all jobs, so that they
/// matter while all run, too.
pub(super) fn over_all(seconds: f64, parameter: &'static str) -> Cadence {
    Cadence {
        on_change: false,
        every: Some(Every {
            seconds,
            parameter,
            while_all_run: true,
        }),
    }
}

/// The active jobs in the order of the last round.
pub(super) struct Rounds {
    every: Every,
    walk: PriorityWalk<u32>,
    /// The position after the last.
    last: u32,
}

impl Rounds {
    /// Of the length that a parameter made by [`round`] says.
    pub(super) fn new(params: &Params<'_>, parameter: &'static str, strategy: Strategy) -> Self {
        Self {
            every: Every {
                seconds: params.float(parameter),
                parameter,
                while_all_run: false,
            },
            walk: PriorityWalk::new(strategy),
            last: 0,
        }
    }

    pub(super) fn seconds(&self) -> f64 {
        self.every.seconds
    }

    /// On every change, to start what fits, and at every round.
    pub(super) fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: Some(self.every),
        }
    }

    /// Takes note of what has happened. If a round is due and someone waits for it: `true`, with
    /// all active jobs in `order`, that of the last round, for the policy to put in a new one and
    /// [give out](Self::give_out) GPUs by. Otherwise starts what fits and preempts nobody.
    pub(super) fn begins(
        &mut self,
        order: &mut Vec<JobId>,
        view: &View<'_>,
        plan: &mut Plan,
    ) -> bool {
        let last = &mut self.last;
        self.walk.follow(view, |_| {
            *last += 1;
            *last
        });
        let begins = view.is_round() && !self.walk.waiting.is_empty();
        if begins {
            self.active(order);
        } else {
            self.walk.fill(view, plan);
        }
        begins
    }

    /// All active jobs, in the order of the last round.
    fn active(&mut self, order: &mut Vec<JobId>) {
        let mut all = self.walk.waiting.take_all();
        for &waiter in &all {
            self.walk.waiting.insert(waiter);
        }
        all.extend_from_slice(&self.walk.running);
        all.sort_unstable_by_key(|waiter| (waiter.key, waiter.job));
        order.clear();
        order.extend(all.iter().map(|waiter| waiter.job));
    }

    /// A round: gives GPUs out down this order of all active jobs.
    pub(super) fn give_out(&mut self, order: &[JobId], view: &View<'_>, plan: &mut Plan) {
        self.walk.waiting.take_all();
        self.walk.running.clear();
        self.last = order.len() as u32;
        for (key, &job) in (0u32..).zip(order) {
            let waiter = Waiter::of(key, job, view);
            if view.ledger().gpus(job) == 0 {
                self.walk.waiting.insert(waiter);
            } else {
                self.walk.running.push(waiter);
            }
        }
        self.walk.walk(view, plan);
        self.walk.requeue_preempted();
    }

    pub(super) fn verdict(&self, view: &View<'_>, job: JobId) -> Verdict {
        self.walk.verdict(view, job)
    }
}
