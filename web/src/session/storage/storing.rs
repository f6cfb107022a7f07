//! Traces are stored in this browser, and files are held for this tab.

use crate::session::Session;
use crate::session::opening::OpeningRequest;
use crate::state::{Action, NoticesAction, OpeningAction, Refused};
use crate::stored_traces::Held;
use crate::{remembered, stored_traces};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

/// Whoever stores more bytes than this is told that it takes a while.
const LONG_STORING: f64 = 2e7;

/// More bytes than this are not held for a reload: browsers copy them.
const MOST_HELD: f64 = 2e8;

impl Session {
    /// Stores the trace that is open in this browser.
    pub fn store_trace(&self) {
        let files = self.open_now();
        let Some(name) = files.name() else {
            return;
        };
        if files.bytes() > LONG_STORING {
            let keeping = format!("{name} is being compressed and kept…");
            self.dispatch(NoticesAction::Notice(Some(keeping)));
        }
        let jobs = self.0.stage.read().workload.clone();
        let session = self.clone();
        spawn_local(async move {
            let notice = match stored_traces::store(files.how, &name, jobs.jobs.len()).await {
                Ok(id) => {
                    session.list_stored().await;
                    // Another may have been opened meanwhile.
                    if Rc::ptr_eq(&jobs, &session.0.stage.read().workload) {
                        session.0.opening.note_stored(id);
                        session.dispatch(OpeningAction::SavedThis(id));
                        session.hold();
                    }
                    format!("{name} is kept in this browser: find it under Kept.")
                }
                Err(why) => format!("{name} is not kept: {why}."),
            };
            session.dispatch(NoticesAction::Notice(Some(notice)));
        });
    }

    /// Whether opened files may be held for a reload; what is held is forgotten if not.
    pub fn allow_holding(&self, may_hold: bool) {
        remembered::allow_holding(may_hold);
        self.hold();
        if !may_hold {
            spawn_local(stored_traces::unhold_all());
        }
    }

    /// Holds the files that are open, for a reload of this tab; a stored trace is found anyway. A
    /// sample leaves what is held, for the way back.
    pub(in crate::session) fn hold(&self) {
        let open = self.open_now();
        let bytes = open.bytes();
        let OpeningRequest {
            how, stored, from, ..
        } = open;
        let files = how.files;
        // What a link can fetch, or has within, is found anyway.
        let told = if files.is_empty() || from.is_some() {
            return self.dispatch(OpeningAction::Held(Held::No));
        } else if stored.is_some() {
            Held::No
        } else if !remembered::may_hold() {
            Held::Declined
        } else if bytes > MOST_HELD {
            Held::TooLarge(bytes)
        } else {
            Held::ForTab(bytes)
        };
        if !matches!(told, Held::ForTab(_)) {
            self.0.storage.held.take();
            spawn_local(stored_traces::unhold());
            return self.dispatch(OpeningAction::Held(told));
        }
        if are_same(&files, &self.0.storage.held.borrow()) {
            return self.dispatch(OpeningAction::Held(told));
        }
        self.0.storage.held.take();
        self.dispatch(OpeningAction::Held(Held::No));
        let session = self.clone();
        spawn_local(async move {
            let is_held = stored_traces::hold(&files).await;
            // Others may have been opened meanwhile.
            let is_open = are_same(&files, &session.open_now().how.files);
            if is_held && is_open && remembered::may_hold() {
                session.0.storage.held.replace(files);
                session.dispatch(OpeningAction::Held(told));
            }
        });
    }

    /// Opens a stored trace.
    pub fn open_stored(&self, id: f64) {
        let session = self.clone();
        self.dispatch(OpeningAction::Seeking(true));
        spawn_local(async move {
            let stored = stored_traces::open(id).await;
            session.dispatch(OpeningAction::Seeking(false));
            match stored {
                Ok(how) => session.open_as_linked(OpeningRequest {
                    how,
                    stored: Some(id),
                    ..OpeningRequest::default()
                }),
                Err(why) => {
                    session.dispatch(Action::Refused(Refused::file(format!(
                        "The kept trace cannot be opened: {why}."
                    ))));
                    session.list_stored().await;
                }
            }
        });
    }

    /// Removes a stored trace; if it is open, it stays so.
    pub fn remove_stored(&self, id: f64) {
        let session = self.clone();
        spawn_local(async move {
            stored_traces::remove(id).await;
            session.list_stored().await;
        });
    }

    /// Finds out which traces are stored.
    pub async fn list_stored(&self) {
        let stored = stored_traces::list().await;
        self.dispatch(OpeningAction::Saved(stored));
    }
}

/// Whether these are the very same files, not only alike.
fn are_same(some: &[File], others: &[File]) -> bool {
    let same = |(one, other): (&File, &File)| JsValue::from(one) == JsValue::from(other);
    some.len() == others.len() && some.iter().zip(others).all(same)
}
