//! Runs of the page, carried by this program instead of a worker of the browser's: the same code
//! (`switchyard-workers`), as fast as this machine is. The page asks for it by a WebSocket below its secret (RFC 6455).
//!
//! A connection is one run. One thread hears what the page says, the other one computes, no more of them at a time than
//! there are cores ([`Turns`]). With the connection the run ends: before its next step, since a decision is not
//! broken off. A log grows no longer than one of the command line's may.

use crate::memory;
use crate::threads::at_once;
use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;
use switchyard::engine::LogBudget;
use switchyard_app::driver::Cancel;
use switchyard_workers::bytes::{Attachments, attached_to, framed, message_in};
use switchyard_workers::link::Link;
use switchyard_workers::protocol::{PROTOCOL, RunReply, WorkerMessage};
use switchyard_workers::runner::Runner;
use tungstenite::protocol::Role;
use tungstenite::{Bytes, Message, WebSocket};

/// Where it answers, below the secret (static/workers.js).
pub(super) const PATH: &str = "native";

/// What the page is told of it, in the element `meta` of this name: the protocol that is spoken here. Cells of logs
/// travel as they lie in memory, which is the other way round on some machines.
pub(super) fn offer() -> String {
    match cfg!(target_endian = "little") {
        true => format!("<meta name=\"switchyard-native\" content=\"{PROTOCOL}\">"),
        false => String::new(),
    }
}

/// Runs that are held at once; a page holds 16 at most.
const MOST_RUNS: usize = 32;

/// Bytes of a message, and of what is attached to one: jobs. Messages that may wait for an answer.
const MOST_MESSAGE: usize = 64 << 20;
const MOST_ATTACHED: usize = 1 << 30;
const MOST_WAITING: usize = 64;

/// What all runs share.
pub(super) struct Native {
    turns: Turns,
    runs: AtomicUsize,
}

impl Native {
    /// On this machine.
    pub(super) fn here() -> Self {
        Self {
            turns: Turns::new(at_once()),
            runs: AtomicUsize::new(0),
        }
    }

    /// Carries a run for as long as the connection lasts, once its handshake is over.
    ///
    /// # Errors
    ///
    /// The system has no more threads or handles.
    pub(super) fn carry(self: &Arc<Self>, stream: TcpStream) -> io::Result<()> {
        let counted = self.runs.fetch_add(1, Ordering::Relaxed);
        let carried = if counted < MOST_RUNS {
            self.talk(stream)
        } else {
            // The page runs it itself.
            Ok(())
        };
        self.runs.fetch_sub(1, Ordering::Relaxed);
        carried
    }

    fn talk(self: &Arc<Self>, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(None)?;
        // A page that nobody looks at takes its time.
        stream.set_write_timeout(None)?;
        // Short messages go back and forth.
        stream.set_nodelay(true)?;
        let whole = Arc::default();
        let end = || -> io::Result<End> {
            Ok(End {
                stream: stream.try_clone()?,
                whole: Arc::clone(&whole),
            })
        };
        let (ours, theirs) = (end()?, end()?);
        let hung_up = HangUp(stream.try_clone()?);
        let cancel = Cancel::default();
        let (ask, asked) = sync_channel(MOST_WAITING);
        let (native, cancelled) = (Arc::clone(self), cancel.clone());
        let run = thread::Builder::new().spawn(move || {
            let _hung_up = hung_up;
            // Who has gone away hears nothing.
            let _ = native.run(theirs, &asked, cancelled);
        })?;
        let mut socket = WebSocket::from_raw_socket(ours, Role::Server, None);
        hear(&mut socket, &ask);
        cancel.cancel();
        drop(ask);
        // A page that has said good-bye is answered; then nobody waits to be heard any more.
        let _ = socket.flush();
        let _ = stream.shutdown(Shutdown::Both);
        // A panic has hung up, as everything else does that ends it.
        let _ = run.join();
        Ok(())
    }

    /// Answers what is asked, and computes between that.
    fn run(&self, end: End, asked: &Receiver<Asked>, cancel: Cancel) -> Result<(), Gone> {
        let mut socket = WebSocket::from_raw_socket(end, Role::Server, None);
        let ready = WorkerMessage::Ready { protocol: PROTOCOL };
        say(&mut socket, ready)?;
        let mut runner = Runner::new(Page {
            said: RefCell::default(),
            is_called: Cell::new(false),
            cancel: cancel.clone(),
            most: memory::of_machine().bytes,
        });
        while !cancel.is_cancelled() {
            let is_called = &runner.link().is_called;
            let next = match asked.try_recv() {
                Ok(asked) => Some(asked),
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) if is_called.get() => None,
                Err(TryRecvError::Empty) => Some(asked.recv().map_err(|_| Gone)?),
            };
            let turn = self.turns.take();
            match next {
                Some(Asked { message, attached }) => match message_in(&message) {
                    Ok(request) => runner.answer(request, &mut Attachments::from(attached)),
                    Err(why) => return say(&mut socket, WorkerMessage::Crashed(why.to_string())),
                },
                None => {
                    is_called.set(false);
                    runner.slice();
                }
            }
            drop(turn);
            for reply in runner.link().said.take() {
                say(&mut socket, WorkerMessage::Reply(reply))?;
            }
        }
        Ok(())
    }
}

