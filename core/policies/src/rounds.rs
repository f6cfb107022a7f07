//! What round-based policies share: at every round all active jobs are put in a new order and
//! GPUs are given out down that order, preempting; between rounds, arrivals and completions only
//! start what fits on free GPUs, in the order of the last round (newcomers last).

#[cfg(test)]
mod tests;

use super::parameters::param;
use super::priority_walk::PriorityWalk;
use super::ranked_room::{Class, Place, RankedRoom};
use super::waiting_room::Waiters;
use super::{Cadence, Every, ParamInfo, ParamKind, Verdict};
use crate::job::JobId;
use crate::order;
use switchyard_engine::{Plan, View};
use switchyard_placement::Strategy;

/// The length of a round, with a default.
pub(super) const fn round(default: &'static str) -> ParamInfo {
    param(
        ParamKind::Seconds { min: 1.0, max: 1e6 },
        default,
        "Length of a round, seconds: running jobs are preempted only at its end.",
    )
    .or_called(&["interval"])
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
pub(super) struct Rounds<C: Class> {
    every: Every,
    walk: PriorityWalk<Place<C::Rank>, RankedRoom<C>>,
    /// How many have come to wait.
    came: u32,
}

impl<C: Class> Rounds<C> {
    /// Of so many seconds, by this parameter.
    pub(super) fn new(seconds: f64, parameter: &'static str, strategy: Strategy) -> Self {
        Self {
            every: Every {
                seconds,
                parameter,
                while_all_run: false,
            },
            walk: PriorityWalk::of(strategy, RankedRoom::default()),
            came: 0,
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
    /// all who wait in their classes, for the policy to rank all and
    /// [give out](Self::give_out) GPUs by that. Otherwise starts what fits and preempts nobody.
    pub(super) fn begins(&mut self, view: &View<'_>, plan: &mut Plan) -> bool {
        let came = &mut self.came;
        self.walk.follow(view, |_| {
            *came += 1;
            Place::Came(*came)
        });
        let begins = view.is_round() && !self.walk.waiting.is_empty();
        if begins {
            self.walk.waiting.gather(view);
        } else {
            self.walk.fill(view, plan);
        }
        begins
    }

    /// How many wait or run.
    pub(super) fn active(&self) -> u32 {
        self.walk.waiting.len() + self.walk.running.len() as u32
    }

    pub(super) fn running(&self) -> impl Iterator<Item = JobId> {
        self.walk.running.iter().map(|running| running.job)
    }

    /// Those who wait, by class.
    pub(super) fn classes(&mut self) -> impl Iterator<Item = &mut C> {
        self.walk.waiting.classes()
    }

    /// A round: gives GPUs out down the ranks of all active jobs; `rank` is that of one who runs.
    pub(super) fn give_out(
        &mut self,
        round: C::Round,
        rank: impl Fn(JobId) -> C::Rank,
        view: &View<'_>,
        plan: &mut Plan,
    ) {
        self.walk.waiting.rank(round);
        for running in &mut self.walk.running {
            running.key = Place::Ranked(rank(running.job));
        }
        order::sort_by_key(&mut self.walk.running, |running| (running.key, running.job));
        self.walk.walk(view, plan);
        self.walk.requeue_preempted();
    }

    pub(super) fn verdict(&self, view: &View<'_>, job: JobId) -> Verdict {
        self.walk.verdict(view, job)
    }
}
