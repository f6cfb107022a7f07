//! Jobs that are named in words: whoever points at a name, or has the focus on it, sees the job in every view and yard. An
//! element says which job it names by `data-job`.

use crate::session::Session;
use gloo_events::EventListener;
use std::cell::Cell;
use std::rc::Rc;
use switchyard::job::JobId;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event};
use yew::prelude::*;

/// Which job an event's element names, or one around it.
fn named(event: &Event) -> Option<JobId> {
    let element = event.target()?.dyn_into::<Element>().ok()?;
    let element = element.closest("[data-job]").ok()??;
    element.get_attribute("data-job")?.parse().ok().map(JobId)
}

/// Lights a job in every view as long as its name is pointed at or has the focus, wherever in the page that is. What is
/// drawn says itself which job is pointed at.
#[hook]
pub(super) fn use_named_jobs(session: &Session) {
    let session = session.clone();
    use_effect_with((), move |()| {
        let document = web_sys::window().and_then(|window| window.document());
        let is_lit = Rc::new(Cell::new(false));
        let listen = |kind: &'static str, comes: bool| {
            let (session, is_lit) = (session.clone(), is_lit.clone());
            document.as_ref().map(|document| {
                EventListener::new(document, kind, move |event| {
                    let job = named(event).filter(|_| comes);
                    // A name may have gone from under the pointer.
                    if is_lit.replace(job.is_some()) || job.is_some() {
                        session.light(job);
                    }
                })
            })
        };
        let listeners = [
            listen("pointerover", true),
            listen("pointerout", false),
            listen("focusin", true),
            listen("focusout", false),
        ];
        move || drop(listeners)
    });
}