/// Nobody is there to be told.
struct Gone;

/// What the page asks, as it came.
struct Asked {
    message: Bytes,
    attached: Vec<Bytes>,
}

/// Hands on what the page asks, until it ends the connection, says what is none of a page's, or asks for more than
/// anybody waits for.
fn hear(socket: &mut WebSocket<End>, ask: &SyncSender<Asked>) {
    let mut next = |most| -> Option<Bytes> {
        socket.set_config(|config| {
            config.max_message_size = Some(most);
            config.max_frame_size = Some(most);
        });
        loop {
            match socket.read().ok()? {
                Message::Binary(bytes) => return Some(bytes),
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Text(_) | Message::Close(_) | Message::Frame(_) => return None,
            }
        }
    };
    while let Some(message) = next(MOST_MESSAGE) {
        let Ok(count) = attached_to(&message) else {
            break;
        };
        let attached: Option<Vec<Bytes>> = (0..count).map(|_| next(MOST_ATTACHED)).collect();
        let Some(attached) = attached else { break };
        if ask.try_send(Asked { message, attached }).is_err() {
            break;
        }
    }
}

/// Says something, with the cells of a log behind it.
fn say(
    socket: &mut WebSocket<End>,
    mut message: WorkerMessage<RunReply<Vec<u8>>>,
) -> Result<(), Gone> {
    let cells = match &mut message {
        WorkerMessage::Reply(RunReply::Log { piece, .. }) => Some(std::mem::take(&mut piece.cells)),
        _ => None,
    };
    let frame = framed(&message, u32::from(cells.is_some())).map_err(|_| Gone)?;
    for bytes in std::iter::once(frame).chain(cells) {
        let bytes = Message::Binary(bytes.into());
        socket.write(bytes).map_err(|_| Gone)?;
    }
    socket.flush().map_err(|_| Gone)
}

/// The page at the other end.
struct Page {
    said: RefCell<Vec<RunReply<Vec<u8>>>>,
    is_called: Cell<bool>,
    cancel: Cancel,
    /// What a log may take here, bytes.
    most: u64,
}

impl Link for Page {
    type Cells = Vec<u8>;
    const IS_NATIVE: bool = true;

    fn reply(&self, reply: RunReply<Vec<u8>>) {
        self.said.borrow_mut().push(reply);
    }

    fn clock(&self) -> impl Fn() -> f64 + 'static {
        let begin = Instant::now();
        move || begin.elapsed().as_secs_f64() * 1000.0
    }

    fn call_again(&self) {
        self.is_called.set(true);
    }

    fn log_budget(&self, asked: LogBudget) -> LogBudget {
        LogBudget {
            bytes: asked.bytes.min(self.most),
            ..asked
        }
    }

    fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

/// What a thread has of a connection: one reads, and answers what only the protocol asks; the other one writes. What
/// either writes goes out whole: the library hands on whole frames.
struct End {
    stream: TcpStream,
    whole: Arc<Mutex<()>>,
}

impl Read for End {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.read(into)
    }
}

impl Write for End {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _whole = held(&self.whole);
        self.stream.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Ends a connection when it is dropped.
struct HangUp(TcpStream);

impl Drop for HangUp {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Who computes: so many at a time, whoever has waited longest first.
struct Turns {
    at_once: u64,
    /// Turns that were asked for, and those that are over.
    counted: Mutex<(u64, u64)>,
    is_over: Condvar,
}

/// A turn, until it is dropped.
struct Turn<'a>(&'a Turns);

impl Turns {
    fn new(at_once: usize) -> Self {
        Self {
            at_once: at_once as u64,
            counted: Mutex::default(),
            is_over: Condvar::new(),
        }
    }

    /// Waits for a turn.
    fn take(&self) -> Turn<'_> {
        let mut counted = held(&self.counted);
        let mine = counted.0;
        counted.0 += 1;
        while mine >= counted.1 + self.at_once {
            let waited = self.is_over.wait(counted);
            counted = waited.unwrap_or_else(PoisonError::into_inner);
        }
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        held(&self.0.counted).1 += 1;
        self.0.is_over.notify_all();
    }
}

/// Nothing that a lock guards here is left half done.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_compute_at_once_than_there_are_cores_and_all_get_their_turn() {
        let (turns, now, most) = (Turns::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let turn = turns.take();
                        let at_once = now.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(at_once, Ordering::SeqCst);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 400);
        assert!((1..=2).contains(&most.into_inner()));
    }
}
