//! What the page does besides showing: opening files, starting and ending runs, passing what
//! workers say on to the stage and the reducer.
//!
//! Runs are declared, not commanded: [`Session::reconcile`] compares the list of schedulers with
//! the workers at work, and starts and ends what differs.

use crate::bridge::client::{News, Program, WorkerHandle};
use crate::bridge::protocol::{
    Choice, ExportFormat, OpenRequest, OpenedTrace, Refusal, Reply, RunRequest,
};
use crate::kept::Held;
use crate::machine::Machine;
use crate::runs::{Orders, Run, Runs};
use crate::stage::{SharedStage, StageRun};
use crate::state::link::Link;
use crate::state::{
    Action, AppState, Card, ClusterOrigin, ColumnsAsked, GUIDED, RunStatus, Source, TraceInfo,
};
use crate::{kept, remembered, rescue};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::playground::Question;
use switchyard::report::{Outcomes, Summary};
use switchyard::sim::{LogBudget, Progress};
use switchyard::trace::{ColumnMapping, Member, TableHead};
use switchyard::workload::{SAMPLES, Workload};
use switchyard::{Experiment, Time};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

/// Whoever keeps more bytes than this is told that it takes a while.
const LONG_KEEPING: f64 = 2e7;

/// More bytes than this are not held for a reload: browsers copy them.
const MOST_HELD: f64 = 2e8;

/// Progress is told to the reducer at most this often, in milliseconds.
const PROGRESS_EVERY_MS: f64 = 120.0;

/// Real seconds in which a newly opened trace plays through.
const PLAY_THROUGH_SECONDS: f64 = 90.0;

/// The page's doer. Cheap to clone.
#[derive(Clone)]
pub struct Session(Rc<Inner>);

struct Inner {
    stage: SharedStage,
    dispatch: Box<dyn Fn(Action)>,
    opener: RefCell<Option<WorkerHandle>>,
    /// Answers for the goodput model.
    modeller: RefCell<Option<WorkerHandle>>,
    /// The run whose rounds are shown.
    round_of: Cell<Option<u32>>,
    /// How the trace that is open was opened: to take others of its jobs, another member, other
    /// columns, or to keep it.
    loaded: RefCell<Files>,
    /// The files held for this tab, as far as this page knows.
    held_files: RefCell<Vec<File>>,
    /// What is being opened, or waits for a person to say which columns are which.
    pending: RefCell<Files>,
    /// Whether the opener is at work on it.
    busy: Cell<bool>,
    /// Whether the opener holds the records of the trace that is open.
    held: Cell<bool>,
    /// Files that are a trace only with others.
    half: RefCell<Vec<File>>,
    /// The jobs asked for of the trace that is open and the cluster to stay on, as often as there is
    /// no answer yet.
    asked: RefCell<VecDeque<(Choice, ClusterSpec, ClusterOrigin)>>,
    /// What the page showed last, as a link.
    latest: RefCell<Option<Link>>,
    /// What was open before, to go back to.
    aside: RefCell<Option<(Link, Files)>>,
    /// The jobs and settings that are noted for a rescue.
    noted: RefCell<Option<(Rc<Workload>, Experiment)>>,
    /// The cluster that jobs were last chosen for.
    chosen_for: RefCell<Option<ClusterSpec>>,
    /// The worker that writes jobs.
    writer: RefCell<Option<WorkerHandle>>,
    /// All members of the archive, as told when it was opened whole.
    members: RefCell<Vec<Member>>,
    /// Those that have been started, in no particular order.
    runs: RefCell<Runs>,
    /// The runs whose worker has died: they get another.
    bereft: RefCell<Vec<u32>>,
    /// A cluster asked for before the trace is open: by a link, or by a file of its own.
    wanted_cluster: RefCell<Option<ClusterSpec>>,
    /// Where a link wants the clock.
    wanted_time: Cell<Option<f64>>,
    wanted_speed: Cell<Option<f64>>,
    wanted_job: Cell<Option<JobId>>,
    /// The file that a link shows and nobody has opened yet, and how the link opens it.
    wanted_file: RefCell<Option<(String, kept::Opening)>>,
    /// Whether a link has set up what is being opened: then an experiment does not.
    linked: Cell<bool>,
    /// Where a link has put the clock, until the runs are over or somebody moves it.
    linked_time: Cell<Option<f64>>,
}

impl Files {
    /// Whether a link means them by this name.
    fn is_named(&self, name: &str) -> bool {
        self.how
            .files
            .first()
            .is_some_and(|file| file.name() == name)
    }
}

/// Files, and all that is known about how to open them.
#[derive(Clone, Default)]
struct Files {
    how: kept::Opening,
    /// The table that the columns are of, if a person was asked about it.
    head: Option<Rc<TableHead>>,
    /// What they said.
    said: Option<ColumnMapping>,
    /// Whether they said it of an earlier file.
    remembered: bool,
    /// The number of the kept trace that they are.
    kept: Option<f64>,
}

impl PartialEq for Session {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Session {
    /// A session that shows on `stage` and reports to the reducer.
    pub fn new(stage: SharedStage, dispatch: impl Fn(Action) + 'static) -> Self {
        Self(Rc::new(Inner {
            stage,
            dispatch: Box::new(dispatch),
            opener: RefCell::default(),
            modeller: RefCell::default(),
            round_of: Cell::default(),
            loaded: RefCell::default(),
            held_files: RefCell::default(),
            pending: RefCell::default(),
            busy: Cell::default(),
            held: Cell::default(),
            half: RefCell::default(),
            asked: RefCell::default(),
            latest: RefCell::default(),
            aside: RefCell::default(),
            noted: RefCell::default(),
            chosen_for: RefCell::default(),
            writer: RefCell::default(),
            members: RefCell::default(),
            runs: RefCell::new(Runs::new(Machine::here())),
            bereft: RefCell::default(),
            wanted_cluster: RefCell::default(),
            wanted_time: Cell::default(),
            wanted_speed: Cell::default(),
            wanted_job: Cell::default(),
            wanted_file: RefCell::default(),
            linked: Cell::default(),
            linked_time: Cell::default(),
        }))
    }

