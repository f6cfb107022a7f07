//! Schedulers of one's own in files: a plug-in, a module of WebAssembly, that is dropped on the page is one
//! more scheduler of its list; a script is opened in the editor, which adds it. What is in the file is a
//! parameter of the policy's spec, so that links and experiments carry it.

use crate::session::Session;
use crate::session::suffix::ends_with;
use crate::state::{Action, RunsAction};
use crate::words::words;
use switchyard::policies::PolicySpec;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

#[wasm_bindgen]
extern "C" {
    /// The spec of a module (static/remote.js).
    #[wasm_bindgen(catch, js_namespace = switchyardRemote)]
    async fn plugin(file: &File) -> Result<JsValue, JsValue>;

    /// Opens the editor with a script (static/author.js).
    #[wasm_bindgen(catch, js_name = switchyardScript)]
    async fn script(file: &File) -> Result<JsValue, JsValue>;
}

impl Session {
    /// Takes modules out of what was dropped.
    pub(in crate::session) fn take_plugins(&self, files: &mut Vec<File>) {
        for file in files.extract_if(.., |file| ends_with(file, ".wasm")) {
            let session = self.clone();
            spawn_local(async move {
                let spec = plugin(&file).await.map_err(|error| words(&error));
                let policy = spec.and_then(|spec| {
                    let spec = spec.as_string().unwrap_or_default();
                    spec.parse::<PolicySpec>().map_err(|why| why.to_string())
                });
                session.dispatch(match policy {
                    Ok(policy) => RunsAction::Add(Box::new(policy)).into(),
                    Err(why) => Action::NotTaken(why),
                });
            });
        }
    }

    /// Takes scripts out of what was dropped.
    pub(in crate::session) fn take_scripts(&self, files: &mut Vec<File>) {
        let scripts: Vec<File> = files
            .extract_if(.., |file| ends_with(file, ".rhai"))
            .collect();
        let session = self.clone();
        // One after the other: the editor has room for one.
        spawn_local(async move {
            for file in scripts {
                if let Err(error) = script(&file).await {
                    session.dispatch(Action::NotTaken(words(&error)));
                }
            }
        });
    }
}
