//! Which weights a run begins with, and files of weights that are opened.

use super::ResolvedWeights;
use super::RunWeights;
use super::Shipped;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{WeightsReply, WeightsRequest};
use crate::session::Session;
use crate::session::suffix::ends_with;
use crate::state::{Action, RunsAction};
use crate::words::words;
use js_sys::Uint8Array;
use switchyard::RunSpec;
use switchyard::placement::Strategy;
use switchyard::weights::WeightsChoice;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;

#[wasm_bindgen]
extern "C" {
    /// The shipped weights of a placement, as bytes.
    #[wasm_bindgen(catch, js_namespace = switchyardWorkers, js_name = weights)]
    async fn shipped_weights(placement: &str) -> Result<JsValue, JsValue>;
}

/// Files of weights end so.
const SUFFIX: &str = ".safetensors";

/// A file of weights has at most so many bytes: those of the placer are 75 KB.
const MOST_BYTES: f64 = (4 << 20) as f64;

impl Session {
    /// The weights that a run needs; what is shipped is fetched if it is not there.
    pub(in crate::session) fn resolve_weights(&self, spec: &RunSpec) -> ResolvedWeights {
        let placement = spec.learned();
        if placement.is_none() && spec.picker().is_none() {
            return ResolvedWeights::Ready(RunWeights::default());
        }
        let asked = spec.options.weights;
        let mut files = self.0.runs.weights.borrow_mut();
        let user_file = files.user_files.iter().find(|(choice, _)| *choice == asked);
        let user_file = user_file.map(|(_, bytes)| bytes.clone());
        if user_file.is_none() && asked != WeightsChoice::Shipped {
            return ResolvedWeights::Missing(format!(
                "It wants weights of your own, {asked}, which are not open in this page: drop their file ({SUFFIX}), or write 'shipped' in the field Weights (Cluster, More)."
            ));
        }
        let Some(placement) = placement else {
            return ResolvedWeights::Ready(RunWeights {
                user_file,
                shipped: None,
            });
        };
        let name = placement.name();
        let shipped = match files.shipped.get(name) {
            Some(Shipped::Here(bytes)) => Some(bytes.clone()),
            Some(Shipped::Loading) => return ResolvedWeights::Loading,
            // The user's file may do. Else the page asks again when somebody presses Run.
            Some(Shipped::Missing(_)) if user_file.is_some() => None,
            Some(Shipped::Missing(why)) => {
                let why = format!(
                    "The weights of {name} cannot be had: {why}. Press Run to try again, or drop a file of weights of your own ({SUFFIX})."
                );
                files.shipped.remove(name);
                return ResolvedWeights::Missing(why);
            }
            None => {
                files.shipped.insert(name, Shipped::Loading);
                drop(files);
                self.fetch_weights(placement);
                return ResolvedWeights::Loading;
            }
        };
        ResolvedWeights::Ready(RunWeights { user_file, shipped })
    }

    fn fetch_weights(&self, placement: Strategy) {
        let session = self.clone();
        spawn_local(async move {
            let name = placement.name();
            let file = match shipped_weights(name).await {
                Ok(bytes) => Shipped::Here(bytes.unchecked_into()),
                Err(error) => Shipped::Missing(words(&error)),
            };
            session
                .0
                .runs
                .weights
                .borrow_mut()
                .shipped
                .insert(name, file);
            session.dispatch(RunsAction::WeightsCame);
        });
    }

    /// Takes files of weights out of what was dropped, and has them looked at.
    pub(in crate::session) fn take_weights(&self, files: &mut Vec<File>) {
        for file in files.extract_if(.., |file| ends_with(file, SUFFIX)) {
            let session = self.clone();
            spawn_local(async move { session.look_at_weights(file).await });
        }
    }

    async fn look_at_weights(&self, file: File) {
        let name = file.name();
        let refuse = |why: &str| {
            let why = format!("{name}: {why}. What was open stays as it is.");
            self.dispatch(Action::NotTaken(why));
        };
        if file.size() > MOST_BYTES {
            return refuse("it is too large for weights, which have less than 4 MB");
        }
        let Ok(buffer) = JsFuture::from(file.array_buffer()).await else {
            return refuse("it cannot be read; it may have been moved or changed: drop it again");
        };
        let bytes = Uint8Array::new(&buffer);
        let worker = {
            let (session, name, bytes) = (self.clone(), name.clone(), bytes.clone());
            WorkerHandle::start(move |news| {
                session.on_weights_news(news, &name, &bytes);
            })
        };
        if worker.send(&WeightsRequest, [bytes.into()]).is_ok() {
            self.0.runs.weights.borrow_mut().worker = Some(worker);
        }
    }

    fn on_weights_news(&self, news: News<WeightsReply>, name: &str, bytes: &Uint8Array) {
        let looked_at = match news {
            News::Reply(WeightsReply::Known(choice, policy)) => Ok((choice, policy.map(|of| *of))),
            News::Reply(WeightsReply::Refused(why)) | News::Died(why) => Err(why),
            News::Late => return self.report_slow_network(),
        };
        match looked_at {
            Ok((choice, policy)) => {
                let mut files = self.0.runs.weights.borrow_mut();
                files.user_files.retain(|(other, _)| *other != choice);
                files.user_files.push((choice, bytes.clone()));
                drop(files);
                self.dispatch(Action::OpenedWeights(choice, name.to_owned(), policy));
            }
            Err(why) => self.dispatch(Action::NotTaken(format!(
                "{name} is not taken: {why}. What was open stays as it is."
            ))),
        }
    }

    /// Lets go of the user's weights.
    pub fn forget_weights(&self, choice: WeightsChoice) {
        self.0
            .runs
            .weights
            .borrow_mut()
            .user_files
            .retain(|(other, _)| *other != choice);
        self.dispatch(Action::ForgotWeights(choice));
    }
}
