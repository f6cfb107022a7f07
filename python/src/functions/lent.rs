//! What the engine lends to Python for the length of a call: the view of the moment. Python's objects may outlive the
//! call, and then say that it is over.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use switchyard::engine::View;

/// A view while it is lent.
pub(super) struct Lent(Mutex<Option<NonNull<View<'static>>>>);

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
    /// Lends a view for the length of a call.
    pub(super) fn during<R>(view: &View<'_>, call: impl FnOnce(&Arc<Self>) -> R) -> R {
        let lent = Self(Mutex::new(Some(NonNull::from(view).cast())));
        let during = Call(Arc::new(lent));
        call(&during.0)
    }

    /// Looks at it. What looks must not wait for Python.
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

    fn taken(&self) -> MutexGuard<'_, Option<NonNull<View<'static>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
