//! Opening: what people and links ask for goes to a worker, the opener, and what it says goes through the [states of
//! opening](state). Files come from a disk, from [elsewhere](remote) or from [what people type](manual_jobs); some are
//! [policies](user_policies) and no traces. What is open is put on the [stage](staging).

mod first_moment;
pub mod manual_jobs;
mod reading;
pub(super) mod remote;
mod staging;
mod state;
mod user_policies;

use crate::bridge::client::WorkerHandle;
use crate::bridge::jobs::Jobs;
use crate::bridge::protocol::Opener;
pub(super) use state::OpeningRequest;
use state::OpeningState;
use std::cell::{Cell, RefCell};

/// What is open and what is being opened, and the worker that opens.
#[derive(Default)]
pub(super) struct OpeningWorker {
    state: RefCell<OpeningState>,
    worker: RefCell<Option<WorkerHandle<Opener>>>,
    /// The jobs on stage, as they travel to workers.
    jobs: RefCell<Jobs>,
    /// Counts what has been asked of elsewhere: what comes of an earlier one is not wanted.
    fetches: Cell<u32>,
}

impl OpeningWorker {
    /// The jobs on stage, as they travel to workers.
    pub(super) fn jobs(&self) -> Jobs {
        self.jobs.borrow().clone()
    }

    /// Whether other jobs of the open trace are on their way.
    pub(super) fn awaits_jobs(&self) -> bool {
        self.state.borrow().awaits_jobs()
    }

    /// Whether other jobs can be taken of the open trace without reading it again.
    pub(super) fn is_read(&self) -> bool {
        self.state.borrow().is_read()
    }

    /// The open trace is stored in this browser, under this number.
    pub(super) fn note_stored(&self, id: f64) {
        self.state.borrow_mut().open.files.stored = Some(id);
    }
}
