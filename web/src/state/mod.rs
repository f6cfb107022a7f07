//! The page's one store: the state is made of parts, each with a file, actions and a reducer of its own. An
//! [`Action`] is one of a part's, or one that concerns several, and [`reduce`] sees to those. What is large or moves
//! is on the [stage](crate::stage) instead.

mod action;
mod analyses;
pub(crate) mod attachments;
pub mod capacity;
pub mod change;
mod colour_by;
pub mod link;
mod names;
mod notices;
mod opening;
mod panels;
#[cfg(test)]
pub(crate) mod random;
mod reduce;
mod run;
mod runs;
mod samples;
mod selection;
pub mod settings;
mod shown_link;
pub(crate) mod side_by_side;
pub mod source;
pub(crate) mod spec_edit;
pub mod start;
pub mod start_question;
mod store;
pub mod sweep;
pub mod sweep_runs;
mod view;
pub mod view_options;

use crate::draw::moments::{Dated, Moments};
pub use action::Action;
pub use analyses::{Analyses, AnalysesAction, LivesQuestion, Model, RunLives};
pub use colour_by::ColourBy;
use link::Link;
pub use notices::{Notices, NoticesAction};
pub use opening::{
    ColumnsAsked, NextStep, Opening, OpeningAction, Progressing, Refused, TraceInfo,
};
pub use panels::{Panels, PanelsAction, Steps};
pub use run::{Finished, Phase, Run};
pub use runs::{Runs, RunsAction};
pub use samples::{
    DATA_CENTRE, GUIDED, GUIDED_SCHEDULERS, IN_TURNS, Scene, THREE_TYPES, TWO_TEAMS,
};
pub use selection::{Selection, SelectionAction};
pub use source::Source;
use std::rc::Rc;
use std::sync::Arc;
pub use store::Store;
use switchyard::cluster::ClusterSpec;
use switchyard::policies::{PolicySpec, ServiceHistory};
use switchyard::workload::ApplicationSettings;
use switchyard::{RunSpec, Settings};
use switchyard_app::Experiment;
use switchyard_app::study::{Origin, run_of, trains, why_trained};
pub use view::{Theme, ViewAction, ViewState};
use view_options::{COMPARE_OVER, TIMES, ViewOption, ZONE};

const DAY: f64 = 86_400.0;

/// Everything the components show.
#[derive(Clone, Debug, PartialEq)]
pub struct AppState {
    /// What is open and what is being opened.
    pub opening: Opening,
    /// What every run has in common.
    pub setup: Setup,
    /// The runs.
    pub runs: Runs,
    /// What is shown, and how it looks.
    pub view: ViewState,
    /// The chosen job and the one that is followed.
    pub selection: Selection,
    /// What is worked out beside the runs.
    pub analyses: Analyses,
    /// What is told.
    pub notices: Notices,
    /// What is open over and beside the view.
    pub panels: Panels,
}

/// What every run has in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The cluster.
    pub cluster: ClusterSpec,
    /// The settings of its runs.
    pub settings: Settings,
    /// Services of an earlier time, for policies that learn from a file; by name.
    pub histories: Vec<Rc<ServiceHistory>>,
}

impl AppState {
    /// The page as a link asks for it.
    pub fn from_link(link: &Link) -> Self {
        let mut runs = Runs::of(&link.policies);
        runs.give_names(&link.names);
        runs.give_hues(&link.hues);
        runs.compare_with(link.baseline);
        runs.distinguish_names();
        let origin = match link.cluster {
            Some(_) => Origin::Asked,
            None => Origin::Trace,
        };
        Self {
            opening: Opening::of(link.source.clone(), origin),
            setup: Setup {
                cluster: link.cluster.clone().unwrap_or_else(default_cluster),
                settings: link.settings.clone(),
                histories: Vec::new(),
            },
            runs,
            view: ViewState {
                name: link.view.clone(),
                options: link.options.clone(),
                moments: Moments::default(),
                searching: false,
                colour_by: link.colour_by,
                lit: link.lit,
                theme: link.theme,
            },
            selection: Selection {
                job: link.job,
                followed: link.followed,
                ..Selection::default()
            },
            analyses: Analyses {
                model: Model {
                    question: link.question.clone(),
                    answer: None,
                },
                ..Analyses::default()
            },
            notices: Notices {
                complaints: link.complaints.clone(),
                ..Notices::default()
            },
            panels: Panels {
                intro: *link == Link::default(),
                ..Panels::default()
            },
        }
    }