    /// The stage.
    pub fn stage(&self) -> &SharedStage {
        &self.0.stage
    }

    /// Tells the reducer.
    pub fn tell(&self, action: Action) {
        (self.0.dispatch)(action);
    }

    /// Opens what a link shows, and remembers what it wants besides what the reducer knows: used
    /// once, for the next trace opened. A file stays open if it is the one; else it takes somebody
    /// to open it.
    pub fn follow(&self, link: &Link) {
        self.follow_settings(link);
        let name = match &link.source {
            Source::Sample(name) => return self.open_sample(name),
            Source::File(name) => name,
        };
        let loaded = self.0.loaded.borrow().clone();
        let how = kept::Opening {
            files: Vec::new(),
            member: link.member.clone(),
            columns: link.columns.clone(),
            choice: link.choice.clone(),
        };
        if !loaded.is_named(name) {
            self.0.wanted_file.replace(Some((name.clone(), how)));
            let aside = self
                .0
                .aside
                .borrow()
                .as_ref()
                .map(|(_, files)| files.clone());
            match aside.filter(|files| files.is_named(name)) {
                Some(files) => self.open_again(files),
                None => self.find_kept(name.clone()),
            }
            return;
        }
        let is_read = self.0.held.get() && !self.0.busy.get();
        let is_same = (&loaded.how.member, &loaded.how.columns) == (&how.member, &how.columns);
        // Which gangs are too large for the trace's own cluster only reading it tells.
        let is_clear = link.cluster.is_some() || how.choice.value("oversized").is_empty();
        if is_read && is_same && is_clear {
            let cluster = self.0.stage.read().cluster.clone();
            let cluster = link.cluster.clone().unwrap_or(cluster);
            // The link's cluster is wanted, or else the one that follows from the jobs.
            self.choose(how.choice, cluster, ClusterOrigin::Guessed);
        } else {
            self.0.linked.set(true);
            let files = loaded.how.files;
            let how = kept::Opening { files, ..how };
            self.open(Files { how, ..loaded });
        }
    }

    fn follow_settings(&self, link: &Link) {
        self.0.wanted_cluster.replace(link.cluster.clone());
        self.0.wanted_time.set(link.time);
        self.0.wanted_speed.set(link.speed);
        self.0.wanted_job.set(link.job);
        self.0.wanted_file.take();
    }

    /// Opens the files held for this tab, or the kept trace, of this name that a link shows, or says
    /// that there is none.
    fn find_kept(&self, name: String) {
        let session = self.clone();
        spawn_local(async move {
            let held = kept::held(&name).await;
            let kept = kept::list().await;
            let newest = kept.iter().rev().find(|kept| kept.name == name);
            let is_wanted = |(wanted, _): &(String, _)| *wanted == name;
            if session.0.busy.get()
                || !session
                    .0
                    .wanted_file
                    .borrow()
                    .as_ref()
                    .is_some_and(is_wanted)
            {
                return;
            }
            if !held.is_empty() {
                session.0.held_files.replace(held.clone());
                return session.open_files(held);
            }
            match newest {
                Some(kept) => session.open_kept(kept.id),
                None => session.tell(Action::Notice(Some(format!(
                    "This link shows {name}, which stays on the computer it was made on: open your copy to see it. The settings are already here."
                )))),
            }
        });
    }

    /// Opens files that were open before, as a link has it that shows them.
    fn open_again(&self, mut files: Files) {
        files.how = self.as_linked(files.how);
        self.open(files);
    }

    /// Another trace is open, with schedulers of its own perhaps: back to what was open before is
    /// offered where it would be lost.
    fn put_aside(&self, old: Files, has_schedulers: bool) {
        let names =
            |files: &Files| -> Vec<String> { files.how.files.iter().map(File::name).collect() };
        let is_other = names(&old) != names(&self.0.loaded.borrow());
        let loses = (!old.how.files.is_empty() && is_other) || has_schedulers;
        if let Some(link) = self.0.latest.take().filter(|_| loses) {
            let (Source::Sample(name) | Source::File(name)) = link.source.clone();
            self.0.aside.replace(Some((link, old)));
            self.tell(Action::WayBack(Some(name)));
        }
    }

    /// Back to what was put aside; what is open is put aside instead.
    pub fn go_back(&self) {
        let Some((link, files)) = self.0.aside.take() else {
            return;
        };
        self.tell(Action::WayBack(None));
        self.tell(Action::Follow(Box::new(link.clone())));
        let is_file = !files.how.files.is_empty();
        self.follow_settings(&link);
        match &link.source {
            Source::File(name) if is_file => {
                let how = kept::Opening {
                    files: Vec::new(),
                    member: link.member.clone(),
                    columns: link.columns.clone(),
                    choice: link.choice.clone(),
                };
                self.0.wanted_file.replace(Some((name.clone(), how)));
                self.open_again(files);
            }
            _ => self.follow(&link),
        }
    }

    /// Whether files are being opened.
    pub fn is_opening(&self) -> bool {
        self.0.busy.get()
    }

    /// Opens an embedded sample.
    pub fn open_sample(&self, name: &str) {
        self.begin(Files::default());
        self.tell(Action::Opening(name.to_string(), 0));
        self.ask_opener(&OpenRequest::Sample(name.to_string()), &[]);
    }

