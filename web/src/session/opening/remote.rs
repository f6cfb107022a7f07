//! Traces from elsewhere: fetched from an address, or unpacked from a link; and packed for one
//! (static/remote.js does all three).

use super::OpeningRequest;
use crate::bridge::protocol::ExportFormat;
use crate::complaint::Complaint;
use crate::session::Session;
use crate::state::source::check_address;
use crate::state::{Action, AppState, NextStep, OpeningAction, Refused, Source};
use crate::stored_traces::TraceFiles;
use crate::words::words;
use std::rc::Rc;
use switchyard_app::Experiment;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = switchyardRemote, js_name = take)]
    async fn fetch(
        address: &str,
        name: &str,
        on_progress: &Closure<dyn FnMut(f64, f64)>,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = switchyardRemote, js_name = leave)]
    pub(in crate::session) fn leave();
    #[wasm_bindgen(catch, js_namespace = switchyardRemote)]
    async fn pack(text: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = switchyardRemote)]
    async fn unpack(packed: &str, name: &str) -> Result<JsValue, JsValue>;
}

/// Jobs of more rows than this are not packed for a link at all.
const MOST_PACKED_JOBS: usize = 5_000;

/// A link with more letters than this is not offered.
pub const MOST_LETTERS: usize = 32_000;

/// The file that an address or a link has. `on_progress`: bytes that are here, and all.
///
/// # Errors
///
/// Why it cannot be had, a sentence.
pub(in crate::session) async fn file_of(
    source: &Source,
    on_progress: impl Fn(u64, u64) + 'static,
) -> Result<File, Complaint> {
    let name = source.name();
    let on_progress =
        Closure::new(move |bytes: f64, total: f64| on_progress(bytes as u64, total as u64));
    let file = match source {
        Source::Url(address) => fetch(address, name, &on_progress).await,
        Source::Packed(_, packed) => unpack(packed, name).await,
        Source::Sample(_) | Source::File(_) => Err("it is not elsewhere.".into()),
    };
    file.map(JsCast::unchecked_into).map_err(|error| {
        let of = source
            .host()
            .map_or_else(String::new, |host| format!(" from {host}"));
        let why = words(&error);
        let end = if why.ends_with('.') { "" } else { "." };
        format!("{name} cannot be opened{of}: {why}{end}").into()
    })
}

impl Session {
    /// Fetches a trace from an address that a person has pasted.
    ///
    /// # Errors
    ///
    /// What is no address, a sentence.
    pub fn open_address(&self, address: &str) -> Result<(), Complaint> {
        check_address(address).map_err(|why| format!("Not fetched: {why}."))?;
        self.take_from(Source::Url(address.to_owned()));
        Ok(())
    }

    /// Takes a file from its address or its link, and opens it.
    pub fn take_from(&self, source: Source) {
        self.begin_elsewhere();
        self.dispatch(OpeningAction::Begun(source.name().to_owned(), 0));
        let (session, mine) = (self.clone(), self.0.opening.fetches.get());
        spawn_local(async move {
            let opening = session.clone();
            let file = file_of(&source, move |bytes, total| {
                opening.dispatch(OpeningAction::Fetching(bytes, total));
            });
            let file = file.await;
            // Something else may have been opened meanwhile, or this given up.
            if session.0.opening.fetches.get() != mine {
                return;
            }
            match file {
                Ok(file) => {
                    let files = vec![file];
                    session.open_as_linked(OpeningRequest {
                        how: TraceFiles {
                            files,
                            ..TraceFiles::default()
                        },
                        from: Some(source),
                        ..OpeningRequest::default()
                    });
                }
                Err(why) => {
                    session.cancel_opening();
                    let mut refused = Refused::file(why.into());
                    if let Source::Url(_) = source {
                        refused.next = NextStep::Fetch(source);
                    }
                    session.dispatch(Action::Refused(refused));
                }
            }
        });
    }

    /// Packs the jobs that are open, with what a link cannot say of them, and hands on where they come
    /// from for whoever opens the link; `None` where they are too many.
    pub fn pack(&self, state: &AppState, then: impl FnOnce(Option<Source>) + 'static) {
        let jobs = self.0.stage.read().workload.jobs.len();
        let name = match &state.opening.source {
            Source::Sample(name) => format!("{name}.csv"),
            other => other.name().to_owned(),
        };
        if jobs == 0 || jobs > MOST_PACKED_JOBS {
            return then(None);
        }
        // Its own text says the rest.
        let whole = state.experiment();
        let mut rest = Experiment {
            title: whole.title,
            choice: whole.choice,
            cluster: whole.cluster,
            histories: whole.histories,
            ..Experiment::default()
        };
        rest.settings.outages = whole.settings.outages;
        let profiles = &whole.settings.applications.profiles;
        rest.settings
            .applications_mut()
            .profiles
            .clone_from(profiles);
        self.export(ExportFormat::Switchyard, rest, move |text| {
            spawn_local(async move {
                let packed = pack(&text).await.ok().and_then(|packed| packed.as_string());
                let packed = packed.filter(|packed| packed.len() <= MOST_LETTERS);
                then(packed.map(|packed| Source::Packed(name, Rc::from(packed))));
            });
        });
    }
}
