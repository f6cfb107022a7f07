//! The page as scripts see it: what they may ask it, what they may have it do, and what they hear of. `static/embed.js`
//! goes by it when it talks with the article around a frame, `static/snippets.js` when it makes snippets, `web/editor/` and
//! `web/explorer/` when they look at the list of schedulers; `web/src/bin/app/page.rs` hands it to them. Nothing here trusts
//! what it is asked with: an unknown name is no answer.

mod answers;
mod changes;
#[cfg(test)]
mod tests;

use super::export::results;
use super::services::Services;
use super::views;
use crate::bridge::protocol::{Choice, ExportFormat};
use crate::comparison::outcomes;
use crate::selected_jobs::selecting;
use crate::session::Session;
use crate::stage::Stage;
use crate::state::change::Change;
use crate::state::link::Link;
use crate::state::sweep::Sought;
use crate::state::{Action, RunsAction, Source, Theme, ViewAction};
pub use answers::{ChangedJobs, JobPhase, ListedRun, PageState, RunFacts};
pub use changes::Changed;
use changes::{ChangeReporter, Seen};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::policies::PolicySpec;
use switchyard_app::{Metric, format};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;

/// Is called with what has changed.
type Subscriber = Rc<dyn Fn(&[Changed])>;

/// The page. Cheap to clone.
#[derive(Clone)]
pub struct Page(Rc<Inner>);

struct Inner {
    session: Session,
    subscribers: RefCell<Vec<Subscriber>>,
    teller: RefCell<ChangeReporter>,
    /// Whether changes are told once what is being done is done.
    is_coming: Cell<bool>,
    /// Whether a timer is set for a clock that has moved too soon after it was told of.
    is_timed: Cell<bool>,
    /// What the timer calls: one for all times, since of each that is made something stays in the page's memory.
    again: OnceCell<Closure<dyn FnMut()>>,
}

// What is asked

impl Page {
    /// Where it is.
    pub fn look(&self) -> PageState {
        let session = &self.0.session;
        PageState::at(
            &session.state(),
            &session.stage().read(),
            session.is_under_way(),
        )
    }

    /// Each run at the time shown, and where the job of this name is.
    pub fn facts(&self, job: Option<&str>) -> Vec<RunFacts> {
        let mut stage = self.0.session.stage().write();
        stage.seek();
        let job = job.and_then(|name| job_named(&stage, name));
        let runs = stage.runs.iter();
        runs.map(|run| RunFacts::of(run, &stage, job)).collect()
    }

    /// The schedulers of the list.
    pub fn cards(&self) -> Vec<ListedRun> {
        self.0
            .session
            .state()
            .runs
            .iter()
            .map(ListedRun::of)
            .collect()
    }

    /// The jobs whose completion times differ between the schedulers of these numbers, as far as both have come.
    pub fn changed_jobs(&self, before: u32, after: u32) -> Option<ChangedJobs> {
        let stage = self.0.session.stage().read();
        let (first, second) = (stage.run(before)?, stage.run(after)?);
        let (first, second) = (outcomes(&stage, first), outcomes(&stage, second));
        let name = |at: usize| stage.workload.jobs[at].name.to_string();
        Some(ChangedJobs::of(&first.jct, &second.jct, name))
    }

    /// Results as JSON, as the command line prints them.
    pub fn results(&self) -> String {
        results(self.0.session.stage(), &self.0.session.state())
    }

    /// What is shown, as a link.
    pub fn link(&self) -> String {
        self.linked().fragment()
    }

    /// The same, with these packed jobs in the place of its own.
    pub fn link_with(&self, packed: &str) -> String {
        let name = self.0.session.state().opening.source.name().to_owned();
        let link = Link {
            source: Source::Packed(name, Rc::from(packed)),
            member: None,
            columns: None,
            choice: Choice::default(),
            ..self.linked()
        };
        link.fragment()
    }

    fn linked(&self) -> Link {
        let session = &self.0.session;
        Link::of(&session.state(), &session.stage().read())
    }

    /// The first thing of a link that cannot be understood, in words.
    pub fn complaint(&self, link: &str) -> Option<String> {
        views::read_link(link).complaints.into_iter().next()
    }

    /// A scheduler's text as results have it.
    pub fn spec_of(&self, text: &str) -> Option<String> {
        let spec: PolicySpec = text.parse().ok()?;
        Some(spec.to_string())
    }

    /// A value of the metric of this id, with its unit.
    pub fn in_words(&self, metric: &str, value: f64) -> String {
        match Metric::named(metric) {
            Some(metric) => format::metric(metric, value),
            None => format::significant(value),
        }
    }

    /// The table of the page's own sweep, as CSV.
    pub fn sweep_csv(&self) -> Option<String> {
        let state = self.0.session.state();
        Some(state.analyses.sweep.as_ref()?.as_ref().ok()?.csv())
    }

    /// What that sweep bounds, if it searches for nodes, and which of its runs are the answers.
    pub fn sought(&self) -> Option<Sought> {
        let state = self.0.session.state();
        state.analyses.sweep.as_ref()?.as_ref().ok()?.sought.clone()
    }

    /// The jobs with all settings, as a file's text, handed on once it is written.
    pub fn experiment(&self, then: impl FnOnce(String) + 'static) {
        let session = &self.0.session;
        let experiment = session.state().experiment();
        session.export(ExportFormat::Switchyard, experiment, then);
    }
}

// What it does

impl Page {
    /// Lets the clock move, or stops it.
    pub fn set_playing(&self, playing: bool) {
        self.0.session.set_playing(playing);
        self.publish_soon();
    }

    /// Moves the clock.
    pub fn seek(&self, seconds: f64) {
        if seconds.is_finite() {
            self.0.session.seek(seconds);
            self.publish_soon();
        }
    }

