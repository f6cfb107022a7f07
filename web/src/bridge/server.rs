//! The workers' end.

use super::protocol::{PROTOCOL, Reply};
use super::wire;
use gloo_events::EventListener;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageEvent};

/// This worker; `None` outside one.
pub(crate) fn scope() -> Option<DedicatedWorkerGlobalScope> {
    let scope = js_sys::global().dyn_into().ok()?;
    report_panics(DedicatedWorkerGlobalScope::clone(&scope));
    Some(scope)
}

/// Starts to listen and says that it is ready.
pub(crate) fn listen<Request: DeserializeOwned + 'static>(
    scope: &DedicatedWorkerGlobalScope,
    mut answer: impl FnMut(Request, Vec<JsValue>) + 'static,
) {
    let here = scope.clone();
    let hear =
        move |event: &Event| match wire::unpack(&event.unchecked_ref::<MessageEvent>().data()) {
            Ok((request, with)) => answer(request, with),
            Err(why) => reply(&here, &Reply::Crashed(why)),
        };
    EventListener::new(scope, "message", hear).forget();
    reply(scope, &Reply::Ready { protocol: PROTOCOL });
}

/// Says something to the page.
pub(crate) fn reply(scope: &DedicatedWorkerGlobalScope, reply: &Reply) {
    if let Reply::Exported(text) = reply {
        let _ = scope.post_message(&JsValue::from_str(text));
        return;
    }
    let jobs = match reply {
        Reply::Opened(trace) => trace.jobs.parts(),
        _ => Vec::new(),
    };
    if let Ok(parcel) = wire::pack(reply, jobs) {
        // Nobody is left to tell if the page has gone away meanwhile.
        let _ = scope.post_message_with_transfer(&parcel, &wire::transferred(&parcel));
    }
}

/// A panic is our bug; the page should hear of it in words before the worker dies.
fn report_panics(scope: DedicatedWorkerGlobalScope) {
    // The hook must be `Send`; a worker has one thread, which is this one.
    let scope = Rc::new(scope);
    thread_local! {
        static SCOPE: RefCell<Option<Rc<DedicatedWorkerGlobalScope>>> = const { RefCell::new(None) };
    }
    SCOPE.set(Some(scope));
    std::panic::set_hook(Box::new(|info| {
        let why = info.to_string();
        SCOPE.with_borrow(|scope| {
            if let Some(scope) = scope {
                reply(scope, &Reply::Crashed(why));
            }
        });
    }));
}
