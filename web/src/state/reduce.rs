//! What becomes of the page's state by what happens: a part's own actions go to the part, and what concerns several
//! is done here.

use super::action::Action;
use super::link::{Link, fit_in_a_link};
use super::run::Run;
use super::view_options::JOBS_FILTER;
use super::{
    AppState, GUIDED, GUIDED_SCHEDULERS, Refused, Selection, SelectionAction, Setup, Source,
};
use crate::draw::moments::{Dated, Moments};
use crate::zones;
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::outages::Outages;
use switchyard::policies::PolicySpec;
use switchyard::trace::ProfileTable;
use switchyard::weights::WeightsChoice;
use switchyard_app::Experiment;
use switchyard_app::study::Origin;

impl AppState {
    /// The state after this; the same one, if it changes nothing.
    pub fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        next.apply(action);
        // Jobs become adaptive, or plain again, under all schedulers at once.
        if next.adapts() != self.adapts() {
            next.forget_results();
        }
        if next == *self { self } else { Rc::new(next) }
    }

    pub(super) fn apply(&mut self, action: impl Into<Action>) {
        match action.into() {
            Action::Opening(action) => self.opening.apply(action),
            Action::Runs(action) => self.runs.apply(action),
            Action::View(action) => self.view.apply(action),
            Action::Selection(action) => self.selection.apply(action),
            Action::Analyses(action) => self.analyses.apply(action),
            Action::Notices(action) => self.notices.apply(action),
            Action::Panels(action) => self.panels.apply(action),
            Action::Opened {
                info,
                cluster,
                origin,
                profiles,
                experiment,
            } => {
                if self.opening.source != info.source {
                    // Conditions were about the jobs that were open before.
                    drop(self.view.options.set(&JOBS_FILTER, JOBS_FILTER.default));
                }
                self.opening.source = info.source.clone();
                if self.opening.source != Source::Sample(GUIDED.to_string()) {
                    self.panels.guide = None;
                } else if self.panels.guide.is_some() {
                    self.runs.replace(GUIDED_SCHEDULERS.iter().copied());
                }
                self.opening.end();
                // Whatever there was to tell was about what was open before.
                (self.notices.notice, self.view.lit) = (None, None);
                self.panels.intro &= self.opening.trace.is_none();
                self.opening.trace = Some(info);
                self.set_cluster(cluster, origin);
                if let Some(experiment) = experiment {
                    self.set_up_as(*experiment);
                }
                if !profiles.is_empty() {
                    self.take_profiles(profiles);
                }
                self.analyses.sweep = None;
                self.analyses.start = None;
                self.leave_out_recorded();
                self.forget_results();
            }
            Action::OpenedCluster(cluster) => {
                self.opening.end();
                self.notices.notice = Some(format!(
                    "The cluster is now {cluster}, as the file says. To give it to another trace, open both together."
                ));
                self.set_cluster(cluster, Origin::Asked);
                self.forget_results();
            }
            Action::OpenedProfiles(profiles) => {
                self.opening.end();
                self.take_profiles(profiles);
                self.notices.notice = Some(
                    "Jobs now train the applications of these measured profiles, wherever a scheduler adapts them."
                        .to_owned(),
                );
                if self.adapts() {
                    self.forget_results();
                }
            }
            Action::OpenedOutages(outages) => {
                self.opening.end();
                self.take_outages(outages);
                self.forget_results();
            }
            Action::OpenedWeights(choice, name, policy) => {
                if let Some(policy) = policy {
                    self.notices.notice = Some(format!("{policy} now goes by {name}."));
                    self.add_learned(policy);
                }
                self.opening.weights.retain(|(other, _)| *other != choice);
                self.opening.weights.push((choice, name));
                self.setup.settings.options.weights = choice;
                self.forget_results();
            }
            Action::ForgotWeights(choice) => {
                self.opening.weights.retain(|(other, _)| *other != choice);
                if self.setup.settings.options.weights == choice {
                    self.setup.settings.options.weights = WeightsChoice::Shipped;
                    self.forget_results();
                }
            }
            Action::Learned(history) => {
                let others = &mut self.setup.histories;
                others.retain(|other| other.name != history.name);
                others.push(history);
            }
            Action::Refused(refused) => {
                let progress = self.opening.progress.take();
                if progress.is_some_and(|of| of.name == GUIDED) {
                    self.panels.guide = None;
                }
                self.refuse(refused);
            }
            Action::NotTaken(why) => self.refuse(Refused::file(why)),
            Action::SetUp(change) => match change.of(&self.setup) {
                Ok(setup) if setup == self.setup => {}
                Ok(setup) => self.set_up(setup),
                // It was right for the settings it was made for, which have changed meanwhile.
                Err(why) => self.notices.notice = Some(why.into()),
            },
            Action::Edit(id, change) => {
                match self.run(id).map(|run| change.of(&run.policy)) {
                    Some(Ok(policy)) => self.runs.change(id, policy),
                    Some(Err(why)) => self.notices.notice = Some(why.into()),
                    // It has gone meanwhile.
                    None => {}
                }
                self.runs.revision += 1;
            }
            Action::Remove(id) => {
                self.runs.remove(id);
                self.selection.forget_run(id);
            }
            Action::Follow(link) => self.follow(&link),
        }
        self.runs.distinguish_names();
        self.read_moments();
    }

    /// The runs are on another cluster.
    fn set_cluster(&mut self, cluster: ClusterSpec, origin: Origin) {
        self.setup.cluster = cluster;
        self.opening.cluster_origin = origin;
        self.runs.breaking = None;
    }

    /// A visitor has other settings.
    fn set_up(&mut self, setup: Setup) {
        if setup.cluster != self.setup.cluster {
            self.opening.cluster_origin = Origin::Asked;
        }
        self.setup = setup;
        self.runs.breaking = None;
        self.forget_results();
    }

    /// Adds the policy of opened weights, unless a run goes by the same.
    fn add_learned(&mut self, policy: PolicySpec) {
        let learned = |run: &Run| {
            let spec = self.run_spec(run);
            (spec.learned(), spec.picker())
        };
        let wanted = learned(&Run::new(0, policy.clone()));
        if self.runs.iter().all(|run| learned(run) != wanted) {
            self.runs.add(policy);
        }
    }

    /// Has moments read as the opened trace and what is chosen have it.
    fn read_moments(&mut self) {
        let dated = self.dated();
        if dated.as_ref() == self.view.moments.dated() {
            return;
        }
        let zone_of = |dated: Dated| {
            let zone = zones::zone(&dated.zone, dated.epoch, dated.span);
            (dated, zone.unwrap_or_default())
        };
        self.view.moments = Moments::new(dated.map(zone_of));
        self.runs.revision += 1;
    }

    /// Sets the page up as a link has it. The trace stays until the link's is open, with the
    /// cluster that it has; what no link carries stays, too. Runs that the link has as well are kept.
    fn follow(&mut self, link: &Link) {
        let before = self.setup.clone();
        let mut settings = link.settings.clone();
        let own = self.setup.settings.applications_mut();
        settings.applications_mut().profiles = std::mem::take(&mut own.profiles);
        if !fit_in_a_link(&self.setup.settings.outages) && self.shows_jobs_of(link) {
            settings.outages = std::mem::take(&mut self.setup.settings.outages);
        }
        self.setup.settings = settings;
        if let Some(cluster) = &link.cluster {
            self.setup.cluster = cluster.clone();
            self.opening.cluster_origin = Origin::Asked;
        } else if let Some(trace) = self
            .opening
            .trace
            .as_ref()
            .filter(|_| self.shows_jobs_of(link))
        {
            (self.setup.cluster, self.opening.cluster_origin) = trace.file_cluster.clone();
        }
        self.runs.take_up(&link.policies);
        self.runs.give_names(&link.names);
        self.runs.give_hues(&link.hues);
        self.runs.compare_with(link.baseline);
        (self.view.colour_by, self.view.theme) = (link.colour_by, link.theme);
        self.view.name.clone_from(&link.view);
        let id = |at: u32| self.runs.list.get(at as usize).map(|run| run.id);
        self.view.options = link.options.with_runs(id);
        if self.analyses.model.question != link.question {
            self.analyses.model.question.clone_from(&link.question);
            self.analyses.model.answer = None;
        }
        self.notices.complaints.clone_from(&link.complaints);
        (self.notices.notice, self.panels.guide, self.view.lit) = (None, None, link.lit);
        // It was about what somebody wanted before.
        self.opening.clear_refusal();
        let is_shown = self.shows_jobs_of(link);
        if !is_shown || self.setup != before {
            self.forget_results();
        }
        let jobs = self.opening.jobs();
        let is_there = |job: &JobId| is_shown && job.index() < jobs;
        self.selection.followed = link.followed.filter(is_there);
        let job = link.job.filter(is_there);
        if self.selection.job != job {
            self.apply(SelectionAction::Select(job));
        }
        self.runs.revision += 1;
    }

    /// Whether the jobs that are open are those that a link shows.
    pub fn shows_jobs_of(&self, link: &Link) -> bool {
        self.opening.trace.as_ref().is_some_and(|trace| {
            trace.source == link.source
                && trace.member == link.member
                && trace.columns == link.columns
                && trace.choice == link.choice
        })
    }

    /// These instead of all others.
    fn take_outages(&mut self, outages: Outages) {
        let wrong = outages.check(self.setup.cluster.nodes()).err();
        self.notices.notice = Some(match (wrong, self.setup.settings.outages.len()) {
            (Some(why), _) => format!(
                "The outages do not fit the cluster: {why}. Give it more nodes, or remove the outages under Failures and checkpoints."
            ),
            (None, 0) => {
                "Nodes now fail as the list says: see Failures and checkpoints.".to_owned()
            }
            (None, before) => format!(
                "Nodes now fail as the list says, which takes the place of {before} before: see Failures and checkpoints."
            ),
        });
        self.setup.settings.outages = outages;
    }

    /// In a study measured profiles have all jobs train. Here they train only where a scheduler adapts them:
    /// whoever drops a table beside runs that are shown keeps those runs as they are.
    pub(super) fn take_profiles(&mut self, profiles: Vec<ProfileTable>) {
        self.setup.settings.applications_mut().profiles = profiles;
    }

    /// Leaves the run as recorded out where the trace does not tell when jobs ran: a study refuses it, but here it
    /// is in the list since the trace before.
    fn leave_out_recorded(&mut self) {
        let is_told = self
            .opening
            .trace
            .as_ref()
            .is_some_and(|trace| trace.tells_runs);
        let before = self.runs.list.len();
        self.runs
            .list
            .retain(|run| is_told || !run.policy.replays());
        if self.runs.list.len() < before {
            self.notices.notice = Some(
                "This trace does not tell when its jobs started: there is no run as recorded."
                    .to_owned(),
            );
        }
    }

    /// Takes over the settings of an experiment. What it does not name is at its default, as it
    /// would be for whoever runs it elsewhere.
    pub(super) fn set_up_as(&mut self, experiment: Experiment) {
        if !experiment.policies.is_empty() {
            let wrong = self
                .runs
                .replace(experiment.policies.iter().map(String::as_str));
            if wrong.is_empty() {
                self.runs.give_names(&experiment.names);
            } else {
                self.notices.notice = Some(format!(
                    "Not all of the file's settings are understood: {}",
                    wrong.join(" ")
                ));
            }
        }
        let mut settings = experiment.settings;
        // How large a log may become is this machine's affair.
        settings.options.log_budget = self.setup.settings.options.log_budget;
        self.setup.settings = settings;
        self.setup.histories = experiment.histories.into_iter().map(Rc::new).collect();
    }

    /// Says over the stage why something could not be opened: nothing may lie above it.
    fn refuse(&mut self, refused: Refused) {
        self.opening.refused = Some(refused);
        self.panels.drawer = false;
    }

    fn forget_results(&mut self) {
        self.runs.restart();
        self.selection = Selection::default();
    }
}

#[cfg(test)]
mod tests;
