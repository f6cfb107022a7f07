//! What a cluster's configuration says of priorities, as `scontrol show config` prints it.

use super::factors::{self, SizeRule};
use super::priority::Weights;
use serde::{Deserialize, Serialize};

/// How fair share is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Fair Tree, the default since 19.05.
    #[default]
    FairTree,
    /// Classic fair share, `NO_FAIR_TREE`.
    Classic,
}

/// Which factors count as they are given, and not by the highest of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AsGiven {
    /// `NO_NORMAL_ASSOC`.
    pub association: bool,
    /// `NO_NORMAL_PART`.
    pub partition: bool,
    /// `NO_NORMAL_QOS`.
    pub qos: bool,
    /// `NO_NORMAL_TRES`.
    pub tres: bool,
}

/// When all usage is forgotten: `PriorityUsageResetPeriod`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reset {
    /// Never.
    #[default]
    None,
    /// Once, when Slurm starts.
    Now,
    /// At midnight.
    Daily,
    /// On Sunday.
    Weekly,
    /// On the first of the month.
    Monthly,
    /// On the first of the quarter.
    Quarterly,
    /// On the first of the year.
    Yearly,
}

/// How a cluster computes priorities. The default is Slurm's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Whether priorities have factors (`priority/multifactor`); else jobs run in the order they came.
    pub has_factors: bool,
    /// What each factor weighs.
    pub weights: Weights,
    /// Seconds in which usage halves; 0: never.
    pub half_life: f64,
    /// Seconds between two computations.
    pub calc_period: f64,
    /// Seconds after which waiting counts no more.
    pub max_age: f64,
    /// `FairShareDampeningFactor`.
    pub damping: f64,
    /// How fair share is computed.
    pub algorithm: Algorithm,
    /// How a job's size counts.
    pub size: SizeRule,
    /// Which factors count as they are given.
    pub as_given: AsGiven,
    /// `ACCRUE_ALWAYS`: jobs that wait for others grow older.
    pub accrues_always: bool,
    /// `INCR_ONLY`: no priority falls.
    pub only_rises: bool,
    /// When all usage is forgotten.
    pub reset: Reset,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            has_factors: true,
            weights: Weights::default(),
            half_life: 7.0 * 86_400.0,
            calc_period: 300.0,
            max_age: 7.0 * 86_400.0,
            damping: 1.0,
            algorithm: Algorithm::default(),
            size: SizeRule::default(),
            as_given: AsGiven::default(),
            accrues_always: false,
            only_rises: false,
            reset: Reset::default(),
        }
    }
}

impl Config {
    /// The factor of an association's priority, where the highest of all is this.
    pub fn association_factor(&self, priority: u32, highest: u32) -> f64 {
        measured(self.as_given.association, priority, highest)
    }

    /// The factor of a partition's `PriorityJobFactor`.
    pub fn partition_factor(&self, priority: u32, highest: u32) -> f64 {
        measured(self.as_given.partition, priority, highest)
    }

    /// The factor of a QOS's priority.
    pub fn qos_factor(&self, priority: u32, highest: u32) -> f64 {
        measured(self.as_given.qos, priority, highest)
    }

    /// The factor of a trackable resource of which a job asks so much, and its partition has so much.
    pub fn tres_factor(&self, asked: f64, of_partition: f64) -> f64 {
        match self.as_given.tres {
            true => asked,
            false => factors::tres(asked, of_partition),
        }
    }
}

fn measured(is_as_given: bool, priority: u32, highest: u32) -> f64 {
    match is_as_given {
        true => f64::from(priority),
        false => factors::normal(priority, highest),
    }
}
