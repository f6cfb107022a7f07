//! The list of runs. It declares them: the session starts and ends workers until they match it.

use super::names;
use super::run::{Finished, Phase, Run};
use std::rc::Rc;
use switchyard::Time;
use switchyard::engine::SimulationProgress;
use switchyard::outages::Outage;
use switchyard::policies::PolicySpec;

/// The run as recorded.
const RECORDED: &str = "recorded";

/// A change of a run's progress makes charts redraw at most this often: per this many jobs done.
const REDRAWS_PER_RUN: u32 = 12;

/// The part of the state that is run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    /// Every run, in the order of the list.
    pub list: Vec<Rc<Run>>,
    /// The run that others are compared with.
    pub baseline: u32,
    /// The run and the node that it is asked of what would be if it died.
    pub breaking: Option<(u32, u32)>,
    /// Counts changes of results, names and hues, so that charts know when to redraw.
    pub revision: u32,
    next_id: u32,
}

/// What can happen to it alone.
#[derive(Debug)]
pub enum RunsAction {
    /// A run is added at the end.
    Add(Box<PolicySpec>),
    /// The run as recorded is to be among the others.
    AddRecorded,
    /// A run is called this; "": by its policy again.
    Name(u32, String),
    /// Compare with this run.
    Baseline(u32),
    /// Ask what would be if a node of a run died, or ask no more.
    AskToBreak(Option<(u32, u32)>),
    /// Repeat a run with an outage more, beside it.
    Break(u32, Outage),
    /// Weights that a run waits for have come, or cannot be had.
    WeightsCame,
    /// A run of so many jobs has a worker.
    Began(u32, usize),
    /// A run cannot begin; why.
    CannotBegin(u32, String),
    /// A run that is under way is at this point. (Of one that was started with settings before those of
    /// now it is heard no more.)
    Progress(u32, SimulationProgress),
    /// A run that was under way is complete.
    Finished(u32, Box<Finished>),
    /// A run that was under way has broken off; why.
    BrokeOff(u32, String),
    /// The worker of a run that was under way has died: the run begins again.
    BeginAgain(u32),
    /// A run is not wanted any more; of so many jobs.
    Cancelled(u32, usize),
}

impl Runs {
    /// These policies, not run yet.
    pub(super) fn of(policies: &[PolicySpec]) -> Self {
        let mut runs = Self::default();
        for policy in policies {
            runs.add(policy.clone());
        }
        runs
    }

    /// The run with this id.
    pub fn get(&self, id: u32) -> Option<&Run> {
        self.list.iter().find(|run| run.id == id).map(|run| &**run)
    }