    /// Opens the visitor's files: a trace, a cluster's description, or both.
    pub fn open_files(&self, files: Vec<File>) {
        if !files.is_empty() {
            let how = self.as_linked(kept::Opening {
                files,
                ..kept::Opening::default()
            });
            self.open(Files {
                how,
                ..Files::default()
            });
        }
    }

    /// Opens one member of the archive that is open; all of them if none is named.
    pub fn open_member(&self, member: Option<String>) {
        let mut files = self.0.loaded.borrow().clone();
        files.how.member = member;
        files.how.choice = Choice::default();
        self.open(files);
    }

    /// Asks which of the open table's columns are which.
    pub fn ask_columns(&self, head: &TableHead) {
        let mut files = self.0.loaded.borrow().clone();
        let head = Rc::new(head.clone());
        files.head = Some(head.clone());
        self.0.pending.replace(files);
        let mapping = head.guess.clone();
        let why = String::new();
        let asked = ColumnsAsked { head, mapping, why };
        self.tell(Action::AskColumns(Rc::new(asked)));
    }

    /// Opens the table that was asked about with these columns.
    pub fn open_columns(&self, mapping: &ColumnMapping) {
        let mut files = self.0.pending.borrow().clone();
        files.how.columns = Some(mapping.to_string());
        files.said = Some(mapping.clone());
        files.remembered = false;
        self.open(files);
    }

    /// Gives up what is being opened; what is open stays.
    pub fn cancel_opening(&self) {
        self.end_opener();
        self.tell(Action::CancelledOpening);
    }

    /// The jobs last asked for of the trace that is open.
    pub fn choice(&self) -> Choice {
        let asked = self.0.asked.borrow();
        match asked.back() {
            Some((choice, _, _)) => choice.clone(),
            None => self.0.loaded.borrow().how.choice.clone(),
        }
    }

    /// Takes other jobs of the trace that is open; not while another is being opened.
    pub fn choose(&self, choice: Choice, cluster: ClusterSpec, origin: ClusterOrigin) {
        if self.0.busy.get() {
            return;
        }
        let asked = (choice.clone(), cluster.clone(), origin);
        self.0.chosen_for.replace(Some(cluster.clone()));
        let choosing = Action::Choosing(choice.clone());
        if self.0.held.get() {
            self.0.asked.borrow_mut().push_back(asked);
            self.ask_opener(&OpenRequest::Choose { choice, cluster }, &[]);
        } else {
            let mut files = self.0.loaded.borrow().clone();
            files.how.choice = choice;
            self.begin(files);
            self.0.asked.borrow_mut().push_back(asked);
            self.read(Some(cluster));
        }
        self.tell(choosing);
    }

    /// The jobs asked for are not taken.
    fn keep_choice(&self) {
        let choice = self.0.loaded.borrow().how.choice.clone();
        self.tell(Action::Choosing(choice));
    }

    /// Keeps the trace that is open in this browser.
    pub fn keep(&self) {
        let how = self.0.loaded.borrow().how.clone();
        let Some(name) = how.files.first().map(File::name) else {
            return;
        };
        if how.files.iter().map(|file| file.size()).sum::<f64>() > LONG_KEEPING {
            let keeping = format!("{name} is being compressed and kept…");
            self.tell(Action::Notice(Some(keeping)));
        }
        let jobs = self.0.stage.read().workload.clone();
        let session = self.clone();
        spawn_local(async move {
            let notice = match kept::keep(how, &name, jobs.jobs.len()).await {
                Ok(id) => {
                    session.list_kept().await;
                    // Another may have been opened meanwhile.
                    if Rc::ptr_eq(&jobs, &session.0.stage.read().workload) {
                        session.0.loaded.borrow_mut().kept = Some(id);
                        session.tell(Action::KeptThis(id));
                        session.hold();
                    }
                    format!("{name} is kept in this browser: find it under Kept.")
                }
                Err(why) => format!("{name} is not kept: {why}."),
            };
            session.tell(Action::Notice(Some(notice)));
        });
    }

    /// Whether opened files may be held for a reload; what is held is forgotten if not.
    pub fn allow_holding(&self, may_hold: bool) {
        remembered::allow_holding(may_hold);
        self.hold();
        if !may_hold {
            spawn_local(kept::unhold_all());
        }
    }

    /// Holds the files that are open, for a reload of this tab; a kept trace is found anyway. A
    /// sample leaves what is held, for the way back.
    fn hold(&self) {
        let Files { how, kept, .. } = self.0.loaded.borrow().clone();
        let files = how.files;
        let bytes: f64 = files.iter().map(|file| file.size()).sum();
        let told = if files.is_empty() {
            return self.tell(Action::Held(Held::No));
        } else if kept.is_some() {
            Held::No
        } else if !remembered::may_hold() {
            Held::Declined
        } else if bytes > MOST_HELD {
            Held::TooLarge(bytes)
        } else {
            Held::ForTab(bytes)
        };
        if !matches!(told, Held::ForTab(_)) {
            self.0.held_files.take();
            spawn_local(kept::unhold());
            return self.tell(Action::Held(told));
        }
        if are_same(&files, &self.0.held_files.borrow()) {
            return self.tell(Action::Held(told));
        }
        self.0.held_files.take();
        self.tell(Action::Held(Held::No));
        let session = self.clone();
        spawn_local(async move {
            let is_held = kept::hold(&files).await;
            // Others may have been opened meanwhile.
            let is_open = are_same(&files, &session.0.loaded.borrow().how.files);
            if is_held && is_open && remembered::may_hold() {
                session.0.held_files.replace(files);
                session.tell(Action::Held(told));
            }
        });
    }

