//! Themis as a program for shares of time: finish-time fairness of Gavel (Narayanan et al., OSDI'20 §4.2), which Muri
//! (SIGCOMM'22) and Shockwave (NSDI'23) are compared with. The auction of Themis' own paper is the policy `themis`.
//!
//! ρ of a job is (its age + what is left ÷ its share) ÷ the time that all of it takes with 1/N of the cluster to itself, N
//! the active jobs. Shares are those of the least largest ρ; where they leave GPUs over, the centre of all that are as good.

use super::entry::{BuildContext, Properties};
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::{Policy, PolicyEntry, rounds, shares};
#[cfg(feature = "solvers")]
use {
    super::Fact,
    super::shares::{Decide, Sees},
    crate::job::JobId,
    std::collections::BTreeMap,
    switchyard_explain::{Operand, Unit},
    switchyard_shockwave::allocations::{Job, themis::Themis},
};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "finish-time-fairness",
    title: "Themis as a program (finish-time fairness)",
    summary: "Shares of time for which the largest ρ, the time until a job is done ÷ the time that it takes with its part of the cluster to itself, is least. It is what papers after Themis compare with; the auction of Themis' own is themis. Oracle: it knows what is left to each, with the batch size that it trains with now.",
    source: "Narayanan et al., OSDI'20 §4.2, after Mahajan et al., NSDI'20; Zheng et al., NSDI'23 §8",
    params: Parameters::INFOS,
    solves: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        round: f64 = rounds::round("120"),
        reset: f64 = shares::RESET,
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        true
    }
}

#[cfg(feature = "solvers")]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    let times = (params.round, params.reset);
    shares::policy_that_tells(Fairest::default(), Sees::Remaining, times, strategy)
}

#[cfg(not(feature = "solvers"))]
pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    super::user_policy::without_solvers(params, context)
}

/// The decision, and how it foresaw that jobs would fare.
#[cfg(feature = "solvers")]
#[derive(Default)]
struct Fairest {
    themis: Themis,
    /// Each job's ρ by the last shares.
    rhos: BTreeMap<usize, f64>,
    /// Each job's age, what was left to it and its share then.
    told: BTreeMap<usize, [f64; 3]>,
}

#[cfg(feature = "solvers")]
impl Decide for Fairest {
    fn shares(&mut self, jobs: &[Job], gpus: u32) -> Vec<f64> {
        let shares = self.themis.allocate(jobs, gpus);
        (self.rhos, self.told) = Default::default();
        for (job, share) in jobs.iter().zip(&shares) {
            let alone = self.themis.alone(job.id).unwrap_or(0.0);
            let rho = (job.age + job.left() / share) / alone;
            if rho.is_finite() {
                self.rhos.insert(job.id, rho);
                self.told.insert(job.id, [job.age, job.left(), *share]);
            }
        }
        shares
    }

    fn keep(&mut self, active: &[JobId]) {
        self.themis
            .keep(|id| active.binary_search_by_key(&id, |job| job.index()).is_ok());
    }

    fn facts(&self, job: &Job) -> Vec<Fact> {
        let mut facts = vec![Fact::span("since it came", job.age)];
        if let Some(alone) = self.themis.alone(job.id) {
            facts.push(Fact::span("duration on its part of the cluster", alone));
        }
        if let Some(&rho) = self.rhos.get(&job.id) {
            let of_all = self.rhos.values().copied().fold(0.0, f64::max);
            let ratio = |term, rho| Fact::number(term, rho, 2, Unit::None);
            let fact = ratio("projected finish-time fairness ρ", rho);
            let told = self.told.get(&job.id).copied().unwrap_or([f64::NAN; 3]);
            let alone = self.themis.alone(job.id).unwrap_or(f64::NAN);
            let seconds = |name, value| Operand::new(name, value, Unit::Seconds);
            facts.push(fact.by(
                "({0} + {1} ∕ {2}) ∕ {3}",
                [
                    seconds("since it came, at the last round", told[0]),
                    seconds("left then", told[1]),
                    Operand::new("its share of time", told[2], Unit::None),
                    seconds("duration on its part of the cluster", alone),
                ],
                (rho, Unit::None),
            ));
            facts.push(ratio("the largest projected ρ of all jobs", of_all));
        }
        facts
    }
}
