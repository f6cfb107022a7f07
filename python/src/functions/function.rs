//! A function of Python's, and what is said of it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use switchyard::policies::by_key::Changes;
use switchyard::policies::{Cadence, Every};

/// How a function is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `key(job, now)`: a number.
    Key,
    /// `keys(jobs, now)`: an array of numbers.
    Keys,
    /// `plan(view)`.
    Plan,
}

impl<'py> FromPyObject<'_, 'py> for Form {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match given.extract::<&str>()? {
            "key" => Ok(Self::Key),
            "keys" => Ok(Self::Keys),
            "plan" => Ok(Self::Plan),
            other => Err(PyValueError::new_err(format!("no function is a '{other}'"))),
        }
    }
}

/// When the numbers of a function may change.
pub(super) struct Changing(pub(super) Changes);

impl<'py> FromPyObject<'_, 'py> for Changing {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let changes = given.extract::<&str>()?.parse();
        changes.map(Self).map_err(PyValueError::new_err)
    }
}

/// A function and what is said of it, as `switchyard.Function` has them.
#[derive(FromPyObject)]
pub(crate) struct Function {
    pub(super) form: Form,
    pub(super) function: Py<PyAny>,
    pub(super) explain: Option<Py<PyAny>>,
    pub(super) name: String,
    pub(super) preemptive: bool,
    pub(super) backfill: bool,
    pub(super) every: f64,
    pub(super) changes: Changing,
}

impl Function {
    /// What results and messages call it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// When it wants to be asked.
    pub(super) fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: (self.every > 0.0).then_some(Every {
                seconds: self.every,
                parameter: "every",
                // What decides the whole may have something to change while all run.
                while_all_run: self.form == Form::Plan,
            }),
        }
    }
}
