//! What the page does besides showing, in one [`Session`]: it opens traces ([`opening`], with the
//! states of opening in [`desk`]), follows [`links`], takes files from [elsewhere](remote), finds files again ([`keeping`]), puts jobs on
//! stage ([`staging`]), carries runs ([`runs`], with their workers in [`run_workers`]) and [sweeps](sweep), asks
//! workers ([`asking`]), makes traces of what people type ([`by_hand`]), has them write files ([`writing`]), measures placements of shares
//! ([`packing`]), and has at hand what placements learned ([`weighing`]).
//!
//! Runs are declared, not commanded: [`Session::reconcile`] compares the list of schedulers with
//! the workers at work, and starts and ends what differs.

mod asking;
mod beside;
pub mod by_hand;
mod desk;
mod keeping;
mod links;
mod moment;
mod opening;
mod packing;
mod plugging;
mod remote;
mod run_workers;
mod runs;
mod staging;
mod sweep;
mod weighing;
mod writing;

use crate::bridge::client::WorkerHandle;
use crate::bridge::jobs::Jobs;
use crate::bridge::protocol::{Exporter, GoodputModel, Opener, Packer};
use crate::machine::Machine;
use crate::stage::SharedStage;
use crate::state::{Action, AppState, NoticesAction, Store};
use desk::{Desk, Files};
use links::{Wanted, WayBack};
use run_workers::Workers;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::File;

/// The page's doer. Cheap to clone.
#[derive(Clone)]
pub struct Session(Rc<Inner>);

pub use remote::MOST_LETTERS;

struct Inner {
    stage: SharedStage,
    store: Store,
    /// What is open and what is being opened.
    desk: RefCell<Desk>,
    opener: RefCell<Option<WorkerHandle<Opener>>>,
    /// The jobs on stage, as they travel to workers.
    jobs: RefCell<Jobs>,
    wanted: RefCell<Wanted>,
    way_back: RefCell<WayBack>,
    /// Counts what has been asked of elsewhere: what comes of an earlier one is not wanted.
    fetching: Cell<u32>,
    /// The files opened last, for links that lead back to them.
    known: RefCell<Vec<Files>>,
    /// Where a link has put the clock, until the runs are over or somebody moves it.
    linked_time: Cell<Option<f64>>,
    /// The files held for this tab, as far as this page knows.
    held_files: RefCell<Vec<File>>,
    /// The workers of the runs that have been started, in no particular order.
    workers: RefCell<Workers>,
    /// The run whose rounds are shown.
    round_of: Cell<Option<u32>>,
    /// Answers for the goodput model.
    modeller: RefCell<Option<WorkerHandle<GoodputModel>>>,
    /// Measures placements of shares.
    packer: RefCell<Option<WorkerHandle<Packer>>>,
    /// The worker that writes jobs.
    writer: RefCell<Option<WorkerHandle<Exporter>>>,
    noted: RefCell<Option<writing::Noted>>,
    weights: RefCell<weighing::Files>,
    sweeping: RefCell<sweep::Sweeping>,
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
            desk: RefCell::default(),
            opener: RefCell::default(),
            jobs: RefCell::default(),
            wanted: RefCell::default(),
            way_back: RefCell::default(),
            fetching: Cell::default(),
            known: RefCell::default(),
            linked_time: Cell::default(),
            held_files: RefCell::default(),
            workers: RefCell::new(Workers::new(Machine::here())),
            round_of: Cell::default(),
            modeller: RefCell::default(),
            packer: RefCell::default(),
            writer: RefCell::default(),
            noted: RefCell::default(),
            weights: RefCell::default(),
            sweeping: RefCell::default(),
        }))
    }

    /// The stage.
    pub fn stage(&self) -> &SharedStage {
        &self.0.stage
    }

    /// Tells the reducer.
    pub fn tell(&self, action: impl Into<Action>) {
        self.0.store.apply(action.into());
    }

    /// The page's state as it is now.
    pub fn state(&self) -> Rc<AppState> {
        self.0.store.state()
    }

    fn tell_late(&self) {
        self.tell(NoticesAction::Notice(Some(
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
