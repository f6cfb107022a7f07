//! Storage: traces in this browser, files for this tab; and jobs [written](export) into files.

mod export;
mod storing;

use crate::bridge::client::WorkerHandle;
use crate::bridge::protocol::Exporter;
use std::cell::RefCell;
use std::rc::Rc;
use switchyard::workload::Workload;
use switchyard_app::Experiment;
use web_sys::File;

/// The jobs and settings that are noted for a rescue.
type Noted = (Rc<Workload>, Experiment);

/// What is stored, and the worker that writes.
#[derive(Default)]
pub(super) struct Storage {
    /// The files held for this tab, as far as this page knows.
    held: RefCell<Vec<File>>,
    /// The worker that writes jobs.
    writer: RefCell<Option<WorkerHandle<Exporter>>>,
    /// The jobs and settings that are noted for a rescue.
    noted: RefCell<Option<Noted>>,
}

impl Storage {
    /// These are the files held for this tab.
    pub(super) fn note_held(&self, files: Vec<File>) {
        self.held.replace(files);
    }
}
