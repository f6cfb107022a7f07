//! The jobs of a trace as they travel, beside a message: bytes that the opener writes once, the page
//! reads once, and hands on as they are to each worker that needs them.

use super::wire;
use js_sys::{Array, ArrayBuffer};
use switchyard::workload::Workload;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, FileReaderSync};

/// Jobs on their way: an `ArrayBuffer`, which is transferred, or a `Blob`, which is shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jobs(pub(super) JsValue);

impl From<JsValue> for Jobs {
    fn from(bytes: JsValue) -> Self {
        Self(bytes)
    }
}

impl From<Jobs> for JsValue {
    fn from(jobs: Jobs) -> Self {
        jobs.0
    }
}

impl Jobs {
    /// The jobs, written down.
    ///
    /// # Errors
    ///
    /// A sentence, if they cannot be.
    pub fn write(workload: &Workload) -> Result<Self, String> {
        wire::encode(workload).map(|buffer| Self(buffer.into()))
    }

    /// The same bytes for many workers: none gets a copy before it reads them.
    ///
    /// # Errors
    ///
    /// A sentence, if the browser has no room for them.
    pub fn shared(&self) -> Result<Self, String> {
        let blob = Blob::new_with_buffer_source_sequence(&Array::of1(&self.0));
        let blob = blob.map_err(|_| "The browser has no room for these jobs.".to_string())?;
        Ok(Self(blob.into()))
    }

    /// The jobs. Shared ones are read only in workers.
    ///
    /// # Errors
    ///
    /// A sentence, if they cannot be read.
    pub fn read(&self) -> Result<Workload, String> {
        let buffer = match self.0.dyn_ref::<ArrayBuffer>() {
            Some(buffer) => Some(buffer.clone()),
            None => self.0.dyn_ref::<Blob>().and_then(|blob| {
                let read = FileReaderSync::new().ok()?.read_as_array_buffer(blob);
                read.ok()?.dyn_into().ok()
            }),
        };
        wire::decode(&buffer.ok_or("The jobs have not come along.")?)
    }
}
