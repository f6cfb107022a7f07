//! An experiment: everything besides its jobs that makes the runs of a list of schedulers. Page and
//! command line write it above a table of jobs ([`workload::export`](crate::workload::export)) and
//! set themselves up by it ([`trace::formats`](crate::trace)); `docs/format.md` describes it.
//!
//! The same experiment with the same jobs gives the same logs, bit for bit.

use crate::RunSpec;
use crate::cluster::ClusterSpec;
use crate::placement::Strategy;
use crate::policy::{PolicySpec, ServiceHistory};
use crate::sim::SimOptions;
use crate::workload::{ApplicationSettings, SettingsError, Workload};
use serde::{Deserialize, Serialize};

/// What an experiment needs besides jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Name for people; may be empty.
    pub title: String,
    /// Which jobs of a larger trace these are, as `key=value` of the command line's flags: for
    /// people, since the others are not there.
    pub choice: Vec<String>,
    /// The cluster.
    pub cluster: Option<ClusterSpec>,
    /// Policies in their textual form, not checked: whoever opens files knows no schedulers.
    pub policies: Vec<String>,
    /// How gangs are laid on nodes.
    pub placement: Strategy,
    /// Restart cost, slowdown, interference and seed.
    pub options: SimOptions,
    /// What jobs train.
    pub applications: ApplicationSettings,
    /// Services of an earlier time, by the names that policies know them by.
    pub histories: Vec<ServiceHistory>,
}

impl Experiment {
    /// The version of the format that is written, and the latest that is read.
    pub const VERSION: u32 = 1;

    /// The history that a policy's `history=NAME` means.
    pub fn history(&self, name: &str) -> Option<&ServiceHistory> {
        self.histories.iter().find(|history| history.name == name)
    }

    /// The settings of a policy's run on a cluster.
    pub fn run(&self, policy: &PolicySpec, cluster: &ClusterSpec) -> RunSpec {
        let history = policy.param("history");
        RunSpec {
            policy: policy.clone(),
            cluster: cluster.clone(),
            placement: self.placement,
            options: self.options,
            history: history.and_then(|name| self.history(name)).cloned(),
        }
    }

    /// The workload as these policies get it: with its applications, if its jobs adapt or one of
    /// them adapts any. Then they train under all, so that runs can be compared.
    ///
    /// # Errors
    ///
    /// A [`SettingsError`] that says what to change.
    pub fn bind(
        &self,
        workload: Workload,
        policies: &[PolicySpec],
    ) -> Result<Workload, SettingsError> {
        let adapts = policies.iter().any(PolicySpec::adapts_jobs);
        if self.applications.always || adapts || workload.is_adaptive() {
            self.applications.bind(&workload)
        } else {
            Ok(workload)
        }
    }
}
