//! What comes with a trace besides its jobs and its cluster, once a link that shows it has had its say: the
//! link has all settings, the file has what no link can carry.

use super::link::fit_in_a_link;
use switchyard::outages::Outages;
use switchyard::policies::ServiceHistory;
use switchyard::trace::ProfileTable;
use switchyard_app::Experiment;

/// What is taken of a file besides its jobs and its cluster.
#[derive(Clone, Debug, Default)]
pub struct Attachments {
    /// Profiles of what its jobs train.
    pub profiles: Vec<ProfileTable>,
    /// Outages of nodes.
    pub outages: Outages,
    /// Service histories, where the settings are a link's.
    pub histories: Vec<ServiceHistory>,
    /// The settings, where it is an experiment of ours and no link has others.
    pub experiment: Option<Experiment>,
}

impl Attachments {
    /// What there is, as it stands in the file.
    pub fn new(
        profiles: Vec<ProfileTable>,
        outages: Outages,
        experiment: Option<Experiment>,
    ) -> Self {
        let outages = match &experiment {
            Some(own) => own.outages_with(&outages),
            None => outages,
        };
        Self {
            profiles,
            outages,
            histories: Vec::new(),
            experiment,
        }
    }

    /// The same under a link that says what is run.
    pub fn under_a_link(mut self) -> Self {
        if fit_in_a_link(&self.outages) {
            self.outages = Outages::default();
        }
        if let Some(own) = self.experiment.take() {
            self.histories = own.histories;
            if self.profiles.is_empty() {
                self.profiles
                    .clone_from(&own.settings.applications.profiles);
            }
        }
        self
    }
}
