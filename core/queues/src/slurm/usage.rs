//! What associations have used, and how it fades.
//!
//! Slurm keeps one number per association. Every `PriorityCalcPeriod` it is multiplied by what remains of it, and what
//! jobs have used since is added, to the user and to each account above. A job is charged its seconds times its
//! billable resources times the usage factor of its QOS. That of its partition's QOS does not count.
//!
//! Two traps. What remains after a second is 1 − 0.693 / half-life, so that a half-life halves only nearly. And what
//! jobs used in a period fades at once, as if all of it lay at its begin.
//!
//! Source: `priority_multifactor.c` (`_init_decay_vars`, `_apply_new_usage`, `_apply_decay`).

use super::associations::Associations;
use crate::tree::QueueId;
use serde::{Deserialize, Serialize};

/// ln 2, as Slurm writes it.
const LN_2: f64 = 0.693;

/// How fast usage fades.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decay {
    /// What remains after a second.
    a_second: f64,
}

impl Decay {
    /// By a half-life in seconds (`PriorityDecayHalfLife`); 0: nothing fades.
    pub fn of_half_life(seconds: f64) -> Self {
        let a_second = if seconds > 0.0 {
            1.0 - LN_2 / seconds
        } else {
            1.0
        };
        Self { a_second }
    }

    /// What remains after some seconds, 0 to 1.
    pub fn over(self, seconds: f64) -> f64 {
        // A half-life below 0.693 seconds would turn usage negative.
        libm::pow(self.a_second.max(0.0), seconds.max(0.0)).max(f64::MIN_POSITIVE)
    }

    /// What a job of a period is charged.
    pub fn charged(self, charge: Charge) -> f64 {
        let seconds = charge.seconds.max(0.0);
        let faded = seconds * libm::pow(self.a_second.max(0.0), seconds);
        faded * charge.billing * charge.usage_factor
    }
}

/// What a job used in a period.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Charge {
    /// For how long it ran in it.
    pub seconds: f64,
    /// Its billable resources: CPUs, or as the partition's `TRESBillingWeights` say.
    pub billing: f64,
    /// The `UsageFactor` of its QOS, else 1.
    pub usage_factor: f64,
}

/// How a job's resources make its bill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Billing {
    /// Their sum.
    #[default]
    Sum,
    /// The largest of those on a node, and the sum of those of the whole cluster: `MAX_TRES`.
    Largest,
}

/// A resource of a job and what a unit of it costs: `TRESBillingWeights`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Billed {
    /// How much of it the job has.
    pub amount: f64,
    /// What one costs.
    pub weight: f64,
    /// A resource of the whole cluster, such as a licence, and of no node.
    pub is_global: bool,
}

impl Billing {
    /// A job's billable resources.
    pub fn of(self, resources: &[Billed]) -> f64 {
        let costs = |is_global| {
            let of_kind = move |billed: &&Billed| billed.is_global == is_global;
            let costs = resources.iter().filter(of_kind);
            costs.map(|billed| billed.amount * billed.weight)
        };
        let on_nodes = match self {
            Self::Sum => costs(false).fold(0.0, |sum, cost| sum + cost),
            Self::Largest => costs(false).fold(0.0, f64::max),
        };
        costs(true).fold(on_nodes, |sum, cost| sum + cost)
    }
}

/// What each association has used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    raw: Vec<f64>,
    total: f64,
}

impl Usage {
    /// Nothing yet.
    pub fn new(associations: &Associations) -> Self {
        Self {
            raw: vec![0.0; associations.len()],
            total: 0.0,
        }
    }

    /// What one has used: `RawUsage` of `sshare`.
    pub fn raw(&self, id: QueueId) -> f64 {
        self.raw[id.index()]
    }

    /// What all have used.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// What one has used of what all have, 0 to 1: `NormUsage`.
    pub fn of_all(&self, id: QueueId) -> f64 {
        if self.total > 0.0 {
            (self.raw(id) / self.total).min(1.0)
        } else {
            0.0
        }
    }

    /// Lets all usage fade to a part.
    pub fn fade(&mut self, remains: f64) {
        for raw in &mut self.raw {
            *raw *= remains;
        }
        self.total *= remains;
    }

    /// Adds usage to an association and all accounts above it.
    pub fn add(&mut self, associations: &Associations, id: QueueId, used: f64) {
        for id in associations.path(id) {
            self.raw[id.index()] += used;
        }
        self.total += used;
    }

    /// Forgets all usage (`PriorityUsageResetPeriod`).
    pub fn reset(&mut self) {
        self.fade(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Queue, QueueTree};

    #[test]
    fn a_half_life_halves_nearly() {
        let week = 7.0 * 86_400.0;
        let remains = Decay::of_half_life(week).over(week);
        assert!(remains > 0.5, "{remains}");
        assert!((remains - 0.500_073).abs() < 1e-6, "{remains}");
        assert_eq!(Decay::of_half_life(0.0).over(week), 1.0);
        assert!(Decay::of_half_life(0.1).over(10.0) >= 0.0);
    }

    #[test]
    fn a_job_is_charged_to_its_user_and_all_accounts_above() {
        let queues = vec![
            Queue::new("root", None),
            Queue::new("physics", Some(QueueId(0))),
            Queue::new("alice", Some(QueueId(1))),
            Queue::new("bob", Some(QueueId(1))),
        ];
        let tree = QueueTree::new(vec![], queues).unwrap();
        let associations = Associations::of_tree(&tree);
        let mut usage = Usage::new(&associations);
        let charge = Charge {
            seconds: 300.0,
            billing: 8.0,
            usage_factor: 0.5,
        };
        let charged = Decay::of_half_life(0.0).charged(charge);
        assert_eq!(charged, 1200.0);
        assert!(Decay::of_half_life(3600.0).charged(charge) < 1200.0);
        usage.add(&associations, QueueId(2), charged);
        usage.add(&associations, QueueId(3), 400.0);
        let raw = |at| usage.raw(QueueId(at));
        assert_eq!(
            [raw(0), raw(1), raw(2), raw(3)],
            [1600.0, 1600.0, 1200.0, 400.0]
        );
        assert_eq!(usage.of_all(QueueId(3)), 0.25);
        usage.fade(0.5);
        assert_eq!((usage.raw(QueueId(0)), usage.total()), (800.0, 800.0));
        usage.reset();
        assert_eq!(usage.of_all(QueueId(3)), 0.0);
    }
}
