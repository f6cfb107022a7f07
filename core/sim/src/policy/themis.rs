//! Themis (Mahajan et al., NSDI'20 §4–5): finish-time fairness, by leases. At the end of each
//! lease the share 1 − f of jobs with the worst ρ = T_sh ÷ T_id is offered the GPUs first; among
//! them, an auction gives GPUs where they improve the product of the bidders' ρ most; what is
//! left goes to the others, worst ρ first.
//!
//! T_id: the job's duration on an isolated 1/N share of the cluster, N the jobs now active (at
//! least its duration alone). T_sh: time since submission + time remaining on its gang. Gangs are
//! rigid here and each is an app of one job, so a bid is all or nothing, the auction's optimum is
//! a knapsack, taken greedily by gain per GPU, and nobody gains by lying: no hidden payments.
//! Bids need remaining times: an oracle here, an estimate of the app's there.

use super::entry::{BuildContext, PLACEMENT, Registered};
use super::rounds::{self, Rounds};
use super::{Cadence, Explanation, Fact, ParamInfo, ParamKind, Params, Policy, PolicyEntry, Rng};
use crate::Time;
use crate::job::JobId;
use crate::order;
use crate::sim::{Plan, View};
use std::cmp::Reverse;

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "themis",
        title: "Themis (oracle)",
        summary: "Finish-time fairness: at the end of each lease, GPUs are offered first to the jobs furthest behind an isolated 1/N share. Oracle: bids use true remaining times.",
        source: "Mahajan et al., NSDI'20 §4–5",
        oracle: |_| true,
        params: &[
            rounds::round("lease", "1200"),
            ParamInfo {
                name: "f",
                aliases: &["fairness"],
                kind: ParamKind::Float { min: 0.0, max: 1.0 },
                default: "0.8",
                help: "The fairness knob: the share 1 − f of jobs with the worst ρ bids first. Nearer 1: fairer; nearer 0: more efficient.",
                expert: false,
            },
            PLACEMENT,
        ],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| Box::new(Themis::new(params, context)),
};

struct Themis {
    fairness: f64,
    rounds: Rounds,
    order: Vec<JobId>,
    /// ρ and job, worst first.
    by_rho: Vec<(Reverse<Time>, JobId)>,
    /// Gain per GPU and job, greatest first.
    bids: Vec<(Reverse<Time>, JobId)>,
    /// Active jobs at the last round.
    active: u32,
}

impl Themis {
    fn new(params: &Params<'_>, context: &BuildContext<'_>) -> Self {
        let strategy = params.placement("placement", context.placement);
        Self {
            fairness: params.float("f"),
            rounds: Rounds::new(params, "lease", strategy),
            order: Vec::new(),
            by_rho: Vec::new(),
            bids: Vec::new(),
            active: 1,
        }
    }

    /// T_sh and ρ, if the job had its gang from now on.
    fn rho(&self, view: &View<'_>, job: JobId) -> (f64, f64) {
        let remaining = view.remaining(job).unwrap_or(0.0);
        let shared = (view.now() - view.submit(job)) + remaining;
        let all: u32 = view.free().node_sizes().iter().sum();
        let share = f64::from(all) / f64::from(self.active);
        let crowded = f64::from(view.gpus(job)) / share;
        let duration = view.duration(job).unwrap_or(1.0);
        let ideal = if crowded > 1.0 {
            duration * crowded
        } else {
            duration
        };
        (shared, shared / ideal)
    }
}

impl Policy for Themis {
    fn cadence(&self) -> Cadence {
        self.rounds.cadence()
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        if !self.rounds.begins(&mut self.order, view, plan) {
            return;
        }
        self.active = self.order.len() as u32;
        let mut by_rho = std::mem::take(&mut self.by_rho);
        by_rho.clear();
        by_rho.extend(
            self.order
                .iter()
                .map(|&job| (Reverse(Time(self.rho(view, job).1)), job)),
        );
        order::sort(&mut by_rho);
        let bidders = libm::ceil((1.0 - self.fairness) * by_rho.len() as f64) as usize;
        let (bidding, others) = by_rho.split_at(bidders.clamp(1, by_rho.len()));
        self.bids.clear();
        for &(_, job) in bidding {
            let (shared, _) = self.rho(view, job);
            // log of ρ without this lease ÷ ρ with it.
            let gain = libm::log1p(self.rounds.seconds() / shared.max(1e-9));
            let per_gpu = gain / f64::from(view.gpus(job));
            self.bids.push((Reverse(Time(per_gpu)), job));
        }
        order::sort(&mut self.bids);
        self.order.clear();
        self.order.extend(self.bids.iter().map(|&(_, job)| job));
        self.order.extend(others.iter().map(|&(_, job)| job));
        self.by_rho = by_rho;
        self.rounds.give_out(&self.order, view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = self.rounds.verdict(view, job);
        let (_, rho) = self.rho(view, job);
        let active = self.active;
        let facts = vec![
            Fact::new(
                "finish-time fairness ρ, if it ran from now on",
                format!("{rho:.2}"),
            ),
            Fact::new("active jobs at the last lease", active),
        ];
        Explanation::new(verdict, facts)
    }
}
