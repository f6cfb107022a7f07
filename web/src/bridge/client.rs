//! The page's end: one handle per worker.

use super::jobs::Jobs;
use super::parcel::{Parcel, ParcelError, unpack};
use super::protocol::{Message, PROTOCOL, Program, Role};
use crate::words::{words, words_for};
use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use switchyard_workers::protocol::WorkerMessage;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, MessageEvent, Worker};

#[wasm_bindgen]
extern "C" {
    /// A worker of this role, once its program has been fetched (static/workers.js); or what speaks as one, where
    /// the program that serves the page speaks this protocol and carries runs.
    #[wasm_bindgen(catch, js_namespace = switchyardWorkers, js_name = start)]
    async fn start_worker(role: &str, program: &str, protocol: u32) -> Result<JsValue, JsValue>;
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
    line: Rc<Connection>,
    role: PhantomData<R>,
}

/// The connection to a worker. It is the same for all roles: what depends on one is in its [ear](Ear).
struct Connection {
    /// `None` until its program has been fetched.
    worker: RefCell<Option<Connected>>,
    /// Requests made before the worker was ready; `None` once it is.
    early: RefCell<Option<Vec<Parcel>>>,
    /// The last request, where another program may have to answer it.
    last_request: RefCell<Option<Parcel>>,
    /// The name of its role, and the program that answers where its own cannot.
    name: &'static str,
    other_program: Option<Program>,
    ear: Ear,
}

/// Who hears what a worker says.
struct Ear {
    /// Reads a message, and passes on what is for those who have started it.
    hear: Box<dyn Fn(&JsValue) -> Heard>,
    /// Tells them that it died, and why; or that it is late.
    tell: Box<dyn Fn(Option<String>)>,
}

/// What a message means to the connection.
enum Heard {
    /// It is ready, with this protocol.
    Ready(u32),
    /// The other program is to answer.
    NeedsOtherProgram,
    /// Nothing: it has been passed on.
    Passed,
}

/// A worker that lives, and what listens to it.
struct Connected {
    worker: Worker,
    _listeners: [EventListener; 2],
}

impl Ear {
    fn of<R: Role>(on_news: impl Fn(News<R::Reply>) + 'static) -> Self {
        let on_news = Rc::new(on_news);
        let hear = {
            let on_news = on_news.clone();
            move |data: &JsValue| {
                on_news(match read_message(data) {
                    Ok(WorkerMessage::Ready { protocol }) => return Heard::Ready(protocol),
                    Ok(WorkerMessage::NeedsOtherProgram) => return Heard::NeedsOtherProgram,
                    Ok(WorkerMessage::Crashed(why)) => News::Died(words_for(&why)),
                    Ok(WorkerMessage::Reply(reply)) => News::Reply(reply),
                    Err(why) => News::Died(why.to_string()),
                });
                Heard::Passed
            }
        };
        let tell = move |died: Option<String>| on_news(died.map_or(News::Late, News::Died));
        Self {
            hear: Box::new(hear),
            tell: Box::new(tell),
        }
    }

    fn died(&self, why: String) {
        (self.tell)(Some(why));
    }
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
            name: R::NAME,
            other_program: R::OTHER_PROGRAM,
            ear: Ear::of::<R>(on_news),
        });
        line.begin(program);
        let role = PhantomData;
        Self { line, role }
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
        self.line.send(Parcel::pack(request, attachments)?);
        Ok(())
    }
}

impl Connection {
    /// Starts a worker.
    fn begin(self: &Rc<Self>, program: Program) {
        self.report_if_late();
        let waiting = Rc::downgrade(self);
        let name = self.name;
        spawn_local(async move {
            let started = start_worker(name, program.name(), PROTOCOL).await;
            // Whoever started it may have given it up meanwhile.
            let line = waiting.upgrade();
            match (started.map(JsCast::unchecked_into::<Worker>), line) {
                (Ok(worker), Some(line)) => line.connect(worker),
                (Ok(worker), None) => worker.terminate(),
                (Err(error), Some(line)) => {
                    let why = words(&error);
                    line.ear.died(match program {
                        Program::Columnar => format!(
                            "what reads Parquet and Arrow could not be fetched ({why}); without a network, export the file as CSV"
                        ),
                        Program::Worker | Program::Scripts => why,
                    });
                }
                (Err(_), None) => {}
            }
        });
    }

    /// Tells after a while if the worker is not ready by then.
    fn report_if_late(self: &Rc<Self>) {
        let line = Rc::downgrade(self);
        let check = move || {
            if let Some(line) = line.upgrade()
                && line.early.borrow().is_some()
            {
                (line.ear.tell)(None);
            }
        };
        Timeout::new(LATE_MS, check).forget();
    }

    /// Has another program answer what the worker was asked last.
    fn go_on_in(self: &Rc<Self>, program: Program) {
        self.worker.take();
        let last = self.last_request.take();
        self.early.replace(Some(last.into_iter().collect()));
        self.begin(program);
    }

    /// Listens to a worker.
    fn connect(self: &Rc<Self>, worker: Worker) {
        let line = Rc::downgrade(self);
        let hear = move |event: &MessageEvent| {
            if let Some(line) = line.upgrade() {
                line.hear(&event.data());
            }
        };
        let line = Rc::downgrade(self);
        let fail = move |event: &Event| {
            event.prevent_default();
            // A script that may not be loaded at all is reported without a message.
            let message = js_sys::Reflect::get(event, &"message".into()).ok();
            let why = match message.and_then(|message| message.as_string()) {
                Some(message) => words_for(&message),
                None => "the browser does not load its program: a security policy (Content-Security-Policy) may forbid workers".to_string(),
            };
            if let Some(line) = line.upgrade() {
                line.ear.died(why);
            }
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

    /// Takes a message in.
    fn hear(self: &Rc<Self>, data: &JsValue) {
        match (self.ear.hear)(data) {
            Heard::Ready(PROTOCOL) => {
                let early = self.early.take();
                early.iter().flatten().for_each(|parcel| self.post(parcel));
            }
            Heard::Ready(_) => self
                .ear
                .died("the page has been updated since it was opened: reload it".to_string()),
            Heard::NeedsOtherProgram => {
                if let Some(program) = self.other_program {
                    self.go_on_in(program);
                }
            }
            Heard::Passed => {}
        }
    }

    fn send(&self, parcel: Parcel) {
        if self.other_program.is_some() {
            self.last_request.replace(Some(parcel.clone()));
        }
        match self.early.borrow_mut().as_mut() {
            Some(early) => early.push(parcel),
            None => self.post(&parcel),
        }
    }

    fn post(&self, parcel: &Parcel) {
        if let Some(Connected { worker, .. }) = &*self.worker.borrow() {
            let transferred = match self.other_program {
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
