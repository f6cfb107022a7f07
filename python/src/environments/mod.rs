//! Environments to learn in: the engine's own runs, stopped wherever somebody is to decide. A run is a
//! coroutine: it asks from within a policy or a placement, and goes on there with the answer, so that nothing of
//! the engine is done a second time. Any thread may step one, one at a time, and a process that was forked may.

mod elastic;
mod goal;
mod ordering;
pub(crate) mod picking;
pub(crate) mod placing;
mod screen;
mod yard;

use crate::{RunError, SwitchyardError, refused};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// A run that asks has a stack of so many bytes; what it does not touch takes up no memory.
const STACK: usize = 1 << 20;

/// A run that asks. What it asks lies in its screen; an answer is a number.
pub(crate) struct Episode<T: 'static> {
    coroutine: Coroutine<usize, (), T>,
    over: bool,
}

// SAFETY: a run brings nothing along that is bound to a thread (`new` asks for `Send`), and what it makes on its
// stack is the engine's, which knows no threads. While it is stopped it holds no lock.
unsafe impl<T: Send> Send for Episode<T> {}

/// What those within a run ask through.
#[derive(Clone, Copy)]
pub(crate) struct Asker(*const Yielder<usize, ()>);

// SAFETY: an asker lies on its coroutine's stack and goes where that goes, from thread to thread, one at a time.
unsafe impl Send for Asker {}

impl Asker {
    /// Stops the run until there is an answer.
    pub(crate) fn ask(&self) -> usize {
        // SAFETY: whoever has an asker lives within the run's coroutine, on whose stack the yielder outlives
        // the run; and it asks only while that is running.
        unsafe { &*self.0 }.suspend(())
    }
}

impl<T: 'static> Episode<T> {
    /// A run, which begins when it first goes on.
    pub(crate) fn new(run: impl FnOnce(Asker) -> T + Send + 'static) -> PyResult<Self> {
        let stack = DefaultStack::new(STACK).map_err(|why| {
            RunError::new_err(format!(
                "there is no room for another episode ({why}): take fewer environments at once"
            ))
        })?;
        let run = move |yielder: &Yielder<usize, ()>, _| run(Asker(yielder));
        Ok(Self {
            coroutine: Coroutine::with_stack(stack, run),
            over: false,
        })
    }

    /// Goes on until it asks, or to its end: what came of it.
    pub(crate) fn go_on(&mut self, answer: usize) -> Option<T> {
        if self.over {
            return None;
        }
        match self.coroutine.resume(answer) {
            CoroutineResult::Yield(()) => None,
            CoroutineResult::Return(end) => {
                self.over = true;
                Some(end)
            }
        }
    }
}

/// What a run has cost since somebody last asked, which the run writes down.
#[derive(Clone, Default)]
pub(crate) struct Cost(Arc<Mutex<f64>>);

impl Cost {
    pub(crate) fn add(&self, more: f64) {
        *locked(&self.0) += more;
    }

    /// Takes what there is, and leaves nothing.
    pub(crate) fn take(&self) -> f64 {
        std::mem::take(&mut *locked(&self.0))
    }
}

/// What makes an episode, with answers `A` and an end `E`: pickled, it is that.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept<A, E> {
    seed: u64,
    /// Numbers drawn since the seed; the last one says which jobs the episode has.
    drawn: u64,
    /// What was answered since it began.
    answers: Vec<A>,
    /// Whether it is under way.
    goes: bool,
    ended: Option<E>,
}

impl<A: Copy + Into<u32>, E> Kept<A, E> {
    /// Of an environment that was seeded, and has no episode yet.
    fn of(seed: u64) -> Self {
        Self {
            seed,
            drawn: 0,
            answers: Vec::new(),
            goes: false,
            ended: None,
        }
    }

    /// Gives a run these answers again. It has to ask on then, and what they have cost is taken.
    fn replay<T>(&self, run: &mut Option<Episode<T>>, cost: &Cost) -> PyResult<()> {
        let mut asks = run.is_some();
        for &answer in &self.answers {
            let run = run.as_mut();
            asks &= run.is_some_and(|run| run.go_on(answer.into() as usize).is_none());
            cost.take();
        }
        match asks {
            true => Ok(()),
            false => Err(refused(OTHER)),
        }
    }
}

/// Said of what was pickled elsewhere.
const OTHER: &str =
    "this environment was pickled by another version of switchyard: make it anew, and reset it";

/// What is kept as bytes, for an environment that was made alike.
fn to_bytes<'py>(py: Python<'py>, kept: &impl Serialize) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = postcard::to_allocvec(kept);
    let bytes = bytes.map_err(|why| SwitchyardError::new_err(why.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// What was kept so.
fn of_bytes<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> PyResult<T> {
    postcard::from_bytes(bytes).map_err(|_| refused(OTHER))
}

/// What is in there, also where a thread ended badly that had it.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is in there, for whoever steps it now; another thread at the same moment is refused.
fn alone<T>(state: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    match state.try_lock() {
        Ok(state) => Ok(state),
        Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
        Err(TryLockError::WouldBlock) => Err(refused(
            "another thread steps this environment at this moment: give each thread one of its own",
        )),
    }
}