    /// Every run, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Run> + Clone {
        self.list.iter().map(|run| &**run)
    }

    fn get_mut(&mut self, id: u32) -> Option<&mut Run> {
        let run = self.list.iter_mut().find(|run| run.id == id);
        run.map(Rc::make_mut)
    }

    /// Where a run stands in the list.
    pub fn position(&self, id: u32) -> Option<usize> {
        self.list.iter().position(|run| run.id == id)
    }

    /// How many are under way.
    pub fn under_way(&self) -> usize {
        self.list.iter().filter(|run| run.is_running()).count()
    }

    /// Every policy, in order.
    pub fn policies(&self) -> impl Iterator<Item = &PolicySpec> {
        self.list.iter().map(|run| &run.policy)
    }

    pub(super) fn apply(&mut self, action: RunsAction) {
        match action {
            RunsAction::Add(policy) => self.add(*policy),
            RunsAction::AddRecorded => {
                if self.policies().all(|policy| !policy.replays())
                    && let Ok(policy) = RECORDED.parse()
                {
                    self.add(policy);
                }
            }
            RunsAction::Name(id, given) => {
                if let Some(run) = self.get_mut(id) {
                    run.given = names::plain(&given);
                }
                self.revision += 1;
            }
            RunsAction::Baseline(id) => {
                self.baseline = id;
                self.revision += 1;
            }
            RunsAction::AskToBreak(node) => self.breaking = node,
            RunsAction::Break(id, outage) => {
                self.breaking = None;
                if let Some(at) = self.position(id) {
                    let policy = self.list[at].policy.and_if(outage);
                    let run = self.create(policy);
                    self.list.insert(at + 1, run);
                    self.revision += 1;
                }
            }
            RunsAction::WeightsCame => self.revision += 1,
            RunsAction::Began(id, jobs) => self.enter(id, Phase::Running(nothing_of(jobs))),
            RunsAction::CannotBegin(id, why) => self.enter(id, Phase::Failed(why)),
            RunsAction::Progress(id, progress) => {
                let part = |of: SimulationProgress| of.done * REDRAWS_PER_RUN / of.jobs.max(1);
                if let Some(run) = self.get_mut(id)
                    && let Phase::Running(before) = run.phase
                {
                    run.phase = Phase::Running(progress);
                    self.revision += u32::from(part(before) != part(progress));
                }
            }
            RunsAction::Finished(id, finished) => {
                self.leave(id, Phase::Finished(Rc::from(finished)));
            }
            RunsAction::BrokeOff(id, why) => self.leave(id, Phase::Failed(why)),
            RunsAction::BeginAgain(id) => self.leave(id, Phase::Waiting),
            RunsAction::Cancelled(id, jobs) => {
                let progress = match self.get(id).map(|run| &run.phase) {
                    Some(Phase::Running(progress)) => *progress,
                    _ => nothing_of(jobs),
                };
                self.enter(id, Phase::Cancelled(progress));
            }
        }
    }

    /// Whatever a run was, it is this now.
    fn enter(&mut self, id: u32, phase: Phase) {
        if let Some(run) = self.get_mut(id) {
            run.phase = phase;
        }
        self.revision += 1;
    }

    /// A run that was under way is this now.
    fn leave(&mut self, id: u32, phase: Phase) {
        if let Some(run) = self.get_mut(id).filter(|run| run.is_running()) {
            run.phase = phase;
        }
        self.revision += 1;
    }

    /// A run with an id of its own, which is not in the list yet.
    pub(super) fn create(&mut self, policy: PolicySpec) -> Rc<Run> {
        self.next_id += 1;
        Rc::new(Run::new(self.next_id - 1, policy))
    }

    pub(super) fn add(&mut self, policy: PolicySpec) {
        let run = self.create(policy);
        self.list.push(run);
    }

    /// A run has another policy, and runs anew.
    pub(super) fn change(&mut self, id: u32, policy: PolicySpec) {
        if let Some(run) = self.get_mut(id) {
            *run = run.anew(policy);
        }
    }

    /// A run goes.
    pub(super) fn remove(&mut self, id: u32) {
        self.list.retain(|run| run.id != id);
        if self.baseline == id {
            self.compare_with(0);
        }
        self.revision += 1;
    }

    /// The run at this place is the one that others are compared with.
    pub(super) fn compare_with(&mut self, place: usize) {
        self.baseline = self.list.get(place).map_or(0, |run| run.id);
    }

    /// Names that came with the runs, in their order.
    pub(super) fn give_names(&mut self, given: &[String]) {
        for (run, given) in self.list.iter_mut().zip(given) {
            Rc::make_mut(run).given = names::plain(given);
        }
    }

    /// Hues that came with them.
    pub(super) fn give_hues(&mut self, hues: &[Option<u32>]) {
        for (run, hue) in self.list.iter_mut().zip(hues) {
            Rc::make_mut(run).hue = *hue;
        }
    }

    /// These policies in the place of all others. Runs that were there with the same stay as they are.
    pub(super) fn take_up(&mut self, policies: &[PolicySpec]) {
        let mut old = std::mem::take(&mut self.list);
        for policy in policies {
            let same = old.iter().position(|run| run.policy == *policy);
            let run = match same {
                Some(at) => old.remove(at),
                None => self.create(policy.clone()),
            };
            self.list.push(run);
        }
    }

    /// Puts policies in the place of all others; what is no policy is returned. A study refuses a file that
    /// names one; here its jobs are shown all the same.
    pub(super) fn replace<'a>(&mut self, policies: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut wrong = Vec::new();
        self.list.clear();
        for policy in policies {
            match policy.parse() {
                Ok(policy) => self.add(policy),
                Err(why) => wrong.push(format!("{policy}: {why}.")),
            }
        }
        self.compare_with(0);
        wrong
    }

    /// All run anew.
    pub(super) fn restart(&mut self) {
        for run in &mut self.list {
            *run = Rc::new(run.anew(run.policy.clone()));
        }
        self.revision += 1;
    }

    /// Gives each the name and the hue that tell it from the others.
    pub(super) fn distinguish_names(&mut self) {
        let distinctions = names::distinctions(&self.list);
        for (run, (name, hue)) in self.list.iter_mut().zip(distinctions) {
            if run.name != name || run.hue != Some(hue) {
                let run = Rc::make_mut(run);
                (run.name, run.hue) = (name, Some(hue));
                self.revision += 1;
            }
        }
    }
}

/// The progress of a run that has not begun.
fn nothing_of(jobs: usize) -> SimulationProgress {
    SimulationProgress {
        now: Time::ZERO,
        done: 0,
        jobs: jobs as u32,
    }
}
