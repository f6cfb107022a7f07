//! The other side of a comparison: what a link or a file shows is opened by a worker of its own, so that
//! the page's trace stays as it is, and then both run as a [sweep](super::sweep).

use super::Session;
use super::sweep::{Side, Sweeping};
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{OpenReply, OpenRequest, OpenedTrace};
use crate::state::beside::{Brought, has_jobs_of, link_to_file, other_link};
use crate::state::besides::Besides;
use crate::state::link::Link;
use crate::state::sweep::Sweep;
use crate::state::{AnalysesAction, AppState, Source};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

impl Session {
    /// Begins the comparison with the link that the view has.
    pub(super) fn set_beside(&self, state: &AppState, shown: &Link) {
        let other = match other_link(&state.sweep_values()) {
            Ok(other) => other,
            Err(why) => return self.tell(AnalysesAction::Swept(Err(why))),
        };
        if has_jobs_of(&other, shown) {
            let both = state.beside(shown, &other, None);
            let there = Side {
                applications: both.applications,
                ..self.here(state)
            };
            return self.begin_sweep(both.sweep, both.orders, [self.here(state), there]);
        }
        let mark = self.await_the_other();
        let asked = Asked {
            state: state.clone(),
            shown: shown.clone(),
            other,
            mark,
        };
        match &asked.other.source {
            Source::Sample(name) => {
                let request = OpenRequest::Sample {
                    name: name.clone(),
                    choice: asked.other.choice.clone(),
                    fresh: true,
                };
                self.open_the_other(asked, &request, &[]);
            }
            Source::File(name) => {
                let open = self.open_now();
                let known = self.0.known.borrow();
                let mut known = std::iter::once(&open).chain(known.iter());
                let files =
                    known.find(|files| files.source().as_ref() == Some(&asked.other.source));
                match files.map(|files| files.how.files.clone()) {
                    Some(files) => self.open_files_there(asked, &files),
                    None => self.refuse_the_other(format!(
                        "That link shows jobs of the file {name}, which this page does not have: choose it below."
                    )),
                }
            }
            elsewhere => {
                let (session, source) = (self.clone(), elsewhere.clone());
                spawn_local(async move {
                    let file = super::remote::file_of(&source, |_, _| {}).await;
                    if !session.is_awaited(&asked.mark) {
                        return;
                    }
                    match file {
                        Ok(file) => session.open_files_there(asked, &[file]),
                        Err(why) => session.refuse_the_other(why),
                    }
                });
            }
        }
    }

    /// Compares the page with what a file has: an experiment, or other jobs under the page's own settings.
    pub fn compare_with(&self, state: &AppState, file: File) {
        let shown = Link::of(state, &self.0.stage.read());
        let asked = Asked {
            state: state.clone(),
            other: link_to_file(&file.name(), &shown),
            shown,
            mark: self.await_the_other(),
        };
        self.open_files_there(asked, &[file]);
    }

    fn await_the_other(&self) -> Rc<()> {
        let sweeping = Sweeping::default();
        let mark = sweeping.mark.clone();
        self.0.sweeping.replace(sweeping);
        self.tell(AnalysesAction::Swept(Ok(Rc::new(Sweep::to_come()))));
        mark
    }

    /// Whether nothing else has been asked for meanwhile.
    fn is_awaited(&self, mark: &Rc<()>) -> bool {
        Rc::ptr_eq(&self.0.sweeping.borrow().mark, mark)
    }

    fn refuse_the_other(&self, why: String) {
        self.0.sweeping.take();
        self.tell(AnalysesAction::Swept(Err(why)));
    }

    fn open_files_there(&self, asked: Asked, files: &[File]) {
        let request = OpenRequest::Open {
            beside: asked.other.choice.unit(),
            member: asked.other.member.clone(),
            columns: asked.other.columns.clone(),
            choice: asked.other.choice.clone(),
            cluster: asked.other.cluster.clone(),
        };
        self.open_the_other(asked, &request, files);
    }

    fn open_the_other(&self, asked: Asked, request: &OpenRequest, files: &[File]) {
        let session = self.clone();
        let worker = WorkerHandle::start(move |news| {
            session.hear_the_other(&asked, news);
        });
        match worker.send(request, files.iter().map(JsValue::from)) {
            Ok(()) => self.0.sweeping.borrow_mut().opener = Some(worker),
            Err(why) => self.refuse_the_other(why.to_string()),
        }
    }

    fn hear_the_other(&self, asked: &Asked, news: News<OpenReply>) {
        if !self.is_awaited(&asked.mark) {
            return;
        }
        match news {
            News::Reply(OpenReply::Opened(trace)) => {
                if let Err(why) = self.run_both(asked, *trace) {
                    self.refuse_the_other(why);
                }
            }
            News::Reply(OpenReply::Refused(refusal)) => {
                let name = asked.other.source.name();
                self.refuse_the_other(format!("{name} cannot be opened: {}", refusal.why));
            }
            News::Reply(OpenReply::Reading { .. }) => {}
            News::Reply(
                OpenReply::OpenedCluster(_)
                | OpenReply::OpenedProfiles(_)
                | OpenReply::OpenedOutages(_),
            ) => self.refuse_the_other(format!(
                "{} has no jobs: a trace or an experiment is compared with.",
                asked.other.source.name()
            )),
            News::Late => self.tell_late(),
            News::Died(why) => self.refuse_the_other(format!(
                "The worker that opens the other side died ({why}): begin again."
            )),
        }
    }

    fn run_both(&self, asked: &Asked, trace: OpenedTrace) -> Result<(), String> {
        let jobs = trace.jobs.shared()?;
        let workload = trace.jobs.read()?;
        let brought = Brought {
            title: trace.title,
            jobs: workload.jobs.len(),
            adaptive: workload.is_adaptive(),
            cluster: Some(trace.cluster.spec().clone()),
            besides: Besides::new(trace.profiles, trace.outages, trace.experiment),
        };
        let state = &asked.state;
        let both = state.beside(&asked.shown, &asked.other, Some(brought));
        let there = Side {
            jobs,
            applications: both.applications,
        };
        self.begin_sweep(both.sweep, both.orders, [self.here(state), there]);
        Ok(())
    }
}

/// What is compared, until the other side's jobs are there.
struct Asked {
    state: AppState,
    shown: Link,
    other: Link,
    mark: Rc<()>,
}
