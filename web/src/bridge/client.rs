//! The page's end: one handle per worker.

use super::jobs::Jobs;
use super::protocol::{PROTOCOL, Reply, Role};
use super::wire;
use crate::words::{words, words_for};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, MessageEvent, Worker};

#[wasm_bindgen]
extern "C" {
    /// A worker of this name, once its program has been fetched (static/workers.js).
    #[wasm_bindgen(catch, js_namespace = switchyardWorkers, js_name = start)]
    async fn start_worker(name: &str) -> Result<JsValue, JsValue>;
}

/// After so long one is told that a program is still on its way.
const LATE_MS: u32 = 10_000;

/// What a worker has to tell.
#[derive(Debug)]
pub enum News {
    /// It said something.
    Reply(Reply),
    /// It died, or never came to life: why, in words that follow a colon. Nothing more will come.
    Died(String),
    /// Its program is still on its way.
    Late,
}

/// A worker, or one whose program is still on its way; dropping the handle ends it.
pub struct WorkerHandle {
    line: Rc<Line>,
    role: Role,
}

/// The line to a worker.
#[derive(Default)]
struct Line {
    /// `None` until its program has been fetched.
    worker: RefCell<Option<Connected>>,
    /// Requests made before the worker was ready; `None` once it is.
    early: RefCell<Option<Vec<js_sys::Array>>>,
    /// What the opener was asked last, which another program may have to answer.
    asked: RefCell<Option<js_sys::Array>>,
}

/// A worker that lives, and who listens to it.
struct Connected {
    worker: Worker,
    _listeners: [EventListener; 2],
}

impl WorkerHandle {
    /// Starts a worker; `on_news` hears of everything but its readiness.
    pub fn start(role: Role, on_news: impl Fn(News) + 'static) -> Self {
        let line = Rc::new(Line {
            early: RefCell::new(Some(Vec::new())),
            ..Line::default()
        });
        line.begin(role, Rc::new(on_news));
        Self { line, role }
    }

    /// Sends a request, with the files or jobs it is about.
    pub fn send(
        &self,
        request: &impl Serialize,
        with: impl IntoIterator<Item = JsValue>,
    ) -> Result<(), String> {
        let parcel = wire::pack(request, with)?;
        if self.role == Role::Opener {
            self.line.asked.replace(Some(parcel.clone()));
        }
        match self.line.early.borrow_mut().as_mut() {
            Some(early) => early.push(parcel),
            None => self.line.post(&parcel),
        }
        Ok(())
    }
}

/// Tells after a while if the worker is not ready by then.
fn tell_if_late(line: &Rc<Line>, on_news: Rc<impl Fn(News) + 'static>) {
    let line = Rc::downgrade(line);
    let check = move || {
        if line
            .upgrade()
            .is_some_and(|line| line.early.borrow().is_some())
        {
            on_news(News::Late);
        }
    };
    Timeout::new(LATE_MS, check).forget();
}

impl Line {
    /// Starts a worker.
    fn begin(self: &Rc<Self>, role: Role, on_news: Rc<impl Fn(News) + 'static>) {
        tell_if_late(self, on_news.clone());
        let waiting = Rc::downgrade(self);
        spawn_local(async move {
            let started = start_worker(role.name()).await;
            // Whoever started it may have given it up meanwhile.
            let line = waiting.upgrade();
            match (started.map(JsCast::unchecked_into::<Worker>), line) {
                (Ok(worker), Some(line)) => line.connect(worker, on_news),
                (Ok(worker), None) => worker.terminate(),
                (Err(error), Some(_)) => {
                    let why = words(&error);
                    on_news(News::Died(match role {
                        Role::Columnar => format!(
                            "what reads Parquet and Arrow could not be fetched ({why}); without a network, export the file as CSV"
                        ),
                        _ => why,
                    }));
                }
                (Err(_), None) => {}
            }
        });
    }

    /// Has the opener that reads tables stored by columns answer what the other one was asked.
    fn go_on_with_columns(self: &Rc<Self>, on_news: Rc<impl Fn(News) + 'static>) {
        self.worker.take();
        self.early
            .replace(Some(self.asked.take().into_iter().collect()));
        self.begin(Role::Columnar, on_news);
    }

    /// Listens to a worker.
    fn connect(self: &Rc<Self>, worker: Worker, on_news: Rc<impl Fn(News) + 'static>) {
        let hear = {
            let (line, on_news) = (Rc::downgrade(self), on_news.clone());
            move |event: &MessageEvent| match hear_reply(&event.data()) {
                Ok(Reply::Ready { protocol: PROTOCOL }) => {
                    if let Some(line) = line.upgrade() {
                        let early = line.early.take();
                        early.iter().flatten().for_each(|parcel| line.post(parcel));
                    }
                }
                Ok(Reply::Ready { .. }) => on_news(News::Died(
                    "the page has been updated since it was opened: reload it".to_string(),
                )),
                Ok(Reply::NeedsColumns) => {
                    if let Some(line) = line.upgrade() {
                        line.go_on_with_columns(on_news.clone());
                    }
                }
                Ok(Reply::Crashed(why)) => on_news(News::Died(words_for(&why))),
                Ok(reply) => on_news(News::Reply(reply)),
                Err(why) => on_news(News::Died(why)),
            }
        };
        let fail = move |event: &Event| {
            event.prevent_default();
            // A script that may not be loaded at all is reported without a message.
            let message = js_sys::Reflect::get(event, &"message".into()).ok();
            let why = match message.and_then(|message| message.as_string()) {
                Some(message) => words_for(&message),
                None => "the browser does not load its program: a security policy (Content-Security-Policy) may forbid workers".to_string(),
            };
            on_news(News::Died(why));
        };
        let ours = EventListenerOptions::enable_prevent_default();
        let listeners = [
            EventListener::new(&worker, "message", move |event| hear(event.unchecked_ref())),
            EventListener::new_with_options(&worker, "error", ours, fail),
        ];
        self.worker.replace(Some(Connected {
            worker,
            _listeners: listeners,
        }));
    }

    fn post(&self, parcel: &js_sys::Array) {
        if let Some(Connected { worker, .. }) = &*self.worker.borrow() {
            let transferred = match self.asked.borrow().is_some() {
                // It may have to be posted again.
                true => js_sys::Array::new(),
                false => wire::transferred(parcel),
            };
            // Only buffers that are transferred twice can fail here, and `pack` makes them anew.
            let _ = worker.post_message_with_transfer(parcel, &transferred);
        }
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// What a worker says. Text that it has written for people travels as it is, so that nobody needs to
/// decode it.
fn hear_reply(message: &JsValue) -> Result<Reply, String> {
    if let Some(text) = message.as_string() {
        return Ok(Reply::Exported(text));
    }
    let (mut reply, with) = wire::unpack(message)?;
    if let Reply::Opened(trace) = &mut reply {
        trace.jobs = Jobs::of(with);
    }
    Ok(reply)
}

/// A request as it travels, to be sent by others.
pub(crate) fn prepared(request: &impl Serialize, jobs: Jobs) -> Result<js_sys::Array, String> {
    wire::pack(request, [jobs.into()])
}
