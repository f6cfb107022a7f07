//! The page's end: one handle per worker.

use super::protocol::{PROTOCOL, Reply};
use super::wire;
use js_sys::Promise;
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ErrorEvent, File, MessageEvent, Worker};

/// What a worker has to tell.
#[derive(Debug)]
pub enum News {
    /// It said something.
    Reply(Reply),
    /// It died, or never came to life: why. Nothing more will come.
    Died(String),
}

/// A living worker; dropping the handle ends it.
pub struct WorkerHandle {
    worker: Worker,
    /// Requests made before the worker was ready; `None` once it is.
    early: Rc<RefCell<Option<Vec<js_sys::Array>>>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

/// The programs that run in workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Turns files into jobs.
    Opener,
    /// Carries one run, answers for the goodput model, or writes jobs in a format.
    Runner,
}

impl Program {
    /// The name of its files, and in `switchyardWorkers`.
    fn name(self) -> &'static str {
        match self {
            Self::Opener => "opener",
            Self::Runner => "runner",
        }
    }
}

impl WorkerHandle {
    /// Starts a worker; `on_news` hears of everything but its readiness.
    pub fn start(program: Program, on_news: impl Fn(News) + 'static) -> Result<Self, String> {
        let worker = Worker::new(&address(program))
            .map_err(|error| format!("cannot start a worker: {error:?}"))?;
        let early = Rc::new(RefCell::new(Some(Vec::new())));
        let on_news = Rc::new(on_news);

        let on_message = Closure::new({
            let (worker, early, on_news) = (worker.clone(), early.clone(), on_news.clone());
            move |event: MessageEvent| match wire::unpack::<Reply>(&event.data()) {
                Ok((Reply::Ready { protocol: PROTOCOL }, _)) => {
                    for parcel in early.borrow_mut().take().into_iter().flatten() {
                        post(&worker, &parcel);
                    }
                }
                Ok((Reply::Ready { .. }, _)) => on_news(News::Died(
                    "the page has been updated since it was opened: reload it".to_string(),
                )),
                Ok((Reply::Crashed(why), _)) => on_news(News::Died(why)),
                Ok((reply, _)) => on_news(News::Reply(reply)),
                Err(why) => on_news(News::Died(why)),
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));

        let on_error = Closure::new(move |event: ErrorEvent| {
            event.prevent_default();
            let message = event.message();
            let why = if message.is_empty() {
                "the worker could not be loaded".to_string()
            } else {
                message
            };
            on_news(News::Died(why));
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));

        Ok(Self {
            worker,
            early,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Sends a request, with the files it is about.
    pub fn send(&self, request: &impl Serialize, files: &[File]) -> Result<(), String> {
        let parcel = wire::pack(request, files)?;
        match self.early.borrow_mut().as_mut() {
            Some(early) => early.push(parcel),
            None => post(&self.worker, &parcel),
        }
        Ok(())
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn post(worker: &Worker, parcel: &js_sys::Array) {
    // Only buffers that are transferred twice can fail here, and `pack` makes them anew.
    let _ = worker.post_message_with_transfer(parcel, &wire::transferred(parcel));
}

thread_local! {
    /// Addresses of the workers' scripts by name, where the page holds them in memory.
    static WORKERS: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
}

fn address(program: Program) -> String {
    WORKERS
        .with_borrow(|workers| js_sys::Reflect::get(workers, &program.name().into()).ok())
        .and_then(|address| address.as_string())
        .unwrap_or_else(|| format!("./{}_loader.js", program.name()))
}

/// Waits until the workers' scripts are at hand. A built page holds them in memory, so that
/// starting a worker later asks nobody for anything, and says where in `switchyardWorkers`: an
/// object of addresses by name, or a promise of one.
pub async fn find_workers() -> Result<(), String> {
    let name = JsValue::from_str("switchyardWorkers");
    let promised = js_sys::Reflect::get(&js_sys::global(), &name).unwrap_or(JsValue::UNDEFINED);
    let workers = JsFuture::from(Promise::resolve(&promised))
        .await
        .map_err(|error| {
            format!("the page's workers could not be loaded, reload the page ({error:?})")
        })?;
    WORKERS.set(workers);
    Ok(())
}
