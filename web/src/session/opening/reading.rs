//! What people ask for is read by the opener, and what it says is put into the state.

use super::remote;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{
    Choice, MOST_HELD, OpenReply, OpenRequest, OpenedTrace, Opener, Refusal,
};
use crate::draw::format;
use crate::remembered;
use crate::session::Session;
use crate::session::opening::state::OpeningRequest;
use crate::session::opening::state::{AfterReading, AfterRefusal};
use crate::state::{
    Action, AppState, ColumnsAsked, GUIDED, NextStep, OpeningAction, Refused, Scene, Source,
};
use crate::stored_traces::TraceFiles;
use std::cell::RefMut;
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::trace::{ColumnMapping, TableHead};
use switchyard::workload::SAMPLES;
use switchyard_app::study::Origin;
use wasm_bindgen::JsValue;
use web_sys::File;

impl Session {
    /// Whether files are being opened.
    pub fn is_opening(&self) -> bool {
        self.0.opening.state.borrow().is_reading()
    }

    /// Whether what is shown is about to become something else: jobs are on their way, or files are
    /// looked for.
    pub fn is_under_way(&self) -> bool {
        self.0.opening.state.borrow().is_busy() || self.state().opening.is_sought
    }

    /// Opens an embedded sample.
    pub fn open_sample(&self, name: &str, choice: Choice) {
        let request = OpenRequest::Sample {
            name: name.to_owned(),
            choice: choice.clone(),
            fresh: true,
        };
        self.begin(OpeningRequest {
            how: TraceFiles {
                choice: choice.clone(),
                ..TraceFiles::default()
            },
            from: Some(Source::Sample(name.to_owned())),
            ..OpeningRequest::default()
        });
        self.dispatch(OpeningAction::Begun(name.to_string(), 0));
        if !self.open_recorded(name, &choice) {
            self.ask_opener(&request, &[]);
        }
    }

    /// Opens the visitor's files: a trace, a cluster's description, or both; weights, plug-ins and scripts.
    pub fn open_files(&self, mut files: Vec<File>) {
        self.dispatch(OpeningAction::ReadRefusal);
        self.take_weights(&mut files);
        self.take_plugins(&mut files);
        self.take_scripts(&mut files);
        if !files.is_empty() {
            let how = TraceFiles {
                files,
                ..TraceFiles::default()
            };
            self.open_as_linked(OpeningRequest {
                how,
                ..OpeningRequest::default()
            });
        }
    }

    /// Opens one member of the archive that is open; all of them if none is named.
    pub fn open_member(&self, member: Option<String>) {
        let mut files = self.open_now();
        files.how.member = member;
        files.how.choice = Choice::default();
        self.open(files);
    }

    /// Asks which of the open table's columns are which.
    pub fn ask_columns(&self, head: &TableHead) {
        let head = Rc::new(head.clone());
        self.0.opening.state.borrow_mut().ask_open(head.clone());
        let asked = ColumnsAsked {
            mapping: head.guess.clone(),
            head,
            why: String::new(),
        };
        self.dispatch(OpeningAction::AskColumns(Rc::new(asked)));
    }

    /// Opens the table that was asked about with these columns.
    pub fn open_columns(&self, mapping: &ColumnMapping) {
        let files = self.0.opening.state.borrow().answered(mapping);
        self.open(files);
    }

    /// Opens the files that were refused since their jobs ask for no GPU, and counts cores.
    pub fn count_cores(&self) {
        let files = self.0.opening.state.borrow_mut().of_cores.take();
        if let Some(files) = files {
            self.open(*files);
        }
    }

    /// Gives up what is being opened; what is open stays.
    pub fn cancel_opening(&self) {
        self.0.opening.fetches.set(self.0.opening.fetches.get() + 1);
        remote::leave();
        self.end_opener();
        self.dispatch(OpeningAction::Cancelled);
    }

    /// The jobs last asked for of the trace that is open.
    pub fn choice(&self) -> Choice {
        self.0.opening.state.borrow().choice().clone()
    }

    /// Takes other jobs of the trace that is open; not while another is being opened. They stay on the cluster, unless
    /// it was guessed: then it follows from them.
    pub fn choose(&self, choice: Choice) {
        let state = self.state();
        let origin = state.opening.cluster_origin.clone();
        let stays = Some(origin).filter(|origin| !matches!(origin, Origin::Guessed(_)));
        self.choose_on(choice, state.setup.cluster.clone(), stays);
    }

