//! The workers' end.

use super::parcel::{Parcel, unpack};
use super::protocol::{Message, Nothing, PROTOCOL, Role};
use gloo_events::EventListener;
use std::cell::RefCell;
use std::marker::PhantomData;
use switchyard_workers::protocol::WorkerMessage;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageEvent};

/// This worker; `None` outside one.
pub(crate) fn scope() -> Option<DedicatedWorkerGlobalScope> {
    let scope = js_sys::global().dyn_into().ok()?;
    report_panics(DedicatedWorkerGlobalScope::clone(&scope));
    Some(scope)
}

/// What a worker of a role says to the page.
pub(crate) struct PageLink<R> {
    scope: DedicatedWorkerGlobalScope,
    role: PhantomData<R>,
}

impl<R> Clone for PageLink<R> {
    fn clone(&self) -> Self {
        Self {
            scope: self.scope.clone(),
            role: PhantomData,
        }
    }
}

impl<R: Role> PageLink<R> {
    /// That of this worker.
    pub(crate) fn of(scope: DedicatedWorkerGlobalScope) -> Self {
        Self {
            scope,
            role: PhantomData,
        }
    }

    /// Starts to listen and says that it is ready.
    pub(crate) fn listen(&self, mut answer: impl FnMut(R::Request, Vec<JsValue>) + 'static) {
        let here = self.clone();
        let hear = move |event: &Event| match unpack(&event.unchecked_ref::<MessageEvent>().data())
        {
            Ok((request, attachments)) => answer(request, attachments),
            Err(why) => here.crash(why.to_string()),
        };
        EventListener::new(&self.scope, "message", hear).forget();
        let protocol = PROTOCOL;
        post(&self.scope, &WorkerMessage::<R::Reply>::Ready { protocol });
    }

    /// Says something.
    pub(crate) fn reply(&self, reply: R::Reply) {
        post(&self.scope, &WorkerMessage::Reply(reply));
    }

    /// Has [`Role::OTHER_PROGRAM`] answer.
    #[cfg(not(feature = "columnar"))]
    pub(crate) fn needs_other_program(&self) {
        post(&self.scope, &WorkerMessage::<R::Reply>::NeedsOtherProgram);
    }

    /// Says that it cannot go on.
    pub(crate) fn crash(&self, why: String) {
        post(&self.scope, &WorkerMessage::<R::Reply>::Crashed(why));
    }

    /// The clock, in milliseconds. Looked up once: that takes longer than a step of a run.
    pub(crate) fn clock(&self) -> impl Fn() -> f64 + 'static {
        let clock = self.scope.performance();
        move || clock.as_ref().map_or(0.0, |clock| clock.now())
    }

    /// What the clock says.
    pub(crate) fn now_ms(&self) -> f64 {
        self.clock()()
    }
}

/// Says that this worker cannot do what it was started for.
pub(crate) fn refuse(scope: &DedicatedWorkerGlobalScope, why: String) {
    post(scope, &WorkerMessage::<Nothing>::Crashed(why));
}

fn post<Reply: Message>(scope: &DedicatedWorkerGlobalScope, message: &WorkerMessage<Reply>) {
    if let Ok(parcel) = Parcel::pack(message, message.attachments()) {
        // Nobody is left to tell if the page has gone away meanwhile.
        let _ = scope.post_message_with_transfer(&parcel, &parcel.transferred());
    }
}

/// A panic is our bug; the page should hear of it in words before the worker dies.
fn report_panics(scope: DedicatedWorkerGlobalScope) {
    // The hook must be `Send`; a worker has one thread, which is this one.
    thread_local! {
        static SCOPE: RefCell<Option<DedicatedWorkerGlobalScope>> = const { RefCell::new(None) };
    }
    SCOPE.set(Some(scope));
    std::panic::set_hook(Box::new(|info| {
        let why = info.to_string();
        SCOPE.with_borrow(|scope| {
            if let Some(scope) = scope {
                refuse(scope, why);
            }
        });
    }));
}
