//! Who is told how far runs are, and may end them: Python itself ([`Here`]), or the thread that looks after Python while
//! others run ([`Elsewhere`]).

use crate::watch::{EVERY, Watch};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::mpsc::Sender;
use std::time::Instant;
use switchyard_app::driver::{Cancel, RunProgress};

/// How far a run is.
pub(crate) struct Reached {
    pub(crate) run: usize,
    pub(crate) policy: String,
    pub(crate) progress: RunProgress,
}

/// Who ends all runs.
pub(crate) trait Ending {
    /// Ends them with this.
    fn stop(&mut self, why: PyErr);
}

/// Who is told of a run.
pub(crate) trait Listening: Ending {
    /// Whether it is time to tell how far it is.
    fn is_due(&self) -> bool;
    /// Told how far it is: whether it goes on.
    fn reached(&mut self, reached: Reached) -> bool;
    /// Told that it is over.
    fn over(&mut self, reached: Reached);
}

/// Python itself, and how many runs there are.
pub(crate) struct Here<'a> {
    pub(crate) watch: &'a mut Watch,
    pub(crate) runs: usize,
}

/// The thread that looks after Python, as seen from another, whose runs come to `T`.
pub(crate) struct Elsewhere<T> {
    said: Sender<Said<T>>,
    cancel: Cancel,
    next: Instant,
}

/// What a thread says of its runs.
pub(crate) enum Said<T> {
    /// One is so far.
    Reached(Reached),
    /// One is over.
    Over(Reached),
    /// All are to end with this.
    Stop(PyErr),
    /// What came of one, by which it is; nothing: it was interrupted.
    Ended(usize, Box<PyResult<Option<T>>>),
}

impl Ending for Watch {
    fn stop(&mut self, why: PyErr) {
        Self::stop(self, why);
    }
}

impl Ending for Here<'_> {
    fn stop(&mut self, why: PyErr) {
        self.watch.stop(why);
    }
}

impl Listening for Here<'_> {
    fn is_due(&self) -> bool {
        self.watch.is_due()
    }

    fn reached(&mut self, reached: Reached) -> bool {
        let runs = self.runs;
        self.watch.goes_on(|said| tell(&reached, runs, said))
    }

    fn over(&mut self, reached: Reached) {
        let runs = self.runs;
        self.watch.ended(|said| tell(&reached, runs, said));
    }
}

impl<T> Elsewhere<T> {
    pub(crate) fn new(said: Sender<Said<T>>, cancel: Cancel) -> Self {
        Self {
            said,
            cancel,
            next: Instant::now() + EVERY,
        }
    }

    /// Whether all are to end.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Tells what came of a run.
    pub(crate) fn ended(&self, run: usize, came: PyResult<Option<T>>) {
        self.say(Said::Ended(run, Box::new(came)));
    }

    /// Where nobody listens any more, all is over anyway.
    fn say(&self, said: Said<T>) {
        if self.said.send(said).is_err() {
            self.cancel.cancel();
        }
    }
}

impl<T> Ending for Elsewhere<T> {
    fn stop(&mut self, why: PyErr) {
        self.say(Said::Stop(why));
    }
}

impl<T> Listening for Elsewhere<T> {
    fn is_due(&self) -> bool {
        self.is_cancelled() || Instant::now() >= self.next
    }

    fn reached(&mut self, reached: Reached) -> bool {
        self.next = Instant::now() + EVERY;
        self.say(Said::Reached(reached));
        !self.is_cancelled()
    }

    fn over(&mut self, reached: Reached) {
        self.say(Said::Over(reached));
    }
}

fn tell(reached: &Reached, runs: usize, said: &Bound<'_, PyDict>) -> PyResult<()> {
    let progress = &reached.progress;
    said.set_item("stage", "run")?;
    said.set_item("policy", &reached.policy)?;
    said.set_item("run", reached.run)?;
    said.set_item("runs", runs)?;
    said.set_item("done", progress.done)?;
    said.set_item("jobs", progress.jobs)?;
    said.set_item("now", progress.now.seconds())
}
