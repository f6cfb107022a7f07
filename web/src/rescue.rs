//! What is left when the page's program fails: static/rescue.js shows it, and holds, outside of the
//! program's memory, the link to the settings and the request that has a worker write the experiment.

use crate::bridge::client::prepared;
use crate::bridge::jobs::Jobs;
use crate::bridge::parcel::Parcel;
use crate::bridge::protocol::ExportRequest;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = switchyardRescue)]
    fn stop(why: &str);
    /// Remembers the settings, as the address has them.
    #[wasm_bindgen(js_namespace = switchyardRescue, js_name = noteLink)]
    pub(crate) fn note_link(fragment: &str);
    #[wasm_bindgen(js_namespace = switchyardRescue, js_name = noteExperiment)]
    fn note_parcel(name: &str, parcel: &Parcel);
}

/// From now on a panic stops the page, and says so.
pub fn watch() {
    yew::set_custom_panic_hook(Box::new(|info| stop(&info.to_string())));
}

/// Remembers what makes a worker write the experiment, and the name of its file.
pub(crate) fn note_experiment(name: &str, request: &ExportRequest, jobs: Jobs) {
    // What cannot be sent is not offered.
    if let Ok(parcel) = prepared(request, jobs) {
        note_parcel(name, &parcel);
    }
}