    /// Sets how fast the clock moves, in simulated seconds per real second.
    pub fn set_speed(&self, speed: f64) {
        if (1e-3..=1e9).contains(&speed) {
            let mut stage = self.0.session.stage().write();
            stage.clock.speed = speed;
            stage.paints_all = true;
            stage.touch();
            drop(stage);
            self.publish_soon();
        }
    }

    /// Shows the view of this name, if there is one.
    pub fn show(&self, view: &str) -> bool {
        let view = views::named(view);
        if let Some(view) = view {
            self.0.session.dispatch(ViewAction::Show(view.name));
        }
        view.is_some()
    }

    /// Is `light`, `dark`, or with any other name as the system has it.
    pub fn set_theme(&self, name: &str) {
        self.0.session.dispatch(ViewAction::Theme(match name {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => Theme::System,
        }));
    }

    /// Chooses the job of this name, if there is one; or none.
    pub fn select(&self, name: Option<&str>) -> bool {
        self.job_or_none(name, |job| self.0.session.select(job))
    }

    /// Has the job of this name stand out, if there is one; or none.
    pub fn highlight(&self, name: Option<&str>) -> bool {
        self.job_or_none(name, |job| {
            let mut stage = self.0.session.stage().write();
            stage.highlighted = job;
            stage.touch();
        })
    }

    fn job_or_none(&self, name: Option<&str>, then: impl FnOnce(Option<JobId>)) -> bool {
        let job = name.and_then(|name| job_named(&self.0.session.stage().read(), name));
        let is_known = name.is_none() || job.is_some();
        if is_known {
            then(job);
        }
        is_known
    }

    /// Adds a scheduler, or changes the one of this number; says why it cannot.
    pub fn put_policy(&self, id: Option<u32>, spec: &str) -> Option<String> {
        match (spec.parse::<PolicySpec>(), id) {
            (Err(why), _) => return Some(why.to_string()),
            (Ok(policy), None) => self.0.session.dispatch(RunsAction::Add(Box::new(policy))),
            (Ok(policy), Some(id)) => self
                .0
                .session
                .dispatch(Action::Edit(id, Change::to(policy))),
        }
        None
    }

    /// Ends a scheduler's run where it is.
    pub fn cancel(&self, id: u32) {
        let state = self.0.session.state();
        let is_on = state.run(id).is_some_and(|run| !run.phase.is_over());
        drop(state);
        if is_on {
            self.0.session.cancel(id);
        }
    }

    /// Gives a scheduler a name; "": that of its policy again.
    pub fn rename(&self, id: u32, name: String) {
        self.0.session.dispatch(RunsAction::Name(id, name));
    }

    /// Removes a scheduler.
    pub fn remove(&self, id: u32) {
        self.0.session.dispatch(Action::Remove(id));
    }
}

// What is heard

impl Page {
    /// The page of these services. Changes are told from its frames, and after whatever says that there may be some.
    pub(super) fn new(services: &Services) -> Self {
        let session = services.session.clone();
        let teller = RefCell::new(ChangeReporter::new(Seen::of(&session)));
        let page = Self(Rc::new(Inner {
            session,
            subscribers: RefCell::default(),
            teller,
            is_coming: Cell::default(),
            is_timed: Cell::default(),
            again: OnceCell::default(),
        }));
        if let Some(animation) = &services.animation {
            let page = page.clone();
            animation.after_each_frame(move || page.publish());
        }
        page
    }

    /// Has a function called with what has changed, each time after something has. Of the clock it hears at most ten
    /// times a second, and always where it stops.
    pub fn subscribe(&self, heard: impl Fn(&[Changed]) + 'static) {
        self.0.subscribers.borrow_mut().push(Rc::new(heard));
    }

    /// Tells what has changed once whoever changes it is done, and the page shows it.
    pub(super) fn publish_soon(&self) {
        if self.0.is_coming.replace(true) {
            return;
        }
        let page = self.clone();
        spawn_local(async move {
            page.0.is_coming.set(false);
            page.publish();
        });
    }

    fn publish(&self) {
        if self.0.subscribers.borrow().is_empty() {
            return;
        }
        let now = Seen::of(&self.0.session);
        let (changes, later) = self.0.teller.borrow_mut().changes(now, now_ms());
        if let Some(ms) = later
            && !self.0.is_timed.replace(true)
        {
            self.publish_in(ms);
        }
        if changes.is_empty() {
            return;
        }
        let subscribers = self.0.subscribers.borrow().clone();
        for heard in subscribers {
            heard(&changes);
        }
    }

    /// Publishes after so many milliseconds: in a tab that nobody sees there are no frames.
    fn publish_in(&self, ms: f64) {
        let again = self.0.again.get_or_init(|| {
            let page = self.clone();
            Closure::new(move || {
                page.0.is_timed.set(false);
                page.publish();
            })
        });
        let set = web_sys::window().map(|window| {
            window.set_timeout_with_callback_and_timeout_and_arguments_0(
                again.as_ref().unchecked_ref(),
                ms.ceil() as i32,
            )
        });
        self.0.is_timed.set(matches!(set, Some(Ok(_))));
    }
}

impl Seen {
    /// The page now, on a stage that shows its state.
    fn of(session: &Session) -> Self {
        let state = session.state();
        selecting::show(&mut session.stage().write(), &state);
        Self {
            clock: session.stage().read().clock,
            is_under_way: session.is_under_way(),
            state,
        }
    }
}

fn now_ms() -> f64 {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.map_or(0.0, |performance| performance.now())
}

fn job_named(stage: &Stage, name: &str) -> Option<JobId> {
    let mut jobs = stage.workload.jobs.iter();
    let at = jobs.position(|job| *job.name == *name)?;
    Some(JobId(at as u32))
}
