//! What can happen to the page's state: to one of its parts alone, or to several of them.

use super::change::Change;
use super::link::Link;
use super::{
    AnalysesAction, NoticesAction, OpeningAction, PanelsAction, Refused, RunsAction,
    SelectionAction, Setup, TraceInfo, ViewAction,
};
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::outages::Outages;
use switchyard::policies::{PolicySpec, ServiceHistory};
use switchyard::trace::ProfileTable;
use switchyard::weights::WeightsChoice;
use switchyard_app::Experiment;
use switchyard_app::study::Origin;

/// What can happen.
#[derive(Debug)]
pub enum Action {
    /// Something of what is being opened.
    Opening(OpeningAction),
    /// Something of the runs.
    Runs(RunsAction),
    /// Something of what is shown.
    View(ViewAction),
    /// Something of a job.
    Selection(SelectionAction),
    /// Something of what is worked out beside the runs.
    Analyses(AnalysesAction),
    /// Something is told, or read.
    Notices(NoticesAction),
    /// Something beside the view opens or closes.
    Panels(PanelsAction),
    /// A trace is open; `cluster`: what to run it on and where that comes from.
    Opened {
        /// The trace.
        info: Rc<TraceInfo>,
        /// The cluster.
        cluster: ClusterSpec,
        /// Where it comes from.
        origin: Origin,
        /// Profiles that came with it.
        profiles: Vec<ProfileTable>,
        /// The settings in the file, where it is an experiment.
        experiment: Option<Box<Experiment>>,
    },
    /// A cluster's description was opened, and no trace.
    OpenedCluster(ClusterSpec),
    /// Profiles of applications were opened, and no trace.
    OpenedProfiles(Vec<ProfileTable>),
    /// A list of outages was opened, alone or with a trace.
    OpenedOutages(Outages),
    /// Weights of one's own were opened, from the file of this name; the policy that goes by them.
    OpenedWeights(WeightsChoice, String, Option<PolicySpec>),
    /// They are not there any more.
    ForgotWeights(WeightsChoice),
    /// A service history was opened; a scheduler that uses it says so in its spec.
    Learned(Rc<ServiceHistory>),
    /// The trace could not be opened.
    Refused(Refused),
    /// A file that is no trace could not be taken; what is being opened goes on.
    NotTaken(String),
    /// The visitor changed what runs have in common.
    SetUp(Change<Setup>),
    /// A run has another policy, and runs anew.
    Edit(u32, Change<PolicySpec>),
    /// A run goes.
    Remove(u32),
    /// A link is followed; what it shows is opened besides.
    Follow(Box<Link>),
}

/// Each part's actions are actions.
macro_rules! of_parts {
    ($($part:ident($action:ident)),*) => {$(
        impl From<$action> for Action {
            fn from(action: $action) -> Self {
                Self::$part(action)
            }
        }
    )*};
}

of_parts!(
    Opening(OpeningAction),
    Runs(RunsAction),
    View(ViewAction),
    Selection(SelectionAction),
    Analyses(AnalysesAction),
    Notices(NoticesAction),
    Panels(PanelsAction)
);
