//! Work without Python: now and then it is asked whether somebody has interrupted, and told how far
//! the work is.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// Between two looks at Python: short for people, and nothing beside the work.
pub(crate) const EVERY: Duration = Duration::from_millis(50);

/// Whoever is told of progress, and what came of telling.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    next: Instant,
    error: Option<PyErr>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self {
            progress,
            next: Instant::now() + EVERY,
            error: None,
        }
    }

    /// Whether the work goes on; `tell` writes how far it is. To be called without Python.
    pub(crate) fn goes_on(
        &mut self,
        tell: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
    ) -> bool {
        match self.is_due() {
            false => self.error.is_none(),
            true => self.look(tell),
        }
    }

    /// Whether it is time to look at Python.
    pub(crate) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// The same, where something has come to its end, whenever it was told before.
    pub(crate) fn ended(&mut self, tell: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>) -> bool {
        self.error.is_none() && self.look(tell)
    }

    /// Looks whether somebody has interrupted, where there is nothing to tell.
    pub(crate) fn goes_on_quietly(&mut self) -> bool {
        if self.error.is_none() {
            self.error = Python::attach(|py| py.check_signals()).err();
        }
        self.error.is_none()
    }

    /// Ends the work with this.
    pub(crate) fn stop(&mut self, why: PyErr) {
        self.error = Some(why);
    }

    /// Whether somebody has ended the work.
    pub(crate) fn has_stopped(&self) -> bool {
        self.error.is_some()
    }

    fn look(&mut self, tell: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>) -> bool {
        let looked = Python::attach(|py| {
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                let said = PyDict::new(py);
                tell(&said)?;
                progress.call1(py, (said,))?;
            }
            Ok(())
        });
        self.next = Instant::now() + EVERY;
        self.error = looked.err();
        self.error.is_none()
    }

    /// Why it did not go on, if it did not.
    pub(crate) fn done(self) -> PyResult<()> {
        self.error.map_or(Ok(()), Err)
    }
}
