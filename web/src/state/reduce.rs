//! What becomes of the page's state by what happens.

use super::action::Action;
use super::link::{Link, fit_in_a_link};
use super::names;
use super::sweep::Sweep;
use super::{
    AppState, Card, ClusterOrigin, GUIDED, GUIDED_SCHEDULERS, Progressing, Refused, RunStatus,
    Source,
};
use crate::draw::moments::{Dated, Moments};
use crate::zones;
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::outages::Outages;
use switchyard::trace::ProfileTable;
use switchyard::weights::WeightsChoice;
use switchyard_app::Experiment;
use yew::Reducible;

/// The run as recorded.
const RECORDED: &str = "recorded";

/// A change of a run's progress makes charts redraw at most this often: per this many jobs done.
const REDRAWS_PER_RUN: u32 = 12;

impl AppState {
    fn card_mut(&mut self, id: u32) -> Option<&mut Card> {
        self.cards.iter_mut().find(|card| card.id == id)
    }

    pub(super) fn apply(&mut self, action: Action) {
        match action {
            Action::Opening(name, total) => {
                self.opening = Some(Progressing {
                    name,
                    total,
                    bytes: 0,
                    rows: 0,
                });
                self.refused = None;
                self.columns = None;
                self.asking = false;
            }
            Action::Fetching(bytes, total) => {
                if let Some(opening) = &mut self.opening {
                    (opening.bytes, opening.total) = (bytes, total);
                }
            }
            Action::Reading(bytes, rows) => {
                if let Some(opening) = &mut self.opening {
                    (opening.bytes, opening.rows) = (bytes, rows);
                }
            }
            Action::CancelledOpening => self.opening = None,
            Action::Opened {
                info,
                cluster,
                origin,
                profiles,
                experiment,
            } => {
                self.source = info.source.clone();
                if self.source != Source::Sample(GUIDED.to_string()) {
                    self.guide = None;
                } else if self.guide.is_some() {
                    self.schedule(GUIDED_SCHEDULERS.iter().copied());
                }
                self.opening = None;
                self.refused = None;
                // Whatever there was to tell was about what was open before.
                (self.notice, self.lit) = (None, None);
                self.intro &= self.trace.is_none();
                self.trace = Some(info);
                self.setup.cluster = cluster;
                self.cluster_origin = origin;
                if let Some(experiment) = experiment {
                    self.set_up_as(*experiment);
                }
                if !profiles.is_empty() {
                    self.take_profiles(profiles);
                }
                (self.breaking, self.sweep) = (None, None);
                self.leave_out_recorded();
                self.forget_results();
            }
            Action::AddRecorded => {
                if self.cards.iter().all(|card| !card.policy.replays())
                    && let Ok(policy) = RECORDED.parse()
                {
                    self.apply(Action::Add(policy));
                }
            }
            Action::OpenedProfiles(profiles) => {
                self.opening = None;
                self.refused = None;
                self.take_profiles(profiles);
                self.notice = Some(
                    "Jobs now train the applications of these measured profiles, wherever a scheduler adapts them."
                        .to_owned(),
                );
                if self.adapts() {
                    self.forget_results();
                }
            }
            Action::OpenedOutages(outages) => {
                self.opening = None;
                self.refused = None;
                self.take_outages(outages);
                self.forget_results();
            }
            Action::OpenedWeights(choice, name, policy) => {
                if let Some(policy) = policy {
                    self.notice = Some(format!("{policy} now goes by {name}."));
                    let card = Card::new(self.next_id, policy);
                    let learned = |card: &Card| {
                        let run = self.run_spec(card);
                        (run.learned(), run.picker())
                    };
                    if self
                        .cards
                        .iter()
                        .all(|other| learned(other) != learned(&card))
                    {
                        self.cards.push(card);
                        self.next_id += 1;
                    }
                }
                self.weights.retain(|(other, _)| *other != choice);
                self.weights.push((choice, name));
                self.setup.settings.options.weights = choice;
                self.forget_results();
            }
            Action::ForgotWeights(choice) => {
                self.weights.retain(|(other, _)| *other != choice);
                if self.setup.settings.options.weights == choice {
                    self.setup.settings.options.weights = WeightsChoice::Shipped;
                    self.forget_results();
                }
            }
            Action::Restaged | Action::WeightsCame => self.revision += 1,
            Action::OpenedCluster(cluster) => {
                self.opening = None;
                self.refused = None;
                self.notice = Some(format!(
                    "The cluster is now {cluster}, as the file says. To give it to another trace, open both together."
                ));
                self.setup.cluster = cluster;
                self.cluster_origin = ClusterOrigin::Chosen;
                self.breaking = None;
                self.forget_results();
            }
            Action::Refused(refused) => {
                if self.opening.as_ref().is_some_and(|of| of.name == GUIDED) {
                    self.guide = None;
                }
                self.opening = None;
                self.refuse(refused);
            }
            Action::NotTaken(why) => self.refuse(Refused::file(why)),
            Action::ReadRefusal => self.refused = None,
            Action::Choosing(choice) => {
                self.refused = None;
                if let Some(trace) = &mut self.trace {
                    Rc::make_mut(trace).choice = choice;
                }
            }
            Action::AskColumns(asked) => {
                self.columns = Some(asked);
                self.asking = true;
            }
            Action::LeaveColumns => self.asking = false,
            Action::Kept(kept) => self.kept = kept,
            Action::Held(held) => self.held = held,
            Action::KeptThis(id) => {
                if let Some(trace) = &mut self.trace {
                    Rc::make_mut(trace).kept = Some(id);
                }
            }
            Action::SetUp(change) => match change.of(&self.setup) {
                Ok(setup) if setup == self.setup => {}
                Ok(setup) => {
                    if setup.cluster != self.setup.cluster {
                        self.cluster_origin = ClusterOrigin::Chosen;
                    }
                    self.setup = setup;
                    self.breaking = None;
                    self.forget_results();
                }
                // It was right for the settings it was made for, which have changed meanwhile.
                Err(why) => self.notice = Some(why),
            },
            Action::Learned(history) => {
                let others = &mut self.setup.histories;
                others.retain(|other| other.name != history.name);
                others.push(history);
            }
            Action::Add(policy) => {
                self.cards.push(Card::new(self.next_id, policy));
                self.next_id += 1;
            }
            Action::Edit(id, change) => {
                let changed = self.card(id).map(|card| change.of(&card.policy));
                match (self.card_mut(id), changed) {
                    (Some(card), Some(Ok(policy))) => *card = card.anew(policy),
                    (_, Some(Err(why))) => self.notice = Some(why),
                    _ => {}
                }
                self.revision += 1;
            }
            Action::Name(id, given) => {
                if let Some(card) = self.card_mut(id) {
                    card.given = names::plain(&given);
                }
                self.revision += 1;
            }
            Action::Remove(id) => {
                self.cards.retain(|card| card.id != id);
                if self.baseline == id {
                    self.baseline = self.cards.first().map_or(0, |card| card.id);
                }
                self.explanations.retain(|(run, _, _)| *run != id);
                self.slowness.retain(|(run, _)| *run != id);
                self.revision += 1;
            }
            Action::Set(id, status) => {
                if let Some(card) = self.card_mut(id) {
                    card.status = status;
                }
                self.revision += 1;
            }
            Action::Progress(id, status) => {
                let done = |status: &RunStatus| match status {
                    RunStatus::Running(progress) => {
                        progress.done * REDRAWS_PER_RUN / progress.jobs.max(1)
                    }
                    _ => u32::MAX,
                };
                if let Some(card) = self.card_mut(id).filter(|card| card.is_under_way()) {
                    let redraw = done(&card.status) != done(&status);
                    card.status = status;
                    self.revision += u32::from(redraw);
                }
            }
            Action::Finished(id, status, summary) => {
                if let Some(card) = self.card_mut(id).filter(|card| card.is_under_way()) {
                    card.status = status;
                    card.summary = Some(summary);
                }
                self.revision += 1;
            }
            Action::Baseline(id) => {
                self.baseline = id;
                self.revision += 1;
            }
            Action::Show(view) => self.view = view.to_string(),
            // What an option does not take leaves it as it is.
            Action::SetOption(option, value) => drop(self.options.set(option, &value)),
            Action::Search(open) => self.searching = open,
            Action::ColourBy(colour_by) => (self.colour_by, self.lit) = (colour_by, None),
            Action::Light(class) => self.lit = class,
            Action::Theme(theme) => self.theme = theme,
            Action::Select(job) => {
                self.selected = job;
                self.explanations.clear();
                self.slowness.clear();
            }
            Action::FollowJob(job) => self.followed = job,
            Action::Slowed(run, job, slowness) => {
                if self.selected == Some(job) {
                    self.slowness.retain(|(of, _)| *of != run);
                    self.slowness.push((run, slowness));
                }
            }
            Action::Explained(run, job, at, explanation) => {
                if self.selected == Some(job) {
                    self.explanations.retain(|(of, _, _)| *of != run);
                    self.explanations.push((run, at, explanation));
                }
            }
            Action::Notice(notice) => self.notice = notice,
            Action::Follow(link) => self.follow(&link),
            Action::Complain(why) => self.complaints.push(why),
            Action::ReadComplaints => self.complaints.clear(),
            Action::WayBack(name) => self.way_back = name,
            Action::Round(run, report) => self.round = report.map(|report| (run, report)),
            Action::Ask(question) => self.model.question = question,
            Action::Answered(answer) => self.model.answer = Some(answer.map(Rc::new)),
            Action::Arrived(told) => self.arrivals = told,
            Action::Swept(sweep) => self.sweep = Some(sweep),
            Action::SweptRun(at, outcome) => {
                if let Some(Ok(sweep)) = &mut self.sweep {
                    Sweep::note(sweep, at, outcome);
                }
            }
            Action::LeftSweep => {
                if let Some(Ok(sweep)) = &mut self.sweep {
                    Rc::make_mut(sweep).under_way = false;
                }
            }
            Action::AskToBreak(node) => self.breaking = node,
            Action::Break(id, outage) => {
                self.breaking = None;
                if let Some(at) = self.cards.iter().position(|card| card.id == id) {
                    let policy = self.cards[at].policy.and_if(outage);
                    self.cards.insert(at + 1, Card::new(self.next_id, policy));
                    self.next_id += 1;
                    self.revision += 1;
                }
            }
            Action::CloseIntro => self.intro = false,
            Action::Help(open) => self.help = open,
            Action::Drawer(open) => self.drawer = open,
            Action::Guide(step) => {
                self.intro = false;
                self.guide = step;
                self.asking_for_guide = false;
            }
            Action::AskForGuide => self.asking_for_guide = true,
        }
        names::tell_apart(&mut self.cards);
        self.read_moments();
    }

