//! What is named in words: whoever points at a name, or has the focus on it, sees the job, the node, the tenant or the queue
//! in every view and yard. An element says which job it names by `data-job`, and what else by `data-names`; who presses
//! that goes there.

use crate::named::Name;
use crate::session::Session;
use gloo_events::EventListener;
use std::cell::Cell;
use std::rc::Rc;
use switchyard::job::JobId;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event};
use yew::prelude::*;

/// What an event's element says, or one around it.
fn said(event: &Event, attribute: &str) -> Option<String> {
    let element = event.target()?.dyn_into::<Element>().ok()?;
    let element = element.closest(&format!("[{attribute}]")).ok()??;
    element.get_attribute(attribute)
}

/// Lights what is named in every view as long as its name is pointed at or has the focus, wherever in the page that is.
/// What is drawn says itself which job is pointed at.
#[hook]
pub(super) fn use_named_jobs(session: &Session) {
    let session = session.clone();
    use_effect_with((), move |()| {
        let document = web_sys::window().and_then(|window| window.document());
        let (is_lit, is_named) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
        let listen = |kind: &'static str, comes: bool| {
            let (session, is_lit) = (session.clone(), is_lit.clone());
            let is_named = is_named.clone();
            document.as_ref().map(|document| {
                EventListener::new(document, kind, move |event| {
                    let of = |attribute| said(event, attribute).filter(|_| comes);
                    let job = of("data-job").and_then(|job| job.parse().ok().map(JobId));
                    // A name may have gone from under the pointer.
                    if is_lit.replace(job.is_some()) || job.is_some() {
                        session.light(job);
                    }
                    let name = of("data-names").and_then(|name| Name::read(&name));
                    if is_named.replace(name.is_some()) || name.is_some() {
                        session.light_named(name.as_ref());
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
        let pressed = document.as_ref().map(|document| {
            EventListener::new(document, "click", move |event| {
                let name = said(event, "data-names").and_then(|name| Name::read(&name));
                if let Some(name) = name {
                    session.go_to(&name);
                }
            })
        });
        move || drop((listeners, pressed))
    });
}