    /// Opens a kept trace.
    pub fn open_kept(&self, id: f64) {
        let session = self.clone();
        spawn_local(async move {
            match kept::open(id).await {
                Ok(how) => session.open(Files {
                    how: session.as_linked(how),
                    kept: Some(id),
                    ..Files::default()
                }),
                Err(why) => {
                    session.tell(Action::Refused(format!(
                        "The kept trace cannot be opened: {why}."
                    )));
                    session.list_kept().await;
                }
            }
        });
    }

    /// Removes a kept trace; if it is open, it stays so.
    pub fn remove_kept(&self, id: f64) {
        let session = self.clone();
        spawn_local(async move {
            kept::remove(id).await;
            session.list_kept().await;
        });
    }

    /// Finds out which traces are kept.
    pub async fn list_kept(&self) {
        let kept = kept::list().await;
        self.tell(Action::Kept(kept));
    }

    /// Writes the jobs in a format, and hands the text to `save`.
    pub fn export(
        &self,
        format: ExportFormat,
        settings: Experiment,
        save: impl FnOnce(String) + 'static,
    ) {
        let save = Cell::new(Some(save));
        let session = self.clone();
        let worker = WorkerHandle::start(Program::Runner, move |news| {
            if matches!(news, News::Late) {
                return session.tell_late();
            }
            match (news, save.take()) {
                (News::Reply(Reply::Exported(text)), Some(save)) => save(text),
                (News::Died(why), _) => session.tell(Action::Notice(Some(format!(
                    "The jobs could not be written: {why}."
                )))),
                _ => {}
            }
            session.0.writer.take();
        });
        let request = RunRequest::Export {
            format,
            workload: (*self.0.stage.read().workload).clone(),
            settings: Box::new(settings),
        };
        match worker.send(&request, &[]) {
            Ok(()) => drop(self.0.writer.replace(Some(worker))),
            Err(why) => self.tell(Action::Notice(Some(why))),
        }
    }

    /// Notes what is left should the page's program fail: the settings, and the jobs with them.
    /// Called now and then.
    pub fn note_for_rescue(&self, state: &AppState, fragment: &str) {
        rescue::note_link(fragment);
        let workload = self.0.stage.read().workload.clone();
        let settings = state.experiment();
        let mut noted = self.0.noted.borrow_mut();
        let is_noted = |(of, with): &(Rc<Workload>, Experiment)| {
            Rc::ptr_eq(of, &workload) && *with == settings
        };
        if workload.jobs.is_empty() || noted.as_ref().is_some_and(is_noted) {
            return;
        }
        let name = state.trace.as_ref().map_or("", |trace| &trace.name);
        let request = RunRequest::Export {
            format: ExportFormat::Switchyard,
            workload: (*workload).clone(),
            settings: Box::new(settings.clone()),
        };
        rescue::note_experiment(&format!("{name}-experiment.csv"), &request);
        *noted = Some((workload, settings));
    }

    fn open(&self, files: Files) {
        self.begin(files);
        let cluster = self.0.wanted_cluster.borrow().clone();
        self.read(cluster);
    }

    /// How files are opened: as a link has it that shows them, if there is one.
    fn as_linked(&self, how: kept::Opening) -> kept::Opening {
        let first = how.files.first().map(File::name);
        let mut wanted = self.0.wanted_file.borrow_mut();
        let wanted = wanted.take_if(|(name, _)| Some(&*name) == first.as_ref());
        self.0.linked.set(wanted.is_some());
        // A link that says nothing of it leaves a kept trace as it was kept.
        let says = |of: &kept::Opening| {
            of.member.is_some() || of.columns.is_some() || !of.choice.0.is_empty()
        };
        match wanted {
            Some((_, wanted)) if says(&wanted) => kept::Opening {
                files: how.files,
                ..wanted
            },
            _ => how,
        }
    }

    /// From now on this is what is being opened, and nothing else.
    fn begin(&self, files: Files) {
        if self.0.busy.get() || !self.0.asked.borrow().is_empty() {
            self.end_opener();
        }
        self.0.busy.set(true);
        self.0.pending.replace(files);
    }

    /// Has the opener read what is being opened. `cluster`: the one to decide which gangs are too
    /// large, if it is not the trace's own.
    fn read(&self, cluster: Option<ClusterSpec>) {
        let how = self.0.pending.borrow().how.clone();
        let Some(first) = how.files.first() else {
            self.0.busy.set(false);
            return;
        };
        let bytes: f64 = how.files.iter().map(|file| file.size()).sum();
        self.tell(Action::Opening(first.name(), bytes as u64));
        let kept::Opening {
            files,
            member,
            columns,
            choice,
        } = how;
        let request = OpenRequest::Open {
            member,
            columns,
            choice,
            cluster,
        };
        self.ask_opener(&request, &files);
    }

    /// Ends the opener, whatever it does: the next request gets a new one.
    fn end_opener(&self) {
        self.0.opener.borrow_mut().take();
        self.0.busy.set(false);
        self.0.held.set(false);
        if !self.0.asked.take().is_empty() {
            self.keep_choice();
        }
    }

    /// Starts what is in the list and not yet at work, as far as there is room; ends what is no
    /// longer in it.
    pub fn reconcile(&self, state: &AppState) {
        self.show_choice(state.selected);
        self.check_linked_time(state);
        if state.trace.is_some() && !self.0.busy.get() {
            let shown = Link::of(state, &self.0.stage.read());
            self.0.latest.replace(Some(shown));
        }
        if state.trace.is_none() || !self.0.asked.borrow().is_empty() {
            return;
        }
        if self.is_to_choose_again(state) {
            return;
        }
        let is_started = |id: u32| {
            state
                .card(id)
                .is_some_and(|card| card.status != RunStatus::Idle)
        };
        self.0.runs.borrow_mut().retain(is_started);
        {
            let mut stage = self.0.stage.write();
            let before = stage.runs.len();
            // What waits for its turn would be shown with settings that are not its own.
            stage.runs.retain(|run| is_started(run.id));
            if stage.runs.len() != before {
                stage.touch();
            }
        }
        let is_idle = |card: &&Card| card.status == RunStatus::Idle;
        for card in state.cards.iter().filter(is_idle) {
            if !self.0.runs.borrow().has_room() {
                return;
            }
            self.start(card, state);
        }
    }

