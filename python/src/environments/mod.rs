//! Environments to learn in: the engine's own runs, stopped wherever somebody is to decide. A run is a
//! coroutine: it asks from within a policy or a placement, and goes on there with the answer, so that nothing of
//! the engine is done a second time. Any thread may step one, one at a time, and a process that was forked may.

pub(crate) mod picking;
pub(crate) mod placing;

use crate::{RunError, refused};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use pyo3::prelude::*;
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
    fn cell(&self) -> MutexGuard<'_, f64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, more: f64) {
        *self.cell() += more;
    }

    /// Takes what there is, and leaves nothing.
    pub(crate) fn take(&self) -> f64 {
        std::mem::take(&mut *self.cell())
    }
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
