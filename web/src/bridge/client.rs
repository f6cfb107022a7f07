//! The page's end: one handle per worker.

use super::jobs::Jobs;
use super::parcel::{Parcel, ParcelError, unpack};
use super::protocol::{Message, PROTOCOL, Program, Role, WorkerMessage};
use crate::words::{words, words_for};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, MessageEvent, Worker};

#[wasm_bindgen]
extern "C" {
    /// A worker of this role, once its program has been fetched (static/workers.js).
    #[wasm_bindgen(catch, js_namespace = switchyardWorkers, js_name = start)]
    async fn start_worker(role: &str, program: &str) -> Result<JsValue, JsValue>;
}

/// After so long one is told that a program is still on its way.
const LATE_MS: u32 = 10_000;

/// What becomes of a worker.
#[derive(Debug)]
pub enum News<Reply> {
    /// It said something.
    Reply(Reply),
    /// It died, or never came to life: why, in words that follow a colon. Nothing more will come.
    Died(String),
    /// Its program is still on its way.
    Late,
}

/// A worker, or one whose program is still on its way; dropping the handle ends it.
pub struct WorkerHandle<R: Role> {
    line: Rc<Connection<R>>,
}

/// The connection to a worker.
struct Connection<R> {
    /// `None` until its program has been fetched.
    worker: RefCell<Option<Connected>>,
    /// Requests made before the worker was ready; `None` once it is.
    early: RefCell<Option<Vec<Parcel>>>,
    /// The last request, where another program may have to answer it.
    last_request: RefCell<Option<Parcel>>,
    role: PhantomData<R>,
}

/// A worker that lives, and what listens to it.
struct Connected {
    worker: Worker,
    _listeners: [EventListener; 2],
}

impl<R: Role> WorkerHandle<R> {
    /// Starts a worker; `on_news` hears of everything but its readiness.
    pub fn start(on_news: impl Fn(News<R::Reply>) + 'static) -> Self {
        Self::start_in(Program::Worker, on_news)
    }

    /// The same in a program.
    pub fn start_in(program: Program, on_news: impl Fn(News<R::Reply>) + 'static) -> Self {
        let line = Rc::new(Connection {
            worker: RefCell::default(),
            early: RefCell::new(Some(Vec::new())),
            last_request: RefCell::default(),
            role: PhantomData,
        });
        line.begin(program, Rc::new(on_news));
        Self { line }
    }

    /// Sends a request, with the files or jobs it is about.
    ///
    /// # Errors
    ///
    /// The request cannot be written.
    pub fn send(
        &self,
        request: &R::Request,
        attachments: impl IntoIterator<Item = JsValue>,
    ) -> Result<(), ParcelError> {
        let parcel = Parcel::pack(request, attachments)?;
        if R::OTHER_PROGRAM.is_some() {
            self.line.last_request.replace(Some(parcel.clone()));
        }
        match self.line.early.borrow_mut().as_mut() {
            Some(early) => early.push(parcel),
            None => self.line.post(&parcel),
        }
        Ok(())
    }
}

/// Tells after a while if the worker is not ready by then.
fn report_if_late<R: Role>(
    line: &Rc<Connection<R>>,
    on_news: Rc<impl Fn(News<R::Reply>) + 'static>,
) {
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

impl<R: Role> Connection<R> {
    /// Starts a worker.
    fn begin(self: &Rc<Self>, program: Program, on_news: Rc<impl Fn(News<R::Reply>) + 'static>) {
        report_if_late(self, on_news.clone());
        let waiting = Rc::downgrade(self);
        spawn_local(async move {
            let started = start_worker(R::NAME, program.name()).await;
            // Whoever started it may have given it up meanwhile.
            let line = waiting.upgrade();
            match (started.map(JsCast::unchecked_into::<Worker>), line) {
                (Ok(worker), Some(line)) => line.connect(worker, on_news),
                (Ok(worker), None) => worker.terminate(),
                (Err(error), Some(_)) => {
                    let why = words(&error);
                    on_news(News::Died(match program {
                        Program::Columnar => format!(
                            "what reads Parquet and Arrow could not be fetched ({why}); without a network, export the file as CSV"
                        ),
                        Program::Worker | Program::Scripts => why,
                    }));
                }
                (Err(_), None) => {}
            }
        });
    }

    /// Has another program answer what the worker was asked last.
    fn go_on_in(self: &Rc<Self>, program: Program, on_news: Rc<impl Fn(News<R::Reply>) + 'static>) {
        self.worker.take();
        let last = self.last_request.take();
        self.early.replace(Some(last.into_iter().collect()));
        self.begin(program, on_news);
    }

    /// Listens to a worker.
    fn connect(self: &Rc<Self>, worker: Worker, on_news: Rc<impl Fn(News<R::Reply>) + 'static>) {
        let hear = {
            let (line, on_news) = (Rc::downgrade(self), on_news.clone());
            move |event: &MessageEvent| match read_message(&event.data()) {
                Ok(WorkerMessage::Ready { protocol: PROTOCOL }) => {
                    if let Some(line) = line.upgrade() {
                        let early = line.early.take();
                        early.iter().flatten().for_each(|parcel| line.post(parcel));
                    }
                }
                Ok(WorkerMessage::Ready { .. }) => on_news(News::Died(
                    "the page has been updated since it was opened: reload it".to_string(),
                )),
                Ok(WorkerMessage::NeedsOtherProgram) => {
                    if let (Some(line), Some(program)) = (line.upgrade(), R::OTHER_PROGRAM) {
                        line.go_on_in(program, on_news.clone());
                    }
                }
                Ok(WorkerMessage::Crashed(why)) => on_news(News::Died(words_for(&why))),
                Ok(WorkerMessage::Reply(reply)) => on_news(News::Reply(reply)),
                Err(why) => on_news(News::Died(why.to_string())),
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

    fn post(&self, parcel: &Parcel) {
        if let Some(Connected { worker, .. }) = &*self.worker.borrow() {
            let transferred = match R::OTHER_PROGRAM {
                // It may have to be posted again.
                Some(_) => js_sys::Array::new(),
                None => parcel.transferred(),
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

/// What a worker says.
fn read_message<Reply: Message>(arrived: &JsValue) -> Result<WorkerMessage<Reply>, ParcelError> {
    let (mut message, attachments) = unpack::<WorkerMessage<Reply>>(arrived)?;
    message.attach(attachments);
    Ok(message)
}

/// A request as it travels, to be sent by others.
pub(crate) fn prepared(request: &impl Message, jobs: Jobs) -> Result<Parcel, ParcelError> {
    Parcel::pack(request, [jobs.into()])
}
