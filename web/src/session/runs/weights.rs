//! What placements and pickers that have learned go by: files of weights. Placements' shipped ones are fetched when
//! a run first needs them (`static/workers.js`); one's own are dropped on the page, and a worker looks at them before
//! they are taken. All are held as bytes until the page is left.

mod resolving;

use crate::bridge::client::WorkerHandle;
use crate::bridge::protocol::WeightsReader;
use js_sys::Uint8Array;
use std::collections::BTreeMap;
use switchyard::weights::WeightsChoice;
use wasm_bindgen::JsValue;

/// The files of weights that the page has.
#[derive(Default)]
pub(in crate::session) struct WeightFiles {
    shipped: BTreeMap<&'static str, Shipped>,
    user_files: Vec<(WeightsChoice, Uint8Array)>,
    /// Looks at a file.
    worker: Option<WorkerHandle<WeightsReader>>,
}

enum Shipped {
    Loading,
    Here(Uint8Array),
    Missing(String),
}

/// The files with which a run begins: one that the user has opened, and the shipped one.
#[derive(Clone, Debug, Default)]
pub(in crate::session) struct RunWeights {
    pub(in crate::session) user_file: Option<Uint8Array>,
    pub(in crate::session) shipped: Option<Uint8Array>,
}

impl RunWeights {
    /// What travels to a worker.
    pub(in crate::session) fn files(&self) -> impl Iterator<Item = JsValue> {
        let both = [&self.user_file, &self.shipped].into_iter();
        both.flatten().map(JsValue::from)
    }
}

/// Whether a run can begin as to its weights.
pub(in crate::session) enum ResolvedWeights {
    /// With these.
    Ready(RunWeights),
    /// Not yet.
    Loading,
    /// Why not.
    Missing(String),
}
