//! What the page does besides showing, in one [`Session`] of five parts, which own what they need: [`opening`] of
//! traces, [`runs`] with their workers, [`history`] (links, and what was open before), [`storage`] in this browser and in
//! files, and [`analyses`] beside the runs. A part's cells are its own; others go by its methods, and the session's
//! verbs, which are where their part is, put the parts together. The [`clock`] is the stage's.
//!
//! Runs are declared, not commanded: [`Session::reconcile`] compares the list of schedulers with
//! the workers at work, and starts and ends what differs.

mod analyses;
mod clock;
mod history;
mod opening;
mod recorded;
mod runs;
mod storage;
mod suffix;

use crate::first_minute::FirstMinute;
use crate::stage::SharedStage;
use crate::state::{Action, AppState, NoticesAction, Store};
use analyses::AnalysisWorkers;
use history::History;
use opening::OpeningWorker;
pub use opening::manual_jobs;
pub use opening::remote::MOST_LETTERS;
use runs::RunWorkers;
use std::cell::RefCell;
use std::rc::Rc;
use storage::Storage;

/// The page's doer. Cheap to clone.
#[derive(Clone)]
pub struct Session(Rc<Inner>);

struct Inner {
    stage: SharedStage,
    store: Store,
    opening: OpeningWorker,
    runs: RunWorkers,
    history: History,
    storage: Storage,
    analyses: AnalysisWorkers,
    /// What has come with the page and is not used yet, once it is wanted.
    first_minute: RefCell<Option<FirstMinute>>,
}

impl PartialEq for Session {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Session {
    /// A session that shows on `stage` and tells the store.
    pub fn new(stage: SharedStage, store: Store) -> Self {
        Self(Rc::new(Inner {
            stage,
            store,
            opening: OpeningWorker::default(),
            runs: RunWorkers::new(),
            history: History::default(),
            storage: Storage::default(),
            analyses: AnalysisWorkers::default(),
            first_minute: RefCell::default(),
        }))
    }

    /// The stage.
    pub fn stage(&self) -> &SharedStage {
        &self.0.stage
    }

    /// Dispatches an action to the store.
    pub fn dispatch(&self, action: impl Into<Action>) {
        self.0.store.apply(action.into());
    }

    /// The page's state as it is now.
    pub fn state(&self) -> Rc<AppState> {
        self.0.store.state()
    }

    fn report_slow_network(&self) {
        self.dispatch(NoticesAction::Notice(Some(
            "A part of the page is still on its way: the network is slow, or does not answer. What needs it goes on as soon as it is here.".to_owned(),
        )));
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests {
    use super::*;
    use crate::state::link::Link;
    use switchyard::job::JobId;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn the_stage_shows_the_choice_of_the_state() {
        let state = AppState::from_link(&Link::parse(""));
        let session = Session::new(SharedStage::default(), Store::new(state));
        for selected in [Some(JobId(3)), None] {
            session.select(selected);
            session.reconcile();
            assert_eq!(session.stage().read().selected(), selected);
        }
    }
}