    /// The settings of one scheduler's run.
    pub fn run_spec(&self, run: &Run) -> RunSpec {
        let setup = &self.setup;
        let histories = setup.histories.iter().map(|history| &**history);
        run_of(&run.policy, &setup.cluster, &setup.settings, histories)
    }

    /// All settings of the runs, as a file carries them.
    pub fn experiment(&self) -> Experiment {
        let setup = &self.setup;
        let choice = self.opening.trace.iter().flat_map(|trace| &trace.choice.0);
        Experiment {
            title: self
                .opening
                .trace
                .as_ref()
                .map_or_else(String::new, |trace| trace.title.clone()),
            choice: choice
                .map(|(key, value)| format!("{key}={value}"))
                .collect(),
            cluster: Some(setup.cluster.clone()),
            policies: self.runs.iter().map(|of| of.policy.to_string()).collect(),
            names: self.runs.iter().map(|of| of.given.clone()).collect(),
            settings: setup.settings.clone(),
            histories: setup.histories.iter().map(|of| (**of).clone()).collect(),
        }
    }

    /// Whether there is something that another trace with its schedulers would take the place of:
    /// a file of the visitor's, or schedulers of their choice.
    pub fn has_work(&self) -> bool {
        let given = Link::default().policies;
        let same = |(run, policy): (&PolicySpec, &PolicySpec)| run == policy;
        let untouched =
            self.runs.list.len() == given.len() && self.runs.policies().zip(&given).all(same);
        !matches!(self.opening.source, Source::Sample(_)) || !untouched
    }

    /// What is chosen of an option of a view.
    pub fn option(&self, option: &ViewOption) -> &str {
        self.view.options.get(option)
    }

    /// What dates of the opened trace follow from; `None` where it has none, or they are not wanted.
    fn dated(&self) -> Option<Dated> {
        let trace = self.opening.trace.as_ref()?;
        let epoch = trace
            .epoch
            .filter(|_| self.option(&TIMES) == TIMES.default)?;
        Some(Dated {
            epoch,
            span: trace.span_days * DAY,
            zone: self.option(&ZONE).to_owned(),
        })
    }

    /// Whether runs are compared over the jobs that finished in all.
    pub fn compares_over_common(&self) -> bool {
        self.option(&COMPARE_OVER) != COMPARE_OVER.default
    }

    /// The scheduler that an option of a view names, if it is in the list.
    pub fn option_run(&self, option: &ViewOption) -> Option<u32> {
        let id = self.option(option).parse().ok()?;
        self.run(id).map(|run| run.id)
    }

    /// Whether jobs train applications.
    pub fn adapts(&self) -> bool {
        let is_adaptive = self
            .opening
            .trace
            .as_ref()
            .is_some_and(|trace| trace.adaptive);
        let policies = self.runs.policies();
        trains(&self.setup.settings.applications, is_adaptive, policies)
    }

    /// Why jobs train applications, where neither the trace nor the settings have them train; a sentence.
    pub fn why_trained(&self) -> Option<String> {
        let is_adaptive = self.opening.trace.as_ref()?.adaptive;
        let policies = self.runs.policies();
        why_trained(&self.setup.settings.applications, is_adaptive, policies)
    }

    /// What jobs train, if they do.
    pub fn applications(&self) -> Option<Arc<ApplicationSettings>> {
        self.adapts()
            .then(|| self.setup.settings.applications.clone())
    }

    /// The run with this id.
    pub fn run(&self, id: u32) -> Option<&Run> {
        self.runs.get(id)
    }
}

/// Before any trace is open.
fn default_cluster() -> ClusterSpec {
    ClusterSpec::uniform(8, 4).unwrap_or_else(|_| unreachable!("8x4 is a cluster"))
}