    /// The same. The cluster decides which gangs are too large; `stays`: why they stay on it, if they do.
    pub(in crate::session) fn choose_on(
        &self,
        choice: Choice,
        cluster: ClusterSpec,
        stays: Option<Origin>,
    ) {
        if self.is_opening() {
            return;
        }
        let open = self.open_now();
        // In another unit it is another trace, on a cluster of its own.
        let recounted = open.how.choice.unit() != choice.unit();
        let stays = stays.filter(|_| !recounted);
        let asked = (choice.clone(), cluster.clone(), stays);
        let choosing = OpeningAction::Choosing(choice.clone());
        if let Some(Source::Sample(name)) = open.from {
            self.0.opening.state.borrow_mut().choose(asked);
            let request = OpenRequest::Sample {
                name,
                choice,
                fresh: false,
            };
            self.ask_opener(&request, &[]);
        } else if self.0.opening.state.borrow().is_read() && !recounted {
            self.0.opening.state.borrow_mut().choose(asked);
            self.ask_opener(&OpenRequest::Choose { choice, cluster }, &[]);
        } else {
            let mut files = open;
            files.how.choice = choice;
            self.begin(files.clone());
            self.0.opening.state.borrow_mut().choose(asked);
            self.read(files, (!recounted).then_some(cluster));
        }
        self.dispatch(choosing);
    }

    /// Which gangs are too large depends on the cluster: where jobs were chosen by that, they are
    /// chosen again for another one.
    pub(in crate::session) fn is_to_choose_again(&self, state: &AppState) -> bool {
        let cluster = &state.setup.cluster;
        let choice = state.opening.trace.as_ref().map(|trace| &trace.choice);
        let Some(choice) = choice.filter(|choice| !choice.value("oversized").is_empty()) else {
            return false;
        };
        let is_chosen = self.0.opening.state.borrow().open.chosen_for.as_ref() == Some(cluster);
        if is_chosen || self.is_opening() {
            return false;
        }
        self.choose(choice.clone());
        true
    }

    /// The files that are open, and how.
    pub(in crate::session) fn open_now(&self) -> OpeningRequest {
        self.0.opening.state.borrow().open.files.clone()
    }

    pub(in crate::session) fn open(&self, files: OpeningRequest) {
        self.begin(files.clone());
        let cluster = self.0.history.wanted_cluster();
        self.read(files, cluster);
    }

    /// From now on this is what is being opened, and nothing else.
    pub(in crate::session) fn begin(&self, files: OpeningRequest) {
        self.0.opening.fetches.set(self.0.opening.fetches.get() + 1);
        remote::leave();
        if self.0.opening.state.borrow().is_busy() {
            self.end_opener();
        }
        self.0.opening.state.borrow_mut().begin(files);
    }

    /// From now on files are on their way from elsewhere, and nothing else is being opened.
    pub(in crate::session) fn begin_elsewhere(&self) {
        self.begin(OpeningRequest::default());
    }

    /// Has the opener read what is being opened. `cluster`: the one to decide which gangs are too
    /// large, if it is not the trace's own.
    pub(in crate::session) fn read(&self, files: OpeningRequest, cluster: Option<ClusterSpec>) {
        let Some(name) = files.name() else {
            self.0.opening.state.borrow_mut().done();
            return;
        };
        self.dispatch(OpeningAction::Begun(name, files.bytes() as u64));
        let TraceFiles {
            files,
            member,
            columns,
            choice,
        } = files.how;
        let request = OpenRequest::Open {
            member,
            columns,
            choice,
            cluster,
            cluster_unit: format::unit(),
        };
        self.ask_opener(&request, &files);
    }

    /// Ends the opener, whatever it does: the next request gets a new one.
    fn end_opener(&self) {
        self.0.opening.worker.take();
        let stays = self.0.opening.state.borrow_mut().give_up();
        if let Some(choice) = stays {
            self.dispatch(OpeningAction::Choosing(choice));
        }
    }