    /// The stage shows the job that is chosen, or none.
    fn show_choice(&self, job: Option<JobId>) {
        if self.0.stage.read().selected != job {
            let mut stage = self.0.stage.write();
            stage.selected = job;
            stage.touch();
        }
    }

    /// Which gangs are too large depends on the cluster: where jobs were chosen by that, they are
    /// chosen again for another one.
    fn is_to_choose_again(&self, state: &AppState) -> bool {
        let (cluster, origin) = (&state.setup.cluster, state.cluster_origin);
        let choice = state.trace.as_ref().map(|trace| &trace.choice);
        let Some(choice) = choice.filter(|choice| !choice.value("oversized").is_empty()) else {
            return false;
        };
        if self.0.chosen_for.borrow().as_ref() == Some(cluster) || self.0.busy.get() {
            return false;
        }
        self.choose(choice.clone(), cluster.clone(), origin);
        true
    }

    /// Ends a run where it is, or does not let it begin; what it has shown stays.
    pub fn cancel(&self, id: u32) {
        let run = self.0.runs.borrow_mut().take(id);
        self.stop(id);
        let jobs = self.0.stage.read().workload.jobs.len();
        let progress = run.map_or_else(|| nothing_of(jobs), |run| run.progress);
        self.tell(Action::Progress(id, RunStatus::Cancelled(progress)));
    }

    /// The clock does not wait for this run any more.
    fn stop(&self, id: u32) {
        if let Some(run) = self.0.stage.write().run_mut(id) {
            run.stopped = true;
        }
    }

    /// Chooses a job, or none, in every view.
    pub fn select(&self, job: Option<JobId>) {
        self.show_choice(job);
        self.tell(Action::Select(job));
    }

    /// Moves the clock.
    pub fn seek(&self, time: f64) {
        self.0.linked_time.take();
        let mut stage = self.0.stage.write();
        stage.clock.now = time.clamp(0.0, stage.clock.end.max(0.0));
        stage.touch();
    }

    /// Lets the clock move, or stops it.
    pub fn set_playing(&self, playing: bool) {
        let mut stage = self.0.stage.write();
        stage.clock.playing = playing;
        stage.touch();
    }

    /// Plays or pauses; from the end, plays from the start.
    pub fn play_or_pause(&self) {
        self.0.linked_time.take();
        let mut stage = self.0.stage.write();
        if !stage.clock.playing && stage.clock.now >= stage.clock.end {
            stage.clock.now = 0.0;
        }
        stage.clock.playing = !stage.clock.playing;
        stage.touch();
    }

    /// Pauses at the event before or after the clock's time.
    pub fn step(&self, forward: bool) {
        let (before, after) = self.0.stage.read().neighbouring_events();
        self.0.stage.write().clock.playing = false;
        if let Some(time) = if forward { after } else { before } {
            self.seek(time);
        }
    }

    /// Asks every run why the chosen job runs or waits, if that is not known for this time.
    /// Called now and then: while a worker has not answered, it is not asked again.
    pub fn explain_selected(&self) {
        let (job, now, playing) = {
            let stage = self.0.stage.read();
            (stage.selected, Time(stage.clock.now), stage.clock.playing)
        };
        let Some(job) = job.filter(|_| !playing) else {
            return;
        };
        let question = RunRequest::Explain { job, at: now };
        let wanting = self.0.runs.borrow().not_told_of(job, now);
        for id in wanting {
            if self.ask_run(id, &question)
                && let Some(run) = self.0.runs.borrow_mut().get(id)
            {
                run.asked = Some((job, now));
            }
        }
    }

    /// Shows the rounds of a run, or of none.
    pub fn show_rounds(&self, run: Option<u32>) {
        self.0.round_of.set(run);
    }

    /// Asks the run whose rounds are shown for the one at the clock's time, if that is not known.
    /// Called now and then: while its worker has not answered, it is not asked again.
    pub fn explain_round(&self) {
        let (now, playing) = {
            let clock = &self.0.stage.read().clock;
            (Time(clock.now), clock.playing)
        };
        let Some(id) = self.0.round_of.get().filter(|_| !playing) else {
            return;
        };
        let wants = |run: &Run| run.round_asked.is_none() && run.round_answered != Some(now);
        let wants = self
            .0
            .runs
            .borrow_mut()
            .get(id)
            .is_some_and(|run| wants(run));
        if wants
            && self.ask_run(id, &RunRequest::Round { at: now })
            && let Some(run) = self.0.runs.borrow_mut().get(id)
        {
            run.round_asked = Some(now);
        }
    }

    /// Asks a run's worker; one that was let go comes back if there is room. Says whether it was
    /// asked.
    fn ask_run(&self, id: u32, question: &RunRequest) -> bool {
        let mut runs = self.0.runs.borrow_mut();
        if !runs.make_room_for(id) {
            return false;
        }
        let Some(run) = runs.get(id) else {
            return false;
        };
        if run.worker.is_none() {
            match self.worker(id, run.orders.request(&self.0.stage.read().workload, false)) {
                Ok(worker) => run.worker = Some(worker),
                Err(_) => return false,
            }
        }
        let worker = run.worker.as_ref();
        worker.is_some_and(|worker| worker.send(question, &[]).is_ok())
    }

