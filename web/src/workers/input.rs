//! What is attached to a request to begin a run: the jobs, and files of weights.

use crate::bridge::jobs::Jobs;
use js_sys::Uint8Array;
use switchyard::workload::Workload;
use switchyard_parcels::PackingError;
use switchyard_workers::link::Attached;
use wasm_bindgen::{JsCast, JsValue};

/// Those of a message.
pub(super) struct Attachments(std::vec::IntoIter<JsValue>);

impl From<Vec<JsValue>> for Attachments {
    fn from(attachments: Vec<JsValue>) -> Self {
        Self(attachments.into_iter())
    }
}

impl Attached for Attachments {
    fn jobs(&mut self) -> Result<Workload, PackingError> {
        Jobs::from(self.0.next().unwrap_or_default()).read()
    }

    fn next_file(&mut self) -> Option<Vec<u8>> {
        self.0.next().as_ref().map(bytes_of)
    }
}

/// The bytes of an attached file.
pub(super) fn bytes_of(file: &JsValue) -> Vec<u8> {
    file.dyn_ref().map_or_else(Vec::new, Uint8Array::to_vec)
}
