//! Environments to learn in: the engine's own runs, stopped wherever somebody is to decide. A run is a
//! coroutine: it asks from within a policy or a placement, and goes on there with the answer, so that nothing of
//! the engine is done a second time.

pub(crate) mod picking;
pub(crate) mod placing;

use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::Cell;

/// A run that asks. What it asks lies in its screen; an answer is a number.
pub(crate) struct Episode<T: 'static> {
    coroutine: Coroutine<usize, (), T>,
    over: bool,
}

/// What those within a run ask through.
#[derive(Clone, Copy)]
pub(crate) struct Asker(*const Yielder<usize, ()>);

// SAFETY: an asker lies on its coroutine's stack and goes where that goes: with `picking`'s slots from thread to
// thread, one at a time; a placer's never leave theirs, since what holds them is `unsendable`.
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
    pub(crate) fn new(run: impl FnOnce(Asker) -> T + 'static) -> Self {
        Self {
            coroutine: Coroutine::new(move |yielder: &Yielder<usize, ()>, _| run(Asker(yielder))),
            over: false,
        }
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

/// Takes what is in a cell, and leaves nothing.
fn taken(cell: &Cell<f64>) -> f64 {
    cell.replace(0.0)
}