    fn tell_late(&self) {
        self.tell(Action::Notice(Some(
            "A part of the page is still on its way: the network is slow, or does not answer. What needs it goes on as soon as it is here.".to_owned(),
        )));
    }

    /// Asks the goodput model.
    pub fn ask_model(&self, question: Question) {
        let mut modeller = self.0.modeller.borrow_mut();
        let worker = modeller.take().unwrap_or_else(|| {
            let session = self.clone();
            WorkerHandle::start(Program::Runner, move |news| session.hear_model(news))
        });
        let asked = worker.send(&RunRequest::Model(question.clone()), &[]);
        self.tell(Action::Ask(question));
        match asked {
            Ok(()) => *modeller = Some(worker),
            Err(why) => self.tell(Action::Answered(Err(why))),
        }
    }

    fn hear_model(&self, news: News) {
        match news {
            News::Reply(Reply::Modelled(answer)) => self.tell(Action::Answered(*answer)),
            News::Reply(_) => {}
            News::Late => self.tell_late(),
            News::Died(why) => {
                // The next question gets a new worker.
                self.0.modeller.borrow_mut().take();
                let why = format!("the model's worker died ({why}): change a number to try again");
                self.tell(Action::Answered(Err(why)));
            }
        }
    }

    /// Starts a scheduler's run with the settings of now.
    fn start(&self, card: &Card, state: &AppState) {
        let id = card.id;
        let mut spec = state.run_spec(&card.policy);
        let budget = &mut spec.options.log_budget;
        if *budget == LogBudget::default() {
            *budget = self.0.runs.borrow().log_budget(state.cards.len());
        }
        let orders = Orders {
            spec,
            applications: state.applications(),
        };
        let mut bereft = self.0.bereft.borrow_mut();
        let is_second = bereft.contains(&id);
        bereft.retain(|other| *other != id);
        let workload = self.0.stage.read().workload.clone();
        self.0.runs.borrow_mut().make_room_for(id);
        match self.worker(id, orders.request(&workload, true)) {
            Ok(worker) => {
                let jobs = workload.jobs.len();
                let progress = nothing_of(jobs);
                let run = Run::new(id, orders, worker, progress, is_second);
                self.0.runs.borrow_mut().put(run);
                self.put_on_stage(StageRun::new(id, card.policy.to_string(), jobs), state);
                self.tell(Action::Progress(id, RunStatus::Running(progress)));
            }
            Err(why) => self.tell(Action::Progress(id, RunStatus::Failed(why))),
        }
    }

    /// A worker for a run.
    fn worker(&self, id: u32, request: RunRequest) -> Result<WorkerHandle, String> {
        let session = self.clone();
        let worker = WorkerHandle::start(Program::Runner, move |news| session.hear_run(id, news));
        worker.send(&request, &[])?;
        Ok(worker)
    }

    /// Puts a run where its scheduler stands in the list.
    fn put_on_stage(&self, run: StageRun, state: &AppState) {
        let mut stage = self.0.stage.write();
        stage.cluster = state.setup.cluster.clone();
        stage.runs.retain(|other| other.id != run.id);
        let position = |id: u32| state.cards.iter().position(|card| card.id == id);
        let at = stage
            .runs
            .partition_point(|other| position(other.id) < position(run.id));
        stage.runs.insert(at, run);
        stage.touch();
    }

    fn hear_run(&self, id: u32, news: News) {
        match news {
            News::Reply(Reply::Log { delta, progress }) => {
                self.0.stage.write().receive(id, *delta, progress);
                let now = now_ms();
                if let Some(run) = self.0.runs.borrow_mut().get(id) {
                    run.progress = progress;
                    if now - run.told_ms < PROGRESS_EVERY_MS {
                        return;
                    }
                    run.told_ms = now;
                }
                self.tell(Action::Progress(id, RunStatus::Running(progress)));
            }
            News::Reply(Reply::Done { log_hash, wall_ms }) => {
                self.0.runs.borrow_mut().is_over(id);
                self.finish(id, log_hash, wall_ms);
            }
            News::Reply(Reply::Failed(why)) => {
                self.0.runs.borrow_mut().is_over(id);
                self.stop(id);
                self.tell(Action::Progress(id, RunStatus::Failed(why)));
            }
            News::Reply(Reply::Explained {
                job,
                at,
                explanation,
            }) => {
                if let Some(run) = self.0.runs.borrow_mut().get(id) {
                    run.asked = None;
                    run.answered = Some((job, at));
                }
                self.tell(Action::Explained(id, job, at, explanation));
            }
            News::Reply(Reply::Round { at, report }) => {
                if let Some(run) = self.0.runs.borrow_mut().get(id) {
                    run.round_asked = None;
                    run.round_answered = Some(at);
                }
                self.tell(Action::Round(id, report.map(|report| Rc::new(*report))));
            }
            News::Reply(_) => {}
            News::Late => self.tell_late(),
            News::Died(why) => self.bury(id, &why),
        }
    }

    fn finish(&self, id: u32, log_hash: u64, wall_ms: f64) {
        let mut stage = self.0.stage.write();
        let (workload, cluster) = (stage.workload.clone(), stage.cluster.clone());
        let Some(run) = stage.run_mut(id) else { return };
        let outcomes = Outcomes::of(&workload, &cluster, &run.log);
        let summary = Summary::of_outcomes(&outcomes, &cluster, &run.log);
        run.results = Some((outcomes, summary));
        run.complete = true;
        stage.touch();
        drop(stage);
        self.tell(Action::Finished(
            id,
            RunStatus::Done { log_hash, wall_ms },
            summary,
        ));
    }