    /// The opener, which is started if there is none.
    fn opener(&self) -> RefMut<'_, WorkerHandle<Opener>> {
        RefMut::map(self.0.opening.worker.borrow_mut(), |opener| {
            opener.get_or_insert_with(|| {
                let session = self.clone();
                WorkerHandle::start(move |news| session.on_opener_news(news))
            })
        })
    }

    /// Starts the opener before it is asked anything, so that one hears early where a host allows no workers.
    pub(in crate::session) fn prepare_opener(&self) {
        drop(self.opener());
    }

    fn ask_opener(&self, request: &OpenRequest, files: &[File]) {
        let sent = self.opener().send(request, files.iter().map(JsValue::from));
        if let Err(why) = sent {
            self.dispatch(Action::Refused(Refused::file(why.to_string())));
        }
    }

    fn on_opener_news(&self, news: News<OpenReply>) {
        match news {
            News::Reply(OpenReply::Reading { bytes, rows }) => {
                self.dispatch(OpeningAction::Reading(bytes, rows))
            }
            News::Reply(OpenReply::Opened(trace)) => self.on_opened(*trace),
            News::Reply(OpenReply::OpenedCluster(cluster)) => {
                self.0.opening.state.borrow_mut().done();
                if self.0.stage.read().workload.jobs.is_empty() {
                    self.0.history.want_cluster(cluster.clone());
                }
                self.dispatch(Action::OpenedCluster(cluster));
            }
            News::Reply(OpenReply::OpenedProfiles(tables)) => {
                self.0.opening.state.borrow_mut().done();
                self.dispatch(Action::OpenedProfiles(tables));
            }
            News::Reply(OpenReply::OpenedOutages(outages)) => {
                self.0.opening.state.borrow_mut().done();
                self.dispatch(Action::OpenedOutages(outages));
            }
            News::Reply(OpenReply::Refused(refusal)) => self.on_refused(refusal),
            News::Late => self.report_slow_network(),
            News::Died(why) => {
                self.end_opener();
                self.dispatch(Action::Refused(Refused::file(format!(
                    "The part of the page that opens traces has failed: {why}. It is started again for the next file."
                ))));
            }
        }
    }

    pub(in crate::session) fn on_opened(&self, trace: OpenedTrace) {
        if !trace.fresh {
            return self.bring_on_stage(trace);
        }
        let report = trace.report.as_ref();
        let head = report.and_then(|report| report.table.as_ref());
        let read =
            self.0
                .opening
                .state
                .borrow_mut()
                .opened(report.is_none(), head, remembered::columns);
        let old = match read {
            AfterReading::Again(files) => return self.open(*files),
            AfterReading::Open(old) => *old,
        };
        if let (Some(head), Some(columns)) = (head, &self.open_now().how.columns) {
            remembered::remember(head, columns);
        }
        let sample = SAMPLES.iter().find(|sample| sample.title == trace.title);
        let brings_schedulers = report.is_none()
            && sample.is_some_and(|of| of.name == GUIDED || Scene::of(of.name).is_some());
        let is_first = self.0.stage.read().workload.jobs.is_empty();
        self.put_aside(
            old,
            !is_first && (brings_schedulers || trace.experiment.is_some()),
        );
        self.note_recent();
        // Whoever was asked about the columns of what was open has nothing to answer any more.
        self.dispatch(OpeningAction::LeaveColumns);
        let is_large = report.is_some_and(|report| report.rows_kept > MOST_HELD);
        if is_large {
            // Its memory is gone before the jobs need theirs.
            self.0.opening.worker.take();
        }
        self.bring_on_stage(trace);
        self.hold();
        if is_large {
            self.end_opener();
        }
    }

    fn on_refused(&self, refusal: Refusal) {
        let answer = self
            .0
            .opening
            .state
            .borrow_mut()
            .refused(&refusal, remembered::columns);
        let Refused { mut why, mut next } = Refused::file(refusal.why);
        match answer {
            AfterRefusal::Over => {}
            AfterRefusal::Stay(choice) => {
                self.dispatch(OpeningAction::Choosing(choice));
                next = NextStep::Nothing;
            }
            AfterRefusal::Half => {
                why.push_str(". Open the other one now.");
                next = NextStep::Open("Open the other file");
            }
            AfterRefusal::OfCores => next = NextStep::CountCores,
            AfterRefusal::Together(files) => return self.open_files(files),
            AfterRefusal::Again(files) => return self.open(*files),
            AfterRefusal::Ask(asked) => {
                self.dispatch(OpeningAction::AskColumns(Rc::new(asked)));
                next = NextStep::Columns;
            }
        }
        self.dispatch(Action::Refused(Refused { why, next }));
    }
}
