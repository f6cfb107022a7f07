//! The worker that carries one run (`switchyard-workers`), by the browser's messages and clock.

use super::input::Attachments;
use crate::bridge::log_piece::BufferCells;
use crate::bridge::protocol::{RunReply, Runner};
use crate::bridge::server::PageLink;
use gloo_events::EventListener;
use std::cell::RefCell;
use std::rc::Rc;
use switchyard_workers::link::Link;
use switchyard_workers::runner;
use wasm_bindgen::JsValue;
use web_sys::{MessageChannel, MessagePort};

/// Starts to listen.
pub(super) fn serve(page: PageLink<Runner>) {
    let Ok(channel) = MessageChannel::new() else {
        return page.crash("this browser has no message channels".to_string());
    };
    let runner = Rc::new(RefCell::new(runner::Runner::new(RunnerLink {
        page: page.clone(),
        next_slice: channel.port2(),
    })));

    let slices = runner.clone();
    let on_slice = EventListener::new(&channel.port1(), "message", move |_| {
        slices.borrow_mut().slice();
    });
    on_slice.forget();
    channel.port1().start();

    page.listen(move |request, attachments| {
        let mut attached = Attachments::from(attachments);
        runner.borrow_mut().answer(request, &mut attached);
    });
}

/// The page of this worker.
struct RunnerLink {
    page: PageLink<Runner>,
    /// Posting here has the next slice begin, after what the page may have asked meanwhile.
    next_slice: MessagePort,
}

impl Link for RunnerLink {
    type Cells = BufferCells;
    const IS_NATIVE: bool = false;

    fn reply(&self, reply: RunReply) {
        self.page.reply(reply);
    }

    fn clock(&self) -> impl Fn() -> f64 + 'static {
        self.page.clock()
    }

    fn call_again(&self) {
        // The port is ours: it takes everything.
        let _ = self.next_slice.post_message(&JsValue::NULL);
    }
}