    /// Once all runs are over it is known whether the clock can stand where a link has put it.
    fn check_linked_time(&self, state: &AppState) {
        let is_over = |card: &Card| {
            matches!(
                card.status,
                RunStatus::Done { .. } | RunStatus::Cancelled(_) | RunStatus::Failed(_)
            )
        };
        let is_empty = self.0.stage.read().runs.is_empty();
        if is_empty || !state.cards.iter().all(is_over) {
            return;
        }
        let end = self.0.stage.read().clock.end;
        let beyond = self.0.linked_time.take().filter(|&time| time > end);
        if let Some(time) = beyond {
            self.seek(end);
            self.tell(Action::Complain(format!(
                "t={time}: the last run ends at {end:.0} s, and the clock stands there."
            )));
        }
    }

    /// A run's worker has died: once, the run gets another; then it has failed. One that was only
    /// asked about is what it was.
    fn bury(&self, id: u32, why: &str) {
        let Some(run) = self.0.runs.borrow_mut().bury(id) else {
            return;
        };
        if run.is_second {
            let failed = RunStatus::Failed(format!(
                "Its worker died twice: {why}. Press Run to try again."
            ));
            self.stop(id);
            self.tell(Action::Progress(id, failed));
        } else {
            self.tell(Action::Notice(Some(format!(
                "The worker of {} died and was restarted ({why}).",
                run.orders.spec.policy
            ))));
            self.0.bereft.borrow_mut().push(id);
            self.tell(Action::Progress(id, RunStatus::Idle));
        }
    }

    fn ask_opener(&self, request: &OpenRequest, files: &[File]) {
        let mut opener = self.0.opener.borrow_mut();
        let worker = opener.get_or_insert_with(|| {
            let session = self.clone();
            WorkerHandle::start(Program::Opener, move |news| session.hear_opener(news))
        });
        if let Err(why) = worker.send(request, files) {
            self.tell(Action::Refused(why));
        }
    }

    fn hear_opener(&self, news: News) {
        match news {
            News::Reply(Reply::Reading { bytes, rows }) => self.tell(Action::Reading(bytes, rows)),
            News::Reply(Reply::Opened(trace)) => self.hear_opened(*trace),
            News::Reply(Reply::OpenedCluster(cluster)) => {
                self.0.busy.set(false);
                if self.0.stage.read().workload.jobs.is_empty() {
                    self.0.wanted_cluster.replace(Some(cluster.clone()));
                }
                self.tell(Action::OpenedCluster(cluster));
            }
            News::Reply(Reply::OpenedProfiles(tables)) => {
                self.0.busy.set(false);
                self.tell(Action::OpenedProfiles(tables));
            }
            News::Reply(Reply::Refused(refusal)) => self.hear_refused(refusal),
            News::Reply(_) => {}
            News::Late => self.tell_late(),
            News::Died(why) => {
                self.end_opener();
                self.tell(Action::Refused(format!(
                    "The part of the page that opens traces has failed: {why}. It is started again for the next file."
                )));
            }
        }
    }

    fn hear_opened(&self, trace: OpenedTrace) {
        if trace.fresh {
            self.0.busy.set(false);
            self.0.held.set(trace.report.is_some());
            self.0.half.take();
            let mut files = self.0.pending.take();
            let head = trace
                .report
                .as_ref()
                .and_then(|report| report.table.as_ref());
            if let Some(head) = head {
                match &files.how.columns {
                    Some(columns) => remembered::remember(head, columns),
                    None => {
                        if let Some(columns) = remembered::columns(head) {
                            files.head = Some(Rc::new(head.clone()));
                            self.open_as_remembered(files, columns);
                            return;
                        }
                    }
                }
            }
            let old = self.0.loaded.replace(files);
            let guided = SAMPLES.iter().find(|sample| sample.name == GUIDED);
            let is_guided =
                trace.report.is_none() && guided.is_some_and(|of| of.title == trace.title);
            let is_first = self.0.stage.read().workload.jobs.is_empty();
            self.put_aside(old, !is_first && (is_guided || trace.experiment.is_some()));
        }
        let is_fresh = trace.fresh;
        self.bring_on_stage(trace);
        if is_fresh {
            self.hold();
        }
    }

    fn open_as_remembered(&self, mut files: Files, columns: String) {
        files.how.columns = Some(columns);
        files.remembered = true;
        self.open(files);
    }

    fn hear_refused(&self, refusal: Refusal) {
        let Refusal { why, table, half } = refusal;
        self.0.busy.set(false);
        let asked = self.0.asked.borrow_mut().pop_front();
        if asked.is_some() {
            self.keep_choice();
            self.tell(Action::Refused(why));
            return;
        }
        let mut files = self.0.pending.borrow().clone();
        if half {
            let mut other = self.0.half.take();
            if other.is_empty() {
                self.0.half.replace(files.how.files);
                self.tell(Action::Refused(format!("{why}. Open the other one now.")));
                return;
            }
            other.append(&mut files.how.files);
            self.open_files(other);
            return;
        }
        let mut mapping = files.said.clone();
        if let Some(table) = table {
            mapping = Some(table.guess.clone());
            let head: Rc<TableHead> = Rc::from(table);
            files.head = Some(head.clone());
            if files.how.columns.is_none()
                && let Some(columns) = remembered::columns(&head)
            {
                self.open_as_remembered(files, columns);
                return;
            }
        }
        if let Some(head) = files.head.clone() {
            let mapping = mapping.unwrap_or_else(|| head.guess.clone());
            let why = why.clone();
            let asked = ColumnsAsked { head, mapping, why };
            self.0.pending.replace(files);
            self.tell(Action::AskColumns(Rc::new(asked)));
        }
        self.tell(Action::Refused(why));
    }