    /// Has moments read as the opened trace and what is chosen have it.
    fn read_moments(&mut self) {
        let dated = self.dated();
        if dated.as_ref() == self.moments.dated() {
            return;
        }
        let zone_of = |dated: Dated| {
            let zone = zones::zone(&dated.zone, dated.epoch, dated.span);
            (dated, zone.unwrap_or_default())
        };
        self.moments = Moments::new(dated.map(zone_of));
        self.revision += 1;
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
            self.cluster_origin = ClusterOrigin::Chosen;
        } else if let Some(trace) = self.trace.as_ref().filter(|_| self.shows_jobs_of(link)) {
            let own = &trace.own_cluster;
            (self.setup.cluster, self.cluster_origin) =
                (own.spec().clone(), ClusterOrigin::of(own));
        }
        let mut old = std::mem::take(&mut self.cards);
        for policy in &link.policies {
            let same = old.iter().position(|card| card.policy == *policy);
            let card = same.map(|at| old.remove(at)).unwrap_or_else(|| {
                self.next_id += 1;
                Card::new(self.next_id - 1, policy.clone())
            });
            self.cards.push(card);
        }
        self.give_names(&link.names);
        for (card, hue) in self.cards.iter_mut().zip(&link.hues) {
            card.hue = *hue;
        }
        self.baseline = self.cards.get(link.baseline).map_or(0, |card| card.id);
        (self.colour_by, self.theme) = (link.colour_by, link.theme);
        self.view.clone_from(&link.view);
        let id = |at: u32| self.cards.get(at as usize).map(|card| card.id);
        self.options = link.options.with_runs(id);
        if self.model.question != link.question {
            self.model.question.clone_from(&link.question);
            self.model.answer = None;
        }
        self.complaints.clone_from(&link.complaints);
        (self.notice, self.guide, self.lit) = (None, None, link.lit);
        // It was about what somebody wanted before.
        (self.refused, self.columns, self.asking) = (None, None, false);
        let is_shown = self.shows_jobs_of(link);
        if !is_shown || self.setup != before {
            self.forget_results();
        }
        let jobs = self.trace.as_ref().map_or(0, |trace| trace.jobs);
        let is_there = |job: &JobId| is_shown && job.index() < jobs;
        self.followed = link.followed.filter(is_there);
        let job = link.job.filter(is_there);
        if self.selected != job {
            self.apply(Action::Select(job));
        }
        self.revision += 1;
    }

    /// Whether the jobs that are open are those that a link shows.
    pub fn shows_jobs_of(&self, link: &Link) -> bool {
        self.trace.as_ref().is_some_and(|trace| {
            trace.source == link.source
                && trace.member == link.member
                && trace.columns == link.columns
                && trace.choice == link.choice
        })
    }

    /// These instead of all others.
    fn take_outages(&mut self, outages: Outages) {
        let wrong = outages.check(self.setup.cluster.nodes()).err();
        self.notice = Some(match (wrong, self.setup.settings.outages.len()) {
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

    /// Names that came with schedulers, in their order.
    fn give_names(&mut self, given: &[String]) {
        for (card, given) in self.cards.iter_mut().zip(given) {
            card.given = names::plain(given);
        }
    }

    /// In a study measured profiles have all jobs train. Here they train only where a scheduler adapts them:
    /// whoever drops a table beside runs that are shown keeps those runs as they are.
    pub(super) fn take_profiles(&mut self, profiles: Vec<ProfileTable>) {
        self.setup.settings.applications_mut().profiles = profiles;
    }

    /// Puts schedulers in the place of all others; what is no scheduler is returned. A study refuses a file that
    /// names one; here its jobs are shown all the same.
    fn schedule<'a>(&mut self, policies: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut wrong = Vec::new();
        self.cards.clear();
        for policy in policies {
            match policy.parse() {
                Ok(policy) => {
                    self.cards.push(Card::new(self.next_id, policy));
                    self.next_id += 1;
                }
                Err(why) => wrong.push(format!("{policy}: {why}.")),
            }
        }
        self.baseline = self.cards.first().map_or(0, |card| card.id);
        wrong
    }

    /// Leaves the run as recorded out where the trace does not tell when jobs ran: a study refuses it, but here it
    /// is in the list since the trace before.
    fn leave_out_recorded(&mut self) {
        let is_told = self.trace.as_ref().is_some_and(|trace| trace.tells_runs);
        let before = self.cards.len();
        self.cards.retain(|card| is_told || !card.policy.replays());
        if self.cards.len() < before {
            self.notice = Some(
                "This trace does not tell when its jobs started: there is no run as recorded."
                    .to_owned(),
            );
        }
    }

    /// Takes over the settings of an experiment. What it does not name is at its default, as it
    /// would be for whoever runs it elsewhere.
    pub(super) fn set_up_as(&mut self, experiment: Experiment) {
        if !experiment.policies.is_empty() {
            let wrong = self.schedule(experiment.policies.iter().map(String::as_str));
            if wrong.is_empty() {
                self.give_names(&experiment.names);
            } else {
                self.notice = Some(format!(
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
        self.refused = Some(refused);
        self.drawer = false;
    }

    fn forget_results(&mut self) {
        for card in &mut self.cards {
            *card = card.anew(card.policy.clone());
        }
        (self.selected, self.followed) = (None, None);
        self.explanations.clear();
        self.slowness.clear();
        self.round = None;
        self.revision += 1;
    }
}

impl Reducible for AppState {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        next.apply(action);
        // Jobs become adaptive, or plain again, under all schedulers at once.
        if next.adapts() != self.adapts() {
            next.forget_results();
        }
        if next == *self { self } else { Rc::new(next) }
    }
}

#[cfg(test)]
mod tests;
