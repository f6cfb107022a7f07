//! The workers' end: what both kinds of worker share. [`opener`] turns files into jobs, [`runner`]
//! carries one run; each is a program of its own, so that a page loads the other's code only once.

pub mod opener;
pub mod runner;

use super::protocol::{PROTOCOL, Reply};
use super::wire;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// This worker; `None` outside one.
fn scope() -> Option<DedicatedWorkerGlobalScope> {
    let scope = js_sys::global().dyn_into().ok()?;
    report_panics(DedicatedWorkerGlobalScope::clone(&scope));
    Some(scope)
}

/// Starts to listen and says that it is ready.
fn listen<Request: DeserializeOwned + 'static>(
    scope: &DedicatedWorkerGlobalScope,
    mut answer: impl FnMut(Request, &[File]) + 'static,
) {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new({
        let scope = scope.clone();
        move |event: MessageEvent| match wire::unpack(&event.data()) {
            Ok((request, files)) => answer(request, &files),
            Err(why) => reply(&scope, &Reply::Crashed(why)),
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    reply(scope, &Reply::Ready { protocol: PROTOCOL });
}

fn reply(scope: &DedicatedWorkerGlobalScope, reply: &Reply) {
    if let Reply::Exported(text) = reply {
        let _ = scope.post_message(&JsValue::from_str(text));
    } else if let Ok(parcel) = wire::pack(reply, &[]) {
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