    fn bring_on_stage(&self, trace: OpenedTrace) {
        let jobs = &trace.workload.jobs;
        let gpu_seconds: f64 = jobs
            .iter()
            .map(|job| job.work.seconds() * f64::from(job.gpus))
            .sum();
        let span = jobs.last().map_or(0.0, |job| job.submit.seconds());
        let longest = jobs
            .iter()
            .map(|job| job.work.seconds())
            .fold(0.0, f64::max);
        let sample = SAMPLES
            .iter()
            .find(|sample| trace.report.is_none() && sample.title == trace.title);
        let asked = self.0.asked.borrow_mut().pop_front();
        if let Some((choice, _, _)) = &asked {
            self.0.loaded.borrow_mut().how.choice = choice.clone();
        }
        let Files {
            how,
            remembered,
            kept,
            ..
        } = self.0.loaded.borrow().clone();
        let name = match (sample, how.files.first()) {
            (Some(sample), _) => sample.name.to_string(),
            (None, Some(file)) => file.name(),
            (None, None) => trace.title.clone(),
        };
        let member = how.member;
        if member.is_none() && trace.fresh {
            self.0.members.replace(trace.members);
        }
        let adaptive = trace.workload.is_adaptive();
        let info = TraceInfo {
            name,
            format: trace.format,
            title: trace.title,
            report: trace.report,
            charts: trace.charts,
            facets: trace.facets,
            choice: how.choice,
            columns: how.columns,
            remembered,
            kept,
            members: self.0.members.borrow().clone(),
            member,
            adaptive,
            jobs: jobs.len(),
            gpu_hours: gpu_seconds / 3600.0,
            span_days: span / 86_400.0,
        };
        // Who takes other jobs stays on the cluster, unless it follows from them.
        let asked = asked.filter(|(_, _, origin)| *origin != ClusterOrigin::Guessed);
        let (cluster, origin) = match (asked, self.0.wanted_cluster.take(), trace.cluster) {
            (Some((_, cluster, origin)), _, _) => (cluster, origin),
            (None, Some(wanted), _) => (wanted, ClusterOrigin::Chosen),
            (None, None, Some(given)) => (given, ClusterOrigin::Given),
            (None, None, None) => (trace.suggested, ClusterOrigin::Guessed),
        };
        self.0.chosen_for.replace(Some(cluster.clone()));
        let wanted_job = self.0.wanted_job.take();
        let job = wanted_job.filter(|job| job.index() < jobs.len());
        if let (Some(JobId(wanted)), None) = (wanted_job, job) {
            let last = jobs.len().saturating_sub(1);
            self.tell(Action::Complain(format!(
                "job={wanted}: the jobs are numbered from 0 to {last}."
            )));
        }
        self.0.runs.borrow_mut().clear();
        {
            let mut stage = self.0.stage.write();
            stage.workload = Rc::new(trace.workload);
            stage.runs.clear();
            stage.selected = None;
            stage.hovered = None;
            let wanted_time = self.0.wanted_time.take();
            self.0.linked_time.set(wanted_time);
            stage.clock.now = wanted_time
                .or(sample.map(|sample| sample.opens_at))
                .unwrap_or(0.0);
            stage.clock.end = 0.0;
            stage.clock.playing = wanted_time.is_none() && !stage.reduced_motion;
            let play_through = round_speed((span + longest) / PLAY_THROUGH_SECONDS);
            stage.clock.speed = self.0.wanted_speed.take().unwrap_or(play_through);
            stage.touch();
        }
        let (mut profiles, mut experiment) = (trace.profiles, trace.experiment);
        if self.0.linked.take()
            && let Some(own) = experiment.take()
        {
            // The link has all settings, but not what is too large for it.
            for history in own.histories {
                self.tell(Action::Learned(Rc::new(history)));
            }
            if profiles.is_empty() {
                profiles = own.applications.profiles;
            }
        }
        self.tell(Action::Opened {
            info: Rc::new(info),
            cluster,
            origin,
            profiles,
            experiment,
        });
        if job.is_some() {
            self.select(job);
        }
    }
}

/// Whether these are the very same files, not only alike.
fn are_same(some: &[File], others: &[File]) -> bool {
    let same = |(one, other): (&File, &File)| JsValue::from(one) == JsValue::from(other);
    some.len() == others.len() && some.iter().zip(others).all(same)
}

/// The progress of a run that has not begun.
fn nothing_of(jobs: usize) -> Progress {
    Progress {
        now: Time::ZERO,
        done: 0,
        jobs: jobs as u32,
    }
}

/// A speed with one significant digit of 1, 2 or 5; at least real time.
fn round_speed(speed: f64) -> f64 {
    let mut decade = 1.0;
    while decade * 10.0 <= speed {
        decade *= 10.0;
    }
    [5.0, 2.0, 1.0]
        .map(|digit| digit * decade)
        .into_iter()
        .find(|&rounded| rounded <= speed)
        .unwrap_or(1.0)
}

fn now_ms() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}

#[cfg(test)]
mod tests {
    use super::round_speed;

    #[test]
    fn speeds_are_round() {
        assert_eq!(
            [0.2, 1.0, 7.0, 960.0, 4_999.0].map(round_speed),
            [1.0, 1.0, 5.0, 500.0, 2_000.0]
        );
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn the_stage_forgets_the_choice_with_the_state() {
        let session = Session::new(SharedStage::default(), |_| {});
        session.select(Some(JobId(3)));
        assert_eq!(session.stage().read().selected, Some(JobId(3)));
        session.reconcile(&AppState::from_link(&Link::parse("")));
        assert_eq!(session.stage().read().selected, None);
    }
}
