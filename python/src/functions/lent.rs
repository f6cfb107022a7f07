//! What the engine lends to Python for the length of a call: the view of the moment, the run's generator, and somewhere to
//! note things. Python's objects may outlive the call, and then say that it is over.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use switchyard::draw::{self, Rng};
use switchyard::engine::View;
use switchyard::policies::notes::Notes;

/// What is lent besides the view, and comes back.
pub(super) struct Purse {
    /// The run's generator.
    pub(super) rng: Rng,
    /// `None`: nobody listens.
    pub(super) notes: Option<Notes>,
}

/// A view and a purse while they are lent.
pub(super) struct Lent {
    view: Mutex<Option<NonNull<View<'static>>>>,
    purse: Mutex<Purse>,
}

// SAFETY: the view is looked at by one thread at a time, that which has the mutex, while the engine's waits for the
// call; and nothing of a view is bound to a thread.
unsafe impl Send for Lent {}
// SAFETY: the same.
unsafe impl Sync for Lent {}

/// Takes it back, however the call ends.
struct Call(Arc<Lent>);

impl Drop for Call {
    fn drop(&mut self) {
        *self.0.taken() = None;
    }
}

impl Lent {
    /// Lends a view and a purse for the length of a call. What is in the purse afterwards comes back.
    pub(super) fn during<R>(
        view: &View<'_>,
        purse: &mut Purse,
        call: impl FnOnce(&Arc<Self>) -> R,
    ) -> R {
        let lent = Self {
            view: Mutex::new(Some(NonNull::from(view).cast())),
            purse: Mutex::new(Purse {
                rng: purse.rng.clone(),
                notes: purse.notes.take(),
            }),
        };
        let during = Call(Arc::new(lent));
        let came = call(&during.0);
        let mut lent = during.0.purse();
        purse.rng = lent.rng.clone();
        purse.notes = lent.notes.take();
        drop(lent);
        came
    }

    /// Looks at the view. What looks must not wait for Python.
    pub(super) fn look<R>(&self, look: impl FnOnce(&View<'_>) -> R) -> Result<R, PyErr> {
        let view = self.taken();
        // SAFETY: `during` borrows the view until it has taken it back, for which it waits for the mutex.
        let view = view.map(|view| unsafe { view.as_ref() });
        view.map(look).ok_or_else(|| {
            PyValueError::new_err(
                "it was kept from an earlier decision, which is over: keep its id, or what it said",
            )
        })
    }

    /// So many numbers from 0 to below 1 of the run's generator.
    pub(super) fn random(&self, count: usize) -> Result<Vec<f64>, PyErr> {
        self.look(|_| {
            let mut purse = self.purse();
            (0..count).map(|_| draw::unit(&mut purse.rng)).collect()
        })
    }

    /// Notes something, if anybody listens. What notes must not wait for Python.
    pub(super) fn note(&self, note: impl FnOnce(&mut Notes)) -> Result<(), PyErr> {
        self.look(|_| self.purse().notes.as_mut().map(note))
            .map(drop)
    }

    /// Whether anybody listens to notes.
    pub(super) fn listens(&self) -> bool {
        self.purse().notes.is_some()
    }

    fn taken(&self) -> MutexGuard<'_, Option<NonNull<View<'static>>>> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn purse(&self) -> MutexGuard<'_, Purse> {
        self.purse.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
