//! Plug-ins: a module of WebAssembly that is dropped on the page is one more scheduler of its list. Its
//! bytes are a parameter of the policy's spec, so that links and experiments carry it.

use super::Session;
use crate::state::Action;
use crate::words::words;
use switchyard::policy::PolicySpec;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

#[wasm_bindgen]
extern "C" {
    /// The spec of a module (static/remote.js).
    #[wasm_bindgen(catch, js_namespace = switchyardRemote)]
    async fn plugin(file: &File) -> Result<JsValue, JsValue>;
}

impl Session {
    /// Takes modules out of what was dropped.
    pub(super) fn take_plugins(&self, files: &mut Vec<File>) {
        let is_module = |file: &mut File| file.name().to_ascii_lowercase().ends_with(".wasm");
        for file in files.extract_if(.., is_module) {
            let session = self.clone();
            spawn_local(async move {
                let spec = plugin(&file).await.map_err(|error| words(&error));
                let policy = spec.and_then(|spec| {
                    let spec = spec.as_string().unwrap_or_default();
                    spec.parse::<PolicySpec>().map_err(|why| why.to_string())
                });
                session.tell(match policy {
                    Ok(policy) => Action::Add(policy),
                    Err(why) => Action::NotTaken(why),
                });
            });
        }
    }
}
