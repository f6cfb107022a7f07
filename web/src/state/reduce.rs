//! What becomes of the page's state by what happens.

use super::action::Action;
use super::link::{Link, fit_in_a_link};
use super::names;
use super::sweep::Sweep;
use super::{
    AppState, Card, ClusterOrigin, GUIDED, GUIDED_SCHEDULERS, Progressing, RunStatus, Source,
};
use std::rc::Rc;
use switchyard::Experiment;
use switchyard::job::JobId;
use switchyard::outages::Outages;
use switchyard::placement::graph_rl::WeightsChoice;
use switchyard::trace::ProfileTable;
use yew::Reducible;

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
                self.trace_error = None;
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
                self.trace_error = None;
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
                self.forget_results();
            }
            Action::OpenedProfiles(profiles) => {
                self.opening = None;
                self.trace_error = None;
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
                self.trace_error = None;
                self.take_outages(outages);
                self.forget_results();
            }
            Action::OpenedWeights(choice, name) => {
                let learned = |card: &Card| self.run_spec(card).learned().is_some();
                let rest = if self.cards.iter().any(learned) {
                    ""
                } else {
                    " Add the scheduler Graph RL to see what they do."
                };
                self.notice = Some(format!(
                    "Placements that have learned now use {name}.{rest}"
                ));
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
            Action::WeightsCame => self.revision += 1,
            Action::OpenedCluster(cluster) => {
                self.opening = None;
                self.trace_error = None;
                self.notice = Some(format!(
                    "The cluster is now {cluster}, as the file says. To give it to another trace, open both together."
                ));
                self.setup.cluster = cluster;
                self.cluster_origin = ClusterOrigin::Chosen;
                self.breaking = None;
                self.forget_results();
            }
            Action::Refused(why) => {
                if self.opening.as_ref().is_some_and(|of| of.name == GUIDED) {
                    self.guide = None;
                }
                self.opening = None;
                self.trace_error = Some(why);
            }
            Action::Choosing(choice) => {
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
            Action::Progress(id, status) => {
                let done = |status: &RunStatus| match status {
                    RunStatus::Running(progress) => {
                        progress.done * REDRAWS_PER_RUN / progress.jobs.max(1)
                    }
                    _ => u32::MAX,
                };
                if let Some(card) = self.card_mut(id) {
                    let redraw = done(&card.status) != done(&status);
                    card.status = status;
                    self.revision += u32::from(redraw);
                }
            }
            Action::Finished(id, status, summary) => {
                if let Some(card) = self.card_mut(id) {
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
        self.name_cards();
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
            (self.setup.cluster, self.cluster_origin) = trace.own_cluster.clone();
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
                "Nodes now fail as the list says, in the place of {before} before: see Failures and checkpoints."
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

    pub(super) fn take_profiles(&mut self, profiles: Vec<ProfileTable>) {
        self.setup.settings.applications_mut().profiles = profiles;
    }

    /// Puts schedulers in the place of all others; what is no scheduler is returned.
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
mod tests {
    use super::super::random::{self, Random, opened};
    use super::*;
    use crate::bridge::protocol::{Choice, Facets};
    use crate::stage::Stage;
    use crate::state::{TraceInfo, default_cluster};
    use std::sync::Arc;
    use switchyard::placement::Strategy;
    use switchyard::policy::Explanation;
    use switchyard::sim::SimOptions;
    use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
    use switchyard::workload::{GpuGeneration, Sample, Workload};
    use switchyard::{Settings, Time};

    fn state() -> AppState {
        AppState::from_link(&Link::parse(""))
    }

    #[test]
    fn removing_the_baseline_chooses_another() {
        let mut state = state();
        let (first, second) = (state.cards[0].id, state.cards[1].id);
        state.apply(Action::Baseline(first));
        state.apply(Action::Remove(first));
        assert_eq!(state.baseline, second);
    }

    #[test]
    fn ids_are_never_used_twice() {
        let mut state = state();
        let last = state.cards.last().unwrap().id;
        state.apply(Action::Remove(last));
        state.apply(Action::Add("fifo".parse().unwrap()));
        assert!(state.cards.last().unwrap().id > last);
    }

    #[test]
    fn a_refused_trace_leaves_the_open_one() {
        let mut state = state();
        let Action::Opened { info, .. } = sample("lab") else {
            unreachable!("it opens")
        };
        state.apply(Action::Opened {
            info: info.clone(),
            cluster: default_cluster(),
            origin: ClusterOrigin::Given,
            profiles: Vec::new(),
            experiment: None,
        });
        state.apply(Action::Opening("bad.csv".into(), 5));
        state.apply(Action::Reading(5, 2));
        assert_eq!(state.opening.as_ref().map(|opening| opening.rows), Some(2));
        state.apply(Action::Refused("no".into()));
        assert_eq!(state.trace, Some(info));
        assert_eq!(state.source, Source::Sample("lab".into()));
        assert_eq!(state.trace_error.as_deref(), Some("no"));
        assert_eq!(state.opening, None);
    }

    #[test]
    fn weights_of_ones_own_are_gone_by_until_they_are_let_go_of() {
        let mut state = state();
        let choice: WeightsChoice = "00000000000000ff".parse().expect("sound");
        state.cards[0].status = RunStatus::Failed("without weights".into());
        state.apply(Action::OpenedWeights(choice, "a.safetensors".into()));
        assert_eq!(state.setup.settings.options.weights, choice);
        assert_eq!(state.cards[0].status, RunStatus::Idle);
        let notice = state.notice.clone().unwrap_or_default();
        assert!(notice.contains("Add the scheduler Graph RL"), "{notice}");
        state.apply(Action::Add("graph-rl".parse().unwrap()));
        // The same file again is no second one.
        state.apply(Action::OpenedWeights(choice, "b.safetensors".into()));
        assert_eq!(state.weights, [(choice, "b.safetensors".to_owned())]);
        assert!(!state.notice.clone().unwrap_or_default().contains("Add"));
        state.apply(Action::ForgotWeights(choice));
        assert!(state.weights.is_empty());
        let shipped = WeightsChoice::Shipped;
        assert_eq!(state.setup.settings.options.weights, shipped);
    }

    #[test]
    fn outages_of_a_file_take_the_place_of_others_and_must_fit() {
        let mut state = state();
        let of = |text: &str| Action::OpenedOutages(text.parse().expect("sound"));
        state.apply(of("0:1..2"));
        assert!(
            state
                .notice
                .as_ref()
                .is_some_and(|of| !of.contains("place"))
        );
        state.apply(of("1:1..2,1:3.."));
        assert!(
            state
                .notice
                .as_ref()
                .is_some_and(|of| of.contains("of 1 before"))
        );
        assert_eq!(state.setup.settings.outages.len(), 2);
        state.apply(of("99:1..2"));
        assert!(
            state
                .notice
                .is_some_and(|of| of.contains("there is no node 99"))
        );
    }

    #[test]
    fn an_experiment_brings_all_its_settings() {
        let mut state = state();
        let options = &mut state.setup.settings.options;
        options.restart_by_model = true;
        options.spread_slowdown = GpuGeneration::named("k80");
        options.seed = 3;
        let Action::Opened { info, .. } = sample("mine") else {
            unreachable!("it opens")
        };
        let policies = ["srtf", "no-such", "fifo[backfill=true]"];
        let expected = Settings {
            placement: Strategy::SPREAD,
            options: SimOptions {
                restart_cost: 30.0,
                spread_slowdown: GpuGeneration::named("v100"),
                ..SimOptions::default()
            },
            ..Settings::default()
        };
        state.apply(Action::Opened {
            info,
            cluster: default_cluster(),
            origin: ClusterOrigin::Given,
            profiles: Vec::new(),
            experiment: Some(Box::new(Experiment {
                policies: policies.map(String::from).to_vec(),
                settings: expected.clone(),
                ..Experiment::default()
            })),
        });
        let policies: Vec<String> = state.cards.iter().map(|c| c.policy.to_string()).collect();
        assert_eq!(policies, ["srtf", "fifo[backfill=true]"]);
        assert_eq!(state.baseline, state.cards[0].id);
        assert_eq!(state.setup.settings, expected);
        let notice = state.notice.unwrap();
        assert!(notice.contains("no-such: "), "{notice}");
    }

    fn sample(name: &str) -> Action {
        Action::Opened {
            info: Rc::new(TraceInfo {
                name: name.into(),
                source: Source::Sample(name.into()),
                own_cluster: (default_cluster(), ClusterOrigin::Given),
                format: "sample".into(),
                title: name.into(),
                report: None,
                charts: Vec::new(),
                facets: Facets::default(),
                choice: Choice::default(),
                columns: None,
                remembered: false,
                kept: None,
                members: Vec::new(),
                member: None,
                adaptive: false,
                jobs: 1,
                gpu_hours: 1.0,
                span_days: 1.0,
            }),
            cluster: default_cluster(),
            origin: ClusterOrigin::Given,
            profiles: Vec::new(),
            experiment: None,
        }
    }

    /// A state's experiment with some jobs, written to a file and opened by another page.
    #[test]
    fn any_state_reopens_from_its_file() {
        let mut jobs = Sample::named("lab").expect("it is there").workload();
        jobs.jobs.truncate(6);
        let hashes = |state: &AppState, workload: &Workload| {
            let workload = match state.applications() {
                Some(settings) => settings
                    .bind(workload.clone())
                    .map_err(|why| why.to_string())?,
                None => workload.clone(),
            };
            let workload = Arc::new(workload);
            let hash = |card: &Card| {
                let mut run = state.run_spec(card).start(workload.clone());
                run.run().map_err(|why| why.to_string())?;
                Ok(run.log().hash())
            };
            state
                .cards
                .iter()
                .map(hash)
                .collect::<Result<Vec<_>, String>>()
        };
        let mut ran = 0;
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let mut state = opened(&random.link());
            random.enrich(&mut state);
            let mut text = String::new();
            let own = state.experiment();
            own.write(&jobs, &mut text).expect("in memory");
            let file = SourceFile {
                name: "again.csv",
                bytes: text.as_bytes(),
            };
            let Ok(Opened::Trace(mut trace)) = open(&[file], &OpenOptions::default()) else {
                panic!("{text}");
            };
            let experiment = Experiment::of(&trace).expect("sound settings");
            let mut again = AppState::from_link(&random.link());
            // No file says how large a log may become where it is opened.
            again.setup.settings.options.log_budget = state.setup.settings.options.log_budget;
            again.apply(Action::Opened {
                info: state.trace.clone().expect("it is open"),
                cluster: trace.cluster.clone().expect("the file names it"),
                origin: ClusterOrigin::Given,
                profiles: Vec::new(),
                experiment: experiment.map(Box::new),
            });
            assert_eq!(again.setup, state.setup, "{seed}");
            assert_eq!(again.experiment(), state.experiment(), "{seed}");
            let workload = trace.take_workload();
            let expected = hashes(&state, &jobs);
            assert_eq!(hashes(&again, &workload), expected, "{seed}");
            ran += u32::from(expected.is_ok());
        }
        assert!(ran > 20, "{ran} of 40 run");
    }

    #[test]
    fn a_link_is_followed_in_an_open_page() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut state = opened(&random.link());
            random.enrich(&mut state);
            state.apply(Action::Complain("any".into()));
            let (histories, before) = (state.setup.histories.clone(), state.clone());
            let link = random.link();
            state.apply(Action::Follow(Box::new(link.clone())));
            assert_eq!(state.trace, before.trace, "what is open stays");
            assert!(state.complaints.is_empty());
            state.apply(random::open(&link));
            state.apply(Action::Select(link.job));
            state.apply(Action::FollowJob(link.followed));
            state.apply(Action::Light(link.lit));
            let shown = Link::of(&state, &Stage::default());
            let (time, speed) = (shown.time, shown.speed);
            assert_eq!(
                shown,
                Link {
                    time,
                    speed,
                    ..link
                }
            );
            assert_eq!(state.setup.histories, histories);
        }
    }

    #[test]
    fn runs_that_a_link_has_too_stay_as_they_are() {
        let done = RunStatus::Failed("any".into());
        let link = Link::parse("sample=lab&run=fifo&run=srtf");
        let mut state = opened(&link);
        for id in [0, 1] {
            state.apply(Action::Progress(id, done.clone()));
        }
        // Another view, another order, and a scheduler more.
        let other = Link::parse("sample=lab&run=srtf&run=sjf&run=fifo&view=jobs&job=2");
        state.apply(Action::Follow(Box::new(other)));
        let cards: Vec<(u32, bool)> = state
            .cards
            .iter()
            .map(|of| (of.id, of.status == done))
            .collect();
        assert_eq!(cards, [(1, true), (2, false), (0, true)]);
        assert_eq!(
            (state.view.as_str(), state.selected),
            ("jobs", Some(JobId(2)))
        );
        // Other settings are other runs.
        let other = Link::parse("sample=lab&run=srtf&seed=4");
        state.apply(Action::Follow(Box::new(other)));
        assert_eq!(
            (state.cards[0].id, &state.cards[0].status),
            (1, &RunStatus::Idle)
        );
        // And so is the trace's own cluster in the place of a chosen one.
        let chosen = Link::parse("sample=lab&run=srtf&seed=4&cluster=1x8");
        state.apply(Action::Follow(Box::new(chosen)));
        state.apply(Action::Progress(1, done));
        state.apply(Action::Follow(Box::new(Link::parse(
            "sample=lab&run=srtf&seed=4",
        ))));
        assert_eq!(
            (state.setup.cluster.nodes(), state.cluster_origin),
            (3, ClusterOrigin::Given)
        );
        assert_eq!(state.cards[0].status, RunStatus::Idle);
    }

    #[test]
    fn complaints_stay_until_they_are_read() {
        let link = Link::parse("#v=99&run=lifo&run=fifo");
        let mut state = opened(&link);
        assert_eq!(state.complaints.len(), 2);
        state.apply(Action::Notice(None));
        state.apply(Action::Complain("t=9: too late.".into()));
        assert_eq!(state.complaints.len(), 3);
        state.apply(Action::ReadComplaints);
        assert!(state.complaints.is_empty());
    }

    #[test]
    fn the_guide_closes_with_its_sample() {
        let mut state = state();
        let before: Vec<u32> = state.cards.iter().map(|card| card.id).collect();
        state.apply(Action::Guide(Some(0)));
        state.apply(sample(GUIDED));
        assert_eq!(state.guide, Some(0));
        let policies: Vec<String> = state.cards.iter().map(|c| c.policy.to_string()).collect();
        assert_eq!(policies, GUIDED_SCHEDULERS);
        assert!(state.cards.iter().all(|card| !before.contains(&card.id)));
        assert_eq!(state.baseline, state.cards[0].id);
        state.apply(sample("lab"));
        assert_eq!(state.guide, None);
    }

    #[test]
    fn a_link_to_the_guided_sample_keeps_its_schedulers() {
        let mut state = AppState::from_link(&Link::parse("#v=1&sample=three-jobs&run=fifo"));
        state.apply(sample(GUIDED));
        assert_eq!(state.cards.len(), 1);
        assert_eq!(state.cards[0].policy.to_string(), "fifo");
    }

    #[test]
    fn jobs_adapt_under_all_schedulers_or_none() {
        let mut state = Rc::new(state());
        let first = state.cards[0].id;
        let done = RunStatus::Failed("any".into());
        state = state.reduce(Action::Progress(first, done.clone()));
        state = state.reduce(Action::Add("srtf".parse().unwrap()));
        assert_eq!(state.cards[0].status, done);
        assert!(state.applications().is_none());
        state = state.reduce(Action::Add("pollux".parse().unwrap()));
        assert_eq!(state.cards[0].status, RunStatus::Idle);
        assert!(state.applications().is_some());
        state = state.reduce(Action::Progress(first, done.clone()));
        state = state.reduce(Action::Add("optimus".parse().unwrap()));
        assert_eq!(state.cards[0].status, done);
    }

    #[test]
    fn a_stale_explanation_is_dropped() {
        let mut state = state();
        state.apply(Action::Select(Some(JobId(3))));
        let explanation = Explanation::new(switchyard::policy::Verdict::Runs, Vec::new());
        state.apply(Action::Explained(0, JobId(2), Time::ZERO, explanation));
        assert!(state.explanations.is_empty());
    }
}
