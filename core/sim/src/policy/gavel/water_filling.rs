//! Gavel's max-min fairness (Narayanan et al., OSDI'20 §4.1, §5) on one GPU type, where it is
//! least attained service by rounds: every job's GPU-time per second, x·GPUs, is to be as equal
//! as can be; x, the share of time it runs, is at most 1. Each round runs the jobs that lag most
//! behind: greatest x ÷ (share of rounds received so far).

use super::super::rounds::Rounds;
use super::super::{Cadence, Explanation, Fact, Params, Policy, Rng};
use crate::Time;
use crate::job::JobId;
use crate::order;
use crate::placement::Strategy;
use crate::sim::{Phase, Plan, View};
use std::cmp::Reverse;

pub(super) struct WaterFilling {
    rounds: Rounds,
    order: Vec<JobId>,
    ranked: Vec<((Reverse<Time>, bool), JobId)>,
    /// Gang sizes, ascending, of the water filling.
    gangs: Vec<u32>,
    /// GPU-time per second that every job is to get, unless its gang is smaller.
    level: f64,
}

impl WaterFilling {
    pub(super) fn new(params: &Params<'_>, strategy: Strategy) -> Self {
        Self {
            rounds: Rounds::new(params, "round", strategy),
            order: Vec::new(),
            ranked: Vec::new(),
            gangs: Vec::new(),
            level: f64::INFINITY,
        }
    }

    /// The level L with Σ min(gang, L) = GPUs (eq. 1 of §4.1, by water filling).
    fn fill_up(&mut self, gpus: u32) {
        self.gangs.sort_unstable();
        let mut left = f64::from(gpus);
        let mut jobs = self.gangs.len();
        self.level = f64::INFINITY;
        for &gang in &self.gangs {
            let level = left / jobs as f64;
            if f64::from(gang) > level {
                self.level = level;
                return;
            }
            left -= f64::from(gang);
            jobs -= 1;
        }
    }

    /// The share of time the job is to run.
    fn target(&self, view: &View<'_>, job: JobId) -> f64 {
        let share = self.level / f64::from(view.gpus(job));
        if share < 1.0 { share } else { 1.0 }
    }

    /// The share of time the job has run since its submission.
    fn received(view: &View<'_>, job: JobId) -> f64 {
        let age = view.now() - view.submit(job);
        if age > 0.0 {
            view.held_seconds(job) / age
        } else {
            0.0
        }
    }
}

impl Policy for WaterFilling {
    fn cadence(&self) -> Cadence {
        self.rounds.cadence()
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        if !self.rounds.begins(&mut self.order, view, plan) {
            return;
        }
        self.gangs.clear();
        self.gangs
            .extend(self.order.iter().map(|&job| view.gpus(job)));
        self.fill_up(view.free().node_sizes().iter().sum());
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.clear();
        for &job in &self.order {
            let received = Self::received(view, job);
            let lag = if received > 0.0 {
                self.target(view, job) / received
            } else {
                f64::INFINITY
            };
            // Among equals, who runs stays.
            let waits = view.phase(job) != Phase::Running;
            ranked.push(((Reverse(Time(lag)), waits), job));
        }
        order::sort(&mut ranked);
        self.order.clear();
        self.order.extend(ranked.iter().map(|&(_, job)| job));
        self.ranked = ranked;
        self.rounds.give_out(&self.order, view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let facts = vec![
            Fact::new(
                "share of time it is to run",
                percent(self.target(view, job)),
            ),
            Fact::new("share it has run", percent(Self::received(view, job))),
        ];
        Explanation::new(self.rounds.verdict(view, job), facts)
    }
}
