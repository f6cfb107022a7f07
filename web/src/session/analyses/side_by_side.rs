//! The other side of a comparison: what a link or a file shows is opened by a worker of its own, so that
//! the page's trace stays as it is, and then both run as a [sweep](super::sweep).

use super::in_turn::Side;
use super::sweep::SweepUnderWay;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{OpenReply, OpenRequest, OpenedTrace};
use crate::complaint::Complaint;
use crate::session::Session;
use crate::session::opening::remote;
use crate::state::attachments::Attachments;
use crate::state::link::Link;
use crate::state::side_by_side::{Brought, has_jobs_of, link_to_file, other_link};
use crate::state::sweep::Sweep;
use crate::state::{AnalysesAction, AppState, Source};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

impl Session {
    /// Begins the comparison with the link that the view has.
    pub(super) fn compare_with_link(&self, state: &AppState, shown: &Link) {
        let other = match other_link(&state.sweep_values()) {
            Ok(other) => other,
            Err(why) => return self.dispatch(AnalysesAction::Swept(Err(why))),
        };
        if has_jobs_of(&other, shown) {
            let both = state.side_by_side(shown, &other, None);
            let there = Side {
                applications: both.applications,
                ..self.here(state)
            };
            return self.begin_sweep(both.sweep, both.orders, [self.here(state), there]);
        }
        let mark = self.await_the_other();
        let comparison = Comparison {
            state: state.clone(),
            shown: shown.clone(),
            other,
            mark,
        };
        match &comparison.other.source {
            Source::Sample(name) => {
                let request = OpenRequest::Sample {
                    name: name.clone(),
                    choice: comparison.other.choice.clone(),
                    fresh: true,
                };
                self.open_the_other(comparison, &request, &[]);
            }
            Source::File(name) => {
                let open = self.open_now();
                let source = &comparison.other.source;
                let files = match open.source().as_ref() == Some(source) {
                    true => Some(open),
                    false => self.0.history.recent(source),
                };
                match files.map(|files| files.how.files) {
                    Some(files) => self.open_files_there(comparison, &files),
                    None => self.refuse_the_other(format!(
                        "That link shows jobs of the file {name}, which this page does not have: choose it below."
                    )),
                }
            }
            elsewhere => {
                let (session, source) = (self.clone(), elsewhere.clone());
                spawn_local(async move {
                    let file = remote::file_of(&source, |_, _| {}).await;
                    if !session.is_awaited(&comparison.mark) {
                        return;
                    }
                    match file {
                        Ok(file) => session.open_files_there(comparison, &[file]),
                        Err(why) => session.refuse_the_other(why),
                    }
                });
            }
        }
    }

    /// Compares the page with what a file has: an experiment, or other jobs under the page's own settings.
    pub fn compare_with(&self, state: &AppState, file: File) {
        let shown = Link::of(state, &self.0.stage.read());
        let comparison = Comparison {
            state: state.clone(),
            other: link_to_file(&file.name(), &shown),
            shown,
            mark: self.await_the_other(),
        };
        self.open_files_there(comparison, &[file]);
    }

    fn await_the_other(&self) -> Rc<()> {
        let sweeping = SweepUnderWay::default();
        let mark = sweeping.mark.clone();
        self.0.analyses.sweep.replace(sweeping);
        self.dispatch(AnalysesAction::Swept(Ok(Rc::new(Sweep::to_come()))));
        mark
    }

    /// Whether nothing else has been asked for meanwhile.
    fn is_awaited(&self, mark: &Rc<()>) -> bool {
        Rc::ptr_eq(&self.0.analyses.sweep.borrow().mark, mark)
    }

    fn refuse_the_other(&self, why: impl Into<Complaint>) {
        self.0.analyses.sweep.take();
        self.dispatch(AnalysesAction::Swept(Err(why.into())));
    }

    fn open_files_there(&self, comparison: Comparison, files: &[File]) {
        let request = OpenRequest::Open {
            cluster_unit: comparison.other.choice.unit(),
            member: comparison.other.member.clone(),
            columns: comparison.other.columns.clone(),
            choice: comparison.other.choice.clone(),
            cluster: comparison.other.cluster.clone(),
        };
        self.open_the_other(comparison, &request, files);
    }

    fn open_the_other(&self, comparison: Comparison, request: &OpenRequest, files: &[File]) {
        let session = self.clone();
        let worker = WorkerHandle::start(move |news| {
            session.on_other_side_news(&comparison, news);
        });
        match worker.send(request, files.iter().map(JsValue::from)) {
            Ok(()) => self.0.analyses.sweep.borrow_mut().opener = Some(worker),
            Err(why) => self.refuse_the_other(why.to_string()),
        }
    }

    fn on_other_side_news(&self, comparison: &Comparison, news: News<OpenReply>) {
        if !self.is_awaited(&comparison.mark) {
            return;
        }
        match news {
            News::Reply(OpenReply::Opened(trace)) => {
                if let Err(why) = self.run_both(comparison, *trace) {
                    self.refuse_the_other(why);
                }
            }
            News::Reply(OpenReply::Refused(refusal)) => {
                let name = comparison.other.source.name();
                self.refuse_the_other(format!("{name} cannot be opened: {}", refusal.why));
            }
            News::Reply(OpenReply::Reading { .. }) => {}
            News::Reply(
                OpenReply::OpenedCluster(_)
                | OpenReply::OpenedProfiles(_)
                | OpenReply::OpenedOutages(_),
            ) => self.refuse_the_other(format!(
                "{} has no jobs: a trace or an experiment is compared with.",
                comparison.other.source.name()
            )),
            News::Late => self.report_slow_network(),
            News::Died(why) => self.refuse_the_other(format!(
                "The worker that opens the other side died ({why}): begin again."
            )),
        }
    }

    fn run_both(&self, comparison: &Comparison, trace: OpenedTrace) -> Result<(), Complaint> {
        let jobs = trace.jobs.shared().map_err(Complaint::of)?;
        let workload = trace.jobs.read().map_err(Complaint::of)?;
        let brought = Brought {
            title: trace.title,
            jobs: workload.jobs.len(),
            adaptive: workload.is_adaptive(),
            cluster: Some(trace.cluster.0),
            attachments: Attachments::new(trace.profiles, trace.outages, trace.experiment),
        };
        let state = &comparison.state;
        let both = state.side_by_side(&comparison.shown, &comparison.other, Some(brought));
        let there = Side {
            jobs,
            applications: both.applications,
        };
        self.begin_sweep(both.sweep, both.orders, [self.here(state), there]);
        Ok(())
    }
}

/// What is compared, until the other side's jobs are there.
struct Comparison {
    state: AppState,
    shown: Link,
    other: Link,
    mark: Rc<()>,
}
